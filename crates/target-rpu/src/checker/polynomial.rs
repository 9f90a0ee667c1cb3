//! Whole polynomials in the place of words: slow, and exact.

use super::claim::{Claim, Fault};
use super::walk::{walk, Domain};
use crate::config::Config;
use crate::isa::{Op, Program};
use ringwright_arith::Modulus;
use std::collections::BTreeMap;

/// Whether two programs, both with this claim's memory, give the same result for all operands.
///
/// Each word of the result is compared with all its coefficients, and as to whether it left the
/// arithmetic, which alone makes it less than the modulus. For small programs: a word of a transform
/// has as many coefficients as there are words.
pub fn same_function(
    one: &Program,
    other: &Program,
    config: &Config,
    claim: &Claim<'_>,
) -> Result<bool, Fault> {
    let Ok(q) = Modulus::new(claim.modulus) else {
        return Ok(false);
    };
    let reduced = claim.operands.iter().map(|operand| operand.reduced);
    let domain = Polynomials {
        q,
        reduced: reduced.collect(),
    };
    Ok(walk(&domain, one, config, claim)? == walk(&domain, other, config, claim)?)
}

struct Polynomials {
    q: Modulus<u128>,
    /// Of each operand, whether its words are below the modulus.
    reduced: Vec<bool>,
}

/// A word as a polynomial in the operands' words.
#[derive(Clone, PartialEq, Eq)]
struct Polynomial {
    /// Coefficients that are not 0, by monomial: its variables, each as often as its power.
    terms: BTreeMap<Vec<(usize, u32)>, u128>,
    /// Whether it is below the modulus.
    reduced: bool,
}

impl Domain for Polynomials {
    type Word = Polynomial;

    fn constant(&self, value: u128) -> Polynomial {
        let reduced = value < self.q.value();
        let mut made = Polynomial {
            terms: BTreeMap::new(),
            reduced,
        };
        self.accumulate(&mut made, Vec::new(), self.q.reduce(value));
        made
    }

    fn variable(&self, operand: usize, word: u32) -> Polynomial {
        Polynomial {
            terms: BTreeMap::from([(vec![(operand, word)], 1)]),
            reduced: self.reduced[operand],
        }
    }

    fn apply(&self, op: Op, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let mut made = Polynomial {
            terms: match op {
                Op::Mul => BTreeMap::new(),
                Op::Add | Op::Sub => a.terms.clone(),
            },
            reduced: true,
        };
        for (monomial, &factor) in &b.terms {
            match op {
                Op::Add => self.accumulate(&mut made, monomial.clone(), factor),
                Op::Sub => self.accumulate(&mut made, monomial.clone(), self.q.neg(factor)),
                Op::Mul => {
                    for (other, &with) in &a.terms {
                        let mut product = [monomial.as_slice(), other].concat();
                        product.sort_unstable();
                        self.accumulate(&mut made, product, self.q.mul(factor, with));
                    }
                }
            }
        }
        made
    }
}

impl Polynomials {
    fn accumulate(&self, to: &mut Polynomial, monomial: Vec<(usize, u32)>, coefficient: u128) {
        let sum = to.terms.get(&monomial).copied().unwrap_or(0);
        match self.q.add(sum, coefficient) {
            0 => drop(to.terms.remove(&monomial)),
            sum => drop(to.terms.insert(monomial, sum)),
        }
    }
}
