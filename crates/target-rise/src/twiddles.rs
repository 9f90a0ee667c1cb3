//! Which twiddle factors a transform needs, in which order, and how each is made from another.
//!
//! Let F(k) = psi^(2^k) for a forward and psi^-(2^k) for an inverse transform, psi the smallest
//! primitive 2N-th root of unity. **Negacyclic by choice of the first factor:** in stage s the
//! factor of index j is F(L-1-s)^(2j+1), where the cyclic transform of Algorithm 1 has
//! F(L-1-s)^(2j): psi is merged into w and costs nothing. The inverse has no such form with the
//! published butterfly (a + w b, a - w b), because psi^-i would multiply *both* results. It is the
//! cyclic transform by psi^-2 on bit-reversed input, and a pass multiplies coefficient i by
//! psi^-i / N. That pass takes N/P issues and N/P batches of factors. Dropped: butterflies that
//! subtract before they multiply (Gentleman and Sande) save the pass, but need a second adder in
//! front of the multiplier and a second order in the reordering unit.
//!
//! Factors are made in **batches** of P consecutive indices. Stage s has max(1, 2^s/P) of them, the
//! pass (called stage L) N/P. Batch 0 of a stage comes from batch 0 of the stage before by one
//! product: with m = j >> 1,
//!
//! | | j even | j odd |
//! |---|---|---|
//! | forward, F(k+1)^(2m+1) -> F(k)^(2j+1) | times F(k)^-1 | times F(k) |
//! | inverse, F(k+2)^m -> F(k+1)^j | times 1 | times F(k+1) |
//! | pass, F(1)^m -> F(0)^j / N | times 1/N | times F(0)/N |
//!
//! Batch b of stage s is batch b - d times F(L-s+p)^d: d = C where the unit holds the C batches
//! before it, else the highest power of two in b. For C = 1 that is the published chain, every
//! product waiting for the one before; for C >= D the chains fill the pipeline. A table of the
//! F(k), their inverses, 1/N and F(0)/N, 2L + 2 words, is all that the host supplies.

use crate::shape::{Layout, Shape};
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;

/// Which transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Coefficients to evaluations.
    Forward,
    /// Evaluations to coefficients.
    Inverse,
}

impl Direction {
    /// How a polynomial lies before the transform, and after it.
    pub fn layouts(self) -> (Layout, Layout) {
        match self {
            Direction::Forward => (Layout::ForwardIn, Layout::ForwardOut),
            Direction::Inverse => (Layout::InverseIn, Layout::InverseOut),
        }
    }
}

/// What the host writes into the device for one prime and degree.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The prime, with its Barrett reciprocal.
    pub q: Modulus<u64>,
    /// psi^(2^k) for k below L.
    powers: Vec<u64>,
    /// psi^-(2^k).
    inverse_powers: Vec<u64>,
    /// 1/N and psi^-1/N.
    scale: [u64; 2],
}

impl Constants {
    /// For a prime that is 1 modulo 2N.
    pub fn new(log_n: u32, q: u64) -> Result<Self, String> {
        let q = Modulus::new(q).map_err(|error| error.to_string())?;
        let psi = minimal_primitive_root_2n(&q, log_n).map_err(|error| error.to_string())?;
        let invert = |x| {
            q.inv(x)
                .ok_or_else(|| format!("{x} has no inverse modulo {}", q.value()))
        };
        let (inverse, scale) = (invert(psi)?, invert(1 << log_n)?);
        let squares = |x| {
            let square = |&x: &u64| Some(q.mul(x, x));
            std::iter::successors(Some(x), square)
                .take(log_n as usize)
                .collect()
        };
        Ok(Constants {
            powers: squares(psi),
            inverse_powers: squares(inverse),
            scale: [scale, q.mul(inverse, scale)],
            q,
        })
    }

    /// Words that the host supplies.
    pub fn words(log_n: u32) -> usize {
        2 * log_n as usize + 4
    }

