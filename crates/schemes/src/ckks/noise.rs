//! The noise model: how large the error of a ciphertext is after each operation.
//!
//! Two numbers are followed. **Noise** is the standard deviation of the error of one coefficient, in
//! integer units. Errors of different origin are taken as independent, so variances add; by Parseval
//! the mean square of a slot's error is N times a coefficient's, half of it in the real part: the
//! slots' real parts are off by noise·√(N/2)/scale. Averages, not worst cases, in the manner of
//! Costache, Curtis, Hales, Murphy, Ogilvie, Player, "On the precision loss in approximate
//! homomorphic encryption" (SAC 2023); predictions are tested to within 2 bits of what is measured.
//!
//! **Peak** is the same for the slot that is worst off, in the same unit: masks and matrices leave
//! errors in few slots, products multiply them by the largest message and not by the average one,
//! and errors of one origin that meet again add up as they are and not as their squares. It follows
//! the origins (`origins.rs`), and is what [`NoiseModel::error_bound`] is made of:
//!
//! | operation | of every origin, in the worst slot |
//! |---|---|
//! | sum | of equal origins the sum, else both |
//! | product | max_a Δ_a e_b + max_b Δ_b e_a, and a new one of t √(2N) e_a e_b (see below) |
//! | constant product | max_c Δ_c e, and a new one of max Δ/√12 |
//! | encryption | as below, a new origin |
//! | rescaling, key switch | as below 1.3 times, a new origin; a third part's 4.25 times |
//! | polynomial p, interval I | what its argument had, at most max over I of abs(p') times |
//! | sign | what is left of it behind each polynomial, by its slope beyond the threshold |
//! | matrix of rows r_i | what its argument had, at most max over i of the norm of r_i times |
//! | what masks and rotations put side by side | the largest of its parts |
//!
//! **Tails.** Slot j of a fresh error is e_j u_j + s_j e'_j + e''_j, all but Gaussian, and the real
//! part of a product of two complex Gaussians is Laplace distributed; the sum of two exceeds t
//! deviations with probability (1 + t)·exp(-2t). The bound is the deviation times the t at which that
//! probability, over all slots, is 2^-20. Sums of more products are nearer to normal. One product alone,
//! as the rounding of a second part is or the one digit of a short key switch, exceeds t deviations with
//! probability exp(-√2·t): it counts for more. The probability is over keys and errors.
//!
//! **What is not small.** Where an error is no longer small beside the message (a polynomial of high
//! degree at the end of its interval), powers of it matter, whose tails are heavier than any of these.
//! There bounds are multiplied instead of deviations: an error of t deviations times another is t² of
//! both, hence the t in the row of products. Where errors are small the term is too.
//!
//! **Noise per coefficient**, with σ² = 21/2 (errors), 2/3 per coefficient of a ternary secret, and
//! 1/12 for rounding:
//!
//! | operation | variance |
//! |---|---|
//! | encryption | σ²(4N/3 + 1), and 1/12 for the encoding |
//! | encryption with the secret key | σ², and 1/12 for the encoding |
//! | product | (rms_a Δ_a n_b)² + (rms_b Δ_b n_a)² + N n_a² n_b²; the square of the sum of both where they have errors in common |
//! | constant product | (rms_c Δ_c n)² + (rms Δ)²/12 |
//! | rescaling by q | n²/q² + (1 + 2N/3)/12, and 4N²/9/12 more for a third part |
//! | key switch | Σ_j N k_j D_j²/12 σ²/P² + k (1 + 2N/3)/12, D_j the product of digit j, of k_j primes; k special primes, those of the key: of all that a program may be given the worst |
//!
//! Under a sparse secret of h coefficients h stands for 2N/3. Raising adds no error; the multiples of the first
//! prime that it leaves are part of the message.
//!
//! **Double precision.** Encoding and decoding transform in f64, scales and constants are f64: where
//! scales are large that is what slots are off by. Every rounding is 2^-53 of the largest slot, a
//! transform √(log2 N) of them (errors of its levels add up by their squares); both are taken as
//! deviations, so that the bound has t times as much.
//!
//! **Conjugate-invariant rings.** Slot j is a_0 + 2 Σ a_i cos(i θ_j), θ_j an odd multiple of π/2N: its mean
//! square is 2N - 1 times a coefficient's, for every j, and all of it is real. So N in the rows above is 2N
//! there, and a slot is off by noise·√(2N)/scale. Products are of real numbers. What one product of two
//! Gaussians exceeds has the probability (2/π)∫_t^∞ K_0, below √(2/(π t))·exp(-t), which is heavier than
//! the tail above; sums of such products have lighter ones. What r s² of Gaussians r and s exceeds, the
//! rounding of a third part, has a probability near exp(-1.36 t^(2/3)) where t counts its own deviation,
//! √3·E(s²) times that of r.
//!
//! Magnitudes are bounds: |a + b| and rms obey the triangle inequality, and
//! rms(ab) ≤ min(max_a rms_b, rms_a max_b). Estimating rms(ab) by rms_a rms_b was dropped: it
//! underestimates powers of one value, and with them the noise of deep chains.

