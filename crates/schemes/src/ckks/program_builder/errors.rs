//! The error of a value under construction: what it has from its operands, and what is new.

use super::ProgramBuilder;
use crate::ckks::origins::Origins;
use ringwright_ir::ring::ValueId;

/// Errors of the operands as they reach a result, and the deviation that the operation adds.
pub(super) struct Errors {
    inherited: Origins,
    added: f64,
}

impl Errors {
    pub fn scaled(mut self, factor: f64) -> Self {
        self.inherited = self.inherited.scaled(factor);
        self
    }

    pub fn turned(mut self, galois: u64, n: u64) -> Self {
        self.inherited = self.inherited.turned(galois, n);
        self
    }

    pub fn plus(mut self, other: &Self) -> Self {
        self.inherited = self.inherited.plus(&other.inherited);
        self
    }

    /// An error of the operation itself.
    pub fn with(mut self, added: f64) -> Self {
        self.added = self.added.hypot(added);
        self
    }

    /// As the origins of the value that has them.
    pub fn of(self, value: ValueId) -> Origins {
        match self.added > 0.0 {
            true => self.inherited.plus(&Origins::new(value, self.added)),
            false => self.inherited,
        }
    }
}

impl ProgramBuilder {
    /// The errors of an operand that was checked.
    pub(super) fn errors(&self, a: ValueId) -> Errors {
        Errors {
            inherited: self.origins[a.index()].clone(),
            added: 0.0,
        }
    }
}
