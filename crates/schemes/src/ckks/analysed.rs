//! A program with what CKKS knows of its values.

use super::{Estimate, Parameters};
use ringwright_ir::he::Program;
use ringwright_ir::ring::ValueId;
use std::collections::BTreeMap;

/// A program with what is known of its values under some parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysed {
    pub(super) parameters: Parameters,
    pub(super) program: Program,
    pub(super) entry: Estimates,
    pub(super) errors: ErrorFlow,
}

/// What is known of the values of a function where it is called: arguments differ from call to call, and
/// with them scales and noise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimates {
    /// By value.
    pub values: Vec<Estimate>,
    /// What is known inside the calls that it makes, by the first result of each.
    pub calls: BTreeMap<ValueId, Estimates>,
}

/// Where the errors of a program's results come from: what a run needs to say of its results what is
/// true of these inputs, which may have errors in common.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorFlow {
    /// By input. `None`: its error has nothing to do with the others', and those of its slots nothing
    /// with each other. Inputs of one number may have errors in common, and so may their slots.
    pub inputs: Vec<Option<u32>>,
    /// By returned value.
    pub results: Vec<ResultErrors>,
}

/// Where the error of one result comes from; all numbers as [`Estimate::peak`].
#[derive(Clone, Debug, PartialEq)]
pub struct ResultErrors {
    /// What it has of each input's error.
    pub inherited: Vec<f64>,
    /// What the program's own operations added.
    pub own: f64,
    /// Whether the errors of its slots have nothing to do with each other.
    pub even: bool,
}

impl Analysed {
    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What is known of a value of the entry.
    ///
    /// # Panics
    /// On a value of another program.
    pub fn estimate(&self, value: ValueId) -> &Estimate {
        &self.entry.values[value.index()]
    }

    /// What is known of all values of the entry, and inside its calls.
    pub fn estimates(&self) -> &Estimates {
        &self.entry
    }

    /// What is known of the inputs.
    pub fn inputs(&self) -> &[Estimate] {
        &self.entry.values[..self.program.entry().inputs]
    }

    /// What is known of the results.
    pub fn results(&self) -> impl Iterator<Item = &Estimate> {
        let returns = self.program.entry().returns.iter();
        returns.map(|&value| self.estimate(value))
    }

    /// Where the results' errors come from.
    pub fn errors(&self) -> &ErrorFlow {
        &self.errors
    }
}
