//! What the verifier asks of a tagged function: that its signature is one of the composite's.

use super::signature::list;
use super::{Composite, Domain, Function, Type};

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
        Composite::KeySwitch { digit, special } => (
            is_key_switch(usize::from(digit), usize::from(special), &params, &results),
            "a polynomial over Q and an array of key parts over K in, two polynomials over Q out, all in \
             evaluation form; digits of at least one tower, at least one special prime, Q among the other \
             towers of K, and two key parts per digit of Q",
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

fn is_key_switch(digit: usize, special: usize, params: &[&Type], results: &[Type]) -> bool {
    let (
        [q, Type::Array {
            basis: key,
            domain: Domain::Eval,
            len,
        }],
        [c0, c1],
    ) = (params, results)
    else {
        return false;
    };
    let Type::Poly {
        basis,
        domain: Domain::Eval,
    } = q
    else {
        return false;
    };
    if digit == 0 || special == 0 || special >= key.len() {
        return false;
    }
    basis.is_subset_of(&key.slice(0..key.len() - special))
        && usize::from(*len) >= 2 * basis.len().div_ceil(digit)
        && c0 == *q
        && c1 == *q
}
