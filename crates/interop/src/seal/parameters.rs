//! Encryption parameters.

use super::header::{Header, Version};
use super::parms_id::{require_seals, CKKS};
use super::stream::Stream;
use super::LIBRARY;
use crate::foreign::ForeignError;
use ringwright_schemes::ckks::{GivenPrimes, Parameters};
use ringwright_schemes::rlwe::RingKind;
use ringwright_schemes::security::Insecure;

/// Most primes that SEAL takes (`SEAL_COEFF_MOD_COUNT_MAX`).
const MAX_PRIMES: u64 = 64;
/// Bytes of a prime without its header.
const MODULUS: usize = 8;

/// Reads SEAL's `EncryptionParameters`. They have no scale, so the caller gives the default one.
///
/// # Errors
/// Damage, another scheme than CKKS, a security below 128 bits without `insecure`, primes or
/// lengths that [`Parameters::from_primes`] refuses.
pub fn read_parameters(
    bytes: &[u8],
    name: &str,
    log_scale: u32,
    insecure: Option<Insecure>,
) -> Result<Parameters, ForeignError> {
    let mut stream = Stream::open(bytes, "parameters")?;
    match stream.u8()? {
        CKKS => {}
        other => return LIBRARY.field("scheme", scheme(other), "CKKS (2)"),
    }
    let n = stream.u64()?;
    if !n.is_power_of_two() {
        return LIBRARY.field("N", n, "a power of two");
    }
    let count = stream.u64()?;
    if !(1..=MAX_PRIMES).contains(&count) {
        return LIBRARY.field("number of primes", count, format!("1 to {MAX_PRIMES}"));
    }
    let mut q = (0..count)
        .map(|_| modulus(&mut stream))
        .collect::<Result<Vec<_>, _>>()?;
    match modulus(&mut stream)? {
        0 => stream.finish()?,
        plain => return LIBRARY.field("plain modulus", plain, "0 for CKKS"),
    }
    let p = q.split_off(q.len().saturating_sub(1).max(1));
    let given = GivenPrimes {
        name: name.to_string(),
        kind: RingKind::Standard,
        log_n: n.ilog2(),
        q,
        p: Some(p),
        digit: 1,
        log_scale,
        insecure: insecure.is_some(),
    };
    Parameters::from_primes(given).map_err(|reason| LIBRARY.unusable(reason))
}

/// Writes `EncryptionParameters` for this version of SEAL.
///
/// # Errors
/// Parameters that SEAL has no place for: a digit of several towers, several special primes, or none
/// beside several ciphertext primes.
pub fn write_parameters(
    parameters: &Parameters,
    version: Version,
) -> Result<Vec<u8>, ForeignError> {
    require_seals(parameters)?;
    let primes = parameters.primes();
    let mut body = vec![CKKS];
    body.extend((parameters.n() as u64).to_le_bytes());
    body.extend((primes.len() as u64).to_le_bytes());
    for number in primes.iter().chain([&0]) {
        body.extend(Header::write(MODULUS, version));
        body.extend(number.to_le_bytes());
    }
    Ok([&Header::write(body.len(), version)[..], &body].concat())
}

fn modulus(stream: &mut Stream<'_>) -> Result<u64, ForeignError> {
    stream.nested(MODULUS as u64)?;
    stream.u64()
}

fn scheme(number: u8) -> String {
    match number {
        1 => "BFV (1)".to_string(),
        3 => "BGV (3)".to_string(),
        other => other.to_string(),
    }
}
