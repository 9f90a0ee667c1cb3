//! What the verifier asks of a tagged function: that its signature is one of the composite's.

use super::signature::list;
use super::{Composite, Digits, Domain, Function, Type};

/// Whether a function's signature is one of its composite.
pub(super) fn check_signature(composite: Composite, func: &Function) -> Result<(), String> {
    let params: Vec<&Type> = func.params.iter().map(|p| &p.ty).collect();
    let results = func.result_types();
    let (holds, allowed) = match composite {
        Composite::BasisExtension | Composite::FastExtension => (
            is_basis_extension(&params, &results),
            "one polynomial in, one out, both in coefficient form",
        ),
        Composite::ModDown | Composite::FastModDown => (
            is_mod_down(&params, &results),
            "one polynomial in, one out, of the same form, the result's towers at the head of the operand's",
        ),
        Composite::KeySwitch { digits, special } => (
            takes_key(digits, special.into(), &params) && results_over(0, &params, &results),
            "a polynomial over Q and an array of key parts over K in, two polynomials over Q out, all in \
             evaluation form; digits of at least one tower, at least one special prime, Q among the other \
             towers of K, and two key parts per digit of Q",
        ),
        Composite::KeyProduct { digits, special } => (
            takes_key(digits, special.into(), &params)
                && results_over(special.into(), &params, &results),
            "a polynomial over Q and an array of key parts over K in, two polynomials over Q and the special \
             primes out, all in evaluation form; digits of at least one tower, at least one special prime, \
             Q among the other towers of K, and two key parts per digit of Q",
        ),
    };
    match holds {
        true => Ok(()),
        false => Err(format!(
            "the signature ({}) -> {} is not one of {composite}, which takes {allowed}",
            list(params.into_iter()),
            list(results.iter()),
        )),
    }
}

fn is_basis_extension(params: &[&Type], results: &[Type]) -> bool {
    let coeff = |ty: &Type| {
        matches!(
            ty,
            Type::Poly {
                domain: Domain::Coeff,
                ..
            }
        )
    };
    matches!((params, results), ([a], [b]) if coeff(a) && coeff(b))
}

fn is_mod_down(params: &[&Type], results: &[Type]) -> bool {
    match (params, results) {
        (
            [Type::Poly { basis, domain }],
            [Type::Poly {
                basis: kept,
                domain: form,
            }],
        ) => domain == form && kept.len() < basis.len() && basis.0.starts_with(&kept.0),
        _ => false,
    }
}

/// Whether the parameters are a polynomial and a key for it.
fn takes_key(digits: Digits, special: usize, params: &[&Type]) -> bool {
    let [Type::Poly {
        basis,
        domain: Domain::Eval,
    }, Type::Array {
        basis: key,
        domain: Domain::Eval,
        len,
    }] = params
    else {
        return false;
    };
    digits != Digits::Of(0)
        && (1..key.len()).contains(&special)
        && basis.is_subset_of(&key.slice(0..key.len() - special))
        && usize::from(*len) >= 2 * digits.count(basis.len())
}

/// Whether two polynomials come out, under the primes of the one that goes in and the last ones of the key.
fn results_over(special: usize, params: &[&Type], results: &[Type]) -> bool {
    let ([q, key], [_, _]) = (params, results) else {
        return false;
    };
    let (Some(basis), Some(key)) = (q.basis(), key.basis()) else {
        return false;
    };
    let over = basis.join(&key.slice(key.len() - special..key.len()));
    let over = Type::poly(&over, Domain::Eval);
    results.iter().all(|result| *result == over)
}
