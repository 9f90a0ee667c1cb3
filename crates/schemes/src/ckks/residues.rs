//! Checks that keys, ciphertexts, words and messages belong to the parameters.

use super::error::short;
use super::{Error, Estimate, Parameters};
use ringwright_ring::RnsPoly;

/// Deviations of noise that a message must stay away from half the modulus.
pub(super) const NOISE_MARGIN: f64 = 8.0;

/// Refuses a polynomial that is not `towers` reduced towers under the first of `primes`.
pub(super) fn check_poly(
    what: &str,
    poly: &RnsPoly,
    parameters: &Parameters,
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
    if poly.n() != parameters.n() {
        return shape(format!("degree {}", poly.n()), parameters.n().to_string());
    }
    if towers == 0 || towers > primes.len() {
        return shape(format!("{towers} towers"), format!("1 to {}", primes.len()));
    }
    if poly.towers() != towers {
        return shape(format!("{} towers", poly.towers()), towers.to_string());
    }
    for (index, &prime) in primes[..towers].iter().enumerate() {
        // The words of a key are secret or public alike: no early exit by value.
        let largest = poly.tower(index).iter().copied().fold(0, u64::max);
        if largest >= prime {
            return shape(
                format!("a word of tower {index} not reduced"),
                format!("below {prime}"),
            );
        }
    }
    Ok(())
}

/// Refuses what was made under other parameters.
pub(super) fn check_parameters(
    what: &str,
    given: &Parameters,
    expected: &Parameters,
) -> Result<(), Error> {
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
pub(super) fn check_level(parameters: &Parameters, given: usize) -> Result<(), Error> {
    match (1..=parameters.levels()).contains(&given) {
        true => Ok(()),
        false => Err(Error::Level {
            given,
            max: parameters.levels(),
            name: parameters.name().to_string(),
        }),
    }
}

/// Refuses a message that may wrap around the modulus of its level.
pub(super) fn check_fit(parameters: &Parameters, what: &str, ty: &Estimate) -> Result<(), Error> {
    let level = usize::from(ty.level);
    let needed = (ty.max * ty.scale + NOISE_MARGIN * ty.noise).log2() + 1.0;
    let available = parameters.log_q(level);
    if needed < available {
        return Ok(());
    }
    let (what, max, log_scale) = (what.to_string(), ty.max, ty.scale.log2());
    Err(Error::Overflow {
        what,
        max,
        log_scale,
        needed,
        available,
        level,
    })
}