    /// Those words, as they lie in memory: q, its reciprocal for multipliers of W = `word_bits`
    /// bits, 1/N, psi^-1/N, then psi^(2^k) and psi^-(2^k) for each k from 0.
    ///
    /// The reciprocal is floor(2^(k-3 + W+5) / q), k the bits of q (`hw/common/rtl/barrett_mul.sv`),
    /// without its highest bit, which is always 2^(W+2): so every word has at most W + 2 bits.
    pub fn table(&self, word_bits: u32) -> Vec<u64> {
        let q = self.q.value();
        let bits = u64::BITS - q.leading_zeros();
        let reciprocal = (1u128 << (bits + word_bits + 2)) / u128::from(q);
        let reciprocal = reciprocal as u64 & ((1 << (word_bits + 2)) - 1);
        let powers = self.powers.iter().zip(&self.inverse_powers);
        let [scale, scale_odd] = self.scale;
        [q, reciprocal, scale, scale_odd]
            .into_iter()
            .chain(powers.flat_map(|(&power, &inverse)| [power, inverse]))
            .collect()
    }

    /// psi, the smallest primitive 2N-th root of unity.
    pub fn root(&self) -> u64 {
        self.powers[0]
    }

    /// F(k).
    fn power(&self, direction: Direction, k: u32) -> u64 {
        match direction {
            Direction::Forward => self.powers[k as usize],
            Direction::Inverse => self.inverse_powers[k as usize],
        }
    }

    /// The first factor of all, the only one of stage 0.
    pub fn first(&self, direction: Direction) -> u64 {
        match direction {
            Direction::Forward => self.power(direction, self.powers.len() as u32 - 1),
            Direction::Inverse => 1,
        }
    }

    /// Factors of even and odd indices that take batch 0 of stage `stage` - 1 to this stage.
    pub fn ladder(&self, direction: Direction, stage: u32) -> [u64; 2] {
        let stages = self.powers.len() as u32;
        match direction {
            Direction::Forward => {
                let k = (stages - 1 - stage) as usize;
                [self.inverse_powers[k], self.powers[k]]
            }
            Direction::Inverse if stage == stages => self.scale,
            Direction::Inverse => [1, self.power(direction, stages - stage)],
        }
    }

    /// The factor between batches that are 2^`log_distance` apart in stage `stage`.
    pub fn ratio(&self, direction: Direction, stage: u32, log_p: u32, log_distance: u32) -> u64 {
        let stages = self.powers.len() as u32;
        self.power(direction, stages - stage + log_p + log_distance)
    }
}

/// Batches of one stage, or of the pass behind an inverse transform (`stage` = L).
pub fn batches(shape: Shape, stage: u32) -> u64 {
    1 << stage.saturating_sub(shape.log_p)
}

/// Stages that take twiddle factors.
pub fn stages(shape: Shape, direction: Direction) -> u32 {
    match direction {
        Direction::Forward => shape.log_n,
        Direction::Inverse => shape.log_n + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;

    #[test]
    fn the_table_is_as_long_as_is_said_and_fits_its_words() {
        let log_n = 8;
        for (word_bits, bits) in [(30, 30), (30, 20), (60, 60), (60, 30), (20, 20)] {
            for q in ntt_primes(bits, log_n, 2).expect("primes") {
                let q = q as u64;
                let constants = Constants::new(log_n, q).expect("constants");
                let table = constants.table(word_bits);
                assert_eq!(table.len(), Constants::words(log_n));
                assert!(table.iter().all(|&word| word >> (word_bits + 2) == 0));
                // The bit that is left out: 2^(k+W+2)/q lies between 2^(W+2) and 2^(W+3).
                let whole = u128::from(table[1]) | 1 << (word_bits + 2);
                let scaled = 1u128 << (bits + word_bits + 2);
                let rest = scaled - whole * u128::from(q);
                assert!(rest < u128::from(q), "{word_bits} bits, {q}");
            }
        }
    }
}
