//! Rotations of a program that has keys for some steps only, and matrices.

use super::ProgramBuilder;
use crate::ckks::client_only::require_special_primes;
use crate::ckks::plaintext::check_scale;
use crate::ckks::rotation_steps::RotationSteps;
use crate::ckks::Error;
use ringwright_ir::he::{HeOpKind, Term, Values};
use ringwright_ir::ring::ValueId;
use std::collections::HashMap;

/// The steps that have keys, and the rotations that were composed of them, each once: by the value,
/// how far it was rotated.
pub(super) struct Composed {
    steps: RotationSteps,
    known: HashMap<(ValueId, i32), ValueId>,
}

impl ProgramBuilder {
    /// Composes the rotations that follow of these steps, so that the program needs no other keys:
    /// fewer keys, more key switches. What rotations of one value have in common is done once. A
    /// conjugation with a rotation becomes two operations.
    pub fn compose_rotations(&mut self, steps: RotationSteps) -> &mut Self {
        let known = HashMap::new();
        self.composed = Some(Composed { steps, known });
        self
    }

    /// The rotations that one by `steps` takes here, each a key switch.
    ///
    /// # Errors
    /// A step that those of [`ProgramBuilder::compose_rotations`] do not compose.
    pub fn rotation_parts(&self, steps: i32) -> Result<Vec<i32>, Error> {
        match (self.shortest_way(steps), &self.composed) {
            (0, _) => Ok(Vec::new()),
            (steps, None) => Ok(vec![steps]),
            (steps, Some(composed)) => composed.steps.parts(steps),
        }
    }

    /// A matrix times the slots, the scales multiplied: the sum over these terms of `a` moved to the left by
    /// the first number of steps, times these values (repeated to fill the slots), moved by the second.
    /// Terms with the same second number share its key switch. One division by the special primes a
    /// second number, and keys for every number as it is: [`ProgramBuilder::compose_rotations`] does
    /// not hold for them.
    ///
    /// # Errors
    /// No special primes, an operand of three parts, no terms; values as
    /// [`ProgramBuilder::add_complex`]; a product that does not fit.
    pub fn transform(
        &mut self,
        a: ValueId,
        terms: Vec<(i32, i32, Values)>,
        scale: f64,
    ) -> Result<ValueId, Error> {
        require_special_primes(self.parameters(), "transform")?;
        check_scale(scale)?;
        self.require_parts("transform", a, 2, "2; relinearise first")?;
        if terms.is_empty() {
            let what = "a matrix of no terms; allowed: one or more".to_string();
            return Err(Error::Program { what });
        }
        let term = |(baby, giant, values): (i32, i32, Values)| {
            Ok(Term {
                baby: self.shortest_way(baby),
                giant: self.shortest_way(giant),
                constant: self.constant(values)?,
            })
        };
        let terms = terms.into_iter().map(term).collect::<Result<_, Error>>()?;
        self.push(HeOpKind::Transform { terms, scale }, &[a])
    }

    /// A rotation by a step other than 0, in one operation or in parts.
    pub(super) fn rotated(&mut self, a: ValueId, steps: i32) -> Result<ValueId, Error> {
        if self.composed.is_none() {
            return self.automorphism(HeOpKind::Rotate { steps }, "rotate", a);
        }
        let parts = self.rotation_parts(steps)?;
        let (mut value, mut done) = (a, 0);
        for steps in parts {
            done += steps;
            value = self.part(a, done, value, steps)?;
        }
        Ok(value)
    }

    /// The value rotated by `done` in all, from what comes before the last part.
    fn part(
        &mut self,
        a: ValueId,
        done: i32,
        before: ValueId,
        steps: i32,
    ) -> Result<ValueId, Error> {
        let known = self.composed.as_ref();
        if let Some(&found) = known.and_then(|known| known.known.get(&(a, done))) {
            return Ok(found);
        }
        let value = self.automorphism(HeOpKind::Rotate { steps }, "rotate", before)?;
        if let Some(composed) = &mut self.composed {
            composed.known.insert((a, done), value);
        }
        Ok(value)
    }
}
