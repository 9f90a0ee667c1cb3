//! Polynomials of one encrypted vector, slot by slot.
//!
//! **Depth.** A polynomial of degree d takes ceil(log2(d + 1)) levels, its coefficients included:
//! the least there can be for products of two. It is split at the largest power of two below its
//! degree, p = q·B_(2^m) + r, until what is left is short (Paterson, Stockmeyer, "On the number of
//! nonscalar multiplications necessary to evaluate polynomials", SIAM J. Comput. 2, 1973), in the
//! power basis or in Chebyshev polynomials, where B_(a+b) = 2 B_a B_b - B_|a-b| (Chen, Chillotti,
//! Song, "Improved Bootstrapping", EUROCRYPT 2019, section 4). How short is chosen per polynomial,
//! by counting ([`plan`]).
//!
//! **Scales.** Every part is computed *to* a scale, from the result down to the coefficients: when
//! q·B + r is wanted at scale S after rescaling by the prime p, both have to come at S·p, hence q
//! at S·p/scale(B), and so on; a coefficient is encoded at whatever scale makes its term exact
//! (Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux, "Efficient Bootstrapping for Approximate
//! Homomorphic Encryption with Non-sparse Keys", EUROCRYPT 2021, section 5). Sums never meet two
//! scales, and the result has the one that was asked for, exactly. Powers are kept near the
//! parameters' scale, or the result's where that is larger: a smaller one would add to their noise.
//!
//! **Sharing.** The products of one part are added in three polynomials and relinearised together;
//! r is not rescaled on its own.
//!
//! **Noise.** An error e of an argument x reaches the result at most max |p'| times as large, where the
//! maximum is over all that lies between x and x + e: the interval widened by the argument's own bound,
//! in the complex plane, since errors are complex. Near the ends of an interval polynomials of a high
//! degree are far steeper outside than inside. The bound is taken on the ellipse with the interval's
//! ends as foci that holds all these points ([`steepest`]).
//!
//! **Interval.** Chebyshev polynomials live on \[-1, 1\]. Mapping \[low, high\] there is an addition
//! and a change of the scale, which costs nothing while the scale stays near or below the prime to
//! be dropped, else one level.

mod build;
mod plan;

use crate::Error;
pub(crate) use build::{check_scale, require_levels};
use plan::{depth_of, Plan};
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::ProgramBuilder;
use std::f64::consts::PI;

/// What a polynomial is a sum of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// 1, x, x², …
    Power,
    /// T_0, T_1, T_2, … of the argument mapped to \[-1, 1\].
    Chebyshev,
}

/// A polynomial with real coefficients, of degree 1 at least.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    basis: Basis,
    coefficients: Vec<f64>,
    interval: [f64; 2],
    /// How far from the interval's middle the arguments are that count.
    gap: f64,
}

impl Polynomial {
    /// c_0 + c_1 x + c_2 x² + …, for |x| up to what is declared of the encrypted vector.
    ///
    /// # Errors
    /// No coefficient but the constant one, or one that is not finite.
    pub fn power(coefficients: &[f64]) -> Result<Self, Error> {
        Self::new(Basis::Power, coefficients, [-1.0, 1.0])
    }

    /// c_0 + c_1 T_1(y) + c_2 T_2(y) + …, y the argument mapped from `interval` to \[-1, 1\].
    /// The interval is the caller's word: elsewhere the result is worthless.
    ///
    /// # Errors
    /// As [`Polynomial::power`], and an empty interval.
    pub fn chebyshev(coefficients: &[f64], interval: [f64; 2]) -> Result<Self, Error> {
        Self::new(Basis::Chebyshev, coefficients, interval)
    }

    fn new(basis: Basis, coefficients: &[f64], interval: [f64; 2]) -> Result<Self, Error> {
        let refuse =
            |what, given: String, allowed| Error::range("polynomial", what, given, allowed);
        if let Some(c) = coefficients.iter().find(|c| !c.is_finite()) {
            return Err(refuse("coefficient", c.to_string(), "finite numbers"));
        }
        check_interval(interval[0], interval[1])?;
        let coefficients = trimmed(coefficients);
        if coefficients.len() < 2 {
            let allowed = "1 or more; a constant needs no encrypted vector";
            return Err(refuse("degree", "0".into(), allowed));
        }
        Ok(Self {
            basis,
            coefficients: coefficients.to_vec(),
            interval,
            gap: 0.0,
        })
    }

