//! Parameter sets that only encrypt and decrypt.

use super::presets::with_special_primes;
use super::{Error, Parameters};

/// Refuses operations with evaluation keys where there cannot be any.
pub(super) fn require_special_primes(parameters: &Parameters, what: &str) -> Result<(), Error> {
    if !parameters.p().is_empty() {
        return Ok(());
    }
    Err(Error::ClientOnly {
        operation: what.to_string(),
        name: parameters.name().to_string(),
        alternatives: with_special_primes().join(", "),
    })
}
