//! Checks a run's inputs against the entry function's parameters.
//!
//! Every backend calls this first, so that kernels may rely on shapes and on reduced words.

use crate::ring::{Basis, Module, Type};
use crate::{RunError, Value};
use ringwright_arith::Word;
use ringwright_ring::RnsPoly;

/// Whether the inputs fit: their number, degree, towers, and every word below its prime. Reading
/// secret words against public primes reveals nothing of a valid input.
pub fn check<W: Word>(module: &Module, inputs: &[Value<W>]) -> Result<(), RunError> {
    let params = &module.entry().params;
    if params.len() != inputs.len() {
        return Err(RunError::ArgumentCount {
            expected: params.len(),
            got: inputs.len(),
        });
    }
    for (index, (param, input)) in params.iter().zip(inputs).enumerate() {
        check_one(module, &param.ty, input).map_err(|got| RunError::Argument {
            index,
            name: param.name.clone(),
            expected: format!("{} of degree {}", param.ty, module.n()),
            got,
        })?;
    }
    Ok(())
}

fn check_one<W: Word>(module: &Module, ty: &Type, input: &Value<W>) -> Result<(), String> {
    match (ty, input) {
        (Type::Poly { basis, .. }, Value::Poly(poly)) => check_poly(module, basis, poly),
        (Type::Array { basis, len, .. }, Value::Array(items)) => {
            if items.len() != usize::from(*len) {
                return Err(format!("an array of {}", items.len()));
            }
            items.iter().enumerate().try_for_each(|(i, item)| {
                check_poly(module, basis, item).map_err(|got| format!("{got} as item {i}"))
            })
        }
        (Type::Seed, Value::Seed(_)) => Ok(()),
        (_, Value::Poly(_)) => Err("a polynomial".into()),
        (_, Value::Array(_)) => Err("an array".into()),
        (_, Value::Seed(_)) => Err("a seed".into()),
    }
}

fn check_poly<W: Word>(module: &Module, basis: &Basis, poly: &RnsPoly<W>) -> Result<(), String> {
    if (poly.n(), poly.towers()) != (module.n(), basis.len()) {
        return Err(format!("{} towers of degree {}", poly.towers(), poly.n()));
    }
    for (i, tower) in basis.iter().enumerate() {
        let q = module.prime(tower);
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
