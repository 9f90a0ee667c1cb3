//! Interpolation of a function at Chebyshev points.
//!
//! The polynomial of degree d through f at the d + 1 zeros of T_(d+1), mapped to the interval. Its
//! largest error is at most 2 + (2/π) log(d + 1) times that of the best polynomial (Trefethen,
//! "Approximation Theory and Approximation Practice", 2013, theorem 15.2), so that nothing more is
//! sought than this except where a factor of 4 counts (see the sign).

use crate::{Error, Polynomial};
use std::f64::consts::PI;

/// Largest degree of an interpolation.
const MAX_DEGREE: usize = 4095;
/// Coefficients below this part of the largest are rounding errors of the transform; left out,
/// even and odd functions need half of the powers.
const NEGLIGIBLE: f64 = 1.0 / (1u64 << 48) as f64;

/// The polynomial of this degree that equals `f` at the Chebyshev points of the interval.
///
/// # Errors
/// An empty interval, a degree outside 1 to 4095, or a value of `f` that is not finite.
pub fn chebyshev(
    f: impl Fn(f64) -> f64,
    [low, high]: [f64; 2],
    degree: usize,
) -> Result<Polynomial, Error> {
    if !(1..=MAX_DEGREE).contains(&degree) {
        let allowed = format!("1 to {MAX_DEGREE}");
        return Err(Error::range("chebyshev", "degree", degree, allowed));
    }
    let mut coefficients = series(f, [low, high], degree)?;
    let largest = coefficients.iter().fold(0f64, |max, c| max.max(c.abs()));
    for c in &mut coefficients {
        if c.abs() < largest * NEGLIGIBLE {
            *c = 0.0;
        }
    }
    Polynomial::chebyshev(&coefficients, [low, high])
}

/// T_k(y).
pub(crate) fn term(k: usize, y: f64) -> f64 {
    let (mut this, mut next) = (1.0, y);
    for _ in 0..k {
        (this, next) = (next, 2.0 * y * next - this);
    }
    this
}

/// The coefficients of that polynomial, small ones too.
pub(crate) fn series(
    f: impl Fn(f64) -> f64,
    [low, high]: [f64; 2],
    degree: usize,
) -> Result<Vec<f64>, Error> {
    crate::polynomial::check_interval(low, high)?;
    let points = degree + 1;
    let angle = |k: usize| PI * (k as f64 + 0.5) / points as f64;
    let values: Vec<f64> = (0..points)
        .map(|k| f((low + high) / 2.0 + (high - low) / 2.0 * angle(k).cos()))
        .collect();
    let coefficient = |j: usize| {
        let waves = (0..points).map(|k| values[k] * (j as f64 * angle(k)).cos());
        let scale = if j == 0 { 1.0 } else { 2.0 };
        scale * waves.sum::<f64>() / points as f64
    };
    Ok((0..points).map(coefficient).collect())
}
