//! The sign of encrypted numbers, and thereby comparisons.
//!
//! A composition p_k ∘ … ∘ p_1 of odd polynomials, each the best for the sign on what the one before
//! leaves: \[1 - e, 1 + e\] (Lee, Lee, No, Kim, "Minimax Approximation of Sign Function by Composite
//! Polynomial for Homomorphic Comparison", IEEE TDSC 19, 2022). Compositions need far fewer products
//! than one polynomial of the same error: its degree would be the product of theirs. The polynomials
//! are found here ([`crate::remez`]), degrees 3, 7 and 15, which use up 2, 3 and 4 levels; of all
//! sequences the one of least depth, then of least error.
//!
//! Numbers smaller than the threshold come out anywhere between -1 and 1.
//!
//! **Noise** is predicted for numbers beyond the threshold, from the slopes of what is left of the
//! composition behind each polynomial: flat near ±1, so that errors shrink. Nearer to 0 the slopes
//! are steep and noise adds to what is anywhere between -1 and 1 already. As for one polynomial, slopes
//! are those around each argument, as far as its own error goes ([`crate::polynomial`]); the largest
//! product of slopes is sought among samples on the ellipse that holds these points. The product of
//! each polynomial's largest was tried and dropped, as it is up to 15 times that.

use crate::polynomial::{check_scale, complex_bound, ellipse, require_levels};
use crate::remez::best_sign;
use crate::{Error, Polynomial};
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::ProgramBuilder;

/// Terms of the odd polynomials that are tried, and the levels they take.
const TRIED: [(usize, usize); 3] = [(2, 2), (4, 3), (8, 4)];
/// The deepest composition that is sought.
const MAX_DEPTH: usize = 24;
/// Room for noise at both ends of the interval between two polynomials.
const MARGIN: f64 = 1.0 / (1 << 12) as f64;
/// Smallest threshold, relative to the largest number.
const MIN_RATIO: f64 = 1.0 / (1 << 20) as f64;
/// Arguments at which slopes are sampled, and what the largest sample may lack: between two samples
/// even the steepest composition changes by less.
const SAMPLES: usize = 1 << 13;
const SAMPLING: f64 = 1.05;
const ERRORS: [f64; 2] = [1.0 / (1u64 << 30) as f64, 0.5];

/// An approximation of the sign.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    polynomials: Vec<Polynomial>,
    error: f64,
    depth: usize,
}

impl Sign {
    /// Off by `error` at most for threshold ≤ |x| ≤ bound.
    ///
    /// # Errors
    /// A threshold outside 2^-20·bound to bound/2, an error outside 2^-30 to 1/2, or both so small
    /// that more than 24 levels would be needed.
    pub fn new(threshold: f64, bound: f64, error: f64) -> Result<Self, Error> {
        let refuse = |what, given: f64, allowed| Err(Error::range("sign", what, given, allowed));
        if !(bound.is_finite() && bound > 0.0) {
            return refuse("bound", bound, "a finite number above 0".to_string());
        }
        let [low, high] = [bound * MIN_RATIO, bound / 2.0];
        if !(low..=high).contains(&threshold) {
            return refuse("threshold", threshold, format!("{low:e} to {high}"));
        }
        let [smallest, largest] = ERRORS;
        if !(smallest..=largest).contains(&error) {
            return refuse("error", error, format!("{smallest:e} to {largest}"));
        }
        for depth in 2..=MAX_DEPTH {
            if let Some(found) = composition(threshold, bound, depth, error) {
                let polynomials = found.polynomials.into_iter();
                let polynomials = polynomials.collect::<Result<Vec<_>, _>>()?;
                return Ok(Self {
                    polynomials,
                    error: found.error,
                    depth,
                });
            }
        }
        let allowed = format!("such that {MAX_DEPTH} levels suffice for the threshold {threshold}");
        refuse("error", error, allowed)
    }

    /// The same, from 0 to 1: 1 where x is above the threshold, 0 where it is below its negative.
    ///
    /// # Errors
    /// None that [`Sign::new`] did not have.
    pub fn step(&self) -> Result<Self, Error> {
        let mut step = self.clone();
        if let Some(last) = step.polynomials.last_mut() {
            let mut halved: Vec<f64> = last.coefficients().iter().map(|c| c / 2.0).collect();
            halved[0] += 0.5;
            let gap = last.gap();
            *last = Polynomial::chebyshev(&halved, last.interval())?.beyond(gap)?;
        }
        step.error /= 2.0;
        Ok(step)
    }

