//! Whether a message fits the modulus of its level.

use super::{Error, Estimate, Parameters};

/// Deviations of noise that a message must stay away from half the modulus.
pub(super) const NOISE_MARGIN: f64 = 8.0;

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
