//! The automorphisms X -> X^g of a ring of either kind, g being one of its Galois elements
//! ([`RingKind`]).
//!
//! In coefficient form of a standard ring the coefficient of X^i moves to X^(i g mod 2N), with
//! X^N = -1; in that of a conjugate-invariant one that of X^i + X^-i moves to X^(i g) + X^-(i g), with
//! X^2N = -1. In evaluation form the words only change places: word i holds a(psi^e) with
//! e = s brv(i) + 1, and the image b(X) = a(X^g) has b(psi^e) = a(psi^(e g)).
//!
//! Slots of the canonical embedding lie on the orbit of 5, so 5^k rotates them left by k. In a standard
//! ring 2N - 1 = -1 conjugates them.

use crate::rns_poly::ShapeError;
use ringwright_arith::{Modulus, RingKind, Word};

/// Why there is no such automorphism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AutomorphismError {
    /// No Galois element of the ring.
    #[error(
        "Galois element {galois} of a {kind} ring; allowed are {}",
        .kind.galois_elements(*.log_n)
    )]
    Galois {
        /// The element given.
        galois: u64,
        /// The ring's kind.
        kind: RingKind,
        /// log2 of N.
        log_n: u32,
    },
    /// Words that are no tower, or do not fit each other.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Writes a(X^galois) into `dst`, for the coefficients `src` of a(X) modulo q.
pub fn apply_coeff<W: Word>(
    kind: RingKind,
    galois: u64,
    q: &Modulus<W>,
    src: &[W],
    dst: &mut [W],
) -> Result<(), AutomorphismError> {
    let n = src.len();
    check(kind, n, galois)?;
    if dst.len() != n {
        let what = "words of the image";
        return Err(ShapeError::Length {
            what,
            given: dst.len(),
            expected: n,
        }
        .into());
    }
    let (step, mask) = (galois as usize, (kind.spacing() as usize) * n - 1);
    let mut exponent = 0;
    for &word in src {
        let (place, negative) = place(kind, n, exponent);
        dst[place] = if negative { q.neg(word) } else { word };
        exponent = (exponent + step) & mask;
    }
    Ok(())
}

/// Which element of the ring's basis X^exponent belongs to, and whether with its sign turned; of the
/// conjugate-invariant ring X^exponent + X^-exponent.
fn place(kind: RingKind, n: usize, exponent: usize) -> (usize, bool) {
    match kind {
        RingKind::Standard => (exponent & (n - 1), exponent & n != 0),
        RingKind::ConjugateInvariant => {
            // X^-e is beside X^e, and X^e = -X^(e - 2N).
            let half = exponent.min(4 * n - exponent);
            (half.min(2 * n - half), half > n)
        }
    }
}

/// Where each word of the image comes from, in evaluation form: `dst[i] = src[permutation[i]]`.
pub fn eval_permutation(
    kind: RingKind,
    log_n: u32,
    galois: u64,
) -> Result<Vec<u32>, AutomorphismError> {
    let n = 1usize.checked_shl(log_n).unwrap_or(0);
    check(kind, n, galois)?;
    let source = |i| kind.word_of(log_n, kind.exponent(log_n, i).wrapping_mul(galois)) as u32;
    Ok((0..n).map(source).collect())
}

/// The Galois element that rotates the slots left by `steps` (negative: right): 5^steps modulo the
/// order of psi.
pub fn galois_of_rotation(kind: RingKind, steps: i32, log_n: u32) -> u64 {
    let mask = u64::MAX >> u64::BITS.saturating_sub(kind.log_order(log_n));
    // 5 has a quarter of the order as its own, so two's complement gives negative steps for free.
    let mut exponent = i64::from(steps) as u64 & (mask >> 2);
    let (mut power, mut result) = (5u64, 1u64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(power) & mask;
        }
        power = power.wrapping_mul(power) & mask;
        exponent >>= 1;
    }
    result
}

/// The Galois element that conjugates the slots of a standard ring: 2N - 1.
pub fn galois_of_conjugation(log_n: u32) -> u64 {
    u64::MAX >> (u64::BITS - 1).saturating_sub(log_n)
}

