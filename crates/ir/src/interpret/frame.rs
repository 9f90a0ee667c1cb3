//! The values of one function while it runs: each is held until the operation that reads it last.

use crate::ring::{Function, LastRead, Op, ValueId};
use crate::Value;
use ringwright_arith::Word;

/// Values by number; those that nothing reads any more are gone.
pub(super) struct Frame<'f, W: Word> {
    last_reads: &'f [LastRead],
    values: Vec<Option<Value<W>>>,
}

impl<'f, W: Word> Frame<'f, W> {
    /// With the function's arguments.
    pub(super) fn new(last_reads: &'f [LastRead], args: Vec<Value<W>>) -> Self {
        let mut values = Vec::with_capacity(last_reads.len());
        values.extend(args.into_iter().map(Some));
        Frame { last_reads, values }
    }

    /// The operands of the operation at `index`; those that it reads last leave the frame.
    pub(super) fn operands(&mut self, index: usize, op: &Op) -> Vec<Value<W>> {
        let operands = op.args.iter().map(|&value| self.value(value)).collect();
        for value in &op.args {
            if self.last_reads[value.index()] == LastRead::Operation(index) {
                self.values[value.index()] = None;
            }
        }
        operands
    }

    /// Takes the results of the next operation; one that nothing reads is wiped at once.
    pub(super) fn define(&mut self, results: Vec<Value<W>>) {
        for value in results {
            match self.last_reads[self.values.len()] {
                LastRead::Never => {
                    value.wipe();
                    self.values.push(None);
                }
                _ => self.values.push(Some(value)),
            }
        }
    }

    /// What the function returns; the rest is wiped.
    pub(super) fn finish(self, func: &Function) -> Vec<Value<W>> {
        func.returns
            .iter()
            .map(|&value| self.value(value))
            .collect()
    }

    fn value(&self, value: ValueId) -> Value<W> {
        let held = self.values[value.index()].clone();
        held.expect("verified: defined before, and not read after its last read")
    }
}

/// Also when the run fails or is interrupted.
impl<W: Word> Drop for Frame<'_, W> {
    fn drop(&mut self) {
        self.values.drain(..).flatten().for_each(Value::wipe);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, long, Long};
    use ringwright_arith::primes::ntt_primes;

    /// Values that a frame holds at most while the entry of a long program runs.
    fn most_held(how: Long, ops: usize) -> usize {
        let prime = ntt_primes(20, 4, 1).expect("a prime")[0];
        let module = long(how, ops, 4, prime).expect("valid");
        let (entry, inputs) = (module.entry(), generate::inputs::<u64>(1, &module));
        let last_reads = entry.last_reads();
        let mut frame = Frame::new(&last_reads, inputs);
        let held = |frame: &Frame<u64>| frame.values.iter().flatten().count();
        let mut most = 0;
        for (index, op) in entry.ops.iter().enumerate() {
            let mut operands = frame.operands(index, op);
            frame.define(vec![operands.remove(0)]);
            most = most.max(held(&frame));
        }
        most
    }

    #[test]
    fn a_chain_holds_its_inputs_and_its_last_value() {
        for how in [Long::Products, Long::Transforms, Long::Scalars, Long::Calls] {
            let inputs = 2;
            assert!(most_held(how, 500) <= inputs + 1, "{}", how.name());
        }
        // Sums of any earlier values hold those that are still to be read.
        assert!(most_held(Long::Sums, 500) > 3);
    }
}
