//! From a transform's plan to a scheduled program of B512.
//!
//! The paper leaves this to SPIRAL (section V): registers, spilling, placement in the stacked
//! memories of the register file, a greedy scheduler. Here: [`graph`] turns a dataflow graph of
//! `ringwright-nttx` into instructions without registers, [`schedule`] chooses order and registers
//! in one sweep over time in [`pipeline`], a cut-down copy of the machine that a test holds to the
//! simulator; [`ports`] chooses the registers again where their memories have one port;
//! [`search`] varies the knobs, [`emit`] writes the program.
//!
//! [`kernels`] does the same for every other operation on a tower, and gives all of them the interface
//! of plain kernels.
//!
//! Constants lie in the vector data memory behind the two buffers, each distinct vector once and no
//! longer than its period: repeating loads replicate it.

mod cold;
pub mod emit;
pub mod graph;
mod kernel;
pub mod kernels;
pub mod known;
pub mod memory_map;
pub mod pipeline;
pub mod ports;
pub mod recipe;
pub mod schedule;
mod schedule_parameters;
pub mod search;
pub mod transform_study;
pub mod tuning;

pub use kernel::Kernel;
pub use recipe::{Formula, Recipe, Transform};
pub use schedule::Knobs;
pub use schedule_parameters::ScheduleParameters;
pub use search::{fits_among_others, search, search_from, Budget};

use crate::program_error::ProgramError;
use ringwright_nttx::PlanError;

/// Why a plan cannot be compiled or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Whoever asked for it wants it no more.
    #[error("interrupted")]
    Interrupted,
    /// The plan is none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Vectors of another length than the machine's.
    #[error("the plan has vectors of {plan} words, the machine of {machine}")]
    VectorLength {
        /// Words of the plan's vectors.
        plan: usize,
        /// Words of the machine's.
        machine: usize,
    },
    /// The data memory is too small.
    #[error("needs {needed} words of vector data memory, the machine has {words}")]
    Memory {
        /// Words of buffers and constants.
        needed: usize,
        /// Words of the machine.
        words: usize,
    },
    /// No setting of the scheduler finds registers for everything.
    #[error("the registers do not suffice for this plan with {0:?}")]
    Registers(Knobs),
    /// More moduli or factors than scalar registers, or none at all.
    #[error("from at least one to at least one modulus, in {registers} scalar registers; needs {needed}")]
    Scalars {
        /// Registers needed.
        needed: usize,
        /// Registers of the machine.
        registers: usize,
    },
    /// A modulus that the machine's words do not hold.
    #[error("modulus {q} is not an odd number from 5 to 2^{} - 1", word_bits - 1)]
    Modulus {
        /// The modulus.
        q: u128,
        /// Bits of a word.
        word_bits: u32,
    },
    /// Words of another number than the plan's.
    #[error("{given} words where the plan has {wanted}")]
    Words {
        /// Words given.
        given: usize,
        /// Words of the plan.
        wanted: usize,
    },
    /// The simulator refuses the program: a mistake of the compiler.
    #[error("compiled program refused: {0}")]
    Refused(#[from] ProgramError),
}

#[cfg(test)]
mod tests;
