//! The busyboard (RPU, section IV-A): which registers instructions in flight use.
//!
//! A register is written by at most one instruction in flight. Readers are kept per pipeline: each
//! pipeline releases its sources in the order of its instructions, so the youngest reader of a
//! pipeline frees the register. When an instruction ends is known from its start on; the board
//! keeps the number of the instruction and asks.

use crate::config::BusyRule;
use crate::isa::REGISTERS;

/// No instruction.
const NONE: u32 = u32::MAX;

/// Pipelines that read vector registers: store, compute, shuffle.
const READERS: usize = 3;

/// The bits of all register files.
#[derive(Debug)]
pub struct Busyboard {
    writer: [u32; REGISTERS],
    readers: [[u32; READERS]; REGISTERS],
    /// Scalar loads on their way to SRF, MRF and ARF.
    scalar: [[u32; REGISTERS]; 3],
    rule: BusyRule,
}

/// What an instruction does to the register files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Vector registers read, a bit each.
    pub reads: u64,
    /// Vector registers written, a bit each.
    pub writes: u64,
    /// Entries of SRF, MRF and ARF that are read.
    pub scalar_reads: [Option<u8>; 3],
    /// The entry that a scalar load writes: file and number.
    pub scalar_write: Option<(u8, u8)>,
}

impl Busyboard {
    /// All registers free.
    pub fn new(rule: BusyRule) -> Self {
        Busyboard {
            writer: [NONE; REGISTERS],
            readers: [[NONE; READERS]; REGISTERS],
            scalar: [[NONE; REGISTERS]; 3],
            rule,
        }
    }

    /// The instruction that blocks the first busy register of these, if any, and the cycle in
    /// which it frees it where that is known. `written` and `read` say when an instruction's
    /// results and sources are free (`u64::MAX`: it has not started).
    pub fn blocker(
        &self,
        now: u64,
        uses: &Uses,
        written: impl Fn(u32) -> u64,
        read: impl Fn(u32) -> u64,
    ) -> Option<(usize, u64)> {
        let waits_for = |instruction: u32, free: &dyn Fn(u32) -> u64| {
            let busy = instruction != NONE && free(instruction) > now;
            busy.then(|| (instruction as usize, free(instruction)))
        };
        let vectors = bits(uses.reads | uses.writes).find_map(|register| {
            let one_bit = self.rule == BusyRule::OneBit;
            let written_by = waits_for(self.writer[register], &written);
            if written_by.is_some() || (!one_bit && uses.writes >> register & 1 == 0) {
                return written_by;
            }
            let readers = self.readers[register].iter();
            readers
                .filter_map(|&reader| waits_for(reader, &read))
                .next()
        });
        vectors.or_else(|| {
            let reads = uses.scalar_reads.iter().enumerate();
            let reads = reads.filter_map(|(file, entry)| Some((file, (*entry)?)));
            let writes = uses
                .scalar_write
                .map(|(file, entry)| (file as usize, entry));
            reads
                .chain(writes)
                .find_map(|(file, entry)| waits_for(self.scalar[file][entry as usize], &written))
        })
    }

    /// Sets the bits of an instruction that issues to a pipeline.
    pub fn set(&mut self, instruction: usize, pipeline: usize, uses: &Uses) {
        let instruction = instruction as u32;
        for register in bits(uses.reads) {
            self.readers[register][pipeline] = instruction;
        }
        for register in bits(uses.writes) {
            self.writer[register] = instruction;
        }
        if let Some((file, entry)) = uses.scalar_write {
            self.scalar[file as usize][entry as usize] = instruction;
        }
    }
}

/// The numbers of the bits that are set.
pub fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lowest < u64::BITS).then_some(lowest as usize)
    })
}
