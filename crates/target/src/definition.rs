//! What the operations on one tower mean, written from their definitions and from nothing else.
//!
//! Whoever checks a machine or a program compares with these. They share no code with a lowering,
//! with the interpreter or with a transform plan, and only with the arithmetic of one word.

use ringwright_arith::Modulus;

/// Words of one tower, each below the modulus.
pub type Tower = Vec<u128>;

/// The smallest primitive 2N-th root of unity modulo the prime; `None` where there is none.
pub fn smallest_root(q: &Modulus<u128>, log_n: u32) -> Option<u128> {
    let n = 1u128 << log_n;
    if !(q.value() - 1).is_multiple_of(2 * n) {
        return None;
    }
    let is_root = |w: u128| q.pow(w, n) == q.value() - 1;
    let some = |g: u128| q.pow(g, (q.value() - 1) / (2 * n));
    let some = (2..q.value().min(1000)).map(some).find(|&w| is_root(w))?;
    let square = q.mul(some, some);
    let odd = std::iter::successors(Some(some), |&w| Some(q.mul(w, square)));
    odd.take(n as usize).min()
}

/// Bits of `i` in the opposite order.
fn reversed(i: usize, bits: u32) -> usize {
    (0..bits).fold(0, |out, bit| out << 1 | (i >> bit & 1))
}

/// Word i is the polynomial at psi^(2 brv(i) + 1), psi a primitive 2N-th root of unity.
///
/// Words 2k and 2k + 1 are its values at x and -x: E + x O and E - x O, where E and O are the
/// polynomials of its even and odd coefficients at x^2.
pub fn ntt(q: &Modulus<u128>, psi: u128, coefficients: &[u128]) -> Tower {
    let n = coefficients.len();
    if n == 1 {
        return coefficients.to_vec();
    }
    let part = |first: usize| -> Tower {
        coefficients
            .iter()
            .skip(first)
            .step_by(2)
            .copied()
            .collect()
    };
    let square = q.mul(psi, psi);
    let (even, odd) = (ntt(q, square, &part(0)), ntt(q, square, &part(1)));
    let bits = n.ilog2() - 1;
    let pair = |k: usize| {
        let x = q.pow(psi, 2 * reversed(k, bits) as u128 + 1);
        let product = q.mul(x, odd[k]);
        [q.add(even[k], product), q.sub(even[k], product)]
    };
    (0..n / 2).flat_map(pair).collect()
}

/// The coefficients of which these words are the transform: the same steps backwards. `None` where
/// psi or 2 has no inverse.
pub fn intt(q: &Modulus<u128>, psi: u128, words: &[u128]) -> Option<Tower> {
    Some(back(q, q.inv(psi)?, q.inv(2)?, words))
}

fn back(q: &Modulus<u128>, psi_inverse: u128, half: u128, words: &[u128]) -> Tower {
    let n = words.len();
    if n == 1 {
        return words.to_vec();
    }
    let bits = n.ilog2() - 1;
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (k, pair) in words.chunks_exact(2).enumerate() {
        let inverse = q.pow(psi_inverse, 2 * reversed(k, bits) as u128 + 1);
        even.push(q.mul(half, q.add(pair[0], pair[1])));
        odd.push(q.mul(q.mul(half, inverse), q.sub(pair[0], pair[1])));
    }
    let square = q.mul(psi_inverse, psi_inverse);
    let (even, odd) = (back(q, square, half, &even), back(q, square, half, &odd));
    even.into_iter()
        .zip(odd)
        .flat_map(|(e, o)| [e, o])
        .collect()
}

/// X to X^galois on coefficients, galois odd: X^N is -1.
pub fn automorphism_of_coefficients(q: &Modulus<u128>, galois: u64, words: &[u128]) -> Tower {
    let n = words.len() as u64;
    let mut out = vec![0; words.len()];
    for (i, &word) in words.iter().enumerate() {
        let exponent = i as u64 * galois % (2 * n);
        out[(exponent % n) as usize] = match exponent < n {
            true => word,
            false => q.sub(0, word),
        };
    }
    out
}

/// X to X^galois on evaluations, galois odd: word i moves from where the transform has
/// psi^(galois (2 brv(i) + 1)).
pub fn automorphism_of_evaluations(galois: u64, words: &[u128]) -> Tower {
    let n = words.len();
    let bits = n.ilog2();
    let source = |i: usize| {
        let exponent = (2 * reversed(i, bits) as u64 + 1) * galois % (2 * n as u64);
        words[reversed((exponent / 2) as usize, bits)]
    };
    (0..n).map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;

    const LOG_N: u32 = 5;

    fn prime() -> Modulus<u128> {
        Modulus::new(ntt_primes(30, LOG_N, 1).expect("a prime")[0]).expect("odd")
    }

    fn words(q: &Modulus<u128>) -> Tower {
        (1..=1u128 << LOG_N)
            .map(|i| q.reduce(i * i * 7919))
            .collect()
    }

    #[test]
    fn the_transform_evaluates_and_comes_back() {
        let q = prime();
        let psi = smallest_root(&q, LOG_N).expect("a root");
        let coefficients = words(&q);
        let evaluations = ntt(&q, psi, &coefficients);
        for (i, &value) in evaluations.iter().enumerate() {
            let x = q.pow(psi, 2 * reversed(i, LOG_N) as u128 + 1);
            let horner = coefficients
                .iter()
                .rev()
                .fold(0, |sum, &c| q.add(q.mul(sum, x), c));
            assert_eq!(value, horner);
        }
        assert_eq!(intt(&q, psi, &evaluations), Some(coefficients));
    }

    #[test]
    fn both_forms_of_an_automorphism_are_one() {
        let q = prime();
        let psi = smallest_root(&q, LOG_N).expect("a root");
        for galois in [3, 5, 31, 33, 63] {
            let moved = automorphism_of_coefficients(&q, galois, &words(&q));
            let evaluations = ntt(&q, psi, &words(&q));
            assert_eq!(
                ntt(&q, psi, &moved),
                automorphism_of_evaluations(galois, &evaluations)
            );
        }
    }

    #[test]
    fn the_root_is_the_smallest() {
        const SMALL: u128 = 3 * (2 << LOG_N) + 1;
        let q = Modulus::new(SMALL).expect("a prime");
        let is_root = |&w: &u128| q.pow(w, 1 << LOG_N) == SMALL - 1;
        assert_eq!(smallest_root(&q, LOG_N), (2..SMALL).find(is_root));
        assert_eq!(smallest_root(&q, LOG_N + 1), None);
    }
}
