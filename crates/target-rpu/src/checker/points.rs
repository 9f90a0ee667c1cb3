//! Contents of memory on which a program is run.

use super::claim::{Claim, Operand};
use crate::config::Config;
use crate::isa::{Program, Space};
use crate::Memories;
use ringwright_arith::Choices;

/// Memories with poison everywhere but where claim and program put data.
pub(super) fn poisoned(program: &Program, config: &Config, claim: &Claim<'_>) -> Memories {
    let mut memories = Memories::new(config);
    let poison = widest(config.word_bits);
    memories.vdm.fill(poison);
    memories.sdm.fill(poison);
    for segment in claim.data.iter().chain(&program.data) {
        let memory = match segment.space {
            Space::Vdm => &mut memories.vdm,
            Space::Sdm => &mut memories.sdm,
        };
        for (word, value) in memory
            .iter_mut()
            .skip(segment.address as usize)
            .zip(&segment.words)
        {
            *word = *value;
        }
    }
    memories
}

/// Writes operands.
pub(super) fn place(memories: &mut Memories, claim: &Claim<'_>, point: &[Vec<u128>]) {
    for (operand, words) in claim.operands.iter().zip(point) {
        for &(address, word) in &operand.region.words {
            if let Some(place) = memories.vdm.get_mut(address as usize) {
                *place = words[word as usize];
            }
        }
    }
}

/// Points at which reductions turn: the same word everywhere, and all of them in turn.
pub(super) fn boundary(config: &Config, claim: &Claim<'_>) -> Vec<Vec<Vec<u128>>> {
    let shifted = |shift: usize| {
        let operand = |operand: &Operand| {
            let edges = edges(config, claim.modulus, operand.reduced);
            let edge = |i: usize| edges[(i + shift) % edges.len()];
            (0..operand.region.len).map(edge).collect()
        };
        claim.operands.iter().map(operand).collect()
    };
    let uniform = |of: fn(u128) -> u128| {
        let operand = |operand: &Operand| vec![of(claim.modulus); operand.region.len];
        claim.operands.iter().map(operand).collect()
    };
    vec![
        shifted(0),
        shifted(1),
        shifted(2),
        uniform(|_| 0),
        uniform(|q| q - 1),
    ]
}

fn edges(config: &Config, q: u128, reduced: bool) -> Vec<u128> {
    let mut edges = vec![q - 1, q / 2, q / 2 + 1, 0, 1, q - 2, q / 2 - 1];
    if !reduced {
        let widest = widest(config.word_bits - 1);
        let multiple = widest / q * q;
        edges.extend([
            q,
            q + 1,
            2 * (q / 2) + q,
            widest,
            widest - 1,
            multiple,
            multiple - 1,
        ]);
        edges.retain(|&word| word <= widest);
    }
    edges
}

/// The probability of the likeliest residue of a random word: 1/q, a little more where words are
/// not drawn below the modulus.
pub(super) fn likeliest(config: &Config, claim: &Claim<'_>) -> f64 {
    let q = claim.modulus;
    match claim.operands.iter().all(|operand| operand.reduced) {
        true => 1.0 / q as f64,
        false => {
            let last = widest(config.word_bits - 1);
            (last / q + 1) as f64 / last as f64
        }
    }
}

/// The largest number of so many bits.
fn widest(bits: u32) -> u128 {
    u128::MAX >> (u128::BITS - bits)
}

/// Uniform in 0..=limit: what is above is drawn again.
fn up_to(limit: u128, choices: &mut Choices) -> u128 {
    let mask = u128::MAX >> limit.leading_zeros().min(u128::BITS - 1);
    loop {
        let word = choices.wide() & mask;
        if word <= limit {
            return word;
        }
    }
}

/// A random word for every word of every operand; no adversary guesses them, because there is none.
pub(super) fn random(config: &Config, claim: &Claim<'_>, choices: &mut Choices) -> Vec<Vec<u128>> {
    let mut operand = |operand: &Operand| {
        let limit = match operand.reduced {
            true => claim.modulus - 1,
            false => widest(config.word_bits - 1),
        };
        (0..operand.region.len)
            .map(|_| up_to(limit, choices))
            .collect()
    };
    claim.operands.iter().map(&mut operand).collect()
}