    /// Arguments nearer than this to the interval's middle do not count: noise is predicted for the
    /// others, whose slope may be far smaller. The result stays bounded for all of them.
    ///
    /// # Errors
    /// A gap that is not from 0 to half the interval.
    pub fn beyond(self, gap: f64) -> Result<Self, Error> {
        let [low, high] = self.interval;
        let half = (high - low) / 2.0;
        match (0.0..half).contains(&gap) {
            true => Ok(Self { gap, ..self }),
            false => {
                let allowed = format!("0 to {half}");
                Err(Error::range("polynomial", "gap", gap, allowed))
            }
        }
    }

    /// The gap; see [`Polynomial::beyond`].
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// What it is a sum of.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Coefficients from the constant one up; the last is not zero.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Where a Chebyshev series holds.
    pub fn interval(&self) -> [f64; 2] {
        self.interval
    }

    /// The degree.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// Levels that its evaluation takes, where the interval is free.
    pub fn depth(&self) -> usize {
        depth_of(self.degree() + 1)
    }

    /// The value at a point, in the clear.
    pub fn value(&self, x: f64) -> f64 {
        let [low, high] = self.interval;
        match self.basis {
            Basis::Power => value(Basis::Power, &self.coefficients, x),
            Basis::Chebyshev => {
                let y = (2.0 * x - low - high) / (high - low);
                value(Basis::Chebyshev, &self.coefficients, y)
            }
        }
    }

    /// The derivative at a point.
    pub fn slope(&self, x: f64) -> f64 {
        let [low, high] = self.interval;
        let derivative = derivative(self.basis, &self.coefficients);
        match self.basis {
            Basis::Power => value(Basis::Power, &derivative, x),
            Basis::Chebyshev => {
                let y = (2.0 * x - low - high) / (high - low);
                value(Basis::Chebyshev, &derivative, y) * 2.0 / (high - low)
            }
        }
    }

    /// Adds its evaluation to a program; the result has the parameters' default scale.
    ///
    /// # Errors
    /// As [`Polynomial::evaluate_to`].
    pub fn evaluate(&self, builder: &mut ProgramBuilder, x: ValueId) -> Result<ValueId, Error> {
        let scale = builder.parameters().scale();
        self.evaluate_to(builder, x, scale)
    }

    /// Adds its evaluation to a program; the result has this scale.
    ///
    /// # Errors
    /// A scale that is not a finite number of 1 or more; too few levels, naming the smallest N that
    /// carries them; values that do not fit at that scale, or are lost in noise.
    pub fn evaluate_to(
        &self,
        builder: &mut ProgramBuilder,
        x: ValueId,
        scale: f64,
    ) -> Result<ValueId, Error> {
        check_scale("polynomial", scale)?;
        let (coefficients, [low, high]) = match self.basis {
            Basis::Chebyshev => (self.coefficients.clone(), self.interval),
            Basis::Power => self.onto_unit(builder.ty(x)?.max),
        };
        require_levels(builder, x, self.depth())?;
        let y = build::onto_unit(builder, x, [low, high], self.depth(), scale)?;
        require_levels(builder, y, self.depth())?;
        let plan = Plan::cheapest(self.basis, &coefficients);
        let result = build::evaluate(builder, y, &plan, scale)?;
        let half = (high - low) / 2.0;
        let around = complex_bound(builder, x)? / half;
        let slope = steepest(self.basis, &coefficients, self.gap / half, around) / half;
        match slope.is_finite() {
            true => Ok(builder.gain_of_slots(result, x, slope)?),
            // Whatever the operations' own errors say stays.
            false => Ok(result),
        }
    }

    /// The value and the size of the slope at a complex point.
    pub(crate) fn complex(&self, [re, im]: [f64; 2]) -> ([f64; 2], f64) {
        let [low, high] = self.interval;
        let half = match self.basis {
            Basis::Power => 1.0,
            Basis::Chebyshev => (high - low) / 2.0,
        };
        let y = match self.basis {
            Basis::Power => [re, im],
            Basis::Chebyshev => [(re - (low + high) / 2.0) / half, im / half],
        };
        let [a, b] = complex_value(self.basis, &derivative(self.basis, &self.coefficients), y);
        let value = complex_value(self.basis, &self.coefficients, y);
        (value, a.hypot(b) / half)
    }

    /// The same polynomial of x/bound, so that its powers neither outgrow the modulus nor drown in
    /// their noise.
    fn onto_unit(&self, bound: f64) -> (Vec<f64>, [f64; 2]) {
        let bound = if bound > 0.0 { bound } else { 1.0 };
        let stretched = self.coefficients.iter().enumerate();
        let stretched = stretched.map(|(i, c)| c * bound.powi(i as i32));
        (stretched.collect(), [-bound, bound])
    }
}

