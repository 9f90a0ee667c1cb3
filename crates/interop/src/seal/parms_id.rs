//! The fingerprint by which SEAL's objects say under which primes they are.

use super::LIBRARY;
use crate::foreign::ForeignError;
use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};
use ringwright_schemes::rlwe::Ring;

/// Number of the scheme.
pub(super) const CKKS: u8 = 2;

/// The fingerprint of N and some primes: BLAKE2b-256 over the words scheme, N, primes, plain modulus.
pub(super) fn parms_id(n: usize, primes: &[u64]) -> [u8; 32] {
    let mut hash = Blake2b::<U32>::new();
    hash.update(u64::from(CKKS).to_le_bytes());
    hash.update((n as u64).to_le_bytes());
    for prime in primes {
        hash.update(prime.to_le_bytes());
    }
    hash.update(0_u64.to_le_bytes());
    hash.finalize().into()
}

/// That of ciphertexts at a level.
pub(super) fn of_level(ring: &Ring, level: usize) -> [u8; 32] {
    parms_id(ring.n(), &ring.q()[..level])
}

/// That of keys: all primes.
pub(super) fn of_keys(ring: &Ring) -> [u8; 32] {
    parms_id(ring.n(), &ring.primes())
}

/// Refuses an object that names other primes.
pub(super) fn expect(
    what: &'static str,
    given: &[u8; 32],
    expected: &[u8; 32],
    ring: &Ring,
) -> Result<(), ForeignError> {
    if given == expected {
        return Ok(());
    }
    Err(ForeignError::ForeignParameters {
        library: LIBRARY,
        what,
        given: format!("parms_id {}", short(given)),
        expected: format!("{} ({})", short(expected), ring.name()),
    })
}

/// Refuses parameters that SEAL has no place for.
pub(super) fn require_seals(ring: &Ring) -> Result<(), ForeignError> {
    LIBRARY.require_standard(ring)?;
    let (levels, special) = (ring.levels(), ring.p().len());
    let unsupported = |given| {
        Err(ForeignError::Unsupported {
            library: LIBRARY,
            given,
            advice: "SEAL has one special prime and a digit of one tower, or one prime in all",
        })
    };
    match (levels, special, ring.digit()) {
        (1, 0, _) | (_, 1, 1) => Ok(()),
        (_, 1, digit) => unsupported(format!("parameters with a digit of {digit} towers")),
        _ => unsupported(format!(
            "parameters with {levels} ciphertext primes and {special} special primes"
        )),
    }
}

fn short(id: &[u8; 32]) -> String {
    id[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}
