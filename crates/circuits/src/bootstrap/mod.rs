//! Bootstrapping: a ciphertext that has no levels left gets new ones.
//!
//! | step | what is in the slots |
//! |---|---|
//! | multiply by an integer, raise | the message, as a polynomial r·q_0·a + q_0·I with integers I |
//! | [coefficients into slots](embedding) | y = r·a_k + I_k, half of the coefficients in real parts, half in imaginary ones |
//! | take them apart, by conjugation | y, real |
//! | [reduce](reduction) | sin(2πy)/2πr, which is nearly a_k: I is gone |
//! | put them together; back into slots | the message |
//!
//! r, the *message ratio*, is what the largest message takes of the first prime. The sine is not a straight
//! line: a coefficient a_k is off by (2πr)²/6·a_k³, and a slot by no more than (2πr)²/6 times the largest
//! slot times the mean of their squares (the coefficients' squares sum up to it). That much is part of the
//! result's declared error; a vector that is the same in every slot comes near to it. The first terms of
//! the arcsine take it away, for two levels or three.
//!
//! **How large I may be.** y is c_0/q_0 + c_1·s/q_0, a sum of w + 1 numbers that are uniform over
//! \[-1/2, 1/2\] for a secret of w coefficients. It exceeds t with a probability of at most
//! (w/2 + 1/2 - t)^(w+1)/(w+1)!, the volume of a simplex, and of exp(-6t²/(w + 1)), since uniform numbers
//! are sub-Gaussian. The reduction is built for the least bound that none of N coefficients exceeds, in
//! either direction, but with probability 2^-100.

mod embedding;
mod reduction;

use crate::linear_transform::rotations::Rotations;
use crate::polynomial::require_levels;
use crate::Error;
use embedding::{matrices, Direction};
use reduction::Reduction;
use ringwright_ir::he::SecretId;
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::{ParameterError, Parameters, ProgramBuilder};
use std::f64::consts::{LN_2, PI};

/// log2 of the probability that some coefficient is not reduced.
const LOG_FAILURE: f64 = -100.0;

/// What the sum of the sines' own errors does not exceed, which differ from one to the next: a normal number
/// does with a probability of 2^-49.
const DEVIATIONS: f64 = 8.0;

/// What a bootstrapping is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BootstrapShape {
    /// Coefficients of the sparse secret.
    pub weight: u16,
    /// Minus log2 of the message ratio.
    pub log_ratio: f64,
    /// Matrices that bring coefficients into slots, a level each.
    pub to_coefficients: usize,
    /// Degree of the cosine's polynomial.
    pub degree: usize,
    /// How often the cosine's angle is doubled, a level each.
    pub doublings: u32,
    /// Degree of the arcsine's series that straightens the sine: 1, which is none, or 3, 5, 7.
    pub arcsine: usize,
    /// Matrices that bring them back, a level each.
    pub to_slots: usize,
}

/// A bootstrapping under some parameters, ready to be applied.
pub struct Bootstrapping {
    shape: BootstrapShape,
    levels: usize,
    slots: usize,
    reduction: Reduction,
}

