//! Multiples of an integer taken away: sin(2πy), or its arcsine, for y near integers.
//!
//! cos(2π(y - 1/4)/2^d) is a polynomial; d times c becomes 2c² - 1, which doubles the angle. The polynomial
//! need be good near integers only, and goes through the cosine there: at every integer, and twice beside
//! the smallest ones as far as the degree has room, since small multiples are frequent (Han, Ki, "Better
//! Bootstrapping for Approximate Homomorphic Encryption", CT-RSA 2020). A degree that has room for two
//! everywhere, or not for one, is a Chebyshev interpolation's.

use crate::chebyshev::{series, term};
use crate::remez::solve;
use crate::{Error, Polynomial};
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::ProgramBuilder;
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};
use std::ops::RangeInclusive;

/// Largest number of doublings: every one makes noise four times as large.
const MAX_DOUBLINGS: u32 = 8;

/// Degrees that the cosine may have.
const DEGREES: RangeInclusive<usize> = 2..=255;
/// Remainders on either side at which the sine is looked at.
const SAMPLES: i32 = 4;
/// Degrees that the arcsine's series may have; 1 is none.
const ARCSINES: RangeInclusive<usize> = 1..=7;

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
}

impl Reduction {
    /// For multiples up to this size, all but normal with this variance, and remainders up to `ratio`.
    ///
    /// # Errors
    /// A degree that a series does not have, or more doublings than eight.
    pub fn new(
        (multiples, variance): (u32, f64),
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
        if !DEGREES.contains(&degree) {
            let allowed = format!("{} to {}", DEGREES.start(), DEGREES.end());
            return Err(Error::range("bootstrapping", "degree", degree, allowed));
        }
        let cosine = cosine(multiples, ratio, degree, doublings)?;
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
        let mut found = Self {
            arcsine: inverse.transpose()?,
            curve: (beyond as i32, remains),
            multiples,
            ratio,
            doublings,
            error: 0.0,
            cosine,
        };
        found.error = found.deviation(variance);
        Ok(found)
    }

    /// How far the result is from 2π times the remainder: at most the second number times the angle to the
    /// power of the first.
    pub fn curve(&self) -> (i32, f64) {
        self.curve
    }

    /// The largest remainder.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Arguments go from minus this to this.
    pub fn half(&self) -> f64 {
        self.cosine.interval()[1]
    }

    /// What the sine is off by, root mean square over the multiples as they occur.
    pub fn error(&self) -> f64 {
        self.error
    }

    fn deviation(&self, variance: f64) -> f64 {
        let most = self.multiples as i32;
        let (mut squares, mut weights) = (0.0, 0.0);
        for multiple in -most..=most {
            let weight = (-f64::from(multiple).powi(2) / (2.0 * variance)).exp();
            squares += weight * self.off_near(multiple).powi(2);
            weights += weight;
        }
        (squares / weights).sqrt()
    }

    /// What the sine is off by near a multiple, at most.
    fn off_near(&self, multiple: i32) -> f64 {
        let steps = f64::from(SAMPLES);
        let remainders = (-SAMPLES..=SAMPLES).map(|k| f64::from(k) / steps * self.ratio);
        let off = remainders.map(|remainder| {
            let first = self.cosine.value(f64::from(multiple) + remainder);
            let last = (0..self.doublings).fold(first, |c, _| 2.0 * c * c - 1.0);
            (last - (2.0 * PI * remainder).sin()).abs()
        });
        off.fold(0.0, f64::max)
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
        builder.bounded(value, 2.0 * PI * self.ratio)?;
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

/// The cosine as a polynomial.
fn cosine(multiples: u32, ratio: f64, degree: usize, doublings: u32) -> Result<Polynomial, Error> {
    let half = f64::from(multiples) + ratio;
    let angle = 2.0 * PI / f64::from(doublings).exp2();
    let value = |y: f64| (angle * (y - 0.25)).cos();
    let integers = 2 * multiples as usize + 1;
    let coefficients = match (integers..2 * integers).contains(&(degree + 1)) {
        true => {
            let nodes = nodes(multiples as i32, ratio, degree + 1 - integers).into_iter();
            let row = |y: f64| -> Vec<f64> {
                let terms = (0..=degree).map(|k| term(k, y / half));
                terms.chain([value(y)]).collect()
            };
            solve(nodes.map(row).collect())
        }
        false => series(value, [-half, half], degree)?,
    };
    Polynomial::chebyshev(&coefficients, [-half, half])
}

/// The integers up to a size, so many of the smallest replaced by two numbers beside them.
fn nodes(most: i32, ratio: f64, twice: usize) -> Vec<f64> {
    let mut integers: Vec<i32> = (-most..=most).collect();
    integers.sort_unstable_by_key(|integer| (integer.abs(), *integer));
    let beside = ratio * FRAC_1_SQRT_2;
    let of = |(index, integer): (usize, i32)| {
        let middle = f64::from(integer);
        match index < twice {
            true => vec![middle - beside, middle + beside],
            false => vec![middle],
        }
    };
    integers.into_iter().enumerate().flat_map(of).collect()
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
            let reduction = Reduction::new((15, 2.75), 1.0 / 64.0, (31, 4, degree)).unwrap();
            let (power, most) = reduction.curve();
            let angle = 2.0 * PI / 64.0;
            let sine = angle.sin();
            let value = reduction.arcsine.map_or(sine, |series| series.value(sine));
            let off = (value - angle).abs();
            assert!(off <= most * angle.powi(power) && off >= 0.4 * most * angle.powi(power));
        }
    }

    /// Few doublings and a low degree, since it is good near integers only.
    #[test]
    fn the_sine_is_good_where_multiples_are() {
        let small = (15, 33.0 / 12.0);
        let of = |degree, doublings| Reduction::new(small, 1.0 / 256.0, (degree, doublings, 1));
        let nodes = of(31, 3).unwrap();
        assert!(nodes.error() < 2f64.powi(-44), "{}", nodes.error().log2());
        for multiple in -8..=8 {
            assert!(nodes.off_near(multiple) < 2f64.powi(-36));
        }
        // Of all that is between the same degree is worth little.
        let half = nodes.half();
        let even = series(|y| (PI / 4.0 * (y - 0.25)).cos(), [-half, half], 31).unwrap();
        let even = Polynomial::chebyshev(&even, [-half, half]).unwrap();
        let even = Reduction {
            cosine: even,
            ..of(31, 3).unwrap()
        };
        assert!(even.deviation(33.0 / 12.0) > 2f64.powi(-32));
        let more = of(31, 4).unwrap();
        assert!(more.error() < 2f64.powi(-42));
        let coarse = of(20, 3).unwrap();
        assert!(coarse.error() > 1e-6);
    }
}
