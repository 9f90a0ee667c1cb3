//! Values, their names, and constants.

use super::errors::Errors;
use super::{Plain, ProgramBuilder};
use crate::ckks::embedding::check_finite;
use crate::ckks::noise::ConstantFactor;
use crate::ckks::residues::check_fit;
use crate::ckks::Error;
use ringwright_ir::he::{Constant, CtType, HeOp, HeOpKind, Values};
use ringwright_ir::ring::ValueId;
use std::collections::HashSet;

impl ProgramBuilder {
    /// A plaintext vector that every run is given: a length that divides the slots, values up to
    /// `max`, of root mean square up to `rms`.
    ///
    /// # Errors
    /// Bounds that are not finite, negative, or `rms > max`.
    pub fn plain(&mut self, name: &str, max: f64, rms: f64) -> Result<Plain, Error> {
        check_finite("bound of a plain argument", &[max, rms])?;
        if !(0.0..=max).contains(&rms) {
            return Err(Error::Shape {
                what: format!("plain argument {name}"),
                given: format!("max {max}, rms {rms}"),
                expected: "0 <= rms <= max".into(),
            });
        }
        let name = self.unused_constant(name);
        Ok(Plain(self.hold(name, Values::Argument { max, rms })))
    }

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
        let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        if let Some(&found) = self.constants.get(&bits) {
            return Ok(found);
        }
        let name = self.unused_constant(&format!("c{}", self.program.constants.len()));
        let constant = self.hold(name, Values::Known(values.to_vec()));
        self.constants.insert(bits, constant);
        Ok(constant)
    }

    pub(super) fn plain_values(&self, constant: usize) -> Result<&Values, Error> {
        let found = self.program.constants.get(constant);
        found
            .map(|constant| &constant.values)
            .ok_or_else(|| Error::Program {
                what: "a plain argument of another program".into(),
            })
    }

    fn hold(&mut self, name: String, values: Values) -> usize {
        self.constant_names.insert(name.clone());
        self.program.constants.push(Constant { name, values });
        self.program.constants.len() - 1
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
        let peak = origins.deviation(self.origins.groups());
        let noise = ty.noise.min(peak);
        let ty = CtType { noise, peak, ..ty };
        check_fit(&self.parameters, kind.name(), &ty)?;
        self.origins.push(origins);
        let result = self.define(ty, None);
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

    /// The next value, whose error is there already.
    pub(super) fn define(&mut self, ty: CtType, name: Option<String>) -> ValueId {
        let value = self.next();
        self.program.types.push(ty);
        self.names.extend(name.clone());
        self.program.names.push(name);
        value
    }

    /// The name, with a number if it is taken.
    pub(super) fn unused_name(&self, name: &str) -> String {
        unused(name, &self.names)
    }

    /// The constant's name, with a number if it is taken.
    fn unused_constant(&self, name: &str) -> String {
        unused(name, &self.constant_names)
    }

    /// The value's name for messages.
    pub(super) fn label(&self, value: ValueId) -> String {
        self.program.value_name(value)
    }
}

fn unused(name: &str, taken: &HashSet<String>) -> String {
    let numbered = (2u32..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_string())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or_default()
}

/// What a constant at this scale contributes to a product.
pub(super) fn factor(values: &Values, scale: f64) -> ConstantFactor {
    let (max, rms) = values.magnitude();
    let error = |value: f64| value * scale - (value * scale).round_ties_even();
    let uniform_error = values.uniform().map(error);
    ConstantFactor {
        max,
        rms,
        scale,
        uniform_error,
    }
}
