//! Which towers are which: ciphertext primes first, then special primes.

use super::Ring;
use ringwright_ir::ring::Basis;

/// The towers of the first `level` ciphertext primes.
pub(crate) fn ciphertext_towers(level: usize) -> Basis {
    Basis::range(0..level as u16)
}

/// The towers of the special primes.
pub(crate) fn special_towers(ring: &Ring) -> Basis {
    let levels = ring.levels() as u16;
    Basis::range(levels..levels + ring.p().len() as u16)
}

/// All towers.
pub(crate) fn all_towers(ring: &Ring) -> Basis {
    ciphertext_towers(ring.levels()).join(&special_towers(ring))
}