/// Σ c_i B_i(x): Horner's rule and Clenshaw's.
fn value(basis: Basis, coefficients: &[f64], x: f64) -> f64 {
    let (mut next, mut after) = (0.0, 0.0);
    for &c in coefficients.iter().rev() {
        (next, after) = match basis {
            Basis::Power => (c + x * next, 0.0),
            Basis::Chebyshev => (c + 2.0 * x * next - after, next),
        };
    }
    match basis {
        Basis::Power => next,
        Basis::Chebyshev => next - x * after,
    }
}

/// What the complex error of no slot exceeds in size: real and imaginary part have one bound.
pub(crate) fn complex_bound(builder: &ProgramBuilder, x: ValueId) -> Result<f64, Error> {
    Ok(builder.error_bound(x)? * std::f64::consts::SQRT_2)
}

/// A bound on |p| over \[-1, 1\].
fn bound(basis: Basis, coefficients: &[f64]) -> f64 {
    bound_between(basis, coefficients, [-1.0, 1.0])
}

/// A bound on |p'| within `around` of the real numbers with 1 ≥ |y| ≥ gap.
fn steepest(basis: Basis, coefficients: &[f64], gap: f64, around: f64) -> f64 {
    let derivative = derivative(basis, coefficients);
    let parts = match gap == 0.0 {
        true => vec![[-1.0, 1.0]],
        false => vec![[-1.0, -gap], [gap, 1.0]],
    };
    let bounds = parts
        .into_iter()
        .map(|part| bound_around(basis, &derivative, part, around));
    bounds.fold(0.0, f64::max)
}

/// A bound on |p(z)| for complex z within `around` of a real interval.
///
/// With the interval mapped to \[-1, 1\] and d what `around` becomes there, all these z lie inside the
/// ellipse with foci ±1 and half axis 1 + d: for (1 + d·cos t, d·sin t) as for (±1, d) the ellipse's
/// form is at most 1. |p| is largest on the ellipse, z = (w + 1/w)/2 with |w| = 1 + d + √(2d + d²),
/// where p is a trigonometric polynomial; samples bound it as in [`bound_between`].
fn bound_around(basis: Basis, coefficients: &[f64], interval: [f64; 2], around: f64) -> f64 {
    if around == 0.0 {
        return bound_between(basis, coefficients, interval);
    }
    let ellipse = ellipse(interval, around, 8 * coefficients.len());
    let sizes = ellipse.map(|z| {
        let [re, im] = complex_value(basis, coefficients, z);
        re.hypot(im)
    });
    sizes.fold(0.0, f64::max) / (PI / 16.0).cos()
}

/// Points on half of the ellipse whose foci are an interval's ends, and which holds everything within
/// `around` of it; polynomials with real coefficients are the same size on the other half.
pub(crate) fn ellipse(
    [low, high]: [f64; 2],
    around: f64,
    points: usize,
) -> impl Iterator<Item = [f64; 2]> {
    let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0);
    let d = around / half;
    let (longer, shorter) = (half * (1.0 + d), half * (2.0 * d + d * d).sqrt());
    (0..=points).map(move |k| {
        let (sin, cos) = (PI * k as f64 / points as f64).sin_cos();
        [middle + longer * cos, shorter * sin]
    })
}

/// Σ c_i B_i(z) for complex z, as [`value`].
fn complex_value(basis: Basis, coefficients: &[f64], [re, im]: [f64; 2]) -> [f64; 2] {
    let times = |[a, b]: [f64; 2]| [a * re - b * im, a * im + b * re];
    let (mut next, mut after) = ([0.0; 2], [0.0; 2]);
    for &c in coefficients.iter().rev() {
        let [a, b] = times(next);
        (next, after) = match basis {
            Basis::Power => ([c + a, b], [0.0; 2]),
            Basis::Chebyshev => ([c + 2.0 * a - after[0], 2.0 * b - after[1]], next),
        };
    }
    match basis {
        Basis::Power => next,
        Basis::Chebyshev => {
            let [a, b] = times(after);
            [next[0] - a, next[1] - b]
        }
    }
}

/// The coefficients of p'; T_k' = 2k (T_(k-1) + T_(k-3) + …), the last half if it is T_0.
fn derivative(basis: Basis, coefficients: &[f64]) -> Vec<f64> {
    let mut d: Vec<f64> = (1..coefficients.len())
        .map(|k| k as f64 * coefficients[k])
        .collect();
    if basis == Basis::Chebyshev {
        d.iter_mut().for_each(|c| *c *= 2.0);
        for k in (0..d.len().saturating_sub(2)).rev() {
            d[k] += d[k + 2];
        }
        d[0] /= 2.0;
    }
    d
}

