//! Rotations composed of those whose keys there are.
//!
//! A key of its own for every step is fast and large: an evaluation key has megabytes, a matrix dozens
//! of steps. Rotations by 1, 2, 4, … compose every other; each part is a key switch. With the negative
//! ones beside them a step takes as many as its non-adjacent form has digits other than 0 (Reitwiesner,
//! "Binary Arithmetic", Advances in Computers 1, 1960), about a third of the bits instead of half.
//!
//! Any set composes what is a multiple of its greatest common divisor with the slots. The fewest parts
//! are found by breadth-first search over the slots: for sets of powers it finds the weights of binary
//! and non-adjacent forms, and knows that steps turn around. The search leaves a tree, and rotations
//! of one value go along it, so that what two of them begin with is one.

use super::{Error, Parameters};
use std::collections::{BTreeSet, VecDeque};

/// The most steps that are listed in an error.
const NAMED: usize = 16;

/// Steps whose rotations have keys, and how every other is composed of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RotationSteps {
    steps: BTreeSet<i32>,
    /// By the step modulo the slots: the part that comes last, 0 where nothing leads there.
    last: Vec<i32>,
}

impl RotationSteps {
    /// 1, 2, 4, … up to half of the slots: log2(N/2) keys.
    pub fn powers(parameters: &Parameters) -> Self {
        Self::search(powers(parameters).collect(), parameters.slots())
    }

    /// The same and the negative ones: nearly twice the keys, fewer key switches.
    pub fn signed_powers(parameters: &Parameters) -> Self {
        let both = powers(parameters).flat_map(|step| [step, -step]);
        let slots = parameters.slots();
        Self::search(both.map(|step| shortest(step, slots)).collect(), slots)
    }

    /// These; negative ones to the right, modulo the slots.
    ///
    /// # Errors
    /// No steps, or one that is a multiple of the slots.
    pub fn of(parameters: &Parameters, steps: &[i32]) -> Result<Self, Error> {
        let slots = parameters.slots();
        let refuse = |given: String, expected: String| {
            let what = "steps of rotations".to_string();
            Err(Error::Shape {
                what,
                given,
                expected,
            })
        };
        if steps.is_empty() {
            return refuse("none".into(), "at least one".into());
        }
        let shortened = steps.iter().map(|&step| shortest(step, slots));
        let shortened: BTreeSet<i32> = shortened.collect();
        match shortened.contains(&0) {
            true => refuse(
                format!("{steps:?}"),
                format!("no multiples of the {slots} slots"),
            ),
            false => Ok(Self::search(shortened, slots)),
        }
    }

    /// The steps, from -slots/2 + 1 to slots/2, ascending.
    pub fn steps(&self) -> impl Iterator<Item = i32> + '_ {
        self.steps.iter().copied()
    }

    /// What a rotation is composed of, the first to be done first; the fewest there can be.
    ///
    /// # Errors
    /// A step that these do not compose, with the set and what it composes.
    pub fn parts(&self, step: i32) -> Result<Vec<i32>, Error> {
        let slots = self.last.len();
        let (mut left, mut parts) = (step.rem_euclid(slots as i32), Vec::new());
        while left != 0 {
            let last = self.last[left as usize];
            if last == 0 {
                return Err(self.not_composed(step));
            }
            parts.push(last);
            left = (left - last).rem_euclid(slots as i32);
        }
        parts.reverse();
        Ok(parts)
    }

    fn search(steps: BTreeSet<i32>, slots: usize) -> Self {
        let mut last = vec![0; slots];
        let mut left = slots - 1;
        let mut reached = VecDeque::from([0i32]);
        while let Some(at) = reached.pop_front() {
            for &step in &steps {
                let next = (at + step).rem_euclid(slots as i32);
                if next != 0 && last[next as usize] == 0 {
                    last[next as usize] = step;
                    reached.push_back(next);
                    left -= 1;
                }
            }
            if left == 0 {
                break;
            }
        }
        Self { steps, last }
    }

    fn not_composed(&self, step: i32) -> Error {
        let slots = self.last.len();
        let divisor = self.steps.iter().fold(slots as u32, |divisor, step| {
            greatest_common_divisor(divisor, step.unsigned_abs())
        });
        let listed: Vec<String> = self.steps().take(NAMED).map(|s| s.to_string()).collect();
        let more = match self.steps.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Error::Program {
            what: format!(
                "rotate: {step} steps given, which no rotations by {}{more} compose on {slots} slots; \
                 multiples of {divisor} allowed",
                listed.join(", ")
            ),
        }
    }
}

fn powers(parameters: &Parameters) -> impl Iterator<Item = i32> {
    (0..parameters.slots().ilog2()).map(|log| 1 << log)
}

/// The same step, from -slots/2 + 1 to slots/2.
pub(super) fn shortest(step: i32, slots: usize) -> i32 {
    let slots = slots as i32;
    match step.rem_euclid(slots) {
        step if step > slots / 2 => step - slots,
        step => step,
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    match b {
        0 => a,
        b => greatest_common_divisor(b, a % b),
    }
}
