//! Constants of a program: how an operation takes them, and what they are encoded as.

use super::{Embedding, Error, Estimate, Place};
use ringwright_ir::he::{Constant, HeOpKind, Program, Values};
use ringwright_ring::RnsPoly;
use std::sync::Arc;

/// A constant and its place.
pub(super) type ConstantUse = (usize, Place);

/// The plaintexts that an operation takes; `a` is known of its first operand.
pub(super) fn constant_uses(program: &Program, kind: &HeOpKind, a: &Estimate) -> Vec<ConstantUse> {
    let one = |constant: usize, scale| match uniform(program, constant, scale) {
        Some(_) => Vec::new(),
        None => vec![(constant, Place::new(a.level, scale))],
    };
    match *kind {
        HeOpKind::AddConstant { constant } => one(constant, a.scale),
        HeOpKind::MulConstant { constant, scale } => one(constant, scale),
        HeOpKind::Transform { ref terms, scale } => {
            let place = Place::new(a.level, scale).extended();
            terms.iter().map(|term| (term.constant, place)).collect()
        }
        _ => Vec::new(),
    }
}

/// The integer that stands for a constant of one value in all slots.
pub(super) fn uniform(program: &Program, constant: usize, scale: f64) -> Option<f64> {
    let value = program.constants[constant].values.uniform()?;
    Some((value * scale).round_ties_even())
}

/// A constant at a place, in coefficient form.
///
/// # Errors
/// Numbers that do not fit; numbers that come with each run.
pub(super) fn encoded(
    embedding: &Embedding,
    constant: &Constant,
    place: Place,
) -> Result<Arc<RnsPoly>, Error> {
    let all = |re: &[f64], im: &[f64]| embedding.encode_at(re, im, place);
    let slots = embedding.parameters().slots();
    match &constant.values {
        Values::Real(values) => all(&repeated(values, slots), &[]),
        Values::Complex(values) => {
            let [re, im] = [0, 1].map(|part| values.iter().map(|v| v[part]).collect::<Vec<_>>());
            all(&repeated(&re, slots), &repeated(&im, slots))
        }
        Values::Integer(values) => {
            let reals: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            all(&repeated(&reals, slots), &[])
        }
        Values::Argument { .. } => Err(Error::Internal(format!(
            "{} comes with each run",
            constant.name
        ))),
    }
}

/// Numbers, repeated to fill the slots.
pub(super) fn repeated(values: &[f64], slots: usize) -> Vec<f64> {
    values.iter().cycle().take(slots).copied().collect()
}

/// Which of the plain arguments a constant is.
pub(super) fn argument(program: &Program, constant: usize) -> usize {
    let before = program.plain_arguments().take_while(|&c| c < constant);
    before.count()
}
