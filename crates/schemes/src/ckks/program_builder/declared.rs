//! What circuits know of their values and single operations cannot show: claims of the program.

use super::ProgramBuilder;
use crate::ckks::Error;
use ringwright_ir::he::{Claim, Fact};
use ringwright_ir::ring::ValueId;

impl ProgramBuilder {
    /// Declares that the slots of this value are at most `max`: where a circuit knows more than the
    /// triangle inequality does.
    ///
    /// # Errors
    /// A value of another program, or a bound that is not a finite number above 0.
    pub fn bounded(&mut self, value: ValueId, max: f64) -> Result<ValueId, Error> {
        match max.is_finite() && max > 0.0 {
            true => self.claim(Fact::Bounded { value, max }),
            false => refuse("bounded by", max, "a finite number above 0"),
        }
    }

    /// Declares that an error of x reaches the result, slot by slot, at most `gain` times as large:
    /// the slope of a function.
    ///
    /// # Errors
    /// Values of another program, or a gain that is not a finite number, 0 or more.
    pub fn gain_of_slots(
        &mut self,
        value: ValueId,
        of: ValueId,
        gain: f64,
    ) -> Result<ValueId, Error> {
        match gain.is_finite() && gain >= 0.0 {
            true => self.claim(Fact::Slope { value, of, gain }),
            false => refuse("a gain of", gain, "a finite number, 0 or more"),
        }
    }

    /// Declares that the result's slots are sums of slots of x, times weights whose squares add up
    /// to `norm`² at most: a matrix. It says nothing where slots of x have errors in common.
    ///
    /// # Errors
    /// As [`ProgramBuilder::gain_of_slots`].
    pub fn gain_of_rows(
        &mut self,
        value: ValueId,
        of: ValueId,
        norm: f64,
    ) -> Result<ValueId, Error> {
        match norm.is_finite() && norm >= 0.0 {
            true => self.claim(Fact::Rows { value, of, norm }),
            false => refuse("rows of norm", norm, "a finite number, 0 or more"),
        }
    }

    /// Declares that every slot of the result is a slot of one of these values, or zero: what masks
    /// cut out and rotations put side by side.
    ///
    /// # Errors
    /// Values of another program, or none.
    pub fn placed(&mut self, value: ValueId, of: &[ValueId]) -> Result<ValueId, Error> {
        if of.is_empty() {
            let what = "placed from no value; allowed: one or more".to_string();
            return Err(Error::Program { what });
        }
        let of = of.to_vec();
        self.claim(Fact::Placed { value, of })
    }

    /// Declares that the errors of this value's slots have nothing in common: it is what a unitary matrix,
    /// or one that is but for a factor, made of a value of which that is so.
    ///
    /// # Errors
    /// A value of another program.
    pub fn even(&mut self, value: ValueId) -> Result<ValueId, Error> {
        self.claim(Fact::Even { value })
    }

    /// Declares that this value is off by no more than `off` in any slot, whatever its operations seem to make
    /// of errors: what an iteration that converges has forgotten. Its slots may have it in common.
    ///
    /// # Errors
    /// A value of another program, or an error that is not a finite number, 0 or more.
    pub fn settled(&mut self, value: ValueId, off: f64) -> Result<ValueId, Error> {
        match off.is_finite() && off >= 0.0 {
            true => self.claim(Fact::Settled { value, off }),
            false => refuse("off by", off, "a finite number, 0 or more"),
        }
    }

    /// Declares that this value stands for another: its slots are the other's, but for an error of its own
    /// of at most `off` in every slot, whatever the operations between them did to the message.
    ///
    /// # Errors
    /// Values of another program, or an error that is not a finite number, 0 or more.
    pub fn near(&mut self, value: ValueId, of: ValueId, off: f64) -> Result<ValueId, Error> {
        match off.is_finite() && off >= 0.0 {
            true => self.claim(Fact::Near { value, of, off }),
            false => refuse("off by", off, "a finite number, 0 or more"),
        }
    }

    /// Declares that this value is another with its error, and off by no more than `off` besides in any slot,
    /// whatever its operations seem to make of errors: what was measured was taken away.
    ///
    /// # Errors
    /// As [`ProgramBuilder::near`].
    pub fn corrected(&mut self, value: ValueId, of: ValueId, off: f64) -> Result<ValueId, Error> {
        match off.is_finite() && off >= 0.0 {
            true => self.claim(Fact::Corrected { value, of, off }),
            false => refuse("off by", off, "a finite number, 0 or more"),
        }
    }

    fn claim(&mut self, fact: Fact) -> Result<ValueId, Error> {
        let value = fact.value();
        self.check(value)?;
        fact.sources().iter().try_for_each(|&of| self.check(of))?;
        self.analyst.claim(&fact);
        let after = self.function.ops.len();
        self.function.claims.push(Claim { after, fact });
        Ok(value)
    }
}

fn refuse(what: &str, given: f64, allowed: &str) -> Result<ValueId, Error> {
    let what = format!("{what} {given}; allowed: {allowed}");
    Err(Error::Program { what })
}
