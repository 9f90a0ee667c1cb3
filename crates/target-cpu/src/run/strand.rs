//! Runs one strand on one thread.
//!
//! Neighbouring elementwise operations go through their towers together, [`BLOCK`] words at a
//! time, so that what one writes the next reads from the second-level cache, at any degree.
//!
//! Tried and dropped: blocks of 1024 words, for the first-level cache. They cut the streams of key
//! words into runs that the hardware prefetcher does not follow; a key switch took 7 % longer.

use super::called::Arguments;
use super::tower_op::{Operands, TowerRunner};
use super::Program;
use crate::plan::{Place, Strand, TowerOp};
use crate::scratch::{stride, towers};
use ringwright_ir::RunError;
use std::ops::Range;

/// Words per block: ten operands of 128 KiB fit a second-level cache of 2 MiB.
const BLOCK: usize = 1 << 14;

/// What a strand reads beside its own buffers.
pub struct Work<'a, 'f> {
    pub program: &'a Program,
    pub n: usize,
    pub arguments: &'a Arguments<'a>,
    /// Frame slots that no strand of the stage holds; the others are empty.
    pub shared: &'a [&'f mut [u64]],
}

impl Work<'_, '_> {
    /// Runs the operations in order; `own` are the slots of `strand.writes`.
    pub fn run(&self, strand: &Strand, own: &mut [&mut [u64]]) -> Result<(), RunError> {
        let resources = &self.program.resources;
        let mut scratch = resources
            .locals
            .take(strand.locals * stride(self.n), self.program.secret);
        let mut buffers: Vec<&mut [u64]> = own.iter_mut().map(|slot| &mut **slot).collect();
        buffers.extend(towers(scratch.words(), self.n));
        let together = |a: &TowerOp<Place>, b: &TowerOp<Place>| {
            a.kind.is_elementwise() && b.kind.is_elementwise()
        };
        for ops in strand.ops.chunk_by(together) {
            let block = if ops.len() > 1 { BLOCK } else { self.n };
            for start in (0..self.n).step_by(block) {
                let range = start..self.n.min(start + block);
                for op in ops {
                    self.op(op, strand, &mut buffers, range.clone())?;
                }
            }
        }
        Ok(())
    }

    fn op(
        &self,
        op: &TowerOp<Place>,
        strand: &Strand,
        buffers: &mut [&mut [u64]],
        range: Range<usize>,
    ) -> Result<(), RunError> {
        let Some(index) = buffer(op.dst, strand) else {
            unreachable!("results are written to buffers of the strand")
        };
        let out = std::mem::take(&mut buffers[index]);
        let read = |place: Place| match (place, buffer(place, strand)) {
            (_, Some(index)) => &buffers[index][range.clone()],
            (Place::Param(param), None) => &self.arguments.towers[param][range.clone()],
            (Place::Shared(slot), None) => &self.shared[slot][range.clone()],
            (Place::Own(_) | Place::Local(_), None) => unreachable!("these are buffers"),
        };
        let runner = TowerRunner {
            prime: op.prime,
            towers: &self.program.towers,
            seeds: &self.arguments.seeds,
        };
        let operands = Operands { op, read: &read };
        let done = runner.run(&op.kind, operands, &mut out[range.clone()]);
        buffers[index] = out;
        done
    }
}

/// Index among the strand's buffers: own slots first, then locals.
fn buffer(place: Place, strand: &Strand) -> Option<usize> {
    match place {
        Place::Own(own) => Some(own),
        Place::Local(local) => Some(strand.writes.len() + local),
        Place::Param(_) | Place::Shared(_) => None,
    }
}
