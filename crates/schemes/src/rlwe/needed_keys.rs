//! Which evaluation keys a program needs.

use super::{Error, KeyShape, Ring};
use ringwright_arith::RingKind;
use ringwright_ir::he::{HeOpKind, KeyId, Program};
use ringwright_ring::automorphism::{galois_of_conjugation, galois_of_rotation};
use std::collections::{BTreeMap, BTreeSet};

/// The keys a program needs.
pub fn required_keys(program: &Program, ring: &Ring) -> BTreeSet<KeyId> {
    let keys = program.ops().flat_map(|(_, op)| keys_of(&op.kind, ring));
    keys.collect()
}

/// By function, the keys that it needs, those of the functions that it calls included.
pub(crate) fn keys_by_function(program: &Program, ring: &Ring) -> Vec<BTreeSet<KeyId>> {
    let mut known: Vec<BTreeSet<KeyId>> = Vec::with_capacity(program.functions.len());
    for function in &program.functions {
        let mut keys = BTreeSet::new();
        for op in &function.ops {
            match op.kind {
                HeOpKind::Call { function } => keys.extend(&known[function]),
                ref kind => keys.extend(keys_of(kind, ring)),
            }
        }
        known.push(keys);
    }
    known
}

/// The keys a program needs, each for the levels that it is used at and no higher.
///
/// # Errors
/// [`Error::NoSpecialPrimes`], or a program of levels that the ring does not have.
pub fn required_shapes(program: &Program, ring: &Ring) -> Result<BTreeMap<KeyId, KeyShape>, Error> {
    let mut levels = BTreeMap::<KeyId, usize>::new();
    for (function, op) in program.ops() {
        for key in keys_of(&op.kind, ring) {
            let level = usize::from(function.types[op.args[0].index()].level);
            let highest = levels.entry(key).or_default();
            *highest = level.max(*highest);
        }
    }
    let shapes = levels.into_iter();
    shapes
        .map(|(key, level)| Ok((key, KeyShape::of(ring, key, level)?)))
        .collect()
}

/// The keys an operation needs.
pub(crate) fn keys_of(kind: &HeOpKind, ring: &Ring) -> BTreeSet<KeyId> {
    match kind {
        &HeOpKind::SwitchKey { from, to } => [KeyId::Switch { from, to }].into(),
        HeOpKind::MulRelin | HeOpKind::Relinearise => [KeyId::Mult].into(),
        HeOpKind::Transform { terms, .. } => {
            let steps = terms.iter().flat_map(|term| [term.baby, term.giant]);
            let elements = steps.filter_map(|steps| rotation_key(steps, ring));
            elements.map(KeyId::Galois).collect()
        }
        _ => galois_of(kind, ring)
            .into_iter()
            .map(KeyId::Galois)
            .collect(),
    }
}

/// The Galois element of a rotation that moves anything.
pub(crate) fn rotation_key(steps: i32, ring: &Ring) -> Option<u64> {
    let galois = galois_of_rotation(ring.kind(), steps, ring.log_n());
    (galois != 1).then_some(galois)
}

/// The Galois element of a rotation or conjugation; a conjugate-invariant ring has no conjugation.
pub(crate) fn galois_of(kind: &HeOpKind, ring: &Ring) -> Option<u64> {
    let log_n = ring.log_n();
    let rotation = |steps| galois_of_rotation(ring.kind(), steps, log_n);
    let conjugation = || match ring.kind() {
        RingKind::Standard => Some(galois_of_conjugation(log_n)),
        RingKind::ConjugateInvariant => None,
    };
    match kind {
        HeOpKind::Rotate { steps } => Some(rotation(*steps)),
        HeOpKind::Conjugate => conjugation(),
        // The conjugation's element is -1.
        HeOpKind::RotateConjugate { steps } => {
            conjugation().map(|minus_one| 1 + minus_one - rotation(*steps))
        }
        _ => None,
    }
}
