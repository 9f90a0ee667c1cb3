//! Values, their names, and constants.

use super::errors::Errors;
use super::ProgramBuilder;
use crate::ckks::embedding::check_finite;
use crate::ckks::noise::ConstantFactor;
use crate::ckks::origins::Origins;
use crate::ckks::residues::check_fit;
use crate::ckks::Error;
use ringwright_ir::he::{Constant, CtType, HeOp, HeOpKind};
use ringwright_ir::ring::ValueId;

impl ProgramBuilder {
    /// Index of a constant; equal values are held once.
    pub(super) fn constant(&mut self, values: &[f64]) -> Result<usize, Error> {
        let slots = self.parameters.slots();
        if values.is_empty() || !slots.is_multiple_of(values.len()) {
            let allowed = format!("a length that divides the {slots} slots");
            return Err(Error::Slots {
                given: values.len(),
                allowed,
            });
        }
        check_finite("constant value", values)?;
        if let Some(found) = self
            .program
            .constants
            .iter()
            .position(|c| c.values == values)
        {
            return Ok(found);
        }
        let index = self.program.constants.len();
        self.program.constants.push(Constant {
            name: format!("c{index}"),
            values: values.to_vec(),
        });
        Ok(index)
    }

    /// Adds an operation whose result fits the modulus.
    pub(super) fn push(
        &mut self,
        kind: HeOpKind,
        args: &[ValueId],
        ty: CtType,
        errors: Errors,
    ) -> Result<ValueId, Error> {
        let origins = errors.of(self.next());
        let peak = origins.deviation();
        let noise = ty.noise.min(peak);
        let ty = CtType { noise, peak, ..ty };
        check_fit(&self.parameters, kind.name(), &ty)?;
        let result = self.define(ty, None, origins);
        self.program.ops.push(HeOp {
            kind,
            args: args.to_vec(),
            result,
            loc: self.loc.clone(),
        });
        Ok(result)
    }

    /// The value that is defined next.
    pub(super) fn next(&self) -> ValueId {
        ValueId(self.program.types.len() as u32)
    }

    /// The next value.
    pub(super) fn define(&mut self, ty: CtType, name: Option<String>, origins: Origins) -> ValueId {
        let value = self.next();
        self.origins.push(origins);
        self.program.types.push(ty);
        self.program.names.push(name);
        value
    }

    /// The name, with a number if it is taken.
    pub(super) fn unused_name(&self, name: &str) -> String {
        let taken = |name: &str| {
            self.program
                .names
                .iter()
                .flatten()
                .any(|taken| taken == name)
        };
        let numbered = (2u32..).map(|number| format!("{name}_{number}"));
        std::iter::once(name.to_string())
            .chain(numbered)
            .find(|n| !taken(n))
            .unwrap_or_default()
    }

    /// The value's name for messages.
    pub(super) fn label(&self, value: ValueId) -> String {
        self.program.value_name(value)
    }
}

/// Largest absolute value and root mean square.
pub(super) fn magnitude(values: &[f64]) -> (f64, f64) {
    let squares: f64 = values.iter().map(|v| v * v).sum();
    let max = values.iter().fold(0f64, |max, v| max.max(v.abs()));
    (max, (squares / values.len() as f64).sqrt())
}

/// What a constant at this scale contributes to a product.
pub(super) fn factor(values: &[f64], scale: f64) -> ConstantFactor {
    let (max, rms) = magnitude(values);
    let uniform_error = match values {
        [value] => Some(value * scale - (value * scale).round_ties_even()),
        _ => None,
    };
    ConstantFactor {
        max,
        rms,
        scale,
        uniform_error,
    }
}
