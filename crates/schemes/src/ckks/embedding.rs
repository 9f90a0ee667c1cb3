//! Encoding and decoding: vectors of numbers to integer polynomials and back.
//!
//! N/2 complex slots are the values of a real polynomial at ζ^(5^j), ζ = exp(iπ/N) (the canonical
//! embedding, one of each conjugate pair). Encoding multiplies its coefficients by the scale and
//! rounds to the nearest integer, ties to even; the residues follow exactly, whatever the size.
//! Of a conjugate-invariant ring N real slots are such values of a polynomial of degree below 2N that
//! X -> X^-1 leaves as it is: coefficient 2N - i is that of i with its sign turned, and the first N say all.
//! The transform is in f64 with one operation order on every processor, so an encoding has the
//! same bits everywhere. Decoding reconstructs every coefficient exactly and rounds it once to f64.

use super::plaintext::{check_message_scale, Encoded, Plaintext};
use super::{Error, Parameters, Place};
use crate::rlwe::{check_level, check_ring, RingKind};
use ringwright_arith::{crt, Crt, Modulus};
use ringwright_kernels::EmbeddingPlan;
use ringwright_ring::RnsPoly;
use std::sync::Arc;

/// Coefficients up to 2^62 take the integer path; larger ones are mantissa times power of two.
const INTEGER_PATH: f64 = (1u64 << 62) as f64;
/// Bits of an f64's mantissa, the hidden one included.
const MANTISSA_BITS: i32 = 53;

/// Encodes and decodes for one parameter set.
pub struct Embedding {
    parameters: Parameters,
    plan: EmbeddingPlan,
    moduli: Vec<Modulus<u64>>,
    special: Vec<Modulus<u64>>,
}

