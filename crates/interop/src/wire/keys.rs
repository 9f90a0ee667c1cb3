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
use ringwright_schemes::ckks::{EvaluationKeys, Parameters, PublicKey, SwitchingKey};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Bytes of the identity.
const IDENTITY: u64 = 16;

/// Bytes of a public key's file.
pub fn public_key_len(parameters: &Parameters) -> u64 {
    file_len(IDENTITY + 2 * poly_len(parameters.n(), parameters.q()))
}

/// Writes a public key.
///
/// # Errors
/// Only those of `out`.
pub fn write_public_key(key: &PublicKey, out: &mut impl Write) -> Result<(), WireError> {
    let parameters = key.parameters();
    let payload = IDENTITY + 2 * poly_len(parameters.n(), parameters.q());
    let mut writer = Writer::begin(out, Kind::PublicKey, &parameters.id(), payload)?;
    writer.bytes(&key.identity().bytes())?;
    writer.poly(key.b(), parameters.q())?;
    writer.poly(key.a(), parameters.q())?;
    writer.finish()
}

/// Reads a public key that was made under these parameters.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_public_key(bytes: &[u8], parameters: &Parameters) -> Result<PublicKey, WireError> {
    let frame = Frame::under(bytes, Kind::PublicKey, parameters)?;
    let (identity, mut reader) = frame.owned()?;
    reader.expect_left(2 * poly_len(parameters.n(), parameters.q()))?;
    let b = Arc::new(reader.poly(parameters.n(), parameters.q())?);
    let a = Arc::new(reader.poly(parameters.n(), parameters.q())?);
    Ok(PublicKey::new(parameters, b, a)?.with_identity(identity))
}

/// Bytes of a file with this many evaluation keys, of which `galois` are keys of automorphisms.
pub fn evaluation_keys_len(parameters: &Parameters, mult: bool, galois: usize) -> u64 {
    let keys = u64::from(mult) + galois as u64;
    file_len(IDENTITY + 1 + 4 + 8 * galois as u64 + keys * key_len(parameters))
}

/// Polynomials of one key.
fn key_polys(parameters: &Parameters) -> usize {
    2 * parameters.digits(parameters.levels())
}

fn key_len(parameters: &Parameters) -> u64 {
    key_polys(parameters) as u64 * poly_len(parameters.n(), &parameters.primes())
}

/// Writes evaluation keys.
///
/// # Errors
/// Only those of `out`.
pub fn write_evaluation_keys(keys: &EvaluationKeys, out: &mut impl Write) -> Result<(), WireError> {
    let parameters = keys.parameters();
    let galois = keys.galois();
    let whole = evaluation_keys_len(parameters, keys.mult().is_some(), galois.len());
    let payload = whole - file_len(0);
    let mut writer = Writer::begin(out, Kind::EvaluationKeys, &parameters.id(), payload)?;
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
        writer.poly(poly, &parameters.primes())?;
    }
    writer.finish()
}

/// Reads evaluation keys that were made under these parameters.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_evaluation_keys(
    bytes: &[u8],
    parameters: &Parameters,
) -> Result<EvaluationKeys, WireError> {
    let frame = Frame::under(bytes, Kind::EvaluationKeys, parameters)?;
    let (identity, mut reader) = frame.owned()?;
    let mult = reader.flag("relinearisation key there")?;
    let elements = read_elements(&mut reader, parameters)?;
    let keys = u64::from(mult) + elements.len() as u64;
    reader.expect_left(keys * key_len(parameters))?;
    let mult = mult
        .then(|| read_key(&mut reader, parameters))
        .transpose()?;
    let galois = elements
        .into_iter()
        .map(|g| Ok((g, read_key(&mut reader, parameters)?)));
    let galois = galois.collect::<Result<BTreeMap<_, _>, WireError>>()?;
    Ok(EvaluationKeys::new(parameters, mult, galois)?.with_identity(identity))
}

fn read_elements(reader: &mut Reader<'_>, parameters: &Parameters) -> Result<Vec<u64>, WireError> {
    let count = reader.u32()? as usize;
    // There are N automorphisms: a count beyond that lies, and is not allocated.
    if count > parameters.n() {
        return field(
            "number of Galois keys",
            count,
            format!("0 to {}", parameters.n()),
        );
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

fn read_key(reader: &mut Reader<'_>, parameters: &Parameters) -> Result<SwitchingKey, WireError> {
    let primes = parameters.primes();
    let polys = (0..key_polys(parameters)).map(|_| reader.poly(parameters.n(), &primes));
    Ok(SwitchingKey::new(
        parameters,
        polys.collect::<Result<_, _>>()?,
    )?)
}
