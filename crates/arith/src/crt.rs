//! Exact reconstruction of integers from their residues.
//!
//! Let Q be the product of odd, pairwise coprime q_0 .. q_(k-1). Every integer in (-Q/2, Q/2) is
//! written in exactly one way as d_0 + d_1 q_0 + d_2 q_0 q_1 + .. with |d_i| < q_i/2: *balanced
//! mixed radix* (Garner 1959; Knuth, TAOCP 2, 4.3.2). Balanced digits centre the value for free,
//! its sign is the sign of the highest nonzero digit, and a small value has few digits: once all
//! remaining residues are zero, so are all remaining digits, and most decoded messages stop
//! after one or two of k rounds. So the time depends on the size of the value (not on its bits
//! within a digit); callers reconstruct what they are about to reveal.
//!
//! A digit d_j is removed from residue i by (x_i - d_j) q_j^-1 mod q_i, one Shoup product: the
//! precomputed multiple of q_i that keeps the difference positive also spares reducing d_j.
//! The sum of x_i (Q/q_i)^-1 Q/q_i with fixed-width limbs was dropped: k wide products per residue
//! whatever the value, and a rounding step for the multiple of Q.

use crate::modulus::{Modulus, ModulusError, Shoup};
use crate::word::Word;

/// Most moduli of a [`Crt`]: its inner loops use fixed arrays on the stack.
pub const MAX_TOWERS: usize = 128;

/// Why residues under these moduli do not determine an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrtError {
    /// None, or too many.
    #[error("{0} moduli: 1 to {MAX_TOWERS} are allowed")]
    Count(usize),
    /// One of them is no modulus.
    #[error("modulus {index}: {source}")]
    Modulus {
        /// Its position.
        index: usize,
        /// What is wrong with it.
        source: ModulusError,
    },
    /// Two of them have a common factor.
    #[error("moduli {first} and {second} have a common factor")]
    NotCoprime {
        /// Position of the earlier one.
        first: usize,
        /// Position of the later one.
        second: usize,
    },
}

/// How to remove digit j from residue i.
#[derive(Clone, Debug)]
struct Step {
    /// Smallest multiple of q_i that is at least q_j/2.
    offset: u64,
    /// q_j^-1 mod q_i.
    inverse: Shoup<u64>,
}

/// Reconstruction for one list of moduli.
#[derive(Clone, Debug)]
pub struct Crt {
    moduli: Vec<Modulus<u64>>,
    /// Row j: the steps for i = j+1 .. k.
    steps: Vec<Vec<Step>>,
}