    /// The polynomials, the first to be evaluated first.
    pub fn polynomials(&self) -> &[Polynomial] {
        &self.polynomials
    }

    /// Largest error between threshold and bound.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Levels that it takes.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The value at a point, in the clear.
    pub fn value(&self, x: f64) -> f64 {
        self.polynomials.iter().fold(x, |x, p| p.value(x))
    }

    /// Adds its evaluation to a program; the result has the parameters' default scale.
    ///
    /// # Errors
    /// As [`Polynomial::evaluate`].
    pub fn evaluate(&self, builder: &mut ProgramBuilder, x: ValueId) -> Result<ValueId, Error> {
        let scale = builder.parameters().scale();
        self.evaluate_to(builder, x, scale)
    }

    /// Adds its evaluation to a program; the result has this scale.
    /// What one polynomial passes on to the next keeps the default.
    ///
    /// # Errors
    /// As [`Polynomial::evaluate_to`].
    pub fn evaluate_to(
        &self,
        builder: &mut ProgramBuilder,
        x: ValueId,
        scale: f64,
    ) -> Result<ValueId, Error> {
        check_scale("sign", scale)?;
        require_levels(builder, x, self.depth)?;
        let mut values = vec![x];
        let mut result = x;
        let last = self.polynomials.len() - 1;
        for (index, polynomial) in self.polynomials.iter().enumerate() {
            result = match index == last {
                true => polynomial.evaluate_to(builder, result, scale)?,
                false => polynomial.evaluate(builder, result)?,
            };
            values.push(result);
        }
        for (index, &value) in values.iter().enumerate().take(self.polynomials.len()).rev() {
            let slope = slope(&self.polynomials[index..], complex_bound(builder, value)?);
            if slope.is_finite() {
                builder.gain_of_slots(result, value, slope)?;
            }
        }
        Ok(result)
    }
}

/// The largest slope of a composition within `around` of the arguments that its first polynomial is
/// for: those beyond its gap. It is odd but for a constant, so that the positive ones do.
fn slope(polynomials: &[Polynomial], around: f64) -> f64 {
    let [_, high] = polynomials[0].interval();
    let arguments = ellipse([polynomials[0].gap(), high], around, SAMPLES);
    let slope_at = |z: [f64; 2]| {
        let step = |(z, product): ([f64; 2], f64), p: &Polynomial| {
            let (value, slope) = p.complex(z);
            (value, product * slope)
        };
        polynomials.iter().fold((z, 1.0), step).1
    };
    SAMPLING * arguments.map(slope_at).fold(0.0, f64::max)
}

struct Composition {
    polynomials: Vec<Result<Polynomial, Error>>,
    error: f64,
}

/// The composition of this depth that is best from `low` to `high`, if it is as good as asked. What
/// one polynomial passes on is made to end at 1, so that the next one's interval takes no level.
fn composition(low: f64, high: f64, depth: usize, error: f64) -> Option<Composition> {
    let mut best: Option<Composition> = None;
    for (terms, levels) in TRIED.into_iter().filter(|&(_, levels)| levels <= depth) {
        let first = best_sign(low, high, terms);
        let found = if levels == depth {
            let (polynomials, error) = (Vec::new(), first.error);
            (1.0, Composition { polynomials, error })
        } else {
            let left = first.error + MARGIN;
            let (low, high) = (1.0 - left, 1.0 + left);
            match composition(low / high, 1.0, depth - levels, error) {
                Some(rest) if left < 1.0 => (high.recip(), rest),
                _ => continue,
            }
        };
        let (share, found) = found;
        let better = best.as_ref().is_none_or(|best| found.error < best.error);
        if found.error <= error && better {
            let terms: Vec<f64> = first.odd.iter().map(|term| share * term).collect();
            let mut polynomials = vec![odd(&terms, low, high)];
            polynomials.extend(found.polynomials);
            best = Some(Composition {
                polynomials,
                error: found.error,
            });
        }
    }
    best
}

/// Σ c_i T_(2i+1)(x/high), for arguments of `low` at least.
fn odd(terms: &[f64], low: f64, high: f64) -> Result<Polynomial, Error> {
    let coefficients: Vec<f64> = terms.iter().flat_map(|&c| [0.0, c]).collect();
    Polynomial::chebyshev(&coefficients, [-high, high])?.beyond(low)
}