use super::{Estimate, Parameters};
use crate::rlwe::{KeyShape, RingKind};
use ringwright_ir::he::{KeyId, SecretId};
use ringwright_ir::ring::Digits;
use std::f64::consts::{LN_2, PI};

/// Variance of the centred binomial distribution with k = 21.
pub const ERROR_VARIANCE: f64 = 21.0 / 2.0;
/// Variance of a uniform ternary coefficient.
const TERNARY_VARIANCE: f64 = 2.0 / 3.0;
/// Variance of rounding to the nearest integer.
const ROUNDING_VARIANCE: f64 = 1.0 / 12.0;

/// log2 of the probability that some slot's error exceeds [`NoiseModel::error_bound`].
const LOG_EXCEPTION: f64 = -20.0;

/// By how much one product alone counts for more: exp(-√2·t) is 2^-20 over 8 to 2^16 slots where t is 1.23
/// to 1.28 times the bound's. In real slots the bound's t is that of one product.
const ALONE: f64 = 1.3;
/// By how much the rounding of a third part counts for more: it meets s² in a slot, whose square is
/// 2·E(|s|²)² on average, and the product of three normal numbers exceeds t deviations with a
/// probability near exp(-1.9 t^(2/3)), which the bound's t does not cover but three times that does.
const THIRD_PART: f64 = 4.25;
/// The same of real slots: √3, and 3.4 times the bound's t.
const THIRD_PART_REAL: f64 = 6.0;

/// Predicts noise for one parameter set.
#[derive(Clone, Debug)]
pub struct NoiseModel {
    parameters: Parameters,
    /// Mean square of a slot over that of a coefficient.
    n: f64,
    /// Root mean square of a slot's real part over that of a coefficient.
    real: f64,
    /// By level, from 1, what a relinearisation adds; 0 where there is no key for it.
    relinearisations: Vec<f64>,
}

/// What a constant contributes to a product.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstantFactor {
    pub max: f64,
    pub rms: f64,
    pub scale: f64,
    /// For one value in all slots: what rounding it to an integer costs, exactly.
    pub uniform_error: Option<f64>,
}

impl NoiseModel {
    /// For one parameter set.
    pub fn new(parameters: &Parameters) -> Self {
        let n = f64::from(parameters.log_embedding()).exp2();
        let real = match parameters.kind() {
            RingKind::Standard => (n / 2.0).sqrt(),
            RingKind::ConjugateInvariant => n.sqrt(),
        };
        let mut model = Self {
            parameters: parameters.clone(),
            n,
            real,
            relinearisations: Vec::new(),
        };
        let levels = 1..=parameters.levels();
        let shapes = levels
            .clone()
            .map(|level| KeyShape::of(parameters, KeyId::Mult, level).ok());
        let shapes: Vec<Option<KeyShape>> = shapes.collect();
        let most = |level: usize| {
            let keys = shapes[level - 1..].iter().flatten();
            let added = keys.map(|shape| model.switch_with(level, shape, SecretId::MAIN));
            added.fold(0.0, f64::max)
        };
        model.relinearisations = levels.map(most).collect();
        model
    }

