//! Public keys, relinearisation keys and Galois keys.

use super::ciphertext::{body_len, object, Fields};
use super::header::{Header, Version, HEADER};
use super::parms_id::{self, require_seals};
use super::stream::Stream;
use super::LIBRARY;
use crate::foreign::ForeignError;
use ringwright_ring::RnsPoly;
use ringwright_schemes::rlwe::{ExtendedPublicKey, Ring, SwitchingKey};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Parts of every key.
const PARTS: usize = 2;
/// The scale that SEAL writes into keys, which have none.
const NO_SCALE: f64 = 1.0;

/// Reads a SEAL `PublicKey`; [`ExtendedPublicKey::restricted`] is what encrypts here.
///
/// # Errors
/// Damage, other ring, a seed in place of the uniform part, words that are not reduced.
pub fn read_public_key(bytes: &[u8], ring: &Ring) -> Result<ExtendedPublicKey, ForeignError> {
    require_seals(ring)?;
    let mut stream = Stream::open(bytes, "public key")?;
    let [b, a] = read_pair(&mut stream, ring)?;
    stream.finish()?;
    ExtendedPublicKey::new(ring, Arc::new(b), Arc::new(a)).map_err(|reason| LIBRARY.refused(reason))
}

/// Writes a `PublicKey` for this version of SEAL.
///
/// # Errors
/// Parameters that SEAL has no place for.
pub fn write_public_key(
    key: &ExtendedPublicKey,
    version: Version,
) -> Result<Vec<u8>, ForeignError> {
    require_seals(key.ring())?;
    Ok(pair(key.ring(), key.b(), key.a(), version))
}

/// Reads SEAL's `RelinKeys`: the one key for s².
///
/// # Errors
/// As [`read_public_key`]; keys for higher powers of the secret.
pub fn read_relinearisation_key(bytes: &[u8], ring: &Ring) -> Result<SwitchingKey, ForeignError> {
    let (mut stream, count) = open_keys(bytes, ring, "relinearisation keys")?;
    if count != 1 {
        return LIBRARY.field("powers of the secret", count, "1, the square");
    }
    let key = read_key(&mut stream, ring)?;
    stream.finish()?;
    key.map_or_else(|| LIBRARY.field("digits", 0, ring.levels()), Ok)
}

/// Writes `RelinKeys` for this version of SEAL.
///
/// # Errors
/// Parameters that SEAL has no place for.
pub fn write_relinearisation_key(
    key: &SwitchingKey,
    version: Version,
) -> Result<Vec<u8>, ForeignError> {
    write_keys(key.ring(), &[Some(key)], version)
}

/// Reads SEAL's `GaloisKeys`, by Galois element. SEAL's rotation by k steps is element 3^k
/// modulo 2N, see [`super::slots`].
///
/// # Errors
/// As [`read_public_key`].
pub fn read_galois_keys(
    bytes: &[u8],
    ring: &Ring,
) -> Result<BTreeMap<u64, SwitchingKey>, ForeignError> {
    let (mut stream, count) = open_keys(bytes, ring, "Galois keys")?;
    // There are N automorphisms.
    if count > ring.n() as u64 {
        return LIBRARY.field("Galois elements", count, format!("0 to {}", ring.n()));
    }
    let mut keys = BTreeMap::new();
    for index in 0..count {
        if let Some(key) = read_key(&mut stream, ring)? {
            keys.insert(2 * index + 1, key);
        }
    }
    stream.finish()?;
    Ok(keys)
}

/// Writes `GaloisKeys` for this version of SEAL, by Galois element, odd and below 2N
/// ([`ringwright_schemes::rlwe::EvaluationKeys::galois`]).
///
/// # Errors
/// Parameters that SEAL has no place for; an element that is even or above 2N.
pub fn write_galois_keys(
    ring: &Ring,
    keys: &BTreeMap<u64, SwitchingKey>,
    version: Version,
) -> Result<Vec<u8>, ForeignError> {
    let mut all = vec![None; ring.n()];
    for (element, key) in keys {
        let place = all.get_mut((element / 2) as usize);
        match place.filter(|_| element % 2 == 1) {
            Some(place) => *place = Some(key),
            None => return LIBRARY.field("Galois element", element, "odd, below 2N"),
        }
        parms_id::expect(
            "Galois key",
            &parms_id::of_keys(key.ring()),
            &parms_id::of_keys(ring),
            ring,
        )?;
    }
    write_keys(ring, &all, version)
}

