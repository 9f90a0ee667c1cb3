//! Multiples of an integer taken away: sin(2πy), or its arcsine, for y near integers.
//!
//! cos(2π(y - 1/4)/2^d) is a polynomial by its Chebyshev series; d times c becomes 2c² - 1, which doubles the
//! angle (Han, Ki, "Better Bootstrapping for Approximate Homomorphic Encryption", CT-RSA 2020). The series
//! is that of a cosine of 2π/2^d times half the interval, whose terms beyond the degree are Bessel functions:
//! interpolation is off by at most four times their sum, and by 4^d times that after the doublings.

use crate::chebyshev::series;
use crate::{Error, Polynomial};
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::ProgramBuilder;
use std::f64::consts::{PI, SQRT_2};
use std::ops::RangeInclusive;

/// Largest number of doublings: every one makes noise four times as large.
const MAX_DOUBLINGS: u32 = 8;

/// Degrees that the cosine may have.
const DEGREES: RangeInclusive<usize> = 2..=255;
/// Degrees that the arcsine's series may have; 1 is none.
const ARCSINES: RangeInclusive<usize> = 1..=7;
/// Of a sum of some dozen numbers below 1 in double precision.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// What takes multiples away.
pub(super) struct Reduction {
    multiples: u32,
    ratio: f64,
    doublings: u32,
    cosine: Polynomial,
    /// The arcsine's series, if it has more than its first term.
    arcsine: Option<Polynomial>,
    /// What remains of the angle to this power, at most this times as much.
    curve: (i32, f64),
    error: f64,
    rounding: f64,
}

impl Reduction {
    /// For multiples up to this size and remainders up to `ratio`.
    ///
    /// # Errors
    /// A degree that a series does not have, or more doublings than eight.
    pub fn new(
        multiples: u32,
        ratio: f64,
        (degree, doublings, arcsine): (usize, u32, usize),
    ) -> Result<Self, Error> {
        if doublings > MAX_DOUBLINGS {
            let allowed = format!("up to {MAX_DOUBLINGS}");
            return Err(Error::range(
                "bootstrapping",
                "doublings",
                doublings,
                allowed,
            ));
        }
        let half = f64::from(multiples) + ratio;
        let angle = 2.0 * PI / f64::from(doublings).exp2();
        if !DEGREES.contains(&degree) {
            let allowed = format!("{} to {}", DEGREES.start(), DEGREES.end());
            return Err(Error::range("bootstrapping", "degree", degree, allowed));
        }
        let coefficients = series(|y| (angle * (y - 0.25)).cos(), [-half, half], degree)?;
        let cosine = Polynomial::chebyshev(&coefficients, [-half, half])?;
        let larger = f64::from(doublings).exp2().powi(2);
        if !(ARCSINES.contains(&arcsine) && arcsine % 2 == 1) {
            let allowed = format!("an odd number, {} to {}", ARCSINES.start(), ARCSINES.end());
            return Err(Error::range("bootstrapping", "arcsine", arcsine, allowed));
        }
        let terms: Vec<f64> = (0..=arcsine).map(arcsine_term).collect();
        let inverse = (arcsine > 1).then(|| Polynomial::power(&terms));
        let sine = 2.0 * PI * ratio;
        let beyond = arcsine + 2;
        // The terms that are left out shrink by the square of the sine, at least.
        let remains = match arcsine {
            1 => 1.0 / 6.0,
            _ => arcsine_term(beyond) / (1.0 - sine * sine),
        };
        Ok(Self {
            arcsine: inverse.transpose()?,
            curve: (beyond as i32, remains),
            multiples,
            ratio,
            doublings,
            error: larger * 4.0 * left_out(angle * half, degree),
            rounding: larger * ROUNDING,
            cosine,
        })
    }

    /// How far the result is from 2π times the remainder: at most the second number times the angle to the
    /// power of the first.
    pub fn curve(&self) -> (i32, f64) {
        self.curve
    }

    /// The largest multiple.
    pub fn multiples(&self) -> u32 {
        self.multiples
    }

    /// The largest remainder.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Arguments go from minus this to this.
    pub fn half(&self) -> f64 {
        self.cosine.interval()[1]
    }