impl Bootstrapping {
    /// Of this shape.
    ///
    /// # Errors
    /// A conjugate-invariant ring; a weight that the security table has no row for; a number outside its
    /// range; more levels than the parameters have, or none left.
    pub fn new(parameters: &Parameters, shape: BootstrapShape) -> Result<Self, Error> {
        parameters.require_complex("bootstrapping")?;
        let refuse = |what, given: String, allowed: String| {
            Err(Error::range("bootstrapping", what, given, allowed))
        };
        let slots = parameters.slots();
        let log_slots = slots.ilog2() as usize;
        for (what, groups) in [
            ("to_coefficients", shape.to_coefficients),
            ("to_slots", shape.to_slots),
        ] {
            if !(1..=log_slots).contains(&groups) {
                return refuse(what, groups.to_string(), format!("1 to {log_slots}"));
            }
        }
        if !(2.0..=30.0).contains(&shape.log_ratio) {
            return refuse("log_ratio", shape.log_ratio.to_string(), "2 to 30".into());
        }
        if SecretId::sparse(shape.weight).is_none() {
            return refuse("weight", shape.weight.to_string(), "1 to 32767".into());
        }
        let sound = parameters.check_encapsulated(shape.weight);
        sound.map_err(ParameterError::from)?;
        let ratio = (-shape.log_ratio).exp2();
        let multiples = multiples(shape.weight, parameters.n(), ratio);
        let variance = (f64::from(shape.weight) + 1.0) / 12.0;
        let reduction = Reduction::new(
            (multiples, variance),
            ratio,
            (shape.degree, shape.doublings, shape.arcsine),
        )?;
        let found = Self {
            shape,
            levels: parameters.levels(),
            slots,
            reduction,
        };
        match found.depth() + 1 < found.levels {
            true => Ok(found),
            false => refuse(
                "levels",
                found.levels.to_string(),
                format!("{} or more: {} are spent", found.depth() + 2, found.depth()),
            ),
        }
    }

    /// Levels that it spends.
    pub fn depth(&self) -> usize {
        self.shape.to_coefficients + self.reduction.depth() + self.shape.to_slots
    }

    /// The level of its results.
    pub fn level(&self) -> usize {
        self.levels - self.depth()
    }

    /// Adds a bootstrapping of `x` to a program; the result has the parameters' default scale.
    ///
    /// # Errors
    /// A message too large for its ratio to the first prime, and whatever its parts refuse.
    pub fn apply(&self, builder: &mut ProgramBuilder, x: ValueId) -> Result<ValueId, Error> {
        let known = builder.ty(x)?.clone();
        let largest = if known.max > 0.0 { known.max } else { 1.0 };
        let first = builder.parameters().q()[0] as f64;
        let ratio = self.reduction.ratio();
        let factor = (first * ratio / (largest * known.scale)).floor();
        if factor < 1.0 {
            let given = format!("2^{:.1}", (largest * known.scale).log2());
            let allowed = format!(
                "2^{:.1}, the message ratio of the first prime",
                (first * ratio).log2()
            );
            return Err(Error::range(
                "bootstrapping",
                "largest message",
                given,
                allowed,
            ));
        }
        let low = builder.drop_level(x, 1)?;
        let low = match factor >= 2.0 {
            true => builder.mul_constant_at_scale(low, &[1.0], factor)?,
            false => low,
        };
        let raised = builder.raise(low, self.shape.weight, self.levels as u16)?;
        // Errors of the message that have something in common come back as they were; what is said of them
        // in between is true on average.
        builder.even(raised)?;
        // y = r·a where the message is a.
        let r = builder.ty(raised)?.scale / first;
        let parts = self.coefficients(builder, raised, r)?;
        let [re, im] = parts.map(|part| self.reduction.apply(builder, part));
        let (re, im) = (re?, im?);
        let turned = builder.mul_i(im)?;
        let together = builder.add(re, turned)?;
        builder.even(together)?;
        let result = self.slots(builder, together, r)?;
        let (power, most) = self.reduction.curve();
        let angle = 2.0 * PI * r;
        // What x is off by comes through as it is, but for the sine's slope.
        let result = builder.gain_of_slots(result, x, 1.0 + angle * angle / 2.0)?;
        let curve = most * angle.powi(power - 1) * largest.powi(power - 2) * known.rms.powi(2);
        // Two parts of as many coefficients as there are slots, each times a root of unity.
        let sines = DEVIATIONS * (2.0 * self.slots as f64).sqrt() * self.reduction.error();
        Ok(builder.near(result, x, curve + sines / angle)?)
    }

