//! Checks a run's inputs against the entry function's parameters.
//!
//! Every device calls this first, so that kernels may rely on shapes and on reduced words.

use crate::ring::{Basis, Module, Param, Type};
use crate::{RunError, Value};
use ringwright_arith::Word;
use ringwright_ring::RnsPoly;

/// What a program takes, for whoever runs it without its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// log2 of the ring degree.
    pub log_n: u32,
    /// The module's primes.
    pub primes: Vec<u128>,
    /// The entry function's parameters.
    pub params: Vec<Param>,
}

impl Signature {
    /// Of a module's entry function.
    pub fn of(module: &Module) -> Self {
        Signature {
            log_n: module.log_n,
            primes: module.primes.clone(),
            params: module.entry().params.clone(),
        }
    }

    /// As [`check`].
    pub fn check<W: Word>(&self, inputs: &[Value<W>]) -> Result<(), RunError> {
        let ring = Ring {
            log_n: self.log_n,
            primes: &self.primes,
        };
        ring.check(&self.params, inputs)
    }
}

/// Whether the inputs fit: their number, degree, towers, and every word below its prime. Reading
/// secret words against public primes reveals nothing of a valid input.
pub fn check<W: Word>(module: &Module, inputs: &[Value<W>]) -> Result<(), RunError> {
    let ring = Ring {
        log_n: module.log_n,
        primes: &module.primes,
    };
    ring.check(&module.entry().params, inputs)
}

/// What polynomials are checked against.
struct Ring<'a> {
    log_n: u32,
    primes: &'a [u128],
}

impl Ring<'_> {
    fn n(&self) -> usize {
        1 << self.log_n
    }

    fn check<W: Word>(&self, params: &[Param], inputs: &[Value<W>]) -> Result<(), RunError> {
        if params.len() != inputs.len() {
            return Err(RunError::ArgumentCount {
                expected: params.len(),
                got: inputs.len(),
            });
        }
        for (index, (param, input)) in params.iter().zip(inputs).enumerate() {
            self.check_one(&param.ty, input)
                .map_err(|got| RunError::Argument {
                    index,
                    name: param.name.clone(),
                    expected: format!("{} of degree {}", param.ty, self.n()),
                    got,
                })?;
        }
        Ok(())
    }

    fn check_one<W: Word>(&self, ty: &Type, input: &Value<W>) -> Result<(), String> {
        match (ty, input) {
            (Type::Poly { basis, .. }, Value::Poly(poly)) => self.check_poly(basis, poly),
            (Type::Array { basis, len, .. }, Value::Array(items)) => {
                if items.len() != usize::from(*len) {
                    return Err(format!("an array of {}", items.len()));
                }
                items.iter().enumerate().try_for_each(|(i, item)| {
                    self.check_poly(basis, item)
                        .map_err(|got| format!("{got} as item {i}"))
                })
            }
            (Type::Seed, Value::Seed(_)) => Ok(()),
            (_, Value::Poly(_)) => Err("a polynomial".into()),
            (_, Value::Array(_)) => Err("an array".into()),
            (_, Value::Seed(_)) => Err("a seed".into()),
        }
    }

    fn check_poly<W: Word>(&self, basis: &Basis, poly: &RnsPoly<W>) -> Result<(), String> {
        if (poly.n(), poly.towers()) != (self.n(), basis.len()) {
            return Err(format!("{} towers of degree {}", poly.towers(), poly.n()));
        }
        for (i, tower) in basis.iter().enumerate() {
            let q = self.primes[tower.index()];
            // Every word is looked at, so that the time does not depend on their values.
            let reduced = poly
                .tower(i)
                .iter()
                .fold(true, |all, word| all & (word.to_u128() < q));
            if !reduced {
                return Err(format!(
                    "words of tower {i} that are not below {tower} = {q}"
                ));
            }
        }
        Ok(())
    }
}