/// A bound on |p| over an interval: the largest of 8·degree Chebyshev points, times 1/cos(π/16)
/// (Ehlich, Zeller, "Schwankung von Polynomen zwischen Gitterpunkten", Math. Z. 86, 1964).
fn bound_between(basis: Basis, coefficients: &[f64], [low, high]: [f64; 2]) -> f64 {
    let points = 8 * coefficients.len();
    let at = |k: usize| {
        let y = (PI * (k as f64 + 0.5) / points as f64).cos();
        (low + high) / 2.0 + (high - low) / 2.0 * y
    };
    let largest = (0..points)
        .map(|k| value(basis, coefficients, at(k)).abs())
        .fold(0.0, f64::max);
    largest / (PI / 16.0).cos()
}

/// Without trailing zeros.
fn trimmed(coefficients: &[f64]) -> &[f64] {
    let length = coefficients.iter().rposition(|&c| c != 0.0);
    &coefficients[..length.map_or(0, |last| last + 1)]
}

/// Refuses intervals that are empty or not finite.
pub(crate) fn check_interval(low: f64, high: f64) -> Result<(), Error> {
    match low.is_finite() && high.is_finite() && low < high {
        true => Ok(()),
        false => {
            let (given, allowed) = (format!("[{low}, {high}]"), "finite, the lower end first");
            Err(Error::range("polynomial", "interval", given, allowed))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_differences() {
        let p = [0.5, -1.0, 0.25, 2.0, -0.75, 0.125];
        for basis in [Basis::Power, Basis::Chebyshev] {
            let d = derivative(basis, &p);
            for x in [-1.0, -0.4, 0.0, 0.3, 1.0] {
                let h = 1e-5;
                let difference = (value(basis, &p, x + h) - value(basis, &p, x - h)) / (2.0 * h);
                assert!((value(basis, &d, x) - difference).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn complex_values_are_values() {
        let p = [0.5, -1.0, 0.25, 2.0, -0.75, 0.125];
        for basis in [Basis::Power, Basis::Chebyshev] {
            for x in [-1.5, -0.4, 0.0, 1.2] {
                let [re, im] = complex_value(basis, &p, [x, 0.0]);
                assert!((re - value(basis, &p, x)).abs() < 1e-12 && im == 0.0);
            }
        }
        // T_3(i/2) = 4·(i/2)³ - 3·i/2 = -2i.
        let [re, im] = complex_value(Basis::Chebyshev, &[0.0, 0.0, 0.0, 1.0], [0.0, 0.5]);
        assert!(re.abs() < 1e-12 && (im + 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_bound_around_an_interval_holds_on_its_stadium() {
        let mut p = vec![0.0; 32];
        p[31] = 1.0;
        let inside = bound(Basis::Chebyshev, &p);
        assert!((1.0..1.03).contains(&inside));
        for around in [1e-6, 1e-3, 0.02, 0.3] {
            let bound = bound_around(Basis::Chebyshev, &p, [-1.0, 1.0], around);
            let mut largest = 0f64;
            for x in [-1.0, -0.9, -0.5, 0.0, 0.3, 0.99, 1.0] {
                for angle in (0..64).map(|k| PI * f64::from(k) / 32.0) {
                    let z = [x + around * angle.cos(), around * angle.sin()];
                    let [re, im] = complex_value(Basis::Chebyshev, &p, z);
                    largest = largest.max(re.hypot(im));
                }
            }
            assert!(largest <= bound, "{around}: {largest}, {bound}");
            assert!(bound <= 1.1 * largest, "{around}: {largest}, {bound}");
        }
    }

    #[test]
    fn the_slope_beyond_a_gap_is_bounded_there() {
        let steep = [0.0, 1.2, 0.0, -0.3, 0.0, 0.1];
        let whole = steepest(Basis::Chebyshev, &steep, 0.0, 0.0);
        let part = steepest(Basis::Chebyshev, &steep, 0.5, 0.0);
        let d = derivative(Basis::Chebyshev, &steep);
        let largest = (50..=100)
            .map(|k| value(Basis::Chebyshev, &d, f64::from(k) / 100.0).abs())
            .fold(0.0, f64::max);
        assert!(part < whole && largest <= part && part <= 1.02 * largest);
    }
}
