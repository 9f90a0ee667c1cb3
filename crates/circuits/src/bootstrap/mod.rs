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
//! **Repeated slots.** A vector that repeats after a period has coefficients at multiples of N over twice the
//! period only, its multiples of q_0 have not. The sum over all turns by a period, a trace, leaves those
//! alone (Cheon, Han, Kim, Kim, Song, 2018): it follows the raising. What is left is of a smaller
//! ring: there are fewer diagonals, and real and imaginary parts are reduced at once.
//!
//! **Iterations.** What a result is off by can be measured: its last towers minus the message's. Bootstrapped as
//! well, and with all of the first prime to itself, it is taken away (Bae, Cheon, Cho, Kim, Kim, "META-BTS:
//! Bootstrapping Precision Beyond the Limit", CCS 2022). No level goes into that.
//!
//! **How large I may be.** y is c_0/q_0 + c_1·s/q_0, a sum of w + 1 numbers that are uniform over
//! \[-1/2, 1/2\] for a secret of w coefficients. It exceeds t with a probability of at most
//! (w/2 + 1/2 - t)^(w+1)/(w+1)!, the volume of a simplex, and of exp(-6t²/(w + 1)), since uniform numbers
//! are sub-Gaussian. The reduction is built for the least bound that none of the coefficients exceeds, N of
//! them or twice a period, in either direction, but with probability 2^-100.

mod embedding;
mod reduction;

use crate::inner_sum;
use crate::linear_transform::rotations::Rotations;
use crate::polynomial::require_levels;
use crate::Error;
use embedding::{matrices, Direction, Slots};
use reduction::Reduction;
use ringwright_ir::he::SecretId;
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::{ParameterError, Parameters, ProgramBuilder};
use std::f64::consts::{LN_2, PI, SQRT_2};
use std::ops::RangeInclusive;

/// log2 of the probability that some coefficient is not reduced.
const LOG_FAILURE: f64 = -100.0;

/// What the sum of the sines' own errors does not exceed, which differ from one to the next: a normal number
/// does with a probability of 2^-49.
const DEVIATIONS: f64 = 8.0;

/// How often a message may be bootstrapped.
const ITERATIONS: RangeInclusive<usize> = 1..=4;

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
    /// How often what is still off is bootstrapped as well and taken away: 1, which is never, or more.
    pub iterations: usize,
    /// After how many slots the message repeats, a power of two; `None`: it does not. A message that does
    /// not becomes the mean of what stands that far apart.
    pub period: Option<usize>,
}

