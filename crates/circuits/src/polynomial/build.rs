//! A plan as operations, every part at the scale that the part above it asks for.

use super::plan::{halves, Node, Plan};
use super::{bound, Basis};
use crate::Error;
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::ProgramBuilder;
use std::collections::BTreeMap;

/// Refuses a value that has fewer levels than are to be used.
pub(crate) fn require_levels(
    builder: &ProgramBuilder,
    x: ValueId,
    depth: usize,
) -> Result<(), Error> {
    Ok(builder.require_levels(x, depth)?)
}

/// Refuses a result's scale under which integers say nothing of the slots.
pub(crate) fn check_scale(circuit: &'static str, scale: f64) -> Result<(), Error> {
    match scale.is_finite() && scale >= 1.0 {
        true => Ok(()),
        false => Err(Error::range(circuit, "scale", scale, "finite, 1 or more")),
    }
}

/// The scale near which values are kept on the way to a result at `scale`: no smaller than the
/// default, and no larger for it than the prime, above which it would grow with every power.
fn working_scale(builder: &ProgramBuilder, scale: f64, prime: f64) -> f64 {
    builder.parameters().scale().max(scale.min(prime))
}

/// Bits by which the last power's scale may exceed the prime, as the mapped scale makes it.
const SCALE_GROWTH: f64 = 4.0;

/// Maps an interval to \[-1, 1\]; the change of scale is a product with the integer 1. Powers carry
/// the factor by which the scale exceeds the prime on, squared at every level.
pub(super) fn onto_unit(
    builder: &mut ProgramBuilder,
    x: ValueId,
    [low, high]: [f64; 2],
    depth: usize,
    wanted: f64,
) -> Result<ValueId, Error> {
    let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0);
    let centred = match middle == 0.0 {
        true => x,
        false => builder.add_constant(x, &[-middle])?,
    };
    let (scale, prime) = (builder.ty(x)?.scale, next_prime(builder, x)?);
    let mapped = if half == 1.0 {
        centred
    } else if (scale * half / prime).log2() * (1u64 << depth) as f64 <= SCALE_GROWTH {
        builder.mul_constant_at_scale(centred, &[half.recip()], half)?
    } else {
        let factor = prime * working_scale(builder, wanted, prime) / scale;
        let product = builder.mul_constant_at_scale(centred, &[half.recip()], factor)?;
        builder.rescale(product)?
    };
    Ok(builder.bounded(mapped, 1.0)?)
}

/// The value of a plan at this scale, on the level that its depth leaves.
pub(super) fn evaluate(
    builder: &mut ProgramBuilder,
    x: ValueId,
    plan: &Plan,
    scale: f64,
) -> Result<ValueId, Error> {
    let levels = super::depth_of(plan.root.coefficients.len()) as u16;
    let level = builder.ty(x)?.level - levels;
    let (basis, powers) = (plan.basis, BTreeMap::from([(1, x)]));
    let mut evaluation = Evaluation {
        builder,
        basis,
        powers,
        scale,
    };
    let sum = evaluation.sum(&plan.root, level + 1, scale)?;
    let result = evaluation.builder.rescale(sum)?;
    evaluation.bounded(&plan.root, result)
}

/// The prime that rescaling drops, or that of level 1.
fn next_prime(builder: &ProgramBuilder, x: ValueId) -> Result<f64, Error> {
    let level = usize::from(builder.ty(x)?.level);
    Ok(builder.parameters().q()[level - 1] as f64)
}

struct Evaluation<'a> {
    builder: &'a mut ProgramBuilder,
    basis: Basis,
    /// B_i as far as they were needed.
    powers: BTreeMap<usize, ValueId>,
    /// Of the result.
    scale: f64,
}

