//! What circuits know of their values and single operations cannot show.

use super::ProgramBuilder;
use crate::ckks::Error;
use ringwright_ir::ring::ValueId;

impl ProgramBuilder {
    /// Declares that the slots of this value are at most `max`: where a circuit knows more than the
    /// triangle inequality does.
    ///
    /// # Errors
    /// A value of another program, or a bound that is not a finite number above 0.
    pub fn bounded(&mut self, a: ValueId, max: f64) -> Result<ValueId, Error> {
        self.check(a)?;
        if !(max.is_finite() && max > 0.0) {
            let what = format!("bounded by {max}; allowed: a finite number above 0");
            return Err(Error::Program { what });
        }
        let ty = &mut self.program.types[a.index()];
        ty.max = ty.max.min(max);
        ty.rms = ty.rms.min(ty.max);
        Ok(a)
    }

    /// Declares that an error of x reaches the result, slot by slot, at most `gain` times as large:
    /// the slope of a function.
    ///
    /// # Errors
    /// Values of another program, or a gain that is not a finite number, 0 or more.
    pub fn gain_of_slots(
        &mut self,
        result: ValueId,
        x: ValueId,
        gain: f64,
    ) -> Result<ValueId, Error> {
        if !(gain.is_finite() && gain >= 0.0) {
            let what = format!("a gain of {gain}; allowed: a finite number, 0 or more");
            return Err(Error::Program { what });
        }
        let x_peak = self.ty(x)?.peak / self.ty(x)?.scale;
        self.limit(result, &[x], gain * x_peak)
    }

    /// Declares that the result's slots are sums of slots of x, times weights whose squares add up
    /// to `norm`² at most: a matrix. It says nothing where slots of x have errors in common.
    ///
    /// # Errors
    /// As [`ProgramBuilder::gain_of_slots`].
    pub fn gain_of_rows(
        &mut self,
        result: ValueId,
        x: ValueId,
        norm: f64,
    ) -> Result<ValueId, Error> {
        self.check(x)?;
        let origins = self.origins.of(x);
        match origins.slots_are_independent(self.origins.groups()) {
            true => self.gain_of_slots(result, x, norm),
            false => Ok(result),
        }
    }

    /// Declares that every slot of the result is a slot of one of these values, or zero: what masks
    /// cut out and rotations put side by side.
    ///
    /// # Errors
    /// Values of another program.
    pub fn placed(&mut self, result: ValueId, values: &[ValueId]) -> Result<ValueId, Error> {
        let mut most = 0f64;
        for &value in values {
            let ty = self.ty(value)?;
            most = most.max(ty.peak / ty.scale);
        }
        self.limit(result, values, most)
    }

    /// Limits what the result has of the errors of these values; `most` in units of the message.
    fn limit(&mut self, result: ValueId, of: &[ValueId], most: f64) -> Result<ValueId, Error> {
        let most = most * self.ty(result)?.scale;
        let peak = self.origins.limit(result, of, most);
        let ty = &mut self.program.types[result.index()];
        (ty.peak, ty.noise) = (peak, ty.noise.min(peak));
        Ok(result)
    }
}