    /// Noise of a fresh public-key encryption, the rounding of an encoding included.
    pub fn encryption(&self) -> f64 {
        let products = 2.0 * TERNARY_VARIANCE * self.n;
        (ERROR_VARIANCE * (products + 1.0) + ROUNDING_VARIANCE).sqrt()
    }

    /// The same with the secret key: one error, which no key multiplies.
    pub fn symmetric_encryption(&self) -> f64 {
        (ERROR_VARIANCE + ROUNDING_VARIANCE).sqrt()
    }

    /// Error of the slots' real parts (root mean square) that a coefficient noise amounts to.
    pub fn slot_error(&self, noise: f64, scale: f64) -> f64 {
        noise * self.real / scale
    }

    /// What the error of no slot's real part exceeds, but with probability 2^-20: from the peak, and
    /// from what decoding slots up to `max` in double precision adds.
    pub fn error_bound(&self, ty: &Estimate) -> f64 {
        let peak = ty.peak.hypot(self.transform(ty.max * ty.scale));
        self.deviations() * self.slot_error(peak, ty.scale)
    }

    /// The deviation of coefficients that amounts to an error bound of `off` in every slot.
    pub(super) fn deviation_of(&self, off: f64, scale: f64) -> f64 {
        off * scale / (self.deviations() * self.real)
    }

    /// How many deviations the error of no slot exceeds.
    fn deviations(&self) -> f64 {
        let slots = self.parameters.slots() as f64;
        let needed = slots.ln() - LOG_EXCEPTION * LN_2;
        let next = |t: f64| match self.parameters.kind() {
            // (1 + t) exp(-2t) = 2^-20/slots, solved by iteration; it contracts by 1/(2(1 + t)).
            RingKind::Standard => (needed + t.ln_1p()) / 2.0,
            // √(2/(π t)) exp(-t) = 2^-20/slots; it contracts by 1/2t.
            RingKind::ConjugateInvariant => needed - (PI * t / 2.0).ln() / 2.0,
        };
        (0..16).fold(needed, |t, _| next(t))
    }

    /// Noise of a product; `related` factors have errors in common, as those of a square.
    pub fn product(&self, a: &Estimate, b: &Estimate, related: bool) -> f64 {
        let left = a.rms * a.scale * b.noise;
        let right = b.rms * b.scale * a.noise;
        let errors = self.n.sqrt() * a.noise * b.noise;
        match related {
            true => hypot([left + right, errors]),
            false => hypot([left, right, errors]),
        }
    }

    /// One rounding to double precision, of slots whose integers are up to this size.
    fn double(&self, size: f64) -> f64 {
        f64::EPSILON / 2.0 * size / self.real
    }

    /// Encoding or decoding in double precision: errors of the transform's log2 N levels add up by
    /// their squares.
    fn transform(&self, size: f64) -> f64 {
        self.double(size) * self.n.log2().sqrt()
    }

    /// What the scale's own rounding amounts to.
    pub(super) fn double_precision(&self, ty: &Estimate) -> f64 {
        self.double(ty.max * ty.scale)
    }

    /// What taking the second operand's scale for the first's amounts to.
    pub(super) fn scales_apart(&self, a: &Estimate, b: &Estimate) -> f64 {
        (a.scale - b.scale).abs() * b.max / self.real
    }

    /// Noise of a product with a constant.
    pub(super) fn constant_product(&self, a: &Estimate, c: &ConstantFactor) -> f64 {
        hypot([
            c.rms * c.scale * a.noise,
            self.constant_rounding_average(a, c),
        ])
    }

