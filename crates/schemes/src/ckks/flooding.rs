//! How much noise protects the secret when a decryption is shared.
//!
//! **Sizing.** The flood is uniform in [-B, B) on each of the N coefficients. Shifting it by an
//! error e changes its distribution by |e|/(2B) in statistical distance; over a polynomial with
//! errors of deviation σ the distance is at most N·√(2/π)·σ/(2B) on average. s statistical bits, in the
//! sense of Micciancio and Walter (EUROCRYPT 2018), are log2 of 1/distance²: whoever sees all that was
//! shared tells it from results whose error says nothing of the key with an advantage of at most
//! 2^(-s/2), 2^-15 for 30 bits. The distances of `queries` results add up:
//!
//! B ≥ queries · 2^(s/2) · N · √(2/π)·σ/2, with σ four times the predicted noise, since the
//! prediction is only good to two bits, and at least the noise of the worst slot.
//!
//! OpenFHE sizes a Gaussian flood by Kullback-Leibler divergence, σ_flood = √(12τ)·2^(s/2)·σ,
//! without the factor N. That argument was dropped here: a uniform flood has tails that end, so the
//! divergence is infinite and only the distance counts.

use super::noise::hypot;
use super::{Error, Estimate, NoiseModel, ParameterError, Parameters};
use crate::rlwe::{advantage, RingError};
use std::f64::consts::PI;

/// log2 of the factor between the predicted noise and the one that is flooded.
const MARGIN_BITS: i32 = 2;
/// Most bits the flood's distribution has.
const MAX_FLOOD_BITS: u32 = 62;
/// Statistical bits that may be asked for: fewer promise nothing, a flood for more has no room.
const STATISTICAL_BITS: std::ops::RangeInclusive<u32> = 2..=100;

/// What shared results have to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Statistical security in bits: 30 as in OpenFHE, which is an advantage of 2^-15.
    pub statistical_bits: u32,
    /// Results that may be shared under one key.
    pub queries: u32,
    /// Bits after the binary point that the slots' real parts keep (root mean square).
    pub precision_bits: u32,
}

impl Default for Sharing {
    /// 30 statistical bits, one query, 8 bits of precision.
    fn default() -> Self {
        Self {
            statistical_bits: 30,
            queries: 1,
            precision_bits: 8,
        }
    }
}

impl Sharing {
    /// Refuses what promises nothing.
    ///
    /// # Errors
    /// Statistical bits outside 2 to 100, or no queries.
    pub fn check(&self) -> Result<(), ParameterError> {
        let refuse = |what, given: u32, allowed: String| {
            Err(ParameterError::Ring(RingError::Range {
                name: "sharing".to_string(),
                what,
                given: given.to_string(),
                allowed,
            }))
        };
        let (low, high) = (STATISTICAL_BITS.start(), STATISTICAL_BITS.end());
        if !STATISTICAL_BITS.contains(&self.statistical_bits) {
            let allowed = format!("{low} to {high}");
            return refuse("statistical_bits", self.statistical_bits, allowed);
        }
        match self.queries {
            0 => refuse("queries", 0, "1 or more".to_string()),
            _ => Ok(()),
        }
    }

    /// With which advantage everything that is shared may be told from results that say nothing of
    /// the key.
    pub fn advantage(&self) -> f64 {
        advantage(self.statistical_bits)
    }

    /// What one query adds to that.
    pub(super) fn distance(&self) -> f64 {
        self.advantage() / f64::from(self.queries)
    }
}

/// The noise that a shared decryption adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flooding {
    /// Each coefficient gets noise uniform in [-2^bits, 2^bits).
    pub bits: u8,
    /// Predicted error (root mean square) of the slots' real parts, the ciphertext's included.
    pub slot_error: f64,
}

impl Flooding {
    /// Sizes the noise for a result of this type.
    ///
    /// # Errors
    /// [`Error::NoRoomToShare`] names the bits needed and the bits there are room for.
    pub fn size(parameters: &Parameters, ty: &Estimate, sharing: Sharing) -> Result<Self, Error> {
        sharing.check()?;
        let needed = needed_bits(parameters, ty, sharing);
        let available = available_bits(parameters, ty, sharing);
        if f64::from(needed) > available || needed > MAX_FLOOD_BITS {
            return Err(Error::NoRoomToShare {
                statistical: sharing.statistical_bits,
                needed,
                precision: sharing.precision_bits,
                available: available.min(f64::from(MAX_FLOOD_BITS)),
                log_scale: ty.scale.log2(),
            });
        }
        let noise = hypot([ty.noise, deviation(needed)]);
        Ok(Self {
            bits: needed as u8,
            slot_error: NoiseModel::new(parameters).slot_error(noise, ty.scale),
        })
    }
}

/// Standard deviation of the uniform distribution over [-2^bits, 2^bits).
fn deviation(bits: u32) -> f64 {
    f64::from(bits).exp2() / 3f64.sqrt()
}

fn needed_bits(parameters: &Parameters, ty: &Estimate, sharing: Sharing) -> u32 {
    let noise = (ty.noise.max(1.0) * 2f64.powi(MARGIN_BITS)).max(ty.peak);
    let distance = parameters.n() as f64 * (2.0 / PI).sqrt() * noise / 2.0;
    (distance / sharing.distance()).log2().ceil() as u32
}

/// The largest flood that leaves the precision asked for and does not wrap around the modulus.
fn available_bits(parameters: &Parameters, ty: &Estimate, sharing: Sharing) -> f64 {
    let unit = NoiseModel::new(parameters).slot_error(deviation(0), ty.scale);
    let precision = -f64::from(sharing.precision_bits) - unit.log2();
    let half = (parameters.log_q(ty.level.into()) - 1.0).exp2();
    let headroom = half - ty.max * ty.scale;
    precision.min(headroom.max(f64::MIN_POSITIVE).log2())
}
