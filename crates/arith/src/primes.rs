//! Primality and NTT-friendly primes.
//!
//! [`is_prime`] is Miller-Rabin over the first 13 primes, which is a proof below
//! 3 317 044 064 679 887 385 961 981 (Sorenson and Webster, Math. Comp. 86, 2017). Above, a strong
//! Lucas test with Selfridge's parameters is added (Baillie and Wagstaff, Math. Comp. 35, 1980):
//! no composite is known that passes both, and fixed bases alone would let a chosen composite
//! through (Arnault 1995).

use crate::montgomery::Montgomery;
use crate::word::Word;

/// Why there are no such primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrimeError {
    /// The width is out of range.
    #[error("primes of {bits} bits that are 1 mod 2^{}: allowed are {min} to 127 bits", .log_n.saturating_add(1))]
    Bits {
        /// Bits asked for.
        bits: u32,
        /// log2 of N.
        log_n: u32,
        /// Fewest bits that a prime 1 mod 2N has.
        min: u32,
    },
    /// The width has too few of them.
    #[error("{count} primes of {bits} bits that are 1 mod 2^{}: only {found} exist", .log_n.saturating_add(1))]
    Count {
        /// Primes asked for.
        count: usize,
        /// Bits asked for.
        bits: u32,
        /// log2 of N.
        log_n: u32,
        /// Primes that exist.
        found: usize,
    },
}

/// Bases of the Miller-Rabin test.
const BASES: [u128; 13] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];
/// The smallest composite that passes for all [`BASES`].
const PROVEN_BELOW: u128 = 3_317_044_064_679_887_385_961_981;

/// Whether n is prime: proven below 2^81, Baillie-PSW with 13 bases above.
pub fn is_prime(n: u128) -> bool {
    if let Some(&small) = BASES.iter().find(|&&p| n.is_multiple_of(p)) {
        return n == small;
    }
    if n < BASES[12] * BASES[12] {
        return n > 1;
    }
    match u64::try_from(n) {
        Ok(n) => passes(n),
        Err(_) => passes(n) && (n < PROVEN_BELOW || is_strong_lucas_probable_prime(n)),
    }
}

/// The `count` largest primes of exactly `bits` bits that are 1 mod 2N, N = 2^log_n, descending.
pub fn ntt_primes(bits: u32, log_n: u32, count: usize) -> Result<Vec<u128>, PrimeError> {
    // 2N + 1, the smallest candidate, has log_n + 2 bits.
    let min = log_n.saturating_add(2);
    if bits < min || bits > u128::MAX_MODULUS_BITS {
        return Err(PrimeError::Bits { bits, log_n, min });
    }
    let floor = 1u128 << (bits - 1);
    let below = |&p: &u128| next_ntt_prime_below(p, log_n);
    let primes: Vec<u128> = std::iter::successors(below(&(1 << bits)), below)
        .take_while(|&p| p >= floor)
        .take(count)
        .collect();
    match primes.len() == count {
        true => Ok(primes),
        false => Err(PrimeError::Count {
            count,
            bits,
            log_n,
            found: primes.len(),
        }),
    }
}

/// The largest prime below `bound` that is 1 mod 2N, N = 2^log_n.
pub fn next_ntt_prime_below(bound: u128, log_n: u32) -> Option<u128> {
    let step = 1u128.checked_shl(log_n.checked_add(1)?)?;
    let multiples = bound.checked_sub(2)? / step;
    (1..=multiples)
        .rev()
        .map(|k| k * step + 1)
        .find(|&candidate| is_prime(candidate))
}

/// Miller-Rabin over [`BASES`]; n is odd and above them.
fn passes<W: Word>(n: W) -> bool {
    let Ok(form) = Montgomery::new(n) else {
        return false;
    };
    let minus_one = form.sub(W::ZERO, form.one());
    let even = n.to_u128() - 1;
    let twos = even.trailing_zeros();
    BASES.iter().all(|&base| {
        let start = form.pow(form.to_form(W::from_u128(base)), even >> twos);
        let mut squares = std::iter::successors(Some(start), |&x| Some(form.mul(x, x)));
        start == form.one() || squares.by_ref().take(twos as usize).any(|x| x == minus_one)
    })
}