impl Crt {
    /// Precomputes for 1 to [`MAX_TOWERS`] odd, pairwise coprime moduli below 2^62.
    pub fn new(moduli: &[u64]) -> Result<Self, CrtError> {
        if moduli.is_empty() || moduli.len() > MAX_TOWERS {
            return Err(CrtError::Count(moduli.len()));
        }
        let checked =
            |(index, &q)| Modulus::new(q).map_err(|source| CrtError::Modulus { index, source });
        let moduli = moduli
            .iter()
            .enumerate()
            .map(checked)
            .collect::<Result<Vec<_>, _>>()?;
        let row = |first| ((first + 1)..moduli.len()).map(move |second| (first, second));
        let step = |(first, second): (usize, usize)| {
            step(&moduli[first], &moduli[second]).ok_or(CrtError::NotCoprime { first, second })
        };
        let steps = (0..moduli.len())
            .map(|j| row(j).map(step).collect())
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { moduli, steps })
    }

    /// The moduli, in order.
    pub fn moduli(&self) -> &[Modulus<u64>] {
        &self.moduli
    }

    /// The balanced mixed-radix digits of the residues; returns how many there are without the
    /// zeros on top. `residues` and `digits` have one word per modulus.
    #[inline]
    pub fn balanced_digits(&self, residues: &[u64], digits: &mut [i64]) -> usize {
        debug_assert_eq!(residues.len(), self.moduli.len());
        debug_assert_eq!(digits.len(), self.moduli.len());
        let mut rest = 0;
        for (digit, &residue) in digits.iter_mut().zip(residues) {
            *digit = residue as i64;
            rest |= residue;
        }
        // Digits from `used` on are still residues, and `rest` is zero when all of them are.
        let mut used = 0;
        while rest != 0 {
            let (done, residues) = digits.split_at_mut(used + 1);
            done[used] = self.moduli[used].centred(done[used] as u64) as i64;
            rest = self.remove_digit(used, done[used], residues);
            used += 1;
        }
        used
    }

    /// Takes digit j out of the residues that follow it; returns the bits that are set in any.
    #[inline]
    fn remove_digit(&self, j: usize, digit: i64, residues: &mut [i64]) -> u64 {
        let mut any = 0;
        let steps = self.moduli[j + 1..].iter().zip(&self.steps[j]);
        for (x, (q, step)) in residues.iter_mut().zip(steps) {
            let difference = (*x as u64)
                .wrapping_add(step.offset)
                .wrapping_sub(digit as u64);
            let lazy = q.mul_shoup_lazy(difference, &step.inverse);
            // Not `subtract_once`: the number of rounds depends on the value anyway.
            let residue = lazy.min(lazy.wrapping_sub(q.value()));
            *x = residue as i64;
            any |= residue;
        }
        any
    }

    /// The centred integers of many residues, tower by tower, where all of them are short: below half
    /// the first modulus, and below every other. Each is then what its first residue says, and the
    /// others only have to agree. `None` where one is not.
    ///
    /// # Panics
    /// If there are not as many towers as moduli, or not as long as the first.
    pub fn short<'a>(
        &self,
        mut towers: impl ExactSizeIterator<Item = &'a [u64]>,
    ) -> Option<Vec<i64>> {
        assert_eq!(towers.len(), self.moduli.len(), "a tower for each modulus");
        let (first, others) = self.moduli.split_first()?;
        let centred = |&residue: &u64| first.centred(residue) as i64;
        let integers: Vec<i64> = towers.next()?.iter().map(centred).collect();
        let largest = integers.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0);
        for (q, tower) in others.iter().map(Modulus::value).zip(towers) {
            assert_eq!(tower.len(), integers.len(), "a tower of another length");
            let pairs = integers.iter().zip(tower);
            let residue = |x: i64| (x as u64).wrapping_add(q & (x >> 63) as u64);
            let differing = pairs.fold(0, |bits, (&x, &word)| bits | (residue(x) ^ word));
            if largest >= q || differing != 0 {
                return None;
            }
        }
        Some(integers)
    }

    /// The centred integer, rounded once to the nearest f64 (ties to even); infinite where an
    /// f64 cannot hold it.
    #[inline]
    pub fn centred_f64(&self, residues: &[u64]) -> f64 {
        match self.moduli.len() {
            0..=8 => self.centred_f64_on::<8>(residues),
            9..=16 => self.centred_f64_on::<16>(residues),
            17..=64 => self.centred_f64_on::<64>(residues),
            _ => self.centred_f64_on::<MAX_TOWERS>(residues),
        }
    }

    /// With arrays for `TOWERS` moduli: clearing more costs more than the work on a small value.
    #[inline]
    fn centred_f64_on<const TOWERS: usize>(&self, residues: &[u64]) -> f64 {
        let mut digits = [0i64; TOWERS];
        let digits = &mut digits[..self.moduli.len()];
        match self.balanced_digits(residues, digits) {
            0 => 0.0,
            1 => digits[0] as f64,
            2 => self.two_digits(digits) as f64,
            used => {
                let mut limbs = [0u64; TOWERS];
                let (negative, length) = self.limbs_of(&digits[..used], &mut limbs);
                let magnitude = round_to_f64(&limbs[..length]);
                if negative {
                    -magnitude
                } else {
                    magnitude
                }
            }
        }
    }

    /// The centred integer: whether it is negative, and the limbs of its magnitude,
    /// least significant first, no zero limb on top.
    pub fn centred_limbs(&self, residues: &[u64]) -> (bool, Vec<u64>) {
        let mut digits = vec![0i64; self.moduli.len()];
        let used = self.balanced_digits(residues, &mut digits);
        let mut limbs = [0u64; MAX_TOWERS];
        let (negative, length) = self.limbs_of(&digits[..used], &mut limbs);
        (negative, limbs[..length].to_vec())
    }

    #[inline]
    fn two_digits(&self, digits: &[i64]) -> i128 {
        i128::from(digits[1]) * i128::from(self.moduli[0].value()) + i128::from(digits[0])
    }

    /// Horner's rule from the top digit, which is not zero and has the sign of the value.
    #[inline]
    fn limbs_of(&self, digits: &[i64], limbs: &mut [u64]) -> (bool, usize) {
        let Some((&top, lower)) = digits.split_last() else {
            return (false, 0);
        };
        let negative = top < 0;
        limbs[0] = top.unsigned_abs();
        let mut length = 1;
        for (&digit, q) in lower.iter().zip(&self.moduli).rev() {
            let digit = if negative { -digit } else { digit };
            length = multiply_add(limbs, length, q.value(), digit);
        }
        (negative, length)
    }
}