/// A bootstrapping under some parameters, ready to be applied.
pub struct Bootstrapping {
    shape: BootstrapShape,
    levels: usize,
    /// How often the message is repeated.
    repeats: usize,
    slots: Slots,
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
        let period = shape.period.unwrap_or(slots);
        if !(2..=slots).contains(&period) || !period.is_power_of_two() {
            let allowed = format!("a power of two, 2 to {slots}");
            return refuse("period", period.to_string(), allowed);
        }
        let log_slots = period.ilog2() as usize;
        for (what, groups) in [
            ("to_coefficients", shape.to_coefficients),
            ("to_slots", shape.to_slots),
        ] {
            if !(1..=log_slots).contains(&groups) {
                return refuse(what, groups.to_string(), format!("1 to {log_slots}"));
            }
        }
        if !ITERATIONS.contains(&shape.iterations) {
            let allowed = format!("{} to {}", ITERATIONS.start(), ITERATIONS.end());
            return refuse("iterations", shape.iterations.to_string(), allowed);
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
        let multiples = multiples(shape.weight, 2 * period, ratio);
        let variance = (f64::from(shape.weight) + 1.0) / 12.0;
        let reduction = Reduction::new(
            (multiples, variance),
            ratio,
            (shape.degree, shape.doublings, shape.arcsine),
        )?;
        let found = Self {
            shape,
            levels: parameters.levels(),
            repeats: slots / period,
            slots: Slots {
                period,
                beside: period < slots,
            },
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
        let mut result = self.once(builder, x)?;
        for _ in 1..self.shape.iterations {
            result = self.again(builder, x, result)?;
        }
        Ok(result)
    }

    /// The result with what it is off by taken away, which is small: the sine is all but straight there.
    fn again(
        &self,
        builder: &mut ProgramBuilder,
        x: ValueId,
        result: ValueId,
    ) -> Result<ValueId, Error> {
        let low = builder.drop_level(x, 1)?;
        // Compared where rounding is small beside what is compared.
        let factor = self.room(builder, low)?.max(1.0);
        let wanted = builder.mul_constant_at_scale(low, &[1.0], factor)?;
        let off = builder.error_bound(result)? + builder.error_bound(wanted)?;
        // From here on a message is what the result holds, whatever its error was. At level 2 that is the
        // result itself; no more is said of it than below, once it is corrected.
        let held = builder.drop_level(result, 2)?;
        builder.settled(held, 0.0)?;
        let got = builder.match_scale(held, wanted)?;
        let rounding = builder.error_bound(got)?;
        let apart = builder.sub(wanted, got)?;
        builder.settled(apart, 0.0)?;
        builder.bounded(apart, SQRT_2 * (off + rounding))?;
        let more = self.once(builder, apart)?;
        let corrected = builder.add(result, more)?;
        let off = rounding + builder.error_bound(more)?;
        Ok(builder.corrected(corrected, wanted, off)?)
    }

    /// How many times as large the message may be.
    fn room(&self, builder: &ProgramBuilder, x: ValueId) -> Result<f64, Error> {
        let known = builder.ty(x)?;
        let largest = if known.max > 0.0 { known.max } else { 1.0 };
        let first = builder.parameters().q()[0] as f64;
        Ok((first * self.reduction.ratio() / (largest * known.scale)).floor())
    }

    fn once(&self, builder: &mut ProgramBuilder, x: ValueId) -> Result<ValueId, Error> {
        let known = builder.ty(x)?.clone();
        let largest = if known.max > 0.0 { known.max } else { 1.0 };
        let first = builder.parameters().q()[0] as f64;
        let ratio = self.reduction.ratio();
        let factor = self.room(builder, x)?;
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
        let traced = self.trace(builder, raised, largest)?;
        // y = r·a where the message is a.
        let r = builder.ty(raised)?.scale / first;
        let parts = self.coefficients(builder, traced, r)?.into_iter();
        let sines = parts.map(|part| self.reduction.apply(builder, part));
        let together = match sines.collect::<Result<Vec<_>, _>>()?[..] {
            [re, im] => {
                let turned = builder.mul_i(im)?;
                builder.add(re, turned)?
            }
            ref beside => beside[0],
        };
        builder.even(together)?;
        let result = self.slots(builder, together, r)?;
        let (power, most) = self.reduction.curve();
        let angle = 2.0 * PI * r;
        // What x is off by comes through as it is, but for the sine's slope.
        let result = builder.gain_of_slots(result, x, 1.0 + angle * angle / 2.0)?;
        let curve = most * angle.powi(power - 1) * largest.powi(power - 2) * known.rms.powi(2);
        // Two parts of as many coefficients as there are slots, each times a root of unity.
        let sines = DEVIATIONS * (2.0 * self.slots.period as f64).sqrt() * self.reduction.error();
        Ok(builder.near(result, x, curve + sines / angle)?)
    }

    /// What a message that repeats has of a raised value, as often as it repeats.
    fn trace(
        &self,
        builder: &mut ProgramBuilder,
        raised: ValueId,
        largest: f64,
    ) -> Result<ValueId, Error> {
        if self.repeats == 1 {
            return Ok(raised);
        }
        let repeats = self.repeats as f64;
        let bound = repeats.sqrt() * builder.ty(raised)?.max + repeats * largest;
        let traced = inner_sum(builder, raised, self.repeats, self.slots.period)?;
        // Slots a period apart have their errors in common; no row of the matrices reads two of them.
        builder.even(traced)?;
        Ok(builder.bounded(traced, bound)?)
    }

    /// The coefficients, divided by the first prime: one half and the other, or both beside each other.
    fn coefficients(
        &self,
        builder: &mut ProgramBuilder,
        traced: ValueId,
        r: f64,
    ) -> Result<Vec<ValueId>, Error> {
        let (groups, half) = (self.shape.to_coefficients, self.reduction.half());
        let after = usize::from(builder.ty(traced)?.level).saturating_sub(groups);
        require_levels(builder, traced, groups)?;
        let scale = builder.parameters().q()[after - 1] as f64 / half;
        let repeats = self.repeats as f64;
        // Real parts are halves of sums.
        let constant = r / (2.0 * repeats);
        let maps = matrices(self.slots, Direction::ToCoefficients, groups, constant);
        // A unitary matrix leaves sums of many random numbers what they are; the message's part is small.
        let (random, message) = (
            builder.ty(traced)?.max,
            repeats * self.reduction.ratio() / r,
        );
        let mut euclidean = 1.0;
        let bounds = maps.iter().map(|map| {
            euclidean *= map.euclidean;
            random * euclidean + message
        });
        let bounds: Vec<f64> = bounds.collect();
        let all = chain(builder, traced, (&maps, &bounds), scale)?;
        let conjugate = builder.conjugate(all)?;
        let mut parts = vec![builder.add(all, conjugate)?];
        if !self.slots.beside {
            let im = builder.sub(conjugate, all)?;
            parts.push(builder.mul_i(im)?);
        }
        for &part in &parts {
            builder.bounded(part, half)?;
        }
        Ok(parts)
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
        let result = chain(builder, sines, (&maps, &bounds), scale)?;
        if !self.slots.beside {
            return Ok(result);
        }
        let other = builder.rotate(result, self.slots.period as i32)?;
        Ok(builder.add(result, other)?)
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
