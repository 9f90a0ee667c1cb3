//! One operation on one tower as one program of B512.
//!
//! A program depends on the operation, the degree and the machine, but neither on the prime nor on
//! where its towers lie: it reads modulus, scalar and slot addresses from the first words of the
//! scalar data memory, or of its block there where kernels are chained ([`super::chain`]).
//!
//! | word of the scalar data memory | meaning | register |
//! |---|---|---|
//! | 0, 1 | modulus and its reciprocal | m0 |
//! | 2 | scalar operand | s0 |
//! | 3 ... | slots: operands, result, scratch, table | a0 ... |
//!
//! [`super::plain`] writes a program in plain order. What [`super::scheduled`] makes of it looks the
//! same from outside.

use super::operation::Operation;
use super::shape::Shape;
use super::table::Symbol;
use crate::isa::{AReg, Program};

/// Bits of the widest prime of values in 64-bit words, as the schemes have them.
pub const WIDEST_PRIME: u32 = 62;

/// Address of the modulus in the scalar data memory; its reciprocal follows.
pub const MODULUS_WORD: u32 = 0;
/// Address of the scalar operand.
pub const SCALAR_WORD: u32 = 2;
/// Address of the first slot address.
pub const FIRST_SLOT_WORD: u32 = 3;

/// One operation on one tower, lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TowerKernel {
    /// What it computes.
    pub operation: Operation,
    /// For towers and vectors of these lengths.
    pub shape: Shape,
    /// The program.
    pub program: Program,
    /// The constants that it loads, whole vectors; it lies in slots of its own.
    pub table: Vec<Symbol>,
    /// Slots that it writes and reads again, beside the result's.
    pub scratch_slots: usize,
    /// Who wrote the program.
    pub making: Making,
}

/// How a program was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Making {
    /// In plain order: [`super::plain`].
    Plain,
    /// By the compiler: [`super::scheduled`].
    Scheduled,
}

impl Making {
    /// The word in listings and results.
    pub fn name(self) -> &'static str {
        match self {
            Making::Plain => "plain",
            Making::Scheduled => "scheduled",
        }
    }
}

impl TowerKernel {
    /// Slots that the table takes.
    pub fn table_slots(&self) -> usize {
        self.table.len().div_ceil(self.shape.slot())
    }

    /// Words of the scalar data memory that are its own.
    pub fn arguments(&self) -> usize {
        FIRST_SLOT_WORD as usize + self.slots()
    }

    /// Slots that it reads and writes.
    pub fn slots(&self) -> usize {
        self.operation.operands() + 1 + self.scratch_slots + self.table_slots()
    }
}

/// The register that holds the address of a slot, counted over operands, result, scratch and table.
pub fn address(slot: usize) -> AReg {
    AReg::from_field(slot as u64)
}
