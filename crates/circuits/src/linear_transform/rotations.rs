//! A sum of rotations of one vector, each times a vector of factors: what a matrix is for ciphertexts.

use crate::polynomial::require_levels;
use crate::Error;
use ringwright_ir::he::{largest_rows, Values};
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::ProgramBuilder;
use std::collections::{BTreeMap, BTreeSet};

/// A rotation that shares digits, and one that does not, in the proportions of the CPU at N = 2^14.
const HOISTED: usize = 2;
const ALONE: usize = 5;

/// A matrix over all slots, by rotation.
pub(crate) struct Rotations {
    /// What every rotation of the vector to the left, below the number of slots, is multiplied with: a number
    /// for every slot.
    pub factors: BTreeMap<usize, Values>,
    /// Largest sum of absolute values in a row.
    pub norm: f64,
    /// Largest root of a row's sum of squares.
    pub euclidean: f64,
}

impl Rotations {
    /// Of these factors.
    pub fn new(factors: BTreeMap<usize, Values>, slots: usize) -> Self {
        let [norm, euclidean] = largest_rows(factors.values().map(|all| (0, all)), slots);
        Self {
            factors,
            norm,
            euclidean,
        }
    }

    /// Adds the product with `x` to a program; one level, at this scale.
    ///
    /// # Errors
    /// Too few levels, values that do not fit at that scale or are lost in noise.
    pub fn apply_to(
        &self,
        builder: &mut ProgramBuilder,
        x: ValueId,
        scale: f64,
    ) -> Result<ValueId, Error> {
        require_levels(builder, x, 1)?;
        let rotations: Vec<usize> = self.factors.keys().copied().collect();
        let steps = cheapest_steps(&rotations, builder);
        let level = usize::from(builder.ty(x)?.level);
        let prime = builder.parameters().q()[level - 1] as f64;
        let scale = scale * prime / builder.ty(x)?.scale;
        if is_single(&rotations, builder, steps)? {
            let terms = self.factors.iter().map(|(&rotation, factors)| {
                let giant = rotation / steps * steps;
                let factors = factors.clone().turned_right(giant);
                ((rotation - giant) as i32, giant as i32, factors)
            });
            let product = builder.transform(x, terms.collect(), scale)?;
            return Ok(builder.rescale(product)?);
        }
        let bound = self.norm * builder.ty(x)?.max;
        let mut product = Product {
            scale,
            bound: if bound > 0.0 { bound } else { self.norm },
            builder,
            x,
        };
        let total = product.of(&self.factors, steps)?;
        let result = builder.rescale(total)?;
        Ok(builder.gain_of_rows(result, x, self.euclidean)?)
    }
}

/// The product under construction.
struct Product<'a> {
    builder: &'a mut ProgramBuilder,
    x: ValueId,
    /// Scale of the diagonals.
    scale: f64,
    /// On every slot of every partial sum.
    bound: f64,
}

impl Product<'_> {
    fn of(
        &mut self,
        by_rotation: &BTreeMap<usize, Values>,
        steps: usize,
    ) -> Result<ValueId, Error> {
        let mut giants = BTreeMap::<usize, Vec<(usize, &Values)>>::new();
        for (&rotation, factors) in by_rotation {
            let giant = rotation / steps * steps;
            giants
                .entry(giant)
                .or_default()
                .push((rotation - giant, factors));
        }
        let babies: BTreeSet<usize> = giants.values().flatten().map(|(baby, _)| *baby).collect();
        let mut rotated = BTreeMap::new();
        for baby in babies {
            rotated.insert(baby, self.builder.rotate(self.x, baby as i32)?);
        }
        let mut total = None;
        for (giant, terms) in giants {
            let mut sum = None;
            for (baby, factors) in terms {
                let factors = factors.clone().turned_right(giant);
                let builder = &mut self.builder;
                let term = builder.mul_values_at_scale(rotated[&baby], factors, self.scale)?;
                sum = Some(self.plus(sum, term)?);
            }
            if let Some(sum) = sum {
                let moved = self.builder.rotate(sum, giant as i32)?;
                total = Some(self.plus(total, moved)?);
            }
        }
        Ok(total.unwrap_or(self.x)) // a matrix has an entry other than 0
    }

    fn plus(&mut self, sum: Option<ValueId>, term: ValueId) -> Result<ValueId, Error> {
        let sum = match sum {
            Some(sum) => self.builder.add(sum, term)?,
            None => term,
        };
        Ok(self.builder.bounded(sum, self.bound)?)
    }
}

/// Whether every step is one key switch, and there are several.
fn is_single(rotations: &[usize], builder: &ProgramBuilder, steps: usize) -> Result<bool, Error> {
    for &rotation in rotations {
        for part in [rotation % steps, rotation / steps * steps] {
            if builder.rotation_parts(part as i32)?.len() > 1 {
                return Ok(false);
            }
        }
    }
    Ok(rotations.len() > 1)
}

/// How many baby steps there are to a giant one, at least cost.
fn cheapest_steps(rotations: &[usize], builder: &ProgramBuilder) -> usize {
    let slots = builder.parameters().slots();
    let candidates = (0..=slots.ilog2()).map(|log| 1 << log);
    // What cannot be composed is never the cheapest; where nothing can be, the rotation says so.
    let cost = |&steps: &usize| cost_of_steps(rotations, builder, steps).unwrap_or(usize::MAX);
    candidates.min_by_key(cost).unwrap_or(slots)
}

/// Baby steps are of one value: they share its digits, and what composed ones begin with, the digits
/// of which each has once. Giant steps share nothing.
fn cost_of_steps(
    rotations: &[usize],
    builder: &ProgramBuilder,
    steps: usize,
) -> Result<usize, Error> {
    let distinct = |part: fn(usize, usize) -> usize| -> BTreeSet<usize> {
        rotations.iter().map(|&k| part(k, steps)).collect()
    };
    let (mut hoisted, mut rotated_again) = (BTreeSet::new(), BTreeSet::new());
    for baby in distinct(|k, steps| k % steps) {
        let mut done = 0;
        for part in builder.rotation_parts(baby as i32)? {
            if done != 0 {
                rotated_again.insert(done);
            }
            done += part;
            hoisted.insert(done);
        }
    }
    let mut alone = 0;
    for giant in distinct(|k, steps| k / steps * steps) {
        alone += builder.rotation_parts(giant as i32)?.len();
    }
    let digits = (ALONE - HOISTED) * rotated_again.len();
    Ok(HOISTED * hoisted.len() + digits + ALONE * alone)
}