    /// What rounding a constant adds to a product.
    pub(super) fn constant_rounding_average(&self, a: &Estimate, c: &ConstantFactor) -> f64 {
        let message = a.rms * a.scale;
        match c.uniform_error {
            Some(error) => error.abs() * message / self.n.sqrt(),
            None => ROUNDING_VARIANCE.sqrt() * message.hypot(a.noise * self.n.sqrt()),
        }
    }

    /// Noise of a sum with a constant.
    pub fn constant_sum(&self, a: &Estimate) -> f64 {
        hypot([a.noise, ROUNDING_VARIANCE.sqrt()])
    }

    /// Noise after division by the last prime of the ciphertext's level.
    pub fn rescaled(&self, a: &Estimate) -> f64 {
        let prime = self.parameters.q()[usize::from(a.level) - 1] as f64;
        hypot([a.noise / prime, self.rounding(a.parts, a.secret)])
    }

    /// Deviation in the worst slot of what rounding a constant adds to a product.
    pub(super) fn constant_rounding(&self, a: &Estimate, c: &ConstantFactor) -> f64 {
        let product = a.max * a.scale * c.max * c.scale;
        match c.uniform_error {
            // One number in every slot, all of it real.
            Some(error) => {
                let rounding = error.abs() * a.max * a.scale / self.real;
                hypot([rounding, 2.0 * self.double(product)])
            }
            None => {
                let message = (a.max * a.scale).hypot(a.peak * self.n.sqrt());
                let rounding = ROUNDING_VARIANCE.sqrt() * message;
                hypot([rounding, self.transform(product), self.double(product)])
            }
        }
    }

    /// The product of two errors, which may be one and the same, in the worst slot: as many deviations
    /// as none exceeds make what no product of two such errors exceeds.
    pub(super) fn errors_product(&self, a: f64, b: f64) -> f64 {
        // The real part of a product of complex numbers is two products of real ones.
        let products = match self.parameters.kind() {
            RingKind::Standard => 2.0,
            RingKind::ConjugateInvariant => 1.0,
        };
        self.deviations() * products * self.real * a * b
    }

    /// What a sum with a constant adds.
    pub(super) fn constant_sum_rounding(&self, a: &Estimate, largest: f64) -> f64 {
        hypot([ROUNDING_VARIANCE.sqrt(), self.transform(largest * a.scale)])
    }

    /// Deviation in the worst slot of what rescaling adds.
    pub(super) fn rescaling_peak(&self, a: &Estimate) -> f64 {
        let heavier = match self.parameters.kind() {
            RingKind::Standard => THIRD_PART,
            RingKind::ConjugateInvariant => THIRD_PART_REAL,
        };
        let third = (ROUNDING_VARIANCE.sqrt() * self.secret_norm(a.secret)) * heavier;
        let second = self.alone() * self.rounding(2, a.secret);
        match a.parts {
            3 => hypot([second, third]),
            _ => second,
        }
    }

    /// By how much one product counts for more than the bound's t covers.
    pub(super) fn alone(&self) -> f64 {
        match self.parameters.kind() {
            RingKind::Standard => ALONE,
            RingKind::ConjugateInvariant => 1.0,
        }
    }

    /// What a key switch adds. The fast extension of a digit of k primes is a sum of k numbers, each
    /// uniform over the digit's product and independent of the others; so is the remainder of the
    /// division by the special primes. Either counts k times.
    pub(super) fn key_switch(&self, level: usize) -> f64 {
        let (digits, special) = (self.parameters.grouping(), self.parameters.p());
        self.switching(level, digits, special, SecretId::MAIN)
    }

    /// What a switch with the key for products adds, at most: the key may be made for any level from this
    /// one on.
    pub(super) fn relinearisation(&self, level: usize) -> f64 {
        self.relinearisations[level - 1]
    }

    /// The same with a key of this shape, to this secret.
    pub(super) fn switch_with(&self, level: usize, shape: &KeyShape, to: SecretId) -> f64 {
        let primes = shape.primes(&self.parameters);
        self.switching(level, shape.grouping(), &primes[shape.level()..], to)
    }

