//! Primitive 2N-th roots of unity, N a power of two.
//!
//! A transform is fixed by its root. We take the smallest primitive root, as SEAL does, so that
//! two parties who agree on N and q agree on every word of the evaluation form.

use crate::modulus::Modulus;
use crate::word::Word;

/// Why a modulus has no root to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RootError {
    /// 2N does not divide q - 1.
    #[error("modulus {q} is not 1 mod 2N for N = 2^{log_n}: no primitive 2N-th root")]
    NotCongruent {
        /// The modulus.
        q: u128,
        /// log2 of N.
        log_n: u32,
    },
    /// No candidate had the right order, which does not happen for a prime.
    #[error("modulus {0} has no primitive 2N-th root among the powers tried: is it prime?")]
    NotPrime(u128),
}

/// Candidates to try; each fails with probability 1/2 for a prime modulus.
const CANDIDATES: u128 = 128;

/// The smallest primitive 2N-th root of unity modulo the prime q, N = 2^log_n.
pub fn minimal_primitive_root_2n<W: Word>(q: &Modulus<W>, log_n: u32) -> Result<W, RootError> {
    let value = q.value().to_u128();
    if log_n.saturating_add(1) >= q.bits() || (value - 1) & ((2 << log_n) - 1) != 0 {
        return Err(RootError::NotCongruent { q: value, log_n });
    }
    let root = any_primitive_root(q, log_n).ok_or(RootError::NotPrime(value))?;
    Ok(smallest_odd_power(q, root, 1 << log_n))
}

/// Some w with w^N = -1.
fn any_primitive_root<W: Word>(q: &Modulus<W>, log_n: u32) -> Option<W> {
    let cofactor = (q.value().to_u128() - 1) >> (log_n + 1);
    let minus_one = q.neg(W::ONE);
    (2..CANDIDATES)
        .map(|candidate| q.pow(q.reduce(W::from_u128(candidate)), cofactor))
        .find(|&root| q.pow(root, 1 << log_n) == minus_one)
}

/// The primitive 2N-th roots are the N odd powers of one of them.
fn smallest_odd_power<W: Word>(q: &Modulus<W>, root: W, n: usize) -> W {
    let step = q.shoup(q.mul(root, root));
    let powers = std::iter::successors(Some(root), |&power| Some(q.mul_shoup(power, &step)));
    powers.take(n).min().unwrap_or(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::ntt_primes;

    #[test]
    fn is_the_smallest_of_all_residues_with_that_order() {
        for log_n in 4..8 {
            let prime = ntt_primes(14, log_n, 1).unwrap()[0] as u32;
            let q = Modulus::new(prime).unwrap();
            let smallest = (1..prime).find(|&w| q.pow(w, 1 << log_n) == prime - 1);
            assert_eq!(minimal_primitive_root_2n(&q, log_n).ok(), smallest);
        }
    }

    #[test]
    fn every_word_finds_the_same_root() {
        let prime = ntt_primes(30, 17, 1).unwrap()[0];
        let narrow = minimal_primitive_root_2n(&Modulus::new(prime as u32).unwrap(), 17).unwrap();
        let middle = minimal_primitive_root_2n(&Modulus::new(prime as u64).unwrap(), 17).unwrap();
        let wide = minimal_primitive_root_2n(&Modulus::new(prime).unwrap(), 17).unwrap();
        assert_eq!((u64::from(narrow), u128::from(narrow)), (middle, wide));
    }

    #[test]
    fn refuses_moduli_without_a_root() {
        let q = Modulus::new(97u64).unwrap();
        let error = RootError::NotCongruent { q: 97, log_n: 5 };
        assert_eq!(minimal_primitive_root_2n(&q, 5), Err(error));
        assert!(minimal_primitive_root_2n(&q, u32::MAX).is_err());
        // 33 = 3 * 11 is 1 mod 32 and no prime: no square root of -1 modulo 3.
        let composite = Modulus::new(33u64).unwrap();
        assert_eq!(
            minimal_primitive_root_2n(&composite, 4),
            Err(RootError::NotPrime(33))
        );
    }
}
