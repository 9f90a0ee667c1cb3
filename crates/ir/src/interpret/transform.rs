//! The number-theoretic transform, from its definition.
//!
//! Word i of the result is a(psi^(2 brv(i) + 1)), psi the smallest primitive 2N-th root of unity
//! modulo q (Longa and Naehrig, "Speeding up the number theoretic transform", 2016, algorithms 1
//! and 2). Every butterfly is fully reduced. Of the conjugate-invariant ring it is the transform of
//! degree 2N, of which half of the words say all.

use ringwright_arith::bits::bit_reverse;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::{Modulus, Word};

/// Powers of psi for one prime.
pub(super) struct Transform<W: Word> {
    modulus: Modulus<W>,
    /// psi^brv(i).
    powers: Vec<W>,
    /// psi^-brv(i).
    inverse_powers: Vec<W>,
    /// 1/N.
    inverse_n: W,
}

impl<W: Word> Transform<W> {
    /// The transform of length 2^`log_n`; the modulus is 1 mod 2N.
    pub(super) fn new(log_n: u32, modulus: &Modulus<W>) -> Result<Self, String> {
        let psi = minimal_primitive_root_2n(modulus, log_n).map_err(|e| e.to_string())?;
        let invert = |x| modulus.inv(x).ok_or_else(|| format!("{x} has no inverse"));
        Ok(Transform {
            powers: bit_reversed_powers(modulus, psi, log_n),
            inverse_powers: bit_reversed_powers(modulus, invert(psi)?, log_n),
            inverse_n: invert(modulus.reduce_u128(1 << log_n))?,
            modulus: *modulus,
        })
    }

    /// Coefficients to evaluations.
    pub(super) fn forward(&self, words: &mut [W]) {
        let q = &self.modulus;
        let mut blocks = 1;
        while blocks < words.len() {
            let half = words.len() / (2 * blocks);
            for (block, chunk) in words.chunks_exact_mut(2 * half).enumerate() {
                let (low, high) = chunk.split_at_mut(half);
                for (a, b) in low.iter_mut().zip(high) {
                    let turned = q.mul(*b, self.powers[blocks + block]);
                    (*a, *b) = (q.add(*a, turned), q.sub(*a, turned));
                }
            }
            blocks *= 2;
        }
    }

    /// Evaluations to coefficients, 1/N included.
    pub(super) fn inverse(&self, words: &mut [W]) {
        let q = &self.modulus;
        let mut blocks = words.len() / 2;
        while blocks > 0 {
            let half = words.len() / (2 * blocks);
            for (block, chunk) in words.chunks_exact_mut(2 * half).enumerate() {
                let (low, high) = chunk.split_at_mut(half);
                for (a, b) in low.iter_mut().zip(high) {
                    let difference = q.sub(*a, *b);
                    *a = q.add(*a, *b);
                    *b = q.mul(difference, self.inverse_powers[blocks + block]);
                }
            }
            blocks /= 2;
        }
        for word in words {
            *word = q.mul(*word, self.inverse_n);
        }
    }
}

fn bit_reversed_powers<W: Word>(q: &Modulus<W>, base: W, log_n: u32) -> Vec<W> {
    let powers = std::iter::successors(Some(W::ONE), |&power| Some(q.mul(power, base)));
    let powers: Vec<W> = powers.take(1 << log_n).collect();
    (0..powers.len())
        .map(|i| powers[bit_reverse(i, log_n)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;

    #[test]
    fn words_are_evaluations_and_come_back() {
        let log_n = 5;
        let q = ntt_primes(100, log_n, 1).unwrap()[0];
        let modulus = Modulus::<u128>::new(q).unwrap();
        let transform = Transform::new(log_n, &modulus).unwrap();
        let psi = minimal_primitive_root_2n(&modulus, log_n).unwrap();
        let coefficients: Vec<u128> = (0..32).map(|i| q - 1 - i * (q / 37)).collect();

        let mut words = coefficients.clone();
        transform.forward(&mut words);
        for (i, &word) in words.iter().enumerate() {
            let point = modulus.pow(psi, 2 * bit_reverse(i, log_n) as u128 + 1);
            let horner = |value, &c| modulus.add(modulus.mul(value, point), c);
            assert_eq!(word, coefficients.iter().rev().fold(0, horner), "word {i}");
        }
        transform.inverse(&mut words);
        assert_eq!(words, coefficients);
    }
}
