//! Public keys and evaluation keys.
//!
//! ```text
//! public key        16 identity · b · a, packed under the ciphertext primes
//! evaluation keys   16 identity · 1 relinearisation key there? · 4 number of Galois keys · 8 per Galois element,
//!                   ascending · the keys in this order, each b0 a0 b1 a1 …, under all primes
//! ```

use super::error::{field, WireError};
use super::frame::{file_len, Frame, Reader, Writer};
use super::kind::Kind;
use super::packing::poly_len;
use ringwright_ir::he::KeyId;
use ringwright_schemes::rlwe::{EvaluationKeys, PublicKey, Ring, SwitchingKey};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Bytes of the identity.
const IDENTITY: u64 = 16;

/// Bytes of a public key's file.
pub fn public_key_len(ring: &Ring) -> u64 {
    file_len(IDENTITY + 2 * poly_len(ring.n(), ring.q()))
}

/// Writes a public key.
///
/// # Errors
/// Only those of `out`.
pub fn write_public_key(key: &PublicKey, out: &mut impl Write) -> Result<(), WireError> {
    let ring = key.ring();
    let payload = IDENTITY + 2 * poly_len(ring.n(), ring.q());
    let mut writer = Writer::begin(out, Kind::PublicKey, &ring.id(), payload)?;
    writer.bytes(&key.identity().bytes())?;
    writer.poly(key.b(), ring.q())?;
    writer.poly(key.a(), ring.q())?;
    writer.finish()
}

/// Reads a public key that was made under these ring.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_public_key(bytes: &[u8], ring: &Ring) -> Result<PublicKey, WireError> {
    let frame = Frame::under(bytes, Kind::PublicKey, ring)?;
    let (identity, mut reader) = frame.owned()?;
    reader.expect_left(2 * poly_len(ring.n(), ring.q()))?;
    let b = Arc::new(reader.poly(ring.n(), ring.q())?);
    let a = Arc::new(reader.poly(ring.n(), ring.q())?);
    Ok(PublicKey::new(ring, b, a)?.with_identity(identity))
}

/// Bytes of a file with this many evaluation keys, of which `galois` are keys of automorphisms.
pub fn evaluation_keys_len(ring: &Ring, mult: bool, galois: usize) -> u64 {
    let keys = u64::from(mult) + galois as u64;
    file_len(IDENTITY + 1 + 4 + 8 * galois as u64 + keys * key_len(ring))
}

/// Polynomials of one key.
fn key_polys(ring: &Ring) -> usize {
    2 * ring.digits(ring.levels())
}

fn key_len(ring: &Ring) -> u64 {
    key_polys(ring) as u64 * poly_len(ring.n(), &ring.primes())
}

/// Writes evaluation keys.
///
/// # Errors
/// Keys that are limited to some levels, and those of `out`.
pub fn write_evaluation_keys(keys: &EvaluationKeys, out: &mut impl Write) -> Result<(), WireError> {
    let ring = keys.ring();
    let galois = keys.galois();
    if let Some((id, key)) = keys.iter().find(|(id, key)| !writable(*id, key)) {
        return field(
            "evaluation key",
            format!("{id}, {}", key.shape()),
            "keys of every level",
        );
    }
    let whole = evaluation_keys_len(ring, keys.mult().is_some(), galois.len());
    let payload = whole - file_len(0);
    let mut writer = Writer::begin(out, Kind::EvaluationKeys, &ring.id(), payload)?;
    writer.bytes(&keys.identity().bytes())?;
    writer.bytes(&[u8::from(keys.mult().is_some())])?;
    // Galois elements are odd and below 2N, so there are at most 2^17.
    writer.bytes(&(galois.len() as u32).to_le_bytes())?;
    for element in galois.keys() {
        writer.bytes(&element.to_le_bytes())?;
    }
    for poly in keys
        .mult()
        .into_iter()
        .chain(galois.values())
        .flat_map(|key| key.polys().iter())
    {
        writer.poly(poly, &ring.primes())?;
    }
    writer.finish()
}

/// Reads evaluation keys that were made under these ring.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_evaluation_keys(bytes: &[u8], ring: &Ring) -> Result<EvaluationKeys, WireError> {
    let frame = Frame::under(bytes, Kind::EvaluationKeys, ring)?;
    let (identity, mut reader) = frame.owned()?;
    let mult = reader.flag("relinearisation key there")?;
    let elements = read_elements(&mut reader, ring)?;
    let keys = u64::from(mult) + elements.len() as u64;
    reader.expect_left(keys * key_len(ring))?;
    let mult = mult.then(|| read_key(&mut reader, ring)).transpose()?;
    let galois = elements
        .into_iter()
        .map(|g| Ok((g, read_key(&mut reader, ring)?)));
    let galois = galois.collect::<Result<BTreeMap<_, _>, WireError>>()?;
    Ok(EvaluationKeys::new(ring, mult, galois)?.with_identity(identity))
}

/// What this version of the format has a place for.
fn writable(id: KeyId, key: &SwitchingKey) -> bool {
    key.is_full() && !matches!(id, KeyId::Switch { .. })
}

fn read_elements(reader: &mut Reader<'_>, ring: &Ring) -> Result<Vec<u64>, WireError> {
    let count = reader.u32()? as usize;
    // There are N automorphisms: a count beyond that lies, and is not allocated.
    if count > ring.n() {
        return field("number of Galois keys", count, format!("0 to {}", ring.n()));
    }
    let elements = (0..count)
        .map(|_| reader.u64())
        .collect::<Result<Vec<_>, _>>()?;
    match elements.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => field(
            "Galois element",
            pair[1],
            format!("above {}, the one before", pair[0]),
        ),
        None => Ok(elements),
    }
}

fn read_key(reader: &mut Reader<'_>, ring: &Ring) -> Result<SwitchingKey, WireError> {
    let primes = ring.primes();
    let polys = (0..key_polys(ring)).map(|_| reader.poly(ring.n(), &primes));
    Ok(SwitchingKey::new(ring, polys.collect::<Result<_, _>>()?)?)
}