impl Embedding {
    /// Prepares the transform.
    ///
    /// # Errors
    /// None for checked parameters, unless a lower layer objects to a prime.
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        let plan = EmbeddingPlan::new(parameters.log_embedding()).map_err(internal)?;
        let moduli = |primes: &[u64]| -> Result<_, Error> {
            let moduli = primes.iter().map(|&q| Modulus::new(q));
            moduli.collect::<Result<_, _>>().map_err(internal)
        };
        Ok(Self {
            parameters: parameters.clone(),
            plan,
            moduli: moduli(parameters.q())?,
            special: moduli(parameters.p())?,
        })
    }

    /// The parameters it encodes for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Real values, as many as there are slots or fewer; the slots after them are zero.
    ///
    /// # Errors
    /// Too many values, a value that is not finite, a scale below 1, a level the parameters do not
    /// have, or a coefficient beyond half the modulus.
    pub fn encode_real(
        &self,
        values: &[f64],
        scale: f64,
        level: usize,
    ) -> Result<Plaintext, Error> {
        self.encode_complex(values, &[], scale, level)
    }

    /// Complex values, as many as there are slots or fewer, real and imaginary parts apart; what is
    /// missing is zero.
    ///
    /// # Errors
    /// As [`Embedding::encode_real`]; imaginary parts in a conjugate-invariant ring.
    pub fn encode_complex(
        &self,
        re: &[f64],
        im: &[f64],
        scale: f64,
        level: usize,
    ) -> Result<Plaintext, Error> {
        let length = re.len().max(im.len());
        let (coefficients, encoded) = self.coefficients(re, im, scale, level)?;
        let moduli = &self.moduli[..level];
        let poly = Arc::new(residues(&coefficients, encoded.coefficient, moduli));
        Ok(Plaintext::from_encoding(
            &self.parameters,
            poly,
            scale,
            encoded,
            length,
        ))
    }

    /// The same at a place of a program.
    ///
    /// # Errors
    /// As [`Embedding::encode_complex`].
    pub(super) fn encode_at(
        &self,
        re: &[f64],
        im: &[f64],
        place: Place,
    ) -> Result<Arc<RnsPoly>, Error> {
        let level = usize::from(place.level);
        let (coefficients, encoded) = self.coefficients(re, im, place.scale(), level)?;
        let mut moduli = self.moduli[..level].to_vec();
        if place.extended {
            moduli.extend_from_slice(&self.special);
        }
        let poly = residues(&coefficients, encoded.coefficient, &moduli);
        Ok(Arc::new(poly))
    }

    /// Scaled and rounded coefficients, within half the modulus of a level.
    fn coefficients(
        &self,
        re: &[f64],
        im: &[f64],
        scale: f64,
        level: usize,
    ) -> Result<(Vec<f64>, Encoded), Error> {
        check_message_scale(scale)?;
        check_level(&self.parameters, level)?;
        if !im.is_empty() {
            self.parameters.require_complex("encoding complex values")?;
        }
        let is_real = im.is_empty();
        let mut re = self.slots(re)?;
        let mut im = self.slots(im)?;
        let sizes: Vec<f64> = match is_real {
            true => re.iter().map(|re| re.abs()).collect(),
            false => re.iter().zip(&im).map(|(re, im)| re.hypot(*im)).collect(),
        };
        let (max, rms) = magnitude(&sizes);
        self.plan.inverse(&mut re, &mut im);
        let (coefficients, coefficient) = self.integers(re, im, scale, max, level)?;
        let encoded = Encoded {
            max,
            rms,
            coefficient,
        };
        Ok((coefficients, encoded))
    }

    /// The real parts of all slots.
    ///
    /// # Errors
    /// A plaintext of other parameters.
    pub fn decode_real(&self, plaintext: &Plaintext) -> Result<Vec<f64>, Error> {
        Ok(self.decode_complex(plaintext)?.0)
    }

    /// All slots, real and imaginary parts apart; the slots of a conjugate-invariant ring are real.
    ///
    /// # Errors
    /// A plaintext of other parameters.
    pub fn decode_complex(&self, plaintext: &Plaintext) -> Result<(Vec<f64>, Vec<f64>), Error> {
        check_ring("plaintext", plaintext.parameters(), &self.parameters)?;
        let poly = plaintext.poly();
        let crt = Crt::new(&self.parameters.q()[..poly.towers()]).map_err(internal)?;
        let scale = plaintext.scale();
        let mut residues = vec![0; poly.towers()];
        let mut whole = |i: usize| {
            for (residue, tower) in residues.iter_mut().zip(poly.iter()) {
                *residue = tower[i];
            }
            crt.centred_f64(&residues)
        };
        let mut re: Vec<f64> = match crt.short(poly.iter()) {
            Some(integers) => integers.iter().map(|&x| x as f64 / scale).collect(),
            None => (0..poly.n()).map(|i| whole(i) / scale).collect(),
        };
        let mut im = match self.parameters.kind() {
            RingKind::Standard => re.split_off(poly.n() / 2),
            RingKind::ConjugateInvariant => mirrored(&re),
        };
        self.plan.forward(&mut re, &mut im);
        if self.parameters.kind() == RingKind::ConjugateInvariant {
            // What is there is the transform's rounding.
            im.fill(0.0);
        }
        Ok((re, im))
    }

    /// One value per slot, zeros after those given.
    fn slots(&self, values: &[f64]) -> Result<Vec<f64>, Error> {
        let slots = self.parameters.slots();
        if values.len() > slots {
            return Err(Error::Slots {
                given: values.len(),
                allowed: format!("at most {slots}, the slots of {}", self.parameters.name()),
            });
        }
        check_finite("value", values)?;
        let mut padded = values.to_vec();
        padded.resize(slots, 0.0);
        Ok(padded)
    }

    /// Scaled and rounded coefficients, within half the modulus, and the largest.
    fn integers(
        &self,
        low: Vec<f64>,
        high: Vec<f64>,
        scale: f64,
        max: f64,
        level: usize,
    ) -> Result<(Vec<f64>, f64), Error> {
        let mut coefficients = low;
        if self.parameters.kind() == RingKind::Standard {
            coefficients.extend(high);
        }
        coefficients.iter_mut().for_each(|c| *c *= scale);
        round(&mut coefficients);
        let largest = largest(&coefficients);
        if crt::is_centred(largest, &self.moduli[..level]) {
            return Ok((coefficients, largest));
        }
        let (needed, available) = (largest.log2() + 1.0, self.parameters.log_q(level));
        let log_scale = scale.log2();
        Err(Error::Overflow {
            what: "encoding".into(),
            max,
            log_scale,
            needed,
            available,
            level,
        })
    }
}

