//! The error of a value under construction: what it has from its operands, and what is new.

use super::ProgramBuilder;
use crate::ckks::origins::Origins;
use ringwright_ir::he::{ErrorFlow, ResultErrors};
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
    /// Whether two operands that were checked have errors in common.
    pub(super) fn meet(&self, a: ValueId, b: ValueId) -> bool {
        self.origins.meet(a, b)
    }

    /// Where the errors of the returned values come from.
    pub(super) fn error_flow(&self) -> ErrorFlow {
        let inputs = self.program.inputs as u32;
        let result = |value: &ValueId| {
            let (origins, groups) = (self.origins.of(*value), self.origins.groups());
            let of = |has: &dyn Fn(u32) -> bool| origins.of_sources(groups, has);
            ResultErrors {
                inherited: (0..inputs).map(|input| of(&|s| s == input)).collect(),
                own: of(&|source| source >= inputs),
                even: origins.slots_are_independent(groups),
            }
        };
        ErrorFlow {
            inputs: self.origins.groups().0.clone(),
            results: self.program.returns.iter().map(result).collect(),
        }
    }

    /// The errors of an operand that was checked.
    pub(super) fn errors(&self, a: ValueId) -> Errors {
        Errors {
            inherited: self.origins.of(a).clone(),
            added: 0.0,
        }
    }
}