    /// What the sine is off by at most, but for rounding.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// What the coefficients' rounding to double precision adds, which differs from one argument to the
    /// next without a pattern.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Levels.
    pub fn depth(&self) -> usize {
        let arcsine = self.arcsine.as_ref().map_or(0, Polynomial::depth);
        self.cosine.depth() + self.doublings as usize + arcsine
    }

    /// Adds sin(2πy), or its arcsine, to a program.
    ///
    /// # Errors
    /// Too few levels, values that do not fit.
    pub fn apply(&self, builder: &mut ProgramBuilder, y: ValueId) -> Result<ValueId, Error> {
        crate::polynomial::require_levels(builder, y, self.depth())?;
        let level = usize::from(builder.ty(y)?.level) - self.cosine.depth();
        // What the next doubling drops, so that the scale stays.
        let scale = builder.parameters().q()[level - 1] as f64;
        let mut value = self.cosine.evaluate_to(builder, y, scale)?;
        for _ in 0..self.doublings {
            let square = builder.mul(value, value)?;
            let twice = builder.mul_constant_at_scale(square, &[2.0], 1.0)?;
            let doubled = builder.add_constant(twice, &[-1.0])?;
            value = builder.rescale(doubled)?;
            builder.bounded(value, 1.0)?;
        }
        builder.bounded(value, (2.0 * PI * self.ratio).sin().abs() + self.error)?;
        if let Some(arcsine) = &self.arcsine {
            let scale = builder.ty(value)?.scale;
            value = arcsine.evaluate_to(builder, value, scale)?;
        }
        let around = builder.error_bound(y)? * SQRT_2;
        let slope = 2.0 * PI * (2.0 * PI * around).cosh() * (1.0 + 1.0 / 64.0);
        Ok(builder.gain_of_slots(value, y, slope)?)
    }
}

/// The coefficient of x^k in the arcsine's series: for odd k, 1·3·…·(k - 2) over 2·4·…·(k - 1), over k.
fn arcsine_term(k: usize) -> f64 {
    let factors = (3..=k).step_by(2).map(|m| (m - 2) as f64 / (m - 1) as f64);
    match k % 2 {
        0 => 0.0,
        _ => factors.product::<f64>() / k as f64,
    }
}

/// A bound on the sum of |J_k(x)| over k above the degree: |J_k(x)| is at most (x/2)^k/k!.
fn left_out(x: f64, degree: usize) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    for k in 1..=4 * degree + 64 {
        term *= x / 2.0 / k as f64;
        sum += if k > degree { term } else { 0.0 };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arcsine_s_terms() {
        let terms = [1.0, 1.0 / 6.0, 3.0 / 40.0, 15.0 / 336.0, 105.0 / 3456.0];
        for (index, term) in terms.into_iter().enumerate() {
            assert!((arcsine_term(2 * index + 1) - term).abs() < 1e-15);
            assert_eq!(arcsine_term(2 * index), 0.0);
        }
        for degree in [1, 3, 5, 7] {
            let reduction = Reduction::new(15, 1.0 / 64.0, (31, 4, degree)).unwrap();
            let (power, most) = reduction.curve();
            let angle = 2.0 * PI / 64.0;
            let sine = angle.sin();
            let value = reduction.arcsine.map_or(sine, |series| series.value(sine));
            let off = (value - angle).abs();
            assert!(off <= most * angle.powi(power) && off >= 0.4 * most * angle.powi(power));
        }
    }

    #[test]
    fn the_sine_is_as_good_as_it_says() {
        let close = Reduction::new(15, 1.0 / 256.0, (31, 4, 1)).unwrap();
        assert!(close.error() < 1e-12, "{}", close.error());
        let coarse = Reduction::new(15, 1.0 / 256.0, (14, 4, 1)).unwrap();
        assert!(coarse.error() > 1e-6);
        for reduction in [close, coarse] {
            let mut largest = 0f64;
            for multiple in -15..=15 {
                for remainder in [-1.0 / 256.0, 0.0, 1.0 / 300.0] {
                    let y = f64::from(multiple) + remainder;
                    let mut c = reduction.cosine.value(y);
                    for _ in 0..4 {
                        c = 2.0 * c * c - 1.0;
                    }
                    largest = largest.max((c - (2.0 * PI * remainder).sin()).abs());
                }
            }
            let allowed = reduction.error() + reduction.rounding();
            assert!(largest <= allowed, "{largest}, {allowed}");
        }
    }
}