impl Evaluation<'_> {
    /// A node one rescaling before the scale that is wanted: everything in it is at the scale
    /// times the prime that the rescaling drops.
    fn sum(&mut self, node: &Node, level: u16, scale: f64) -> Result<ValueId, Error> {
        let raised = scale * self.builder.parameters().q()[usize::from(level) - 1] as f64;
        let products = self.products(node, level, raised)?;
        let terms = self.terms(node, level, raised)?;
        let sum = match (products, terms) {
            (Some(products), Some(terms)) => self.builder.add(products, terms)?,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => unreachable!("a node has degree 1 at least"),
        };
        Ok(match node.terms.first() {
            Some(&constant) if constant != 0.0 => self.builder.add_constant(sum, &[constant])?,
            _ => sum,
        })
    }

    /// The node's value, declared as large as it can be.
    fn bounded(&mut self, node: &Node, result: ValueId) -> Result<ValueId, Error> {
        let bound = bound(self.basis, &node.coefficients);
        Ok(self.builder.bounded(result, bound)?)
    }

    /// Σ quotient·B_power, relinearised once.
    fn products(&mut self, node: &Node, level: u16, scale: f64) -> Result<Option<ValueId>, Error> {
        let mut total = None;
        for (power, quotient) in &node.products {
            let power = self.power(*power)?;
            let wanted = scale / self.builder.ty(power)?.scale;
            let sum = self.sum(quotient, level + 1, wanted)?;
            let rescaled = self.builder.rescale_part(sum)?;
            let quotient = self.bounded(quotient, rescaled)?;
            if node.products.len() == 1 {
                return Ok(Some(self.builder.mul(quotient, power)?));
            }
            let product = self.builder.mul_no_relin(quotient, power)?;
            total = Some(self.plus(total, product)?);
        }
        Ok(match total {
            Some(total) => Some(self.builder.relinearise(total)?),
            None => None,
        })
    }

    /// Σ c_i B_i without the constant.
    fn terms(&mut self, node: &Node, level: u16, scale: f64) -> Result<Option<ValueId>, Error> {
        let mut sum = None;
        for (i, coefficient) in node.terms() {
            let power = self.power(i)?;
            let power = self.builder.drop_level(power, level)?;
            let factor = scale / self.builder.ty(power)?.scale;
            let term = self
                .builder
                .mul_constant_at_scale(power, &[coefficient], factor)?;
            sum = Some(self.plus(sum, term)?);
        }
        Ok(sum)
    }

    fn plus(&mut self, sum: Option<ValueId>, term: ValueId) -> Result<ValueId, Error> {
        match sum {
            Some(sum) => Ok(self.builder.add(sum, term)?),
            None => Ok(term),
        }
    }

    /// B_i, formed once.
    fn power(&mut self, i: usize) -> Result<ValueId, Error> {
        if let Some(&found) = self.powers.get(&i) {
            return Ok(found);
        }
        let (a, b) = halves(i);
        let (left, right) = (self.power(a)?, self.power(b)?);
        let formed = match self.basis {
            Basis::Power => self.product(left, right)?,
            Basis::Chebyshev => self.chebyshev(left, right, a - b)?,
        };
        self.powers.insert(i, formed);
        Ok(formed)
    }

    /// Near the scale that values are kept at, or what the product leaves where that is more.
    fn product(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Error> {
        let left = self.builder.product_scale(a, b)?;
        let prime = self.builder.ty(a)?.scale * self.builder.ty(b)?.scale / left;
        let scale = working_scale(self.builder, self.scale, prime);
        Ok(self.builder.mul_rescale_to(a, b, scale.max(left))?)
    }

    /// 2·T_a·T_b - T_(a-b), the scale brought near the same as [`Evaluation::product`] does.
    fn chebyshev(&mut self, a: ValueId, b: ValueId, difference: usize) -> Result<ValueId, Error> {
        let product = self.builder.mul(a, b)?;
        let (scale, prime) = (
            self.builder.ty(product)?.scale,
            next_prime(self.builder, product)?,
        );
        let wanted = working_scale(self.builder, self.scale, prime);
        let factor = (prime * wanted / scale).round().max(1.0);
        let doubled = self
            .builder
            .mul_constant_at_scale(product, &[2.0], factor)?;
        let formed = match difference {
            0 => self.builder.add_constant(doubled, &[-1.0])?,
            _ => {
                let (level, scale) = (
                    self.builder.ty(doubled)?.level,
                    self.builder.ty(doubled)?.scale,
                );
                let x = self.power(difference)?;
                let x = self.builder.drop_level(x, level)?;
                let factor = scale / self.builder.ty(x)?.scale;
                let x = self.builder.mul_constant_at_scale(x, &[1.0], factor)?;
                self.builder.sub(doubled, x)?
            }
        };
        let formed = self.builder.rescale(formed)?;
        Ok(self.builder.bounded(formed, 1.0)?)
    }
}
