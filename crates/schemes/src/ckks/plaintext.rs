//! Encoded vectors.

use super::{Error, Parameters};
use crate::rlwe::check_poly;
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
    length: usize,
    encoded: Option<Encoded>,
}

/// What was encoded here; stays here.
#[derive(Clone, Copy)]
pub(super) struct Encoded {
    /// Largest absolute slot value.
    pub max: f64,
    /// Root mean square of all slots.
    pub rms: f64,
    /// Largest absolute coefficient.
    pub coefficient: f64,
}

impl Plaintext {
    /// From words: coefficient form, one tower per prime up to its level. `max` and `rms` bound
    /// the slots' absolute values and their root mean square: the caller's word.
    ///
    /// # Errors
    /// Towers, degree or words that do not belong to the parameters, or a scale below 1.
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
        check_message_scale(scale)?;
        Ok(Self {
            parameters: parameters.clone(),
            poly,
            scale,
            max,
            rms,
            length: parameters.slots(),
            encoded: None,
        })
    }

    /// The first `length` values given, the others zero.
    pub(super) fn from_encoding(
        parameters: &Parameters,
        poly: Arc<RnsPoly>,
        scale: f64,
        encoded: Encoded,
        length: usize,
    ) -> Self {
        let bound = match encoded.max <= DEFAULT_BOUND {
            true => DEFAULT_BOUND,
            false => encoded.max.log2().ceil().exp2(),
        };
        Self {
            parameters: parameters.clone(),
            poly,
            scale,
            max: bound,
            rms: bound,
            length,
            encoded: Some(encoded),
        }
    }

    /// The same with declared public bounds on the slots' absolute values and their root mean
    /// square: better noise predictions, and room for larger values.
    ///
    /// # Errors
    /// A value above `max`, values whose root mean square is above `rms`, or bounds that are not
    /// finite or not 0 <= rms <= max.
    pub fn with_bounds(self, max: f64, rms: f64) -> Result<Self, Error> {
        let ordered = max.is_finite() && (0.0..=max).contains(&rms);
        let true_of = |encoded: &Encoded| encoded.max <= max && encoded.rms <= rms * ROUNDED;
        if ordered && self.encoded.as_ref().is_none_or(true_of) {
            return Ok(Self { max, rms, ..self });
        }
        let largest = self.encoded.map_or(String::new(), |encoded| {
            format!(
                ", max at least {}, rms at least {}: those of its values",
                encoded.max, encoded.rms
            )
        });
        Err(Error::Shape {
            what: "bounds of a plaintext".into(),
            given: format!("max {max}, rms {rms}"),
            expected: format!("0 <= rms <= max{largest}"),
        })
    }

    /// What was encoded, where that was here.
    pub(super) fn encoded(&self) -> Option<&Encoded> {
        self.encoded.as_ref()
    }

    /// Numbers that were encoded; the slots after them are zero. All slots, where nobody said.
    pub fn length(&self) -> usize {
        self.length
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

/// A root mean square may exceed its bound by what rounding adds.
pub(super) const ROUNDED: f64 = 1.0 + 1e-9;

/// Refuses scales of messages below 1, which leave nothing of a slot.
pub(super) fn check_message_scale(given: f64) -> Result<(), Error> {
    match given.is_finite() && given >= 1.0 {
        true => Ok(()),
        false => Err(Error::MessageScale { given }),
    }
}

/// Refuses scales that are not positive finite numbers.
pub(super) fn check_scale(given: f64) -> Result<(), Error> {
    match given.is_finite() && given > 0.0 {
        true => Ok(()),
        false => Err(Error::Scale { given }),
    }
}
