//! Encoded vectors.

use super::residues::check_poly;
use super::{Error, Parameters};
use ringwright_ring::RnsPoly;
use std::sync::Arc;

/// What is said of values nobody has bounded: at most 1. Larger ones raise it to the next power
/// of two, so that a ciphertext tells little of its message.
pub const DEFAULT_BOUND: f64 = 1.0;

/// An encoded vector: a polynomial in coefficient form under the first `level` primes.
///
/// [`Plaintext::max`] and [`Plaintext::rms`] are **public bounds**: they travel with the
/// ciphertext to whoever computes on it. They are never taken from the values themselves; who
/// knows better bounds than [`DEFAULT_BOUND`] declares them with [`Plaintext::with_bounds`].
#[derive(Clone)]
pub struct Plaintext {
    parameters: Parameters,
    poly: Arc<RnsPoly>,
    scale: f64,
    max: f64,
    rms: f64,
    /// Largest absolute slot value, where it is known; stays here.
    largest: f64,
}

impl Plaintext {
    /// From words: coefficient form, one tower per prime up to its level. `max` and `rms` bound
    /// the slots' absolute values and their root mean square.
    ///
    /// # Errors
    /// Towers, degree or words that do not belong to the parameters, or a senseless scale.
    pub fn new(
        parameters: &Parameters,
        poly: Arc<RnsPoly>,
        scale: f64,
        max: f64,
        rms: f64,
    ) -> Result<Self, Error> {
        check_poly(
            "plaintext",
            &poly,
            parameters,
            parameters.q(),
            poly.towers(),
        )?;
        check_scale(scale)?;
        Ok(Self {
            parameters: parameters.clone(),
            poly,
            scale,
            max,
            rms,
            largest: 0.0,
        })
    }

    /// What was encoded or decrypted.
    pub(super) fn from_encoding(
        parameters: &Parameters,
        poly: Arc<RnsPoly>,
        scale: f64,
        largest: f64,
    ) -> Self {
        let bound = match largest <= DEFAULT_BOUND {
            true => DEFAULT_BOUND,
            false => largest.log2().ceil().exp2(),
        };
        Self {
            parameters: parameters.clone(),
            poly,
            scale,
            max: bound,
            rms: bound,
            largest,
        }
    }

    /// The same with declared public bounds on the slots' absolute values and their root mean
    /// square: better noise predictions, and room for larger values.
    ///
    /// # Errors
    /// A value above `max`, or bounds that are not finite or not 0 <= rms <= max.
    pub fn with_bounds(self, max: f64, rms: f64) -> Result<Self, Error> {
        let ordered = max.is_finite() && (0.0..=max).contains(&rms);
        if ordered && self.largest <= max {
            return Ok(Self { max, rms, ..self });
        }
        Err(Error::Shape {
            what: "bounds of a plaintext".into(),
            given: format!("max {max}, rms {rms}"),
            expected: format!(
                "0 <= rms <= max, max at least {} (its largest value)",
                self.largest
            ),
        })
    }

    /// The parameters it was encoded for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The polynomial, coefficient form.
    pub fn poly(&self) -> &Arc<RnsPoly> {
        &self.poly
    }

    /// Number of towers.
    pub fn level(&self) -> usize {
        self.poly.towers()
    }

    /// Factor between slot values and coefficients.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Public bound on the slots' absolute values.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// Public bound on their root mean square.
    pub fn rms(&self) -> f64 {
        self.rms
    }
}

impl std::fmt::Debug for Plaintext {
    /// Shape only: a plaintext is a secret of whoever encrypts it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plaintext")
            .field("parameters", &self.parameters.name())
            .field("level", &self.level())
            .field("scale", &self.scale)
            .finish_non_exhaustive()
    }
}

/// Refuses scales that are not positive finite numbers.
pub(super) fn check_scale(given: f64) -> Result<(), Error> {
    match given.is_finite() && given > 0.0 {
        true => Ok(()),
        false => Err(Error::Scale { given }),
    }
}
