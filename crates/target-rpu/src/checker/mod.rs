//! Does a program compute what it claims? Decided without knowing how it was made.
//!
//! A [`Claim`] says which words of memory are operands, which are the result, and what the result
//! is. [`check`] then asks four things, and shares no code with whatever wrote the program:
//!
//! 1. **Machine.** The simulator accepts it: addresses, ports, memory order, instruction memory.
//! 2. **Structure.** It reads no register and no word that nobody has written, computes under the
//!    claimed modulus only, and writes the result and its scratch words, nothing else. On the way the degree of every
//!    word is followed, as a polynomial in the operands' words: sums keep the larger degree, products
//!    add them, everything else moves words.
//! 3. **Function.** Program and definition are polynomials over the field of q elements, of degree at
//!    most d. If they differ, they agree on a random point with probability at most d/q (Schwartz
//!    1980, Zippel 1979); on [`POINTS`] points chosen independently, (d/q)^2. [`Verdict`] has that bound.
//! 4. **Boundary.** Reductions are no polynomials. So the program also runs on the words at which
//!    reducing turns: 0, 1, the middle, the modulus less one, and, for operands that may be any
//!    word, multiples of the modulus and the widest words.
//!
//! Memory holds poison (all ones, which no operand may be) wherever the claim puts nothing.
//!
//! [`same_function`] is slower and exact: it compares two programs as polynomials with all their
//! coefficients. [`mutation`] makes wrong programs, to see that they are caught.

mod claim;
mod degree;
pub mod mutation;
mod points;
mod polynomial;
mod walk;

pub use claim::{Claim, Fault, Operand, Region, Verdict};
pub use polynomial::same_function;

use crate::config::Config;
use crate::isa::Program;
use crate::{check as accepted, run, Memories};
use ringwright_arith::Choices;

/// Random points on which program and definition are compared.
pub const POINTS: usize = 2;

/// Checks a program; equal seeds give equal points.
pub fn check(
    program: &Program,
    config: &Config,
    claim: &Claim<'_>,
    seed: u64,
) -> Result<Verdict, Fault> {
    let poisoned = points::poisoned(program, config, claim);
    accepted(program, config, &poisoned.sdm).map_err(Fault::Refused)?;
    let degree = degree::of_program(program, config, claim)?.max(claim.degree);
    let mut choices = Choices::new(seed);
    for point in points::boundary(config, claim) {
        compare(program, config, claim, &poisoned, &point)?;
    }
    for _ in 0..POINTS {
        let point = points::random(config, claim, &mut choices);
        compare(program, config, claim, &poisoned, &point)?;
    }
    let chance = f64::from(degree) * points::likeliest(config, claim);
    Ok(Verdict {
        degree,
        points: POINTS,
        chance_log2: POINTS as f64 * chance.min(1.0).log2(),
    })
}

/// Runs the program on one point and looks at the whole memory behind it.
fn compare(
    program: &Program,
    config: &Config,
    claim: &Claim<'_>,
    poisoned: &Memories,
    point: &[Vec<u128>],
) -> Result<(), Fault> {
    let mut memories = poisoned.clone();
    points::place(&mut memories, claim, point);
    let before = memories.clone();
    run(program, config, &mut memories).map_err(Fault::Refused)?;
    let expected = (claim.function)(point);
    let mut is_result = vec![false; memories.vdm.len()];
    for &(address, word) in &claim.result.words {
        is_result[address as usize] = true;
        let (found, expected) = (memories.vdm[address as usize], expected[word as usize]);
        if found != expected {
            return Err(Fault::Wrong {
                word,
                address,
                found,
                expected,
            });
        }
    }
    let words = memories.vdm.iter().zip(&before.vdm).zip(&is_result);
    let changed = words
        .enumerate()
        .find(|&(address, ((after, before), &result))| {
            !result && after != before && !claim.is_scratch(address as u64)
        });
    match changed {
        Some((address, _)) => Err(Fault::WritesOutside {
            instruction: None,
            address: address as u64,
        }),
        None => Ok(()),
    }
}
