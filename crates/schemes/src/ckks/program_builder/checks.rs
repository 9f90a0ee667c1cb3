//! What every operation is checked for.

use super::ProgramBuilder;
use crate::ckks::estimate::same_scale;
use crate::ckks::Error;
use crate::ckks::Estimate;
use ringwright_ir::ring::ValueId;

impl ProgramBuilder {
    /// The prime that rescaling would drop.
    pub(super) fn last_prime(&self, a: ValueId) -> Result<f64, Error> {
        let level = usize::from(self.ty(a)?.level);
        if level > 1 {
            return Ok(self.parameters().q()[level - 1] as f64);
        }
        Err(self.too_deep(a, 1)?)
    }

    /// Refuses what takes more levels than a value has left.
    ///
    /// # Errors
    /// Naming the smallest ring that carries it, or the level of the inputs where that is at fault.
    pub fn require_levels(&self, a: ValueId, depth: usize) -> Result<(), Error> {
        match depth < usize::from(self.ty(a)?.level) {
            true => Ok(()),
            false => Err(self.too_deep(a, depth)?),
        }
    }

    fn too_deep(&self, a: ValueId, depth: usize) -> Result<Error, Error> {
        let level = usize::from(self.ty(a)?.level);
        let inputs = &self.function.types[..self.function.inputs];
        let highest = inputs.iter().map(|ty| usize::from(ty.level)).max();
        let highest = highest.unwrap_or(self.parameters().levels());
        let asked = highest - level + depth;
        Ok(self.parameters().too_deep(highest, asked).into())
    }

    /// Refuses a value of another number of parts.
    pub(super) fn require_parts(
        &self,
        operation: &'static str,
        a: ValueId,
        parts: u8,
        allowed: &'static str,
    ) -> Result<(), Error> {
        match self.ty(a)?.parts {
            given if given == parts => Ok(()),
            given => Err(Error::Parts {
                operation,
                name: self.label(a),
                given,
                allowed,
            }),
        }
    }

    /// Refuses operands of a sum whose scales differ.
    pub(super) fn check_scales(
        &self,
        operation: &'static str,
        a: ValueId,
        b: ValueId,
    ) -> Result<(), Error> {
        let (left, right) = (self.ty(a)?.scale, self.ty(b)?.scale);
        if same_scale(left, right) {
            return Ok(());
        }
        Err(Error::ScaleMismatch {
            operation,
            left: left.log2(),
            left_name: self.label(a),
            right: right.log2(),
            right_name: self.label(b),
        })
    }

    /// Refuses a result that is noise only.
    pub(super) fn check_precision(&self, ty: &Estimate) -> Result<(), Error> {
        let slot_error = self.analyst.model.slot_error(ty.noise, ty.scale);
        if ty.max == 0.0 || slot_error < ty.max {
            return Ok(());
        }
        Err(Error::NoPrecision {
            log_scale: ty.scale.log2(),
            slot_error,
            max: ty.max,
        })
    }

    /// The refusal of a result that is zero whatever the operand is.
    pub(super) fn transparent(&self, operation: &str, a: ValueId) -> Error {
        Error::Transparent {
            what: format!("{operation} of {}", self.label(a)),
        }
    }

    /// Refuses values of other programs.
    pub(super) fn check(&self, value: ValueId) -> Result<(), Error> {
        match value.index() < self.analyst.len() {
            true => Ok(()),
            false => Err(Error::Program {
                what: format!("value {} is not of this program", value.0),
            }),
        }
    }
}