    fn switching(&self, level: usize, digits: Digits, special: &[u64], to: SecretId) -> f64 {
        let errors = self.switching_errors(level, digits, special);
        let rounding = (special.len() as f64).sqrt() * self.rounding(2, to);
        hypot([errors, rounding])
    }

    /// The key's errors alone, divided by the special primes and not rounded.
    pub(super) fn key_switch_errors(&self, level: usize) -> f64 {
        self.switching_errors(level, self.parameters.grouping(), self.parameters.p())
    }

    fn switching_errors(&self, level: usize, digits: Digits, special: &[u64]) -> f64 {
        let product: f64 = special.iter().map(|&p| p as f64).product();
        let digits = digits.cut(&self.parameters.q()[..level]).into_iter();
        // Ratios D/P, not their squares of up to 2^1000, stay within range.
        let ratio = |digit: &[u64]| digit.iter().map(|&q| q as f64).product::<f64>() / product;
        let digits = digits.map(|digit| digit.len() as f64 * ratio(digit).powi(2));
        let digits: f64 = digits.sum();
        (digits * self.n * ROUNDING_VARIANCE * ERROR_VARIANCE).sqrt()
    }

    /// Largest absolute value and root mean square of the slots of q_0·I, where I is what raising a
    /// ciphertext leaves: in every coefficient the sum of one number uniform over \[-1/2, 1/2\] and of one
    /// for each coefficient of the secret, rounded. A slot is a product of two Gaussians, the secret's and
    /// c_1's, beside c_0's.
    pub(super) fn multiples(&self, a: &Estimate) -> (f64, f64) {
        let coefficients = (ROUNDING_VARIANCE * (1.0 + self.secret_norm(a.secret))).sqrt();
        let first = self.parameters.q()[0] as f64;
        let rms = coefficients * self.n.sqrt() * first / a.scale;
        let largest = self.deviations() * self.alone() * std::f64::consts::SQRT_2;
        (largest * rms, rms)
    }

    /// The mean of a secret's sum of squares.
    fn secret_norm(&self, secret: SecretId) -> f64 {
        match secret.weight() {
            Some(weight) => weight.into(),
            None => TERNARY_VARIANCE * self.n,
        }
    }

    /// Rounding of every part of a ciphertext, as the secret's powers magnify it.
    fn rounding(&self, parts: u8, secret: SecretId) -> f64 {
        let secret = self.secret_norm(secret);
        let powers: f64 = (0..i32::from(parts)).map(|power| secret.powi(power)).sum();
        (ROUNDING_VARIANCE * powers).sqrt()
    }
}

impl Parameters {
    /// The type of a fresh ciphertext at a level and scale: values up to `max`, with root mean
    /// square `rms`.
    pub fn fresh_at(&self, level: usize, scale: f64, max: f64, rms: f64) -> Estimate {
        let encryption = NoiseModel::new(self).encryption();
        self.encrypted(level, scale, (max, rms), encryption)
    }

    /// The same of an encryption with the secret key.
    pub fn fresh_symmetric_at(&self, level: usize, scale: f64, max: f64, rms: f64) -> Estimate {
        let encryption = NoiseModel::new(self).symmetric_encryption();
        self.encrypted(level, scale, (max, rms), encryption)
    }

    fn encrypted(
        &self,
        level: usize,
        scale: f64,
        (max, rms): (f64, f64),
        encryption: f64,
    ) -> Estimate {
        let model = NoiseModel::new(self);
        let noise = hypot([encryption, model.transform(max * scale)]);
        Estimate {
            parts: 2,
            level: level as u16,
            secret: SecretId::MAIN,
            scale,
            max,
            rms,
            noise,
            peak: noise,
        }
    }

    /// The type of a fresh ciphertext at the top level and the default scale.
    pub fn fresh(&self, max: f64, rms: f64) -> Estimate {
        self.fresh_at(self.levels(), self.scale(), max, rms)
    }
}

/// Root of the sum of squares.
pub(super) fn hypot<const K: usize>(terms: [f64; K]) -> f64 {
    terms.into_iter().fold(0.0, f64::hypot)
}