/// Strong Lucas test: P = 1, Q = (1 - D)/4, D the first of 5, -7, 9, -11, .. with Jacobi -1.
fn is_strong_lucas_probable_prime(n: u128) -> bool {
    let Some(d) = selfridge_discriminant(n) else {
        return false;
    };
    let Ok(form) = Montgomery::new(n) else {
        return false;
    };
    let twos = n.wrapping_add(1).trailing_zeros();
    // n is odd, so n = 2^128 - 1 is the only overflow; it is divisible by 3 and never gets here.
    let odd = (n + 1) >> twos;
    let lucas = Lucas::new(&form, d);
    let (u, v, q_power) = lucas.terms(odd);
    if u == 0 {
        return true;
    }
    let doubling = |&(v, q_power): &(u128, u128)| Some(lucas.doubled_v(v, q_power));
    std::iter::successors(Some((v, q_power)), doubling)
        .take(twos as usize)
        .any(|(v, _)| v == 0)
}

/// `None` when a factor turned up or n is a square: n is composite.
fn selfridge_discriminant(n: u128) -> Option<i128> {
    if n.isqrt().pow(2) == n {
        return None;
    }
    for i in 0i128.. {
        let d = if i % 2 == 0 { 5 + 2 * i } else { -(5 + 2 * i) };
        match jacobi(d, n) {
            -1 => return Some(d),
            0 => return None,
            _ => {}
        }
    }
    None
}

/// The Jacobi symbol (a/n), n odd.
fn jacobi(a: i128, n: u128) -> i32 {
    // (-1/n) = -1 exactly when n = 3 mod 4.
    let mut sign = if a < 0 && n % 4 == 3 { -1 } else { 1 };
    let (mut a, mut n) = (a.unsigned_abs() % n, n);
    while a != 0 {
        let twos = a.trailing_zeros();
        a >>= twos;
        if twos % 2 == 1 && matches!(n % 8, 3 | 5) {
            sign = -sign;
        }
        if a % 4 == 3 && n % 4 == 3 {
            sign = -sign;
        }
        (a, n) = (n % a, a);
    }
    if n == 1 {
        sign
    } else {
        0
    }
}

/// The Lucas sequences U, V with P = 1, on Montgomery forms.
struct Lucas<'a> {
    form: &'a Montgomery<u128>,
    d: u128,
    q: u128,
    half: u128,
}

impl<'a> Lucas<'a> {
    fn new(form: &'a Montgomery<u128>, d: i128) -> Self {
        let signed = |x: i128| {
            let magnitude = form.to_form(x.unsigned_abs());
            if x < 0 {
                form.sub(0, magnitude)
            } else {
                magnitude
            }
        };
        let half = form.to_form(form.value() / 2 + 1);
        Self {
            form,
            d: signed(d),
            q: signed((1 - d) / 4),
            half,
        }
    }

    /// (U_k, V_k, Q^k) for k >= 1, from the top bit of k down.
    fn terms(&self, k: u128) -> (u128, u128, u128) {
        let f = self.form;
        let (mut u, mut v, mut q_power) = (f.one(), f.one(), self.q);
        for bit in (0..k.ilog2()).rev() {
            u = f.mul(u, v);
            (v, q_power) = self.doubled_v(v, q_power);
            if (k >> bit) & 1 == 1 {
                (u, v) = (
                    f.mul(f.add(u, v), self.half),
                    f.mul(f.add(f.mul(self.d, u), v), self.half),
                );
                q_power = f.mul(q_power, self.q);
            }
        }
        (u, v, q_power)
    }

