//! RTL to take away: which module, with which parameters, and vectors with the right answers.
//!
//! `ringwright rtl` makes a package of it: sources, parameters, testbench, vectors. A target says
//! here what only it can know; everything else is alike for all.

use crate::TransformError;
use ringwright_spec::Machine;

/// The synthesizable hardware of a target.
#[derive(Clone, Copy, Debug)]
pub struct Rtl {
    /// Folder of the sources, relative to the repository root.
    pub folder: &'static str,
    /// The module that is handed over.
    pub top: &'static str,
    /// The module that applies the vectors to it: it includes `parameters.svh` and `vectors.svh`.
    pub testbench: &'static str,
    /// Units of the machine's steps that the RTL has, each with the module that is it. What runs on
    /// another unit is modelled.
    pub units: &'static [(&'static str, &'static str)],
    /// Parameters and vectors of one machine.
    pub package: RtlStudy,
}

impl Rtl {
    /// Whether the RTL has a unit.
    pub fn has(&self, unit: &str) -> bool {
        self.units.iter().any(|(known, _)| *known == unit)
    }
}

/// Parameters and vectors of one machine, the operands chosen by a seed.
pub type RtlStudy = fn(&Machine, seed: u64) -> Result<RtlPackage, TransformError>;

/// What a package holds beside sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtlPackage {
    /// Parameters of the module: name and value.
    pub parameters: Vec<(&'static str, RtlParameter)>,
    /// The vectors. All have the same `numbers` and `words`, by name.
    pub cases: Vec<RtlCase>,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RtlParameter {
    /// Of one that is a number.
    Number(u64),
    /// Of a `parameter string`: the variant that it chooses.
    Text(String),
}

/// One operation with its operands and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtlCase {
    /// Name of its files: letters, digits, hyphens.
    pub name: String,
    /// What the testbench reads, in `vectors.svh`: `Case<Name>` is an array over all cases.
    pub numbers: Vec<(&'static str, u64)>,
    /// What a reader wants to know: degree, prime, root, order of the words.
    pub facts: Vec<(&'static str, String)>,
    /// Files `<case>.<what>.hex`, for `$readmemh`.
    pub words: Vec<RtlWords>,
}

/// One file of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtlWords {
    /// What they are: `operand`, `result`, …
    pub what: &'static str,
    /// Width of a word.
    pub bits: u32,
    /// The words, from address 0 on.
    pub words: Vec<u128>,
}
