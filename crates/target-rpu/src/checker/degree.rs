//! Degrees in the place of words.

use super::claim::{Claim, Fault};
use super::walk::{walk, Domain};
use crate::config::Config;
use crate::isa::{Op, Program};

/// The largest degree of a word of the result, as a polynomial in the operands' words.
pub(super) fn of_program(
    program: &Program,
    config: &Config,
    claim: &Claim<'_>,
) -> Result<u32, Fault> {
    let degrees = walk(&Degrees, program, config, claim)?;
    Ok(degrees.into_iter().max().unwrap_or(0))
}

struct Degrees;

impl Domain for Degrees {
    type Word = u32;

    fn constant(&self, _: u128) -> u32 {
        0
    }

    fn variable(&self, _: usize, _: u32) -> u32 {
        1
    }

    fn apply(&self, op: Op, a: &u32, b: &u32) -> u32 {
        match op {
            Op::Add | Op::Sub => *a.max(b),
            Op::Mul => a.saturating_add(*b),
        }
    }
}
