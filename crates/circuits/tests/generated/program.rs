//! Steps as a program, beside what it means.

use crate::client::{uniform, UNIFORM_RMS};
use crate::plain;
use crate::steps::{Step, Values};
use ringwright_circuits::{chebyshev, inner_sum, Error, LinearTransform, Polynomial, Sign};
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{Parameters, ProgramBuilder};

/// Results of a program: the last values that were made.
const RESULTS: usize = 3;
/// Streams of the inputs' values.
pub const INPUTS: [u64; 2] = [31, 32];

/// A program and what its results are.
pub struct Meant {
    pub program: Analysed,
    pub results: Vec<Vec<f64>>,
    /// The steps that were taken, by name.
    pub taken: Vec<String>,
}

/// A value under construction, with its slots in the clear; NaN where nothing is promised.
#[derive(Clone)]
struct Both {
    id: ValueId,
    slots: Vec<f64>,
}

/// What a program takes: an encrypted vector's type, what its error has in common with others', and its
/// slots in the clear.
pub struct Given {
    pub ty: Estimate,
    pub group: Option<u32>,
    pub slots: Vec<f64>,
}

/// Builds what the parameters carry of these steps, on two fresh vectors.
pub fn program(parameters: &Parameters, steps: &[Step]) -> Meant {
    let given = INPUTS.map(|stream| Given {
        ty: parameters.fresh(1.0, UNIFORM_RMS),
        group: None,
        slots: uniform(parameters.slots(), stream),
    });
    program_on(parameters, &given, steps)
}

/// The same on vectors that are there.
pub fn program_on(parameters: &Parameters, given: &[Given], steps: &[Step]) -> Meant {
    let mut builder = ProgramBuilder::new(parameters, "generated");
    let input = |(index, given): (usize, &Given)| {
        let (name, ty) = (format!("x{index}"), given.ty.clone());
        let id = builder.input_of_group(&name, ty, given.group);
        made(id.expect("an input"), given.slots.clone())
    };
    let mut values: Vec<Both> = given.iter().enumerate().map(input).collect();
    let mut taken = Vec::new();
    for step in steps {
        if let Ok(made) = (Taking {
            builder: &mut builder,
            values: &values,
        })
        .step(step)
        {
            taken.push(step.name());
            values.push(made);
        }
    }
    let results = &values[values.len().saturating_sub(RESULTS)..];
    let ids: Vec<ValueId> = results.iter().map(|value| value.id).collect();
    Meant {
        program: builder.finish(&ids).expect("every step was checked"),
        results: results.iter().map(|value| value.slots.clone()).collect(),
        taken,
    }
}

struct Taking<'a> {
    builder: &'a mut ProgramBuilder,
    values: &'a [Both],
}

