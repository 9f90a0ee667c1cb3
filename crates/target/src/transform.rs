//! One transform alone on a simulated machine: what `ringwright ntt` prints.

use crate::{Stall, TargetError};
use ringwright_ir::RunError;
use ringwright_sim::Provenance;
use ringwright_spec::Machine;

/// A forward transform of one tower, operands and result in the device's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformReport {
    /// Name of the machine description.
    pub machine: String,
    /// Ring degree.
    pub n: usize,
    /// The prime.
    pub modulus: u64,
    /// From the first read of an operand until the last result is in memory.
    pub cycles: u64,
    /// The same for the inverse transform, 1/N included.
    pub inverse_cycles: u64,
    /// What the machine's multipliers take for all products one after the other, each stage
    /// drained: a yardstick, not a limit; overlap can go below it.
    pub bound_cycles: u64,
    /// What a paper prints for this degree, this number of units and this width.
    pub published: Option<PublishedCycles>,
    /// Share of `cycles` in which each unit works, in the order in which words pass them.
    pub utilisation: Vec<Utilisation>,
    /// The forward transform's program, in order; empty for machines without instructions.
    pub program: Vec<PlacedInstruction>,
    /// Cycles of every unit by what it did; empty where a simulator does not say.
    pub stalls: Vec<Stall>,
    /// Whether both transforms give the interpreter's words.
    pub correct: bool,
    /// How `cycles` was obtained.
    pub provenance: Provenance,
}

/// An instruction and when it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedInstruction {
    /// First cycle in which its pipe works on it.
    pub start: u64,
    /// The pipe.
    pub unit: &'static str,
    /// As the assembler reads it.
    pub text: String,
}

/// A number from a paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedCycles {
    /// The number.
    pub cycles: u64,
    /// Paper, table and page.
    pub source: String,
}

/// How busy a unit is.
#[derive(Clone, Debug, PartialEq)]
pub struct Utilisation {
    /// The unit, and what it does where that is not all it does.
    pub unit: String,
    /// From 0 to 1.
    pub share: f64,
}

/// Runs one transform of degree 2^`log_n` with this prime, or the largest that the machine takes.
pub type TransformStudy =
    fn(&Machine, log_n: u32, modulus: Option<u64>) -> Result<TransformReport, TransformError>;

/// Why a machine does not run it.
#[derive(Debug, thiserror::Error)]
pub enum TransformError {
    /// The machine cannot be set up.
    #[error(transparent)]
    Machine(#[from] TargetError),
    /// The transform does not fit the machine.
    #[error(transparent)]
    Run(#[from] RunError),
}
