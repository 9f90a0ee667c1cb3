//! One transform alone on a simulated machine: what `ringwright ntt` prints.

use crate::{Counters, Stall, TransformError, TransformSchedule};
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
    /// In which order it leaves its words; `None` where the machine has only their own.
    pub order: Option<WordOrder>,
    /// From the first read of an operand until the last result is in memory.
    pub cycles: u64,
    /// The same for the inverse transform, 1/N included; `None` where it was not asked for.
    pub inverse_cycles: Option<u64>,
    /// What no schedule of the same hardware can beat: `cycles` is never less.
    pub bound_cycles: u64,
    /// What the machine's multipliers take for all products one after the other, each stage
    /// drained: a yardstick that overlap goes below. `None` where stages do not drain.
    pub drained_cycles: Option<u64>,
    /// What a paper prints for this degree, this number of units and this width; `None` where the
    /// paper counts a transform in another order of words.
    pub published: Option<PublishedCycles>,
    /// The same transform where the paper is read as harshly as it can be; `None` where nothing it
    /// leaves open can be read more harshly than the machine has it, and where only the forward
    /// transform was asked for.
    pub strict: Option<StrictReading>,
    /// What must lie in the machine's memories before it starts, and what it costs to bring it.
    pub residency: Residency,
    /// Who found the orders of the forward and of the inverse transform; empty where nothing is ordered.
    pub schedules: Vec<TransformSchedule>,
    /// Share of `cycles` in which each unit works, in the order in which words pass them.
    pub utilisation: Vec<Utilisation>,
    /// The forward transform's program, in order; empty for machines without instructions.
    pub program: Vec<PlacedInstruction>,
    /// Cycles of every unit by what it did; empty where a simulator does not say.
    pub stalls: Vec<Stall>,
    /// What happens in the units during the forward transform: what its energy is computed from.
    pub counters: Counters,
    /// Whether the transforms give the interpreter's words.
    pub correct: bool,
    /// How `cycles` was obtained.
    pub provenance: Provenance,
}

/// In which order a transform takes and leaves its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOrder {
    /// Their own, so that other operations on towers can come before and after: a program's
    /// transform.
    InOrder,
    /// Whichever suits the transform, which stands alone: what papers count.
    Any,
}

impl WordOrder {
    /// Both.
    pub const ALL: [WordOrder; 2] = [WordOrder::InOrder, WordOrder::Any];

    /// The word for it on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            WordOrder::InOrder => "in-order",
            WordOrder::Any => "any",
        }
    }
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

/// A forward transform under the harshest reading of the machine's paper:
/// [`ringwright_spec::Machine::read_strictly`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictReading {
    /// Cycles.
    pub cycles: u64,
    /// What cycles of the same units cannot go below.
    pub bound_cycles: u64,
    /// Who found its order.
    pub schedule: TransformSchedule,
    /// Names of the parameters that are read otherwise.
    pub parameters: Vec<String>,
}

/// What a transform finds in the machine's memories, and what a transform takes that finds less.
///
/// Transfers are counted by the machine's DMA parameters: bytes over its width after its latency, nothing
/// overlapped. That is a model, whatever `cycles` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residency {
    /// What lies there, in bytes.
    pub resident: Vec<(&'static str, u64)>,
    /// Operand brought, transformed, result fetched; all else resident.
    pub moved_cycles: u64,
    /// All brought that is not scratch, transformed, result fetched.
    pub cold_cycles: u64,
}

/// How busy a unit is.
#[derive(Clone, Debug, PartialEq)]
pub struct Utilisation {
    /// The unit, and what it does where that is not all it does.
    pub unit: String,
    /// From 0 to 1.
    pub share: f64,
}

/// Which transform is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformAsked {
    /// log2 of the degree.
    pub log_n: u32,
    /// The prime; `None`: the largest that the machine takes.
    pub modulus: Option<u64>,
    /// A machine that has only one order of words takes it, whichever is asked for.
    pub order: WordOrder,
    /// Nothing but the forward transform: a study of many machines asks for no more.
    pub forward_only: bool,
}

impl TransformAsked {
    /// Both directions, by the largest prime.
    pub fn new(log_n: u32, order: WordOrder) -> Self {
        TransformAsked {
            log_n,
            modulus: None,
            order,
            forward_only: false,
        }
    }
}

/// Runs a transform.
pub type TransformStudy = fn(&Machine, &TransformAsked) -> Result<TransformReport, TransformError>;
