//! Random programs that a machine must accept: for lockstep with the RTL and for the fuzz target.
//!
//! A program carries its memory contents, reads only registers that it has written, keeps operands
//! below their modulus, touches no word outside the memories, and never depends on an order of
//! memory accesses that the hardware does not keep: loads read one half of the vector data memory,
//! stores write the other, and the halves change places only behind a fence (an instruction that
//! reads what a load behind the last store brought). Within these rules it looks for trouble: each
//! choice of a register may go for one that is being written, read, or lies in the same memory of
//! the register file; runs of one class fill a queue; addresses go for the same bank.
//!
//! The same seed, machine and length give the same program. [`coverage`] counts what programs did.

mod coverage;
mod fuzz;
mod memory;
mod registers;
mod words;
mod writer;

pub use coverage::{coverage, required, Coverage};
pub use fuzz::check;

use crate::config::Config;
use crate::isa::Program;

/// What is wanted of a program beside its seed.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Instructions after the loads that prepare registers.
    pub instructions: usize,
    /// Whether the program ends with a load that comes before the store of its word: an error.
    pub memory_order_error: bool,
}

/// Words of the vector data memory that programs for this machine touch, from address 0 on; `None`
/// as in [`random_program`].
pub fn data_words(config: &Config) -> Option<usize> {
    memory::Vdm::new(config).map(|vdm| vdm.words())
}

/// A program for this machine. `None` where the memories are too small for anything of use: below
/// four vectors of data, or sixteen scalar words.
pub fn random_program(seed: u64, config: &Config, options: Options) -> Option<Program> {
    let mut writer = writer::Writer::new(seed, config)?;
    writer.prepare();
    for _ in 0..options.instructions {
        writer.step();
    }
    if options.memory_order_error {
        writer.overtake_a_store();
    }
    Some(writer.finish(format!("random-{seed}")))
}