fn open_keys<'b>(
    bytes: &'b [u8],
    ring: &Ring,
    what: &'static str,
) -> Result<(Stream<'b>, u64), ForeignError> {
    require_seals(ring)?;
    if ring.p().is_empty() {
        return Err(ForeignError::Unsupported {
            library: LIBRARY,
            given: format!("{what} under parameters without a special prime"),
            advice: "such parameters encrypt and decrypt only",
        });
    }
    let mut stream = Stream::open(bytes, what)?;
    let given = stream.array()?;
    parms_id::expect(what, &given, &parms_id::of_keys(ring), ring)?;
    let count = stream.u64()?;
    Ok((stream, count))
}

/// One key, or nothing where it is absent.
fn read_key(stream: &mut Stream<'_>, ring: &Ring) -> Result<Option<SwitchingKey>, ForeignError> {
    let levels = ring.levels() as u64;
    match stream.u64()? {
        0 => return Ok(None),
        digits if digits == levels => {}
        other => return LIBRARY.field("digits", other, format!("{levels}, or 0 for no key")),
    }
    let body = body_len(ring.n(), PARTS, ring.primes().len());
    let mut polys = Vec::new();
    for _ in 0..levels {
        // A seeded digit is shorter, so it is told apart before its size is judged.
        let size = stream.nested_size()?;
        polys.extend(read_pair(stream, ring)?);
        if size != (HEADER + body) as u64 {
            return LIBRARY.field("size of a digit", size, HEADER + body);
        }
    }
    SwitchingKey::new(ring, polys)
        .map(Some)
        .map_err(|reason| LIBRARY.refused(reason))
}

/// The two polynomials of a key's digit, or of a public key.
fn read_pair(stream: &mut Stream<'_>, ring: &Ring) -> Result<[RnsPoly; PARTS], ForeignError> {
    let fields = Fields::read(stream, ring.n())?;
    let expected = parms_id::of_keys(ring);
    parms_id::expect("key", &fields.parms_id, &expected, ring)?;
    if fields.parts != PARTS as u64 {
        return LIBRARY.field("parts of a key", fields.parts, PARTS);
    }
    let towers = ring.primes().len() as u64;
    if fields.towers != towers {
        return LIBRARY.field("towers of a key", fields.towers, towers);
    }
    let polys = fields.polys(stream, ring.n())?;
    polys
        .try_into()
        .or_else(|polys: Vec<_>| LIBRARY.field("parts of a key", polys.len(), PARTS))
}

fn write_keys(
    ring: &Ring,
    keys: &[Option<&SwitchingKey>],
    version: Version,
) -> Result<Vec<u8>, ForeignError> {
    require_seals(ring)?;
    for key in keys.iter().flatten() {
        LIBRARY.require_full(key)?;
    }
    let digit = HEADER + body_len(ring.n(), PARTS, ring.primes().len());
    let digits: usize = keys.iter().flatten().map(|key| key.polys().len() / 2).sum();
    let body = 32 + 8 + 8 * keys.len() + digits * digit;
    let mut out = Vec::with_capacity(HEADER + body);
    out.extend(Header::write(body, version));
    out.extend(parms_id::of_keys(ring));
    out.extend((keys.len() as u64).to_le_bytes());
    for key in keys {
        let polys = key.map_or(&[][..], |key| key.polys());
        out.extend((polys.len() as u64 / 2).to_le_bytes());
        for digit in polys.chunks_exact(2) {
            out.extend(pair(ring, &digit[0], &digit[1], version));
        }
    }
    Ok(out)
}

fn pair(ring: &Ring, b: &RnsPoly, a: &RnsPoly, version: Version) -> Vec<u8> {
    object(&parms_id::of_keys(ring), &[b, a], NO_SCALE, version)
}
