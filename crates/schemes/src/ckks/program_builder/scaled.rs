//! Products at a scale that is asked for.
//!
//! The factor that brings the scale there is an integer, so that it adds no error: the result's scale is
//! the nearest that such a factor reaches, off by half of what one more would add. A real factor,
//! exact in the scale, was dropped: rounding it is an error of every slot.

use super::ProgramBuilder;
use crate::ckks::plaintext::check_message_scale;
use crate::ckks::Error;
use ringwright_ir::ring::ValueId;

impl ProgramBuilder {
    /// The scale of a product after a rescaling, with no factor before it.
    ///
    /// # Errors
    /// Too few levels, or a value of another program.
    pub fn product_scale(&self, a: ValueId, b: ValueId) -> Result<f64, Error> {
        let lower = match self.ty(a)?.level <= self.ty(b)?.level {
            true => a,
            false => b,
        };
        let prime = self.last_prime(lower)?;
        Ok(self.ty(a)?.scale * self.ty(b)?.scale / prime)
    }

    /// Product, relinearised and rescaled: one level, at the scale nearest to this one that is an
    /// integer times [`ProgramBuilder::product_scale`].
    ///
    /// # Errors
    /// A scale that is not a finite number of 1 or more, or below half of that of the product, which
    /// nothing but a further level makes smaller; a product that does not fit at that scale; and as
    /// [`ProgramBuilder::mul`].
    pub fn mul_rescale_to(&mut self, a: ValueId, b: ValueId, scale: f64) -> Result<ValueId, Error> {
        check_message_scale(scale)?;
        let left = self.product_scale(a, b)?;
        let factor = (scale / left).round();
        if factor < 1.0 {
            return Err(self.below_product(a, b, [scale, left]));
        }
        let product = self.mul(a, b)?;
        let product = match factor >= 2.0 {
            true => self.mul_constant_at_scale(product, &[1.0], factor)?,
            false => product,
        };
        self.rescale(product)
    }

    /// (a + i b)/2: two real vectors as one, exact and of no level, since the scale takes the half. The sum
    /// of the result and its conjugate is a.
    ///
    /// # Errors
    /// As [`ProgramBuilder::add`]; a conjugate-invariant ring, whose slots are real.
    pub fn half_complex(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Error> {
        let turned = self.mul_i(b)?;
        let together = self.add(a, turned)?;
        self.mul_constant_at_scale(together, &[0.5], 2.0)
    }

    fn below_product(&self, a: ValueId, b: ValueId, [asked, left]: [f64; 2]) -> Error {
        let (asked, left) = (asked.log2(), left.log2());
        let what = format!(
            "mul_rescale_to: scale 2^{asked:.1} given for the product of {} and {}, which rescaling \
             leaves at 2^{left:.1}; 2^{:.1} or more allowed",
            self.label(a),
            self.label(b),
            left - 1.0
        );
        Error::Program { what }
    }
}