impl Taking<'_> {
    fn value(&self, operand: usize) -> Both {
        self.values[operand % self.values.len()].clone()
    }

    fn step(&mut self, step: &Step) -> Result<Both, Error> {
        match step {
            Step::Add(a, b) => {
                let (a, b) = self.aligned(*a, *b)?;
                let slots = plain::both(&a.slots, &b.slots, |a, b| a + b);
                Ok(made(self.builder.add(a.id, b.id)?, slots))
            }
            Step::Sub(a, b) => {
                let (a, b) = self.aligned(*a, *b)?;
                let slots = plain::both(&a.slots, &b.slots, |a, b| a - b);
                Ok(made(self.builder.sub(a.id, b.id)?, slots))
            }
            Step::Neg(a) => {
                let a = self.value(*a);
                Ok(made(self.builder.neg(a.id)?, plain::each(&a.slots, |a| -a)))
            }
            Step::Conjugate(a) => {
                let a = self.value(*a);
                Ok(made(self.builder.conjugate(a.id)?, a.slots))
            }
            Step::AddConstant(a, c) => {
                let (a, c) = (self.value(*a), constant(c));
                let slots = plain::both(&a.slots, &repeated(&c, &a), |a, c| a + c);
                Ok(made(self.builder.add_constant(a.id, &c)?, slots))
            }
            Step::MulConstant(a, c) => {
                let (a, c) = (self.value(*a), constant(c));
                self.times(&a, &c)
            }
            Step::Mask(a, from, count) => {
                let a = self.value(*a);
                let mut ones = vec![0.0; a.slots.len()];
                let last = (from + count).min(ones.len());
                ones[*from..last].fill(1.0);
                self.times(&a, &ones)
            }
            Step::Mul(a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                let slots = plain::both(&a.slots, &b.slots, |a, b| a * b);
                Ok(made(self.builder.mul_rescale(a.id, b.id)?, slots))
            }
            Step::Products(pairs) => self.products(pairs),
            Step::Drop(a) => {
                let a = self.value(*a);
                let level = self.builder.ty(a.id)?.level - 1;
                Ok(made(self.builder.drop_level(a.id, level)?, a.slots))
            }
            Step::Rotations(a, steps) => self.rotations(*a, steps),
            Step::InnerSum { of, count, stride } => {
                let a = self.value(*of);
                let slots = plain::windows(&a.slots, *count, *stride);
                Ok(made(inner_sum(self.builder, a.id, *count, *stride)?, slots))
            }
            &Step::Matrix {
                of,
                rows,
                columns,
                density,
                stream,
            } => {
                let a = self.value(of);
                let entries = sparse(rows * columns, density, stream);
                let matrix = LinearTransform::new(rows, columns, &entries)?;
                let slots = plain::product(columns, &entries, &a.slots);
                Ok(made(matrix.apply(self.builder, a.id)?, slots))
            }
            Step::Power(a, coefficients) => {
                let polynomial = Polynomial::power(coefficients)?;
                self.polynomial(*a, &polynomial)
            }
            Step::Chebyshev {
                of,
                degree,
                wider,
                function,
            } => {
                let max = self.builder.ty(self.value(*of).id)?.max;
                let interval = [-max, max * (2.0 * wider - 1.0)];
                let polynomial = chebyshev(|x| function.at(x), interval, *degree)?;
                self.polynomial(*of, &polynomial)
            }
            Step::Sign(a) => {
                let a = self.value(*a);
                let max = self.builder.ty(a.id)?.max;
                let threshold = max / 2.0;
                let sign = Sign::new(threshold, max, 0.4)?;
                // Nothing is promised of numbers below the threshold, nor of what is made of them.
                let value = |x: f64| match x.abs() < threshold {
                    true => f64::NAN,
                    false => sign.value(x),
                };
                let slots = plain::each(&a.slots, value);
                Ok(made(sign.evaluate(self.builder, a.id)?, slots))
            }
            Step::Called(step, a, b) => self.called(step, self.value(*a), self.value(*b)),
        }
    }

    fn called(&mut self, step: &Step, a: Both, b: Both) -> Result<Both, Error> {
        let first = self.call(step, &[a, b.clone()])?;
        // A second call takes another level, and may be too deep.
        Ok(self.call(step, &[first.clone(), b]).unwrap_or(first))
    }

    /// Calls a program of one step, built for values like these.
    fn call(&mut self, step: &Step, operands: &[Both]) -> Result<Both, Error> {
        let mut builder = ProgramBuilder::new(self.builder.parameters(), "called");
        let mut inputs = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            let ty = self.builder.ty(operand.id)?.clone();
            let id = builder.input_of_group(&format!("x{index}"), ty, Some(0))?;
            inputs.push(made(id, operand.slots.clone()));
        }
        let result = Taking {
            builder: &mut builder,
            values: &inputs,
        }
        .step(step)?;
        let program = builder.finish(&[result.id])?;
        let ids: Vec<ValueId> = operands.iter().map(|operand| operand.id).collect();
        let called = self.builder.call(&program, &ids)?;
        Ok(made(called[0], result.slots))
    }

    /// Operands of a sum at one scale: a product's differs a little from the default.
    fn aligned(&mut self, a: usize, b: usize) -> Result<(Both, Both), Error> {
        let (mut a, mut b) = (self.value(a), self.value(b));
        let (left, right) = (self.builder.ty(a.id)?, self.builder.ty(b.id)?);
        if left.scale == right.scale {
            return Ok((a, b));
        }
        let (low, high) = match left.level <= right.level {
            true => (&mut a, &mut b),
            false => (&mut b, &mut a),
        };
        let level = self.builder.ty(low.id)?.level;
        if level == self.builder.ty(high.id)?.level {
            low.id = self.builder.drop_level(low.id, level - 1)?;
        }
        high.id = self.builder.match_scale(high.id, low.id)?;
        Ok((a, b))
    }

    fn times(&mut self, a: &Both, c: &[f64]) -> Result<Both, Error> {
        let slots = plain::both(&a.slots, &repeated(c, a), |a, c| a * c);
        Ok(made(self.builder.mul_constant_rescale(a.id, c)?, slots))
    }

    fn products(&mut self, pairs: &[(usize, usize)]) -> Result<Both, Error> {
        let mut total: Option<Both> = None;
        for &(a, b) in pairs {
            let (a, b) = (self.value(a), self.value(b));
            let product = self.builder.mul_no_relin(a.id, b.id)?;
            let slots = plain::both(&a.slots, &b.slots, |a, b| a * b);
            total = Some(match total {
                Some(sum) => {
                    let id = self.builder.add(sum.id, product)?;
                    made(id, plain::both(&sum.slots, &slots, |a, b| a + b))
                }
                None => made(product, slots),
            });
        }
        let total = total.expect("a product at least");
        let rescaled = self.builder.rescale(total.id)?;
        Ok(made(self.builder.relinearise(rescaled)?, total.slots))
    }

    fn rotations(&mut self, a: usize, steps: &[i32]) -> Result<Both, Error> {
        let a = self.value(a);
        let mut total = a.clone();
        for &by in steps {
            let moved = self.builder.rotate(a.id, by)?;
            let slots = plain::rotated(&a.slots, by);
            let id = self.builder.add(total.id, moved)?;
            total = made(id, plain::both(&total.slots, &slots, |a, b| a + b));
        }
        Ok(total)
    }

    fn polynomial(&mut self, a: usize, polynomial: &Polynomial) -> Result<Both, Error> {
        let a = self.value(a);
        let slots = plain::each(&a.slots, |x| polynomial.value(x));
        Ok(made(polynomial.evaluate(self.builder, a.id)?, slots))
    }
}

fn made(id: ValueId, slots: Vec<f64>) -> Both {
    Both { id, slots }
}

fn constant(values: &Values) -> Vec<f64> {
    match values {
        Values::One(value) => vec![*value],
        Values::Many(count, stream) => uniform(*count, *stream),
    }
}

fn repeated(values: &[f64], like: &Both) -> Vec<f64> {
    plain::repeated(values, like.slots.len())
}

/// Entries of which `density` of four are not zero; the first is not.
fn sparse(count: usize, density: u64, stream: u64) -> Vec<f64> {
    let chosen = uniform(count, !stream);
    let kept = |c: f64| c < density as f64 / 2.0 - 1.0;
    let entries = uniform(count, stream).into_iter().zip(chosen);
    let mut entries: Vec<f64> = entries
        .map(|(entry, c)| if kept(c) { entry } else { 0.0 })
        .collect();
    entries[0] = 0.5;
    entries
}
