//! Twiddle factors: powers of psi, and the vectors made of them.
//!
//! The forward transform descends a tree: the stage of bit b splits node k = 2^(n-1-b) + (i >> (b+1))
//! and multiplies by psi^brv(k), brv reversing n bits (the heap of `ringwright-kernels`). The inverse
//! multiplies by the same power of psi^-1.
//!
//! With Cooley-Tukey butterflies alone the inverse leaves each word's factor *pending*: it computes
//! a + (t/s) b and a - (t/s) b of words whose true values are s a and t b. What is left in the end is
//! psi^-i/N for word i, and the quotient at bit b is the 2^(b+1)-th root of unity to the power of -(i mod
//! 2^b): the cyclic transform and the twist by psi.

use crate::problem::{Direction, Form};
use crate::{PlanError, Problem};
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;
use std::collections::HashMap;

/// psi^`exponent`, or psi^`exponent`/N.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Factor {
    /// In 0..2N.
    pub exponent: u32,
    /// Whether it is divided by N.
    pub scaled: bool,
}

/// The factor of the stage of `bit` at word `index` (either of the pair).
pub(crate) fn stage_factor(problem: &Problem, bit: u8, index: usize, scaled_stages: u8) -> Factor {
    let n = u32::from(problem.log_n);
    let period = 2usize << n;
    let index = index & ((1 << n) - 1);
    let node = (1 << (n - 1 - u32::from(bit))) + (index >> (bit + 1));
    let power = bit_reverse(node, n);
    let low = index & ((1 << bit) - 1);
    let (exponent, scaled) = match (problem.direction, problem.form) {
        (Direction::Forward, _) => (power, false),
        (_, Form::GentlemanSande) => (period - power, bit < scaled_stages && low == 0),
        (_, Form::CooleyTukey) => (period - (low << (n - u32::from(bit))), false),
    };
    Factor {
        exponent: (exponent % period) as u32,
        scaled,
    }
}

/// What is pending at word `index` when an inverse of Cooley-Tukey butterflies has done all stages.
pub(crate) fn twist(problem: &Problem, index: usize) -> Factor {
    let n = 1usize << problem.log_n;
    let exponent = (2 * n - index % n) % (2 * n);
    Factor {
        exponent: exponent as u32,
        scaled: true,
    }
}

/// A vector of factors, as an index into [`Patterns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub u32);

/// Distinct vectors of factors, each kept as the shortest power of two of words that it repeats.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    list: Vec<Vec<Factor>>,
    index: HashMap<Vec<Factor>, PatternId>,
}

impl Patterns {
    /// Finds or adds a vector.
    pub fn intern(&mut self, mut factors: Vec<Factor>) -> PatternId {
        while factors.len() > 1 {
            let (low, high) = factors.split_at(factors.len() / 2);
            if low != high {
                break;
            }
            factors.truncate(factors.len() / 2);
        }
        if let Some(&id) = self.index.get(&factors) {
            return id;
        }
        let id = PatternId(self.list.len() as u32);
        self.index.insert(factors.clone(), id);
        self.list.push(factors);
        id
    }

    /// The period of a vector: a power of two of words.
    pub fn get(&self, id: PatternId) -> &[Factor] {
        &self.list[id.0 as usize]
    }

    /// All periods, in the order of their numbers.
    pub fn all(&self) -> &[Vec<Factor>] {
        &self.list
    }
}

/// The powers of psi modulo one prime, psi the smallest primitive 2N-th root of unity.
#[derive(Clone, Debug)]
pub struct Roots {
    modulus: Modulus<u128>,
    powers: Vec<u128>,
    n_inverse: u128,
}

impl Roots {
    /// For transforms of 2^`log_n` words modulo the prime `q`.
    pub fn new(log_n: u8, q: u128) -> Result<Self, PlanError> {
        let wrong = |error: &dyn std::fmt::Display| PlanError::Modulus(error.to_string());
        let modulus = Modulus::new(q).map_err(|error| wrong(&error))?;
        let log_n = u32::from(log_n);
        let psi = minimal_primitive_root_2n(&modulus, log_n).map_err(|error| wrong(&error))?;
        let step = modulus.shoup(psi);
        let powers = std::iter::successors(Some(1), |&p| Some(modulus.mul_shoup(p, &step)));
        // N divides q - 1, so 1/N = -(q - 1)/N.
        let n_inverse = modulus.neg((q - 1) >> log_n);
        Ok(Self {
            powers: powers.take(2 << log_n).collect(),
            modulus,
            n_inverse,
        })
    }

    /// The modulus.
    pub fn modulus(&self) -> &Modulus<u128> {
        &self.modulus
    }

    /// 1/N.
    pub fn n_inverse(&self) -> u128 {
        self.n_inverse
    }

    /// The word of a factor.
    pub fn word(&self, factor: Factor) -> u128 {
        let power = self.powers[factor.exponent as usize % self.powers.len()];
        match factor.scaled {
            true => self.modulus.mul(power, self.n_inverse),
            false => power,
        }
    }
}