fn check(kind: RingKind, n: usize, galois: u64) -> Result<(), AutomorphismError> {
    if !crate::rns_poly::is_degree(n) {
        return Err(ShapeError::Degree(n).into());
    }
    let log_n = n.ilog2();
    match kind.is_galois(log_n, galois) {
        true => Ok(()),
        false => Err(AutomorphismError::Galois {
            galois,
            kind,
            log_n,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOG_N: u32 = 5;
    const N: usize = 1 << LOG_N;

    /// A prime of both rings.
    fn modulus() -> Modulus<u64> {
        let prime = ringwright_arith::primes::ntt_primes(30, LOG_N + 1, 1).unwrap()[0];
        Modulus::new(prime as u64).unwrap()
    }

    fn evaluate(q: &Modulus<u64>, coefficients: &[u64], x: u64) -> u64 {
        coefficients
            .iter()
            .rev()
            .fold(0, |sum, &c| q.add(q.mul(sum, x), c))
    }

    /// Evaluation form by definition.
    fn evaluations(kind: RingKind, q: &Modulus<u64>, coefficients: &[u64]) -> Vec<u64> {
        let psi = kind.psi(q, LOG_N).unwrap();
        let value = |i| {
            let point = q.pow(psi, kind.exponent(LOG_N, i).into());
            let value = evaluate(q, coefficients, point);
            match kind {
                RingKind::Standard => value,
                RingKind::ConjugateInvariant => {
                    let inverse = evaluate(q, coefficients, q.inv(point).unwrap());
                    q.sub(q.add(value, inverse), coefficients[0])
                }
            }
        };
        (0..N).map(value).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn both_forms_agree(words in prop::collection::vec(any::<u64>(), N), half in 0..N as u64) {
            let q = modulus();
            let src: Vec<u64> = words.iter().map(|&w| q.reduce(w)).collect();
            for kind in RingKind::ALL {
                let galois = kind.spacing() * half + 1;
                let mut image = vec![0; N];
                apply_coeff(kind, galois, &q, &src, &mut image).unwrap();
                let before = evaluations(kind, &q, &src);
                let permutation = eval_permutation(kind, LOG_N, galois).unwrap();
                let permuted: Vec<u64> = permutation.iter().map(|&j| before[j as usize]).collect();
                prop_assert_eq!(permuted, evaluations(kind, &q, &image));
            }
        }

        #[test]
        fn rotations_compose(a in any::<i16>(), b in any::<i16>(), log_n in 4u32..=17) {
            let (a, b) = (i32::from(a), i32::from(b));
            for kind in RingKind::ALL {
                let g = |steps| galois_of_rotation(kind, steps, log_n);
                let mask = kind.order(log_n) - 1;
                prop_assert_eq!((g(a) * g(b)) & mask, g(a + b));
                prop_assert_eq!((g(a) * g(-a)) & mask, 1);
                prop_assert!(kind.is_galois(log_n, g(a)));
            }
        }
    }

    #[test]
    fn one_step_is_five_and_a_full_turn_is_the_identity() {
        for log_n in crate::rns_poly::LOG_N_RANGE {
            for (kind, log_slots) in [
                (RingKind::Standard, log_n - 1),
                (RingKind::ConjugateInvariant, log_n),
            ] {
                assert_eq!(galois_of_rotation(kind, 1, log_n), 5);
                assert_eq!(galois_of_rotation(kind, 1 << log_slots, log_n), 1);
                assert_ne!(galois_of_rotation(kind, 1 << (log_slots - 1), log_n), 1);
            }
            assert_eq!(galois_of_conjugation(log_n), (2 << log_n) - 1);
        }
    }

    #[test]
    fn bad_elements_are_named() {
        let (standard, real) = (RingKind::Standard, RingKind::ConjugateInvariant);
        let even = eval_permutation(standard, LOG_N, 4).unwrap_err();
        assert_eq!(
            even.to_string(),
            "Galois element 4 of a standard ring; allowed are the odd numbers below 2N = 64"
        );
        let minus_one = eval_permutation(real, LOG_N, 127).unwrap_err();
        assert_eq!(
            minus_one.to_string(),
            "Galois element 127 of a conjugate-invariant ring; allowed are the numbers 1 modulo 4 \
             below 4N = 128"
        );
        assert!(eval_permutation(standard, LOG_N, 65).is_err());
        assert!(eval_permutation(standard, 200, 1).is_err());
        let (src, mut short) = (vec![0; N], vec![0; N - 1]);
        assert!(apply_coeff(standard, 3, &modulus(), &src, &mut short).is_err());
        assert!(apply_coeff(standard, 3, &modulus(), &src[1..], &mut short).is_err());
    }
}