/// Integers of which the largest has this size, modulo primes.
fn residues(coefficients: &[f64], largest: f64, moduli: &[Modulus<u64>]) -> RnsPoly {
    let mut poly = RnsPoly::unwritten(coefficients.len(), moduli.len());
    let integers: Vec<i64> = coefficients.iter().map(|&c| c as i64).collect();
    for (tower, modulus) in poly.iter_mut().zip(moduli) {
        let q = modulus.value();
        // Nothing is divided where a message is shorter than the prime, as most are, nor is a float
        // made an integer more than once.
        let lifted = |c: i64| (c as u64).wrapping_add(q & (c >> 63) as u64);
        if largest < INTEGER_PATH && largest < q as f64 {
            let pairs = tower.iter_mut().zip(integers.iter());
            pairs.for_each(|(word, &c)| *word = lifted(c));
        } else {
            let pairs = tower.iter_mut().zip(coefficients);
            pairs.for_each(|(word, &c)| *word = residue(c, modulus));
        }
    }
    poly
}

/// The nearest integers, ties to even.
fn round(values: &mut [f64]) {
    // Beside this number doubles are one apart. Unlike an instruction that rounds, which not every
    // processor has, sums are done several at a time everywhere.
    const INTEGERS: f64 = 1.5 * (1u64 << 52) as f64;
    if largest(values) < (1u64 << 51) as f64 {
        let rounded = |value: f64| (value + INTEGERS) - INTEGERS;
        values.iter_mut().for_each(|value| *value = rounded(*value));
    } else {
        let values = values.iter_mut();
        values.for_each(|value| *value = value.round_ties_even());
    }
}

/// The largest absolute value.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0f64, |max, value| max.max(value.abs()))
}

/// The coefficients of X^N .. X^(2N-1) of a polynomial that X -> X^-1 leaves as it is, from the others.
fn mirrored(low: &[f64]) -> Vec<f64> {
    let negated = low[1..].iter().rev().map(|coefficient| -coefficient);
    std::iter::once(0.0).chain(negated).collect()
}

/// An integer held in f64, modulo a prime; exact.
pub(super) fn residue(integer: f64, modulus: &Modulus<u64>) -> u64 {
    if integer.abs() < INTEGER_PATH {
        return modulus.from_i128(i128::from(integer as i64));
    }
    let exponent = integer.abs().log2() as i32 - MANTISSA_BITS;
    let mantissa = integer / f64::from(exponent).exp2();
    let power = modulus.pow(2, exponent as u128);
    modulus.mul(modulus.from_i128(mantissa as i128), power)
}

/// The largest size, and the root of the sizes' mean square.
fn magnitude(sizes: &[f64]) -> (f64, f64) {
    let max = sizes.iter().copied().fold(0.0, f64::max);
    // Squares of what is relative to the largest stay within range.
    let unit = if max > 0.0 { max } else { 1.0 };
    let squares: f64 = sizes.iter().map(|size| (size / unit).powi(2)).sum();
    (max, unit * (squares / sizes.len() as f64).sqrt())
}

/// Refuses NaN and infinities.
pub(super) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite {
            what,
            index,
            value: values[index],
        }),
    }
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_to_the_nearest_integer_ties_to_even() {
        let edge = (1u64 << 51) as f64;
        let mut values = vec![
            0.0,
            0.5,
            1.5,
            2.5,
            0.49999999999999994,
            1e9 + 0.5,
            4503599.75,
        ];
        for step in 1..1000 {
            values.push(f64::from(step).sqrt() * 1e6);
            values.push(edge - 0.25 * f64::from(step));
        }
        values.extend(values.clone().iter().map(|value| -value));
        for beyond in [0.0, edge, edge + 0.5, 4.0 * edge, 1e300] {
            let mut found = [&values[..], &[beyond]].concat();
            let expected = found.iter().map(|value| value.round_ties_even());
            let expected: Vec<f64> = expected.collect();
            round(&mut found);
            assert_eq!(found, expected, "{beyond}");
        }
    }
}
