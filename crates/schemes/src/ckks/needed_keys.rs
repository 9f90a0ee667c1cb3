//! Which evaluation keys a program needs.

use super::{Analysed, Parameters};
use ringwright_ir::he::{HeOpKind, KeyId};
use ringwright_ring::automorphism::{galois_of_conjugation, galois_of_rotation};
use std::collections::BTreeSet;

/// The keys a program needs.
pub fn required_keys(analysed: &Analysed) -> BTreeSet<KeyId> {
    let ops = analysed.program().ops.iter();
    ops.filter_map(|op| key_of(&op.kind, analysed.parameters()))
        .collect()
}

/// The key an operation needs.
pub(super) fn key_of(kind: &HeOpKind, parameters: &Parameters) -> Option<KeyId> {
    match kind {
        HeOpKind::MulRelin | HeOpKind::Relinearise => Some(KeyId::Mult),
        _ => galois_of(kind, parameters).map(KeyId::Galois),
    }
}

/// The Galois element of a rotation or conjugation.
pub(super) fn galois_of(kind: &HeOpKind, parameters: &Parameters) -> Option<u64> {
    let log_n = parameters.log_n();
    match kind {
        HeOpKind::Rotate { steps } => Some(galois_of_rotation(*steps, log_n)),
        HeOpKind::Conjugate => Some(galois_of_conjugation(log_n)),
        // The conjugation's element is -1.
        HeOpKind::RotateConjugate { steps } => {
            Some(1 + galois_of_conjugation(log_n) - galois_of_rotation(*steps, log_n))
        }
        _ => None,
    }
}
