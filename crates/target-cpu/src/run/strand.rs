//! Runs one strand on one thread.
//!
//! Neighbouring elementwise operations go through their towers together, [`BLOCK`] words at a
//! time, so that what one writes the next reads from the second-level cache, at any degree.
//!
//! Tried and dropped: blocks of 1024 words, for the first-level cache. They cut the streams of key
//! words into runs that the hardware prefetcher does not follow; a key switch took 7 % longer.

use super::called::Arguments;
use super::drawing::Drawing;
use super::tower_op::{Operands, TowerRunner};
use super::Program;
use crate::plan::{Place, Strand, TowerOp};
use crate::scratch::{stride, towers};
use crate::width::Width;
use ringwright_ir::RunError;
use std::ops::Range;

/// Words per block: ten operands of 128 KiB fit a second-level cache of 2 MiB.
const BLOCK: usize = 1 << 14;

/// What a strand reads beside its own buffers.
pub struct Work<'a, 'f, W: Width> {
    pub program: &'a Program<W>,
    pub n: usize,
    pub arguments: &'a Arguments<'a, W>,
    /// Frame slots that no strand of the stage holds; the others are empty.
    pub shared: &'a [&'f mut [W]],
}

impl<W: Width> Work<'_, '_, W> {
    /// Runs the operations in order; `own` are the slots of `strand.writes`.
    pub fn run(&self, strand: &Strand, own: &mut [&mut [W]]) -> Result<(), RunError> {
        let locals = &W::memory(&self.program.resources).locals;
        let length = strand.locals * stride::<W>(self.n);
        let mut scratch = locals.take(length, self.program.secret);
        let mut buffers: Vec<&mut [W]> = own.iter_mut().map(|slot| &mut **slot).collect();
        buffers.extend(towers(scratch.words(), self.n));
        let together = |a: &TowerOp<Place>, b: &TowerOp<Place>| {
            a.kind.is_elementwise() && b.kind.is_elementwise()
        };
        let drawn = |op: &TowerOp<Place>| op.kind.is_drawn_together();
        let joined = |a: &TowerOp<Place>, b: &TowerOp<Place>| {
            together(a, b) || a.is_twin(b) || (drawn(a) && drawn(b))
        };
        for ops in strand.ops.chunk_by(joined) {
            if drawn(&ops[0]) {
                self.draw(ops, strand, &mut buffers)?;
                continue;
            }
            let in_blocks = ops.len() > 1 && ops[0].kind.is_elementwise();
            let block = if in_blocks { BLOCK } else { self.n };
            for start in (0..self.n).step_by(block) {
                self.ops(ops, strand, &mut buffers, start..self.n.min(start + block))?;
            }
        }
        Ok(())
    }

    /// Operations one after the other, twins together.
    fn ops(
        &self,
        mut ops: &[TowerOp<Place>],
        strand: &Strand,
        buffers: &mut [&mut [W]],
        range: Range<usize>,
    ) -> Result<(), RunError> {
        loop {
            ops = match ops {
                [] => return Ok(()),
                [a, b, rest @ ..] if a.is_twin(b) => {
                    self.twins([a, b], strand, buffers, range.clone());
                    rest
                }
                [op, rest @ ..] => {
                    self.op(op, strand, buffers, range.clone())?;
                    rest
                }
            };
        }
    }

    /// Streams that are drawn together.
    fn draw(
        &self,
        ops: &[TowerOp<Place>],
        strand: &Strand,
        buffers: &mut [&mut [W]],
    ) -> Result<(), RunError> {
        let indices = ops.iter().map(|op| written(op, strand));
        let mut out: Vec<&mut [W]> = indices
            .clone()
            .map(|index| std::mem::take(&mut buffers[index]))
            .collect();
        let streams = ops.iter().zip(out.iter_mut().map(|out| &mut **out));
        let streams = streams.collect();
        let done = Drawing {
            keccak: self.program.keccak,
            towers: &self.program.towers,
            seeds: &self.arguments.seeds,
        }
        .run(streams);
        for (index, out) in indices.zip(out) {
            buffers[index] = out;
        }
        done
    }

    fn op(
        &self,
        op: &TowerOp<Place>,
        strand: &Strand,
        buffers: &mut [&mut [W]],
        range: Range<usize>,
    ) -> Result<(), RunError> {
        let index = written(op, strand);
        let out = std::mem::take(&mut buffers[index]);
        let read = |place| self.read(place, strand, buffers, &range);
        let operands = Operands { op, read: &read };
        let runner = self.runner(op.prime);
        let done = runner.run(&op.kind, operands, &mut out[range.clone()]);
        buffers[index] = out;
        done
    }

    fn twins(
        &self,
        ops: [&TowerOp<Place>; 2],
        strand: &Strand,
        buffers: &mut [&mut [W]],
        range: Range<usize>,
    ) {
        let indices = ops.map(|op| written(op, strand));
        let mut out = indices.map(|index| std::mem::take(&mut buffers[index]));
        let read = |place| self.read(place, strand, buffers, &range);
        let operands = ops.map(|op| Operands { op, read: &read });
        let results = out.each_mut().map(|out| &mut out[range.clone()]);
        self.runner(ops[0].prime).sums(operands, results);
        for (index, out) in indices.into_iter().zip(out) {
            buffers[index] = out;
        }
    }

    /// The words of a tower that nothing writes at the time.
    fn read<'r>(
        &'r self,
        place: Place,
        strand: &Strand,
        buffers: &'r [&mut [W]],
        range: &Range<usize>,
    ) -> &'r [W] {
        let words = match (place, buffer(place, strand)) {
            (_, Some(index)) => &*buffers[index],
            (Place::Param(param), None) => self.arguments.towers[param],
            (Place::Shared(slot), None) => &*self.shared[slot],
            (Place::Own(_) | Place::Local(_), None) => unreachable!("these are buffers"),
        };
        &words[range.clone()]
    }

    fn runner(&self, prime: usize) -> TowerRunner<'_, W> {
        TowerRunner {
            prime,
            towers: &self.program.towers,
            seeds: &self.arguments.seeds,
        }
    }
}

fn written(op: &TowerOp<Place>, strand: &Strand) -> usize {
    match buffer(op.dst, strand) {
        Some(index) => index,
        None => unreachable!("results are written to buffers of the strand"),
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
