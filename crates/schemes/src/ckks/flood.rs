//! How much noise protects the secret when a decryption is shared.
//!
//! An exact CKKS decryption reveals the ciphertext's error, which is linear in the secret (Li,
//! Micciancio, "On the Security of Homomorphic Encryption on Approximate Numbers", EUROCRYPT
//! 2021). The remedy is noise flooding before the result leaves the key holder (Li, Micciancio,
//! Schultz, Sorrell, "Securing Approximate Homomorphic Encryption Using Differential Privacy",
//! CRYPTO 2022; OpenFHE's NOISE_FLOODING_DECRYPT, whose default of 30 statistical bits is ours).
//!
//! **Sizing.** The flood is uniform in [-B, B) on each of the N coefficients. Shifting it by an
//! error e changes its distribution by |e|/(2B) in statistical distance; over a polynomial with
//! errors of deviation σ the distance is at most N·√(2/π)·σ/(2B) on average. For s statistical
//! bits in the sense of Micciancio and Walter (EUROCRYPT 2018), s = log2 of 1/distance², and the
//! distances of `queries` shared results add up:
//!
//! B ≥ queries · 2^(s/2) · N · √(2/π)·σ/2, with σ four times the predicted noise, since the
//! prediction is only good to two bits.
//!
//! OpenFHE sizes a Gaussian flood by Kullback-Leibler divergence, σ_flood = √(12τ)·2^(s/2)·σ,
//! without the factor N. That argument was dropped here: a uniform flood has tails that end, so the
//! divergence is infinite and only the distance counts.
//!
//! The noise must be predicted by the key holder, from the program it agreed to; a ciphertext from
//! a stranger says what the stranger wants.

use super::noise::hypot;
use super::{Ciphertext, Error, NoiseModel};
use std::f64::consts::PI;

/// log2 of the factor between the predicted noise and the one that is flooded.
const MARGIN_BITS: i32 = 2;
/// Most bits the flood's distribution has.
const MAX_FLOOD_BITS: u32 = 62;

/// What a shared decryption has to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Statistical security in bits: 30 as in OpenFHE.
    pub statistical_bits: u32,
    /// Results of one key and message that may be shared.
    pub queries: u32,
    /// Bits after the binary point that the slots' real parts keep (root mean square).
    pub precision_bits: u32,
}

impl Default for Share {
    /// 30 statistical bits, one query, 8 bits of precision.
    fn default() -> Self {
        Self {
            statistical_bits: 30,
            queries: 1,
            precision_bits: 8,
        }
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
    /// Sizes the noise for a ciphertext.
    ///
    /// # Errors
    /// [`Error::NoRoomToShare`] names the bits needed and the bits there is room for.
    pub fn size(ciphertext: &Ciphertext, share: Share) -> Result<Self, Error> {
        let needed = needed_bits(ciphertext, share);
        let available = available_bits(ciphertext, share);
        if f64::from(needed) > available || needed > MAX_FLOOD_BITS {
            return Err(Error::NoRoomToShare {
                statistical: share.statistical_bits,
                needed,
                precision: share.precision_bits,
                available: available.min(f64::from(MAX_FLOOD_BITS)),
                log_scale: ciphertext.scale().log2(),
            });
        }
        let noise = hypot([ciphertext.noise(), deviation(needed)]);
        let model = NoiseModel::new(ciphertext.parameters());
        Ok(Self {
            bits: needed as u8,
            slot_error: model.slot_error(noise, ciphertext.scale()),
        })
    }
}

/// Standard deviation of the uniform distribution over [-2^bits, 2^bits).
fn deviation(bits: u32) -> f64 {
    f64::from(bits).exp2() / 3f64.sqrt()
}

fn needed_bits(ciphertext: &Ciphertext, share: Share) -> u32 {
    let n = ciphertext.parameters().n() as f64;
    let noise = ciphertext.noise().max(1.0) * 2f64.powi(MARGIN_BITS);
    let distance = n * (2.0 / PI).sqrt() * noise / 2.0;
    let queries = f64::from(share.queries.max(1));
    let bound = (queries * distance).log2() + f64::from(share.statistical_bits) / 2.0;
    bound.ceil() as u32
}

/// The largest flood that leaves the precision asked for and does not wrap around the modulus.
fn available_bits(ciphertext: &Ciphertext, share: Share) -> f64 {
    let parameters = ciphertext.parameters();
    let unit = NoiseModel::new(parameters).slot_error(deviation(0), ciphertext.scale());
    let precision = -f64::from(share.precision_bits) - unit.log2();
    let half = (parameters.log_q(ciphertext.level()) - 1.0).exp2();
    let headroom = half - ciphertext.max() * ciphertext.scale();
    precision.min(headroom.max(f64::MIN_POSITIVE).log2())
}