/// Whether an integer that an f64 holds lies strictly between -Q/2 and Q/2, Q being the product of
/// at most [`MAX_TOWERS`] moduli. Exact: logarithms are not.
pub fn is_centred(integer: f64, moduli: &[Modulus<u64>]) -> bool {
    if !integer.is_finite() {
        return false;
    }
    let twice = twice(integer.abs());
    let product = product(moduli);
    let from_top = |limbs: &[u64]| limbs.iter().rev().copied().collect::<Vec<_>>();
    (twice.len(), from_top(&twice)) < (product.len(), from_top(&product))
}

/// The product of the factors modulo q; the factors are any words.
pub fn mod_of_product<W: Word>(factors: &[W], q: &Modulus<W>) -> W {
    factors.iter().fold(q.reduce(W::ONE), |product, &factor| {
        q.mul(product, q.reduce(factor))
    })
}

/// The inverse of the product of the factors modulo q; `None` when there is none.
pub fn inverse_of_product<W: Word>(factors: &[W], q: &Modulus<W>) -> Option<W> {
    q.inv(mod_of_product(factors, q))
}

/// `None` when the moduli have a common factor.
fn step(removed: &Modulus<u64>, q: &Modulus<u64>) -> Option<Step> {
    let half = removed.value() / 2 + 1;
    let inverse = q.inv(q.reduce(removed.value()))?;
    Some(Step {
        offset: half.next_multiple_of(q.value()),
        inverse: q.shoup(inverse),
    })
}

fn product(moduli: &[Modulus<u64>]) -> Vec<u64> {
    let mut limbs = [0u64; MAX_TOWERS];
    limbs[0] = 1;
    let length = moduli.iter().fold(1, |length, q| {
        multiply_add(&mut limbs, length, q.value(), 0)
    });
    limbs[..length].to_vec()
}

/// limbs * factor + addend, for a result that is positive; returns its length.
#[inline]
fn multiply_add(limbs: &mut [u64], length: usize, factor: u64, addend: i64) -> usize {
    let mut carry = i128::from(addend);
    for limb in &mut limbs[..length] {
        // |carry| < 2^63, the product is below 2^126.
        let sum = i128::from(*limb) * i128::from(factor) + carry;
        *limb = sum as u64;
        carry = sum >> 64;
    }
    if carry == 0 {
        return trimmed(&limbs[..length]);
    }
    limbs[length] = carry as u64;
    length + 1
}

/// Twice an integer that is finite and not negative, as limbs without a zero on top.
fn twice(integer: f64) -> Vec<u64> {
    const MANTISSA_BITS: u32 = 53;
    let exponent = (integer.log2() as u32).saturating_sub(MANTISSA_BITS);
    let mantissa = u128::from((integer / 2f64.powi(exponent as i32)) as u64);
    let (skipped, shift) = ((exponent + 1) / u64::BITS, (exponent + 1) % u64::BITS);
    let shifted = mantissa << shift;
    let mut limbs = vec![0; skipped as usize];
    limbs.extend([shifted as u64, (shifted >> u64::BITS) as u64]);
    limbs.truncate(trimmed(&limbs));
    limbs
}

/// Length without zero limbs on top.
fn trimmed(limbs: &[u64]) -> usize {
    limbs
        .iter()
        .rposition(|&limb| limb != 0)
        .map_or(0, |top| top + 1)
}

/// The nearest f64, ties to even. The top limb is not zero.
fn round_to_f64(limbs: &[u64]) -> f64 {
    let Some((&top, lower)) = limbs.split_last() else {
        return 0.0;
    };
    let Some((&next, rest)) = lower.split_last() else {
        return top as f64;
    };
    let zeros = top.leading_zeros();
    let pair = ((u128::from(top) << 64) | u128::from(next)) << zeros;
    // 64 leading bits; everything below matters only as "not zero", one bit under the last.
    let sticky = (pair as u64 | rest.iter().fold(0, |any, &limb| any | limb)) != 0;
    let leading = (pair >> 64) as u64 | u64::from(sticky);
    scale_by_power_of_two(leading as f64, u64::BITS * lower.len() as u32 - zeros)
}

/// value * 2^exponent for a value of at least 1: exact, or infinite.
fn scale_by_power_of_two(value: f64, exponent: u32) -> f64 {
    const BIAS: u64 = 1023;
    match exponent {
        0..=1023 => value * f64::from_bits((BIAS + u64::from(exponent)) << 52),
        _ => f64::INFINITY,
    }
}