    /// (V_2k, Q^2k) from (V_k, Q^k): V_2k = V_k^2 - 2 Q^k.
    fn doubled_v(&self, v: u128, q_power: u128) -> (u128, u128) {
        let f = self.form;
        (
            f.sub(f.mul(v, v), f.add(q_power, q_power)),
            f.mul(q_power, q_power),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sieve of Eratosthenes.
    fn primes_below(bound: usize) -> Vec<bool> {
        let mut prime = vec![true; bound];
        prime[..2].fill(false);
        for p in 2..=bound.isqrt() {
            if prime[p] {
                (p * p..bound)
                    .step_by(p)
                    .for_each(|multiple| prime[multiple] = false);
            }
        }
        prime
    }

    #[test]
    fn agrees_with_a_sieve() {
        for (n, &prime) in primes_below(1 << 17).iter().enumerate() {
            assert_eq!(is_prime(n as u128), prime, "{n}");
        }
    }

    #[test]
    fn mersenne_numbers() {
        let exponents = [2, 3, 5, 7, 13, 17, 19, 31, 61, 89, 107, 127];
        for p in 2..=127 {
            assert_eq!(is_prime((1 << p) - 1), exponents.contains(&p), "2^{p} - 1");
        }
        assert!(!is_prime(u128::MAX));
    }

    /// (6k+1)(12k+1)(18k+1) with three prime factors is a Carmichael number (Chernick 1939).
    #[test]
    fn carmichael_numbers_are_composite() {
        let factors = |k: u128| [6 * k + 1, 12 * k + 1, 18 * k + 1];
        let products: Vec<u128> = (1..2000)
            .chain((1 << 30)..(1 << 30) + 20_000)
            .map(factors)
            .filter(|factors| factors.iter().all(|&p| is_prime(p)))
            .map(|factors| factors.iter().product())
            .collect();
        assert!(
            products.iter().any(|&n| n > PROVEN_BELOW),
            "some need the Lucas test"
        );
        assert!(products.iter().all(|&n| !is_prime(n)));
    }

    #[test]
    fn squares_of_primes_are_composite() {
        for bits in [42, 50, 60, 63] {
            let prime = ntt_primes(bits, 4, 1).unwrap()[0];
            assert!(!is_prime(prime * prime), "{prime}^2");
        }
    }

    /// The smallest number that deceives all bases is p (2p - 1).
    #[test]
    fn lucas_catches_what_deceives_every_base() {
        let p = (1 + (8 * PROVEN_BELOW + 1).isqrt()) / 4;
        assert_eq!(p * (2 * p - 1), PROVEN_BELOW);
        assert!(passes(PROVEN_BELOW));
        assert!(!is_prime(PROVEN_BELOW));
    }

    #[test]
    fn strong_lucas_pseudoprimes_are_the_published_ones() {
        let published: Vec<usize> = include_str!("../tests/data/strong_lucas_pseudoprimes.txt")
            .lines()
            .filter_map(|line| line.parse().ok())
            .collect();
        let sieve = primes_below(100_000);
        let passing = |n: &usize| is_strong_lucas_probable_prime(*n as u128);
        let (primes, composites): (Vec<usize>, Vec<usize>) = (5..sieve.len())
            .step_by(2)
            .filter(passing)
            .partition(|&n| sieve[n]);
        assert_eq!(composites, published);
        // Primes that divide their own discriminant have Jacobi symbol 0 and do not pass.
        let missed = sieve.iter().filter(|&&prime| prime).count() - primes.len();
        assert!(missed <= 4, "{missed} primes failed");
    }

    #[test]
    fn the_largest_primes_come_first_and_none_is_left_out() {
        let (bits, log_n) = (18, 4);
        let sieve = primes_below(1 << bits);
        let expected: Vec<u128> = (1 << (bits - 1)..1 << bits)
            .rev()
            .filter(|&n| sieve[n] && n % (2 << log_n) == 1)
            .map(|n| n as u128)
            .collect();
        assert_eq!(ntt_primes(bits, log_n, expected.len()).unwrap(), expected);
        let error = ntt_primes(bits, log_n, expected.len() + 1).unwrap_err();
        let (count, found) = (expected.len() + 1, expected.len());
        assert_eq!(
            error,
            PrimeError::Count {
                count,
                bits,
                log_n,
                found
            }
        );
    }

    #[test]
    fn every_width_and_degree_has_the_right_residue() {
        for log_n in [4, 10, 14, 17] {
            for bits in [27, 30, 54, 60, 62, 100, 127] {
                for p in ntt_primes(bits, log_n, 2).unwrap() {
                    assert!(is_prime(p) && p % (2 << log_n) == 1 && p.bit_length() == bits);
                }
            }
        }
    }

    #[test]
    fn impossible_requests_are_refused() {
        let below = ntt_primes(18, 17, 1).unwrap_err();
        assert_eq!(
            below.to_string(),
            "primes of 18 bits that are 1 mod 2^18: allowed are 19 to 127 bits"
        );
        assert!(ntt_primes(128, 4, 1).is_err());
        assert!(ntt_primes(60, u32::MAX, 1).is_err());
        assert_eq!(next_ntt_prime_below(0, 4), None);
        assert_eq!(next_ntt_prime_below(1 << 20, u32::MAX), None);
        // 97 is the smallest prime that is 1 mod 32.
        assert_eq!(next_ntt_prime_below(98, 4), Some(97));
        assert_eq!(next_ntt_prime_below(97, 4), None);
    }
}
