//! One run: every call with the values of the quick device, some on the simulated machine too.

use super::paired::Paired;
use super::values::Values;
use crate::{Checked, KernelCalls};
use ringwright_ir::{interrupt, Difference, RunError, Value};
use ringwright_towers::{Call, Memory, Outcome, Place, Shelf};
use std::collections::BTreeSet;

/// A run under way.
pub struct Run<'a> {
    paired: &'a Paired,
    calls: &'a dyn KernelCalls,
    /// Whether a call is checked whatever its kernel.
    is_drawn: &'a dyn Fn(u64) -> bool,
    values: Values,
    /// Kernels that were checked, in this run or, where that counts, before.
    seen: BTreeSet<usize>,
    /// Calls that were checked.
    checked: usize,
}

impl<'a> Run<'a> {
    /// Nothing has been done; `seen`: kernels that need no check for their first call's sake.
    pub fn new(
        paired: &'a Paired,
        calls: &'a dyn KernelCalls,
        is_drawn: &'a dyn Fn(u64) -> bool,
        seen: BTreeSet<usize>,
    ) -> Self {
        Run {
            paired,
            calls,
            is_drawn,
            values: Values::new(calls.program().towers),
            seen,
            checked: 0,
        }
    }

    /// The results for inputs that fit the program.
    pub fn all(&mut self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        let program = self.calls.program();
        let places = program.inputs.iter().flat_map(|value| value.towers());
        self.values.put(inputs, places.map(Some));
        for (index, call) in program.calls.iter().enumerate() {
            interrupt::check()?;
            self.call(index, call)?;
        }
        let outputs = program.outputs.iter();
        outputs.map(|places| self.values.value(places)).collect()
    }

    fn call(&mut self, index: usize, call: &Call) -> Result<(), RunError> {
        for (each, piece) in call.pieces() {
            let made = self.paired.pieces[piece].run(&self.operands(each)?)?;
            let outcomes = &self.calls.program().pieces[piece].outcomes;
            let place = |outcome: &Outcome| match *outcome {
                Outcome::Made(slot) => Some(each.results[slot]),
                // It lies where the operand does.
                Outcome::Param(_) => None,
            };
            self.values.put(&made, outcomes.iter().map(place));
        }
        let is_new = !self.seen.contains(&call.kernel);
        if is_new || (self.is_drawn)(index as u64) {
            self.check(index, call, &self.operands(call)?)?;
            self.seen.insert(call.kernel);
            self.checked += 1;
        }
        let done = &self.paired.done[index];
        done.iter().for_each(|&place| self.values.forget(place));
        Ok(())
    }

    fn operands(&self, call: &Call) -> Result<Vec<Value>, RunError> {
        let operands = call.args.iter().map(|arg| self.values.value(arg));
        operands.collect()
    }

    /// Runs a call on the simulated machine and compares what it leaves.
    fn check(&self, index: usize, call: &Call, operands: &[Value]) -> Result<(), RunError> {
        let mut memory = Shelf::new(self.calls.places());
        memory.load(&call.args, operands);
        self.calls.run_call(index, &mut memory)?;
        let outcomes = self.calls.program().kernels[call.kernel].outcomes.iter();
        for (tower, outcome) in outcomes.enumerate() {
            let Outcome::Made(slot) = *outcome else {
                continue;
            };
            let place: Place = call.results[slot];
            let (found, expected) = (memory.tower(place)?, self.values.words(place)?);
            let mut words = found.iter().zip(expected);
            let first = words.position(|(found, expected)| found != expected);
            if let Some(word) = first.or_else(|| shorter(&found, expected)) {
                return Err(self.differs(index, call, tower, word));
            }
        }
        Ok(())
    }

    fn differs(&self, index: usize, call: &Call, tower: usize, word: usize) -> RunError {
        let [machine, values] = self.paired.names.clone();
        let names: Vec<&str> = call.sources.iter().map(|source| &*source.name).collect();
        RunError::Differs(Box::new(Difference {
            machine,
            values,
            kernel: names.join(", "),
            call: index,
            calls: self.calls.program().calls.len(),
            loc: call.sources.iter().find_map(|source| source.loc.clone()),
            tower,
            word,
        }))
    }

    /// What was compared so far.
    pub fn checked(&self) -> Checked {
        let calls = &self.calls.program().calls;
        let kernels: BTreeSet<usize> = calls.iter().map(|call| call.kernel).collect();
        Checked {
            values: self.paired.names[1].clone(),
            calls: calls.len(),
            checked: self.checked,
            kernels: kernels.len(),
        }
    }

    /// Kernels that were checked.
    pub fn into_seen(self) -> BTreeSet<usize> {
        self.seen
    }
}

/// The first word that only one of two towers has.
fn shorter(found: &[u64], expected: &[u64]) -> Option<usize> {
    let shorter = found.len().min(expected.len());
    (found.len() != expected.len()).then_some(shorter)
}
