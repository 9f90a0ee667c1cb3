//! Checks that keys, ciphertexts and words belong to the ring.

use super::error::short;
use super::{Error, Ring};
use ringwright_ring::RnsPoly;

/// Refuses a polynomial that is not `towers` reduced towers under the first of `primes`.
pub(crate) fn check_poly(
    what: &str,
    poly: &RnsPoly,
    ring: &Ring,
    primes: &[u64],
    towers: usize,
) -> Result<(), Error> {
    let shape = |given: String, expected: String| {
        Err(Error::Shape {
            what: what.to_string(),
            given,
            expected,
        })
    };
    if poly.n() != ring.n() {
        return shape(format!("degree {}", poly.n()), ring.n().to_string());
    }
    if towers == 0 || towers > primes.len() {
        return shape(format!("{towers} towers"), format!("1 to {}", primes.len()));
    }
    if poly.towers() != towers {
        return shape(format!("{} towers", poly.towers()), towers.to_string());
    }
    for (index, &prime) in primes[..towers].iter().enumerate() {
        // The words of a key are secret or public alike: no early exit by value.
        if poly.largest(index) >= prime {
            return shape(
                format!("a word of tower {index} not reduced"),
                format!("below {prime}"),
            );
        }
    }
    Ok(())
}

/// Refuses what was made under other parameters.
pub(crate) fn check_ring(what: &str, given: &Ring, expected: &Ring) -> Result<(), Error> {
    if given == expected {
        return Ok(());
    }
    Err(Error::ForeignParameters {
        what: what.to_string(),
        given: format!("{} ({})", given.name(), short(&given.id())),
        expected: format!("{} ({})", expected.name(), short(&expected.id())),
    })
}

/// Refuses a level the parameters do not have.
pub(crate) fn check_level(ring: &Ring, given: usize) -> Result<(), Error> {
    match (1..=ring.levels()).contains(&given) {
        true => Ok(()),
        false => Err(Error::Level {
            given,
            max: ring.levels(),
            name: ring.name().to_string(),
        }),
    }
}

/// Refuses operations with evaluation keys where there cannot be any.
pub(crate) fn require_special_primes(ring: &Ring, operation: &str) -> Result<(), Error> {
    match ring.p().is_empty() {
        false => Ok(()),
        true => Err(Error::NoSpecialPrimes {
            operation: operation.to_string(),
            name: ring.name().to_string(),
        }),
    }
}
