//! A target's own instructions, for whoever writes programs for it by hand.

use crate::Counters;
use ringwright_sim::{Clock, Provenance, Timeline};
use ringwright_spec::Machine;

/// How programs of one instruction set are read and written.
#[derive(Clone, Copy, Debug)]
pub struct InstructionSet {
    /// What its paper calls it.
    pub name: &'static str,
    /// The target whose machines run it.
    pub target: &'static str,
    /// How files with its text end.
    pub extension: &'static str,
    /// Text to words.
    pub assemble: fn(name: &str, text: &str) -> Result<Assembled, InstructionSetError>,
    /// The bytes of an instruction memory, little-endian, to text.
    pub disassemble: fn(image: &[u8]) -> Result<String, InstructionSetError>,
    /// How text runs; `None` where one text is not all that a machine runs.
    pub alone: Option<Alone>,
}

/// How the text of a program runs on a machine by itself.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// The machine's data memories, for [`Alone::run`].
    pub memories: [&'static str; 2],
    /// Runs text on a machine; each memory begins with the words given, and with zeros behind them.
    pub run: Runner,
    /// Ways to write a transform in these instructions, for [`Alone::time_transform`].
    pub generators: &'static [&'static str],
    /// Writes a transform and counts its cycles, without values.
    pub time_transform: TransformTimer,
}

/// Writes a transform for one machine and times it on another.
pub type TransformTimer =
    fn(&Machine, TransformProgram<'_>) -> Result<TransformTime, InstructionSetError>;

/// Which program of a transform.
#[derive(Clone, Copy, Debug)]
pub struct TransformProgram<'a> {
    /// One of [`Alone::generators`].
    pub generator: &'a str,
    /// log2 of the degree.
    pub log_n: u32,
    /// Evaluations to coefficients, where the generator has it.
    pub inverse: bool,
    /// The machine that the program is written for; `None`: the one that it is timed on.
    pub written_for: Option<&'a Machine>,
}

/// The time of a transform's program.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformTime {
    /// From the first instruction until the last result is written.
    pub cycles: u64,
    /// The clock that they count.
    pub clock: Clock,
    /// Where they come from: `Modelled` where the RTL cannot be built like the machine.
    pub provenance: Provenance,
    /// What was done, by name.
    pub counters: Vec<(&'static str, u64)>,
    /// What happened in the units: what energy is computed from.
    pub events: Counters,
    /// Cycles for which the front end held an instruction of a pipeline because of a busy register.
    pub held: Vec<(&'static str, u64)>,
}

/// Runs the text of the program `name`.
pub type Runner = fn(
    machine: &Machine,
    name: &str,
    text: &str,
    memories: [Vec<u128>; 2],
) -> Result<Execution, InstructionSetError>;

/// A program that has run.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// From the first instruction until the last result is written.
    pub cycles: u64,
    /// The clock that they count.
    pub clock: Clock,
    /// Where they come from: `Modelled` where the RTL cannot be built like the machine.
    pub provenance: Provenance,
    /// Where the cycles of every unit went; those of a unit add up to `cycles`.
    pub stalls: Vec<Stall>,
    /// What was done, by name.
    pub counters: Vec<(&'static str, u64)>,
    /// What each unit does when.
    pub timeline: Timeline,
    /// Every instruction through the pipeline, in the format of the viewer Konata.
    pub pipeline_log: String,
    /// The memories afterwards, by name.
    pub memories: Vec<(&'static str, Vec<u128>)>,
}

/// Cycles of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    /// The unit.
    pub unit: &'static str,
    /// What it did, or what it waited for.
    pub reason: &'static str,
    /// How many.
    pub cycles: u64,
}

/// A program that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// The instructions, first to last.
    pub instructions: Vec<AssembledInstruction>,
    /// Words of data memory that the text states beside them; an image does not hold them.
    pub data_words: u64,
}

/// One instruction of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledInstruction {
    /// Its line in the text, from 1.
    pub line: u32,
    /// Its word.
    pub word: u64,
    /// As the disassembler writes it.
    pub text: String,
}

/// Text or words that are no program; says where, what was found and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InstructionSetError(pub String);