    /// The halves of the coefficients, divided by the first prime.
    fn coefficients(
        &self,
        builder: &mut ProgramBuilder,
        raised: ValueId,
        r: f64,
    ) -> Result<[ValueId; 2], Error> {
        let (groups, half) = (self.shape.to_coefficients, self.reduction.half());
        let after = usize::from(builder.ty(raised)?.level).saturating_sub(groups);
        require_levels(builder, raised, groups)?;
        let scale = builder.parameters().q()[after - 1] as f64 / half;
        // Real parts are halves of sums.
        let maps = matrices(self.slots, Direction::ToCoefficients, groups, r / 2.0);
        // A unitary matrix leaves sums of many random numbers what they are; the message's part is small.
        let (random, message) = (builder.ty(raised)?.max, self.reduction.ratio() / r);
        let mut euclidean = 1.0;
        let bounds = maps.iter().map(|map| {
            euclidean *= map.euclidean;
            random * euclidean + message
        });
        let bounds: Vec<f64> = bounds.collect();
        let all = chain(builder, raised, (&maps, &bounds), scale)?;
        let conjugate = builder.conjugate(all)?;
        let re = builder.add(all, conjugate)?;
        let im = builder.sub(conjugate, all)?;
        let im = builder.mul_i(im)?;
        for part in [re, im] {
            builder.bounded(part, half)?;
        }
        Ok([re, im])
    }

    /// Back into slots, from sines to the message.
    fn slots(
        &self,
        builder: &mut ProgramBuilder,
        sines: ValueId,
        r: f64,
    ) -> Result<ValueId, Error> {
        let constant = (2.0 * PI * r).recip();
        let maps = matrices(
            self.slots,
            Direction::ToSlots,
            self.shape.to_slots,
            constant,
        );
        let scale = builder.parameters().scale();
        // Seen from the message, what stands between is a mean of slots.
        let groups = maps.len() as f64;
        let message = 2.0 * self.reduction.ratio() / r;
        let left = |index: usize| 1.0 - (index as f64 + 1.0) / groups;
        let bounds = (0..maps.len()).map(|index| message / constant.powf(left(index)));
        let bounds: Vec<f64> = bounds.collect();
        chain(builder, sines, (&maps, &bounds), scale)
    }
}

/// Matrices one behind the other; the scale goes to the one that is asked for in equal steps. Butterflies
/// are unitary but for a factor: errors that have nothing in common have nothing in common behind them.
/// What comes of each is no larger than its bound.
fn chain(
    builder: &mut ProgramBuilder,
    x: ValueId,
    (maps, bounds): (&[Rotations], &[f64]),
    scale: f64,
) -> Result<ValueId, Error> {
    let begin = builder.ty(x)?.scale;
    let mut value = x;
    for (index, (map, &bound)) in maps.iter().zip(bounds).enumerate() {
        let done = (index + 1) as f64 / maps.len() as f64;
        let wanted = match index + 1 == maps.len() {
            true => scale,
            false => begin.powf(1.0 - done) * scale.powf(done),
        };
        value = map.apply_to(builder, value, wanted)?;
        builder.even(value)?;
        builder.bounded(value, bound)?;
    }
    Ok(value)
}

/// The largest multiple of the first prime that a coefficient has, but with a probability of 2^-100 that
/// any has a larger one.
fn multiples(weight: u16, n: usize, ratio: f64) -> u32 {
    let terms = f64::from(weight) + 1.0;
    let factorial: f64 = (1..=u32::from(weight) + 1).map(|k| f64::from(k).ln()).sum();
    let log_tail = |t: f64| {
        let room = terms / 2.0 - t;
        if room <= 0.0 {
            return f64::NEG_INFINITY;
        }
        (terms * room.ln() - factorial).min(-6.0 * t * t / terms)
    };
    let all = (2.0 * n as f64).ln();
    let holds = |k: &u32| all + log_tail(f64::from(*k) + 1.0 - ratio) <= LOG_FAILURE * LN_2;
    (0..).find(holds).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_follow_from_the_weight() {
        // 33 numbers: more than 16.5 is impossible, and 16 takes all of them at their ends.
        assert_eq!(multiples(32, 1 << 16, 1.0 / 256.0), 15);
        assert_eq!(multiples(1, 1 << 4, 0.25), 1);
        assert!((45..60).contains(&multiples(192, 1 << 16, 1.0 / 256.0)));
    }
}
