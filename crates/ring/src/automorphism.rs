//! The automorphisms X -> X^g of Z\[X\]/(X^N + 1), g odd.
//!
//! In coefficient form the coefficient of X^i moves to X^(i g mod 2N), with X^N = -1. In
//! evaluation form the words only change places: word i holds a(psi^e) with
//! e = 2 brv(i) + 1, and the image b(X) = a(X^g) has b(psi^e) = a(psi^(e g)).
//!
//! Slots of the canonical embedding lie on the orbit of 5, so 5^k rotates them left by k and
//! 2N - 1 = -1 conjugates them.

use crate::rns_poly::ShapeError;
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::{Modulus, Word};

/// Why there is no such automorphism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AutomorphismError {
    /// Even, or not below 2N.
    #[error("Galois element {galois}: must be odd and below 2N = {two_n}")]
    Galois {
        /// The element given.
        galois: u64,
        /// 2N.
        two_n: u64,
    },
    /// Words that are no tower, or do not fit each other.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Writes a(X^galois) into `dst`, for the coefficients `src` of a(X) modulo q.
pub fn apply_coeff<W: Word>(
    galois: u64,
    q: &Modulus<W>,
    src: &[W],
    dst: &mut [W],
) -> Result<(), AutomorphismError> {
    let n = src.len();
    check(n, galois)?;
    if dst.len() != n {
        let what = "words of the image";
        return Err(ShapeError::Length {
            what,
            given: dst.len(),
            expected: n,
        }
        .into());
    }
    let (step, mask) = (galois as usize, 2 * n - 1);
    let mut exponent = 0;
    for &word in src {
        let negated = if exponent & n == 0 { word } else { q.neg(word) };
        dst[exponent & (n - 1)] = negated;
        exponent = (exponent + step) & mask;
    }
    Ok(())
}

/// Where each word of the image comes from, in evaluation form: `dst[i] = src[permutation[i]]`.
pub fn eval_permutation(log_n: u32, galois: u64) -> Result<Vec<u32>, AutomorphismError> {
    let n = 1usize.checked_shl(log_n).unwrap_or(0);
    check(n, galois)?;
    let mask = 2 * n - 1;
    let source = |i: usize| {
        let exponent = (2 * bit_reverse(i, log_n) + 1).wrapping_mul(galois as usize) & mask;
        bit_reverse(exponent / 2, log_n) as u32
    };
    Ok((0..n).map(source).collect())
}

/// The Galois element that rotates the slots left by `steps` (negative: right): 5^steps mod 2N.
pub fn galois_of_rotation(steps: i32, log_n: u32) -> u64 {
    let mask = galois_of_conjugation(log_n);
    // 5 has order N/2 modulo 2N, so two's complement gives negative steps for free.
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

/// The Galois element that conjugates the slots: 2N - 1.
pub fn galois_of_conjugation(log_n: u32) -> u64 {
    u64::MAX >> (u64::BITS - 1).saturating_sub(log_n)
}

fn check(n: usize, galois: u64) -> Result<(), AutomorphismError> {
    if !crate::rns_poly::is_degree(n) {
        return Err(ShapeError::Degree(n).into());
    }
    let two_n = 2 * n as u64;
    match galois % 2 == 1 && galois < two_n {
        true => Ok(()),
        false => Err(AutomorphismError::Galois { galois, two_n }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ringwright_arith::roots::minimal_primitive_root_2n;

    const LOG_N: u32 = 5;
    const N: usize = 1 << LOG_N;

    fn modulus() -> Modulus<u64> {
        let prime = ringwright_arith::primes::ntt_primes(30, LOG_N, 1).unwrap()[0];
        Modulus::new(prime as u64).unwrap()
    }

    fn evaluate(q: &Modulus<u64>, coefficients: &[u64], x: u64) -> u64 {
        coefficients
            .iter()
            .rev()
            .fold(0, |sum, &c| q.add(q.mul(sum, x), c))
    }

    /// Evaluation form by definition.
    fn evaluations(q: &Modulus<u64>, coefficients: &[u64]) -> Vec<u64> {
        let psi = minimal_primitive_root_2n(q, LOG_N).unwrap();
        let point = |i| q.pow(psi, 2 * bit_reverse(i, LOG_N) as u128 + 1);
        (0..N)
            .map(|i| evaluate(q, coefficients, point(i)))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn both_forms_agree(words in prop::collection::vec(any::<u64>(), N), half in 0..N as u64) {
            let (q, galois) = (modulus(), 2 * half + 1);
            let src: Vec<u64> = words.iter().map(|&w| q.reduce(w)).collect();
            let mut image = vec![0; N];
            apply_coeff(galois, &q, &src, &mut image).unwrap();
            let before = evaluations(&q, &src);
            let permutation = eval_permutation(LOG_N, galois).unwrap();
            let permuted: Vec<u64> = permutation.iter().map(|&j| before[j as usize]).collect();
            prop_assert_eq!(permuted, evaluations(&q, &image));
        }

        #[test]
        fn rotations_compose(a in any::<i16>(), b in any::<i16>(), log_n in 4u32..=17) {
            let g = |steps| galois_of_rotation(steps, log_n);
            let mask = galois_of_conjugation(log_n);
            let (a, b) = (i32::from(a), i32::from(b));
            prop_assert_eq!((g(a) * g(b)) & mask, g(a + b));
            prop_assert_eq!((g(a) * g(-a)) & mask, 1);
        }
    }

    #[test]
    fn one_step_is_five_and_a_full_turn_is_the_identity() {
        for log_n in crate::rns_poly::LOG_N_RANGE {
            assert_eq!(galois_of_rotation(1, log_n), 5);
            assert_eq!(galois_of_rotation(1 << (log_n - 1), log_n), 1);
            assert_ne!(galois_of_rotation(1 << (log_n - 2), log_n), 1);
            assert_eq!(galois_of_conjugation(log_n), (2 << log_n) - 1);
        }
    }

    #[test]
    fn bad_elements_are_named() {
        let even = eval_permutation(LOG_N, 4).unwrap_err();
        assert_eq!(
            even.to_string(),
            "Galois element 4: must be odd and below 2N = 64"
        );
        assert!(eval_permutation(LOG_N, 65).is_err());
        assert!(eval_permutation(200, 1).is_err());
        let (src, mut short) = (vec![0; N], vec![0; N - 1]);
        assert!(apply_coeff(3, &modulus(), &src, &mut short).is_err());
        assert!(apply_coeff(3, &modulus(), &src[1..], &mut short).is_err());
    }
}
