//! The rings that polynomials of N coefficients are of, N a power of two.
//!
//! | | standard | conjugate-invariant |
//! |---|---|---|
//! | ring | Z\[X\]/(X^N + 1) | Z\[X + X^-1\]/(X^2N + 1) |
//! | basis | 1, X, .., X^(N-1) | 1, X + X^-1, .., X^(N-1) + X^-(N-1) |
//! | spacing s | 2 | 4 |
//! | slots of the canonical embedding | N/2 complex | N real |
//!
//! Everything else follows from s. The roots of unity psi at which polynomials are evaluated have the
//! order s N, so primes are 1 modulo s N. Evaluation form has at word i the value at
//! psi^(s brv(i) + 1), brv reversing log2 N bits. The automorphisms are X -> X^g for the g below s N
//! that are 1 modulo s: the conjugate-invariant ring does not tell g from -g, and one of the two is
//! 1 modulo 4.
//!
//! The second ring is the first one's of twice the degree, without what X -> X^-1 changes. Its elements
//! have real embeddings. Source: Kim and Song, "Approximate homomorphic encryption over the
//! conjugate-invariant ring", ICISC 2018.

use crate::bits::bit_reverse;
use crate::modulus::Modulus;
use crate::roots::{minimal_primitive_root_2n, RootError};
use crate::word::Word;
use std::fmt;

/// Which ring polynomials of N coefficients are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RingKind {
    /// Z\[X\]/(X^N + 1), the negacyclic ring.
    Standard,
    /// Z\[X + X^-1\]/(X^2N + 1), what X -> X^-1 leaves as it is in the standard ring of degree 2N.
    ConjugateInvariant,
}

impl RingKind {
    /// Both.
    pub const ALL: [RingKind; 2] = [RingKind::Standard, RingKind::ConjugateInvariant];

    /// Its name, as in texts and messages.
    pub fn name(self) -> &'static str {
        match self {
            RingKind::Standard => "standard",
            RingKind::ConjugateInvariant => "conjugate-invariant",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// s, a power of two: what exponents of evaluation points and Galois elements are 1 modulo.
    pub fn spacing(self) -> u64 {
        match self {
            RingKind::Standard => 2,
            RingKind::ConjugateInvariant => 4,
        }
    }

    /// log2 of the order s N of psi.
    pub fn log_order(self, log_n: u32) -> u32 {
        log_n.saturating_add(self.spacing().ilog2())
    }

    /// The order s N of psi, for log_n of at most 61; what primes are 1 modulo.
    pub fn order(self, log_n: u32) -> u64 {
        self.spacing() << log_n
    }

    /// The smallest primitive root of unity of order s N modulo the prime q.
    pub fn psi<W: Word>(self, q: &Modulus<W>, log_n: u32) -> Result<W, RootError> {
        minimal_primitive_root_2n(q, self.log_order(log_n) - 1)
    }

    /// e, where word i of evaluation form is the value at psi^e.
    pub fn exponent(self, log_n: u32, i: usize) -> u64 {
        self.spacing() * bit_reverse(i, log_n) as u64 + 1
    }

    /// The word of evaluation form that is the value at psi^e, for e that is 1 modulo s; e counts
    /// modulo s N.
    pub fn word_of(self, log_n: u32, e: u64) -> usize {
        let e = e & (self.order(log_n) - 1);
        bit_reverse((e / self.spacing()) as usize, log_n)
    }

    /// Whether X -> X^galois is an automorphism, and this its element.
    pub fn is_galois(self, log_n: u32, galois: u64) -> bool {
        galois % self.spacing() == 1 && galois < self.order(log_n)
    }

    /// The Galois elements in words: "the odd numbers below 2N = 32".
    pub fn galois_elements(self, log_n: u32) -> String {
        let order = self.order_text(log_n);
        match self {
            RingKind::Standard => format!("the odd numbers below {order}"),
            RingKind::ConjugateInvariant => format!("the numbers 1 modulo 4 below {order}"),
        }
    }

    /// The order of psi in words: "2N = 32".
    pub fn order_text(self, log_n: u32) -> String {
        format!("{}N = {}", self.spacing(), self.order(log_n))
    }
}

impl fmt::Display for RingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const LOG_N: u32 = 5;

    #[test]
    fn words_are_the_orbit_of_every_galois_element() {
        for kind in RingKind::ALL {
            let words = 0..1usize << LOG_N;
            let exponents: BTreeSet<u64> = words.clone().map(|i| kind.exponent(LOG_N, i)).collect();
            assert_eq!(exponents.len(), words.len());
            assert!(
                exponents.iter().all(|&e| kind.is_galois(LOG_N, e)),
                "{kind}"
            );
            for i in words {
                assert_eq!(kind.word_of(LOG_N, kind.exponent(LOG_N, i)), i, "{kind}");
            }
        }
    }

    #[test]
    fn no_two_elements_are_inverse_to_each_other_where_conjugates_are_equal() {
        let kind = RingKind::ConjugateInvariant;
        let order = kind.order(LOG_N);
        for galois in (1..order).filter(|&g| kind.is_galois(LOG_N, g)) {
            assert!(!kind.is_galois(LOG_N, order - galois));
        }
    }

    #[test]
    fn names_are_read_back() {
        for kind in RingKind::ALL {
            assert_eq!(RingKind::named(kind.name()), Some(kind));
        }
        assert_eq!(RingKind::named("cyclic"), None);
    }
}
