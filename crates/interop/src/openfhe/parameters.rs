//! Parameters, from the primes of keys.

use super::opening;
use super::towers::{find, Tower};
use super::LIBRARY;
use crate::foreign::ForeignError;
use ringwright_schemes::ckks::{GivenPrimes, Parameters};
use ringwright_schemes::rlwe::RingKind;
use ringwright_schemes::security::Insecure;

/// The parameters that a public key and an evaluation key were made under: the first has the
/// ciphertext primes, the second the special primes and the digits. Without the second, parameters
/// that only encrypt and decrypt, whose security is unknown: the special primes count, and nothing
/// says what they are. The default scale is in neither.
///
/// # Errors
/// No towers; keys of different contexts; what [`Parameters::from_primes`] refuses.
pub fn read_parameters(
    public_key: &[u8],
    evaluation_key: Option<&[u8]>,
    name: &str,
    log_scale: u32,
    insecure: Option<Insecure>,
) -> Result<Parameters, ForeignError> {
    let (n, q, polys) = shape(public_key)?;
    if polys != 2 {
        return LIBRARY.field("polynomials of a public key", polys, 2);
    }
    let (p, digit) = match evaluation_key {
        None => (None, 1),
        Some(key) => {
            let (p, digit) = special(key, n, &q)?;
            (Some(p), digit)
        }
    };
    let given = GivenPrimes {
        name: name.to_string(),
        kind: RingKind::Standard,
        log_n: n.ilog2(),
        q,
        p,
        digit,
        log_scale,
        insecure: insecure.is_some(),
    };
    Parameters::from_primes(given).map_err(|reason| LIBRARY.unusable(reason))
}

/// Special primes and towers of a digit.
fn special(key: &[u8], n: usize, q: &[u64]) -> Result<(Vec<u64>, usize), ForeignError> {
    let (key_n, primes, polys) = shape(key)?;
    let Some(p) = primes.strip_prefix(q).filter(|p| !p.is_empty()) else {
        return Err(ForeignError::ForeignParameters {
            library: LIBRARY,
            what: "evaluation key",
            given: format!("N = {key_n}, primes {primes:?}"),
            expected: format!("N = {n}, primes {q:?} and special ones"),
        });
    };
    let digits = polys / 2;
    let digit = q.len().div_ceil(digits.max(1));
    match polys % 2 == 0 && q.len().div_ceil(digit) == digits {
        true => Ok((p.to_vec(), digit)),
        false => LIBRARY.field("polynomials of an evaluation key", polys, "two a digit"),
    }
}

/// Degree, primes and number of polynomials of an object.
fn shape(bytes: &[u8]) -> Result<(usize, Vec<u64>, usize), ForeignError> {
    opening::check(bytes)?;
    let towers = find(bytes, None);
    let Some(Tower { n, prime, .. }) = towers.first().copied() else {
        return Err(ForeignError::Magic {
            library: LIBRARY,
            given: bytes.iter().take(4).copied().collect(),
            expected: "a key serialised with BINARY",
        });
    };
    let begins = towers.iter().filter(|tower| tower.prime == prime).count();
    let per_poly = towers.len() / begins;
    let primes = towers[..per_poly].iter().map(|tower| tower.prime).collect();
    let sound = |(index, tower): (usize, &Tower)| {
        tower.n == n && tower.prime == towers[index % per_poly].prime
    };
    match towers.len().is_multiple_of(begins) && towers.iter().enumerate().all(sound) {
        true => Ok((n, primes, begins)),
        false => LIBRARY.field(
            "towers",
            towers.len(),
            "the same primes for every polynomial",
        ),
    }
}
