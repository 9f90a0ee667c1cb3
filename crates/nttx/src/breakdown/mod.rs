//! Known formulas as plans. All are forward; [`crate::Plan::inverse`] turns them round.
//!
//! What tells them apart is how a bit comes from the elements into the register number. With 2^v
//! words in a vector, 2^m vectors and r register bits in a block, for N = 2^16, v = 9, r = 5:
//!
//! | | passes | swaps | vectors of factors in a block |
//! |---|---|---|---|
//! | [`korn_lambiotte`] | 4 | 15 | one or two for each stage |
//! | [`strided`] | 3 | 1 | 31, 31, 32 |
//! | [`two_pass`] | 2 | 6 | 47 and 33 for 9 + 7 stages |
//! | [`linear`] | 2 | 9 | 18 and 37, but no stride at all |
//! | [`one_pass`] | 1 | 9, for vectors that all fit the registers | |
//!
//! A pass is a load and a store of every vector, a swap one shuffle for each vector. Pease's formula
//! is Korn and Lambiotte's transposed, i.e. its inverse ([`pease`]).
//!
//! **Swap out what is done, at once.** The factors of a stage depend on the bits that are done. As long
//! as those stand in the register number every register pair wants a vector of factors of its own;
//! once they are in the elements one vector serves all. So in a pass the swaps come first and the
//! stages that need none come last: the r last stages of a block take 1 + 2 + 4 + ... vectors of
//! factors, those before one each. The usual order (first the stages that need no swap) takes 2^(r-1)
//! for every stage with a swap and half of it again, 252 against 132 in the second pass of 9 + 7.
//!
//! **Swap when the crossbar is idle.** The formulas with `_at` take the stages that are followed by a
//! swap as a mask, bit i for stage i of a pass. Swaps that come late keep the shuffle crossbar busy to
//! the end at the price of some factors, and suit an inverse of Cooley-Tukey butterflies, whose factors
//! depend on the lower bits. The evaluations may come out permuted.

mod chain;

use crate::{Access, Bit, Plan, PlanError, Problem};
use chain::Chain;

/// Forward, in vectors of 512 words or half the transform: one pass where all vectors fit 32
/// registers, two above; from 4 words to 2^17.
pub fn usual(log_n: u8) -> Result<Plan, PlanError> {
    const REGISTERS: u8 = 5;
    let problem = Problem::forward(log_n);
    let log_vector = log_n.saturating_sub(1).min(9);
    if !(2..=17).contains(&log_n) {
        let why = "log2 of the words: 2 to 17".to_owned();
        return Err(refusal("the usual breakdown", problem, log_vector, why));
    }
    match log_n - log_vector <= REGISTERS {
        true => one_pass(problem, log_vector),
        false => two_pass(problem, log_vector, log_n / 2 + 1, [REGISTERS; 2]),
    }
}

/// Korn and Lambiotte, 1979: one shuffle of the whole after every stage, so that each stage pairs
/// the first half of the vectors with the second. Blocks of 2^`registers` vectors go as deep as they
/// can, r stages a pass: the published program's rectangles (RPU, section V).
pub fn korn_lambiotte(problem: Problem, log_vector: u8, registers: u8) -> Result<Plan, PlanError> {
    let vectors = size("Korn-Lambiotte", problem, log_vector, 1)?;
    let held = registers.min(vectors) as usize;
    let mut numbers: Vec<Bit> = (log_vector..problem.log_n).rev().collect();
    let mut chain = Chain::start(problem, log_vector, Access::Linear, &numbers[..held])?;
    let mut left = problem.log_n as usize;
    loop {
        let now = held.min(left);
        left -= now;
        let swaps = if left == 0 { now - 1 } else { now };
        for _ in 0..swaps {
            let number = chain.next_bit();
            let new = chain.stage_unpack()?;
            numbers.retain(|&bit| bit != number);
            numbers.push(new);
        }
        if left == 0 {
            chain.stages(1)?;
            return chain.end(Access::Linear);
        }
        chain.turn(Access::Linear, Access::Linear, &[], &numbers[..held])?;
    }
}

/// Pease, 1968: an inverse transform, Korn and Lambiotte's formula from back to front.
pub fn pease(problem: Problem, log_vector: u8, registers: u8) -> Result<Plan, PlanError> {
    let forward = Problem {
        form: crate::Form::CooleyTukey,
        ..Problem::forward(problem.log_n)
    };
    let plan = korn_lambiotte(forward.batch(problem.log_batch), log_vector, registers)?;
    Ok(plan.inverse(problem.form, 0))
}

/// All vectors in registers at once; every stage whose bit starts in the elements is preceded by a
/// swap. Evaluations come out in place.
pub fn one_pass(problem: Problem, log_vector: u8) -> Result<Plan, PlanError> {
    one_pass_at(problem, log_vector, mask(log_vector))
}

/// [`one_pass`] with the swaps of a mask.
pub fn one_pass_at(problem: Problem, log_vector: u8, swaps: u32) -> Result<Plan, PlanError> {
    let vectors = size("one pass", problem, log_vector, 1)?;
    let registers: Vec<Bit> = (log_vector..problem.log_n).collect();
    let mut chain = Chain::start(problem, log_vector, Access::Linear, &registers)?;
    chain.stages_at(chain.due(), swaps)?;
    let store = match swaps == mask(log_vector) {
        true => Access::strided(vectors),
        false => Access::Linear,
    };
    chain.end(store)
}

/// Two passes of `first` and log2 N - `first` stages, blocks of 2^`registers`\[0\] and
/// 2^`registers`\[1\] vectors. Evaluations come out in place.
///
/// The first pass takes its upper bits into the register number by the stride of its loads; a block
/// of the second is what has the same `keep` uppermost bits. These stay in the register number
/// through the first pass, so a part of its last block suffices to begin the second.
pub fn two_pass(
    problem: Problem,
    log_vector: u8,
    first: u8,
    registers: [u8; 2],
) -> Result<Plan, PlanError> {
    let keep = problem.log_n.saturating_sub(log_vector + registers[1]);
    let second = problem.log_n.saturating_sub(first);
    let swaps = [
        mask(first.saturating_sub(registers[0])) << keep.min(31),
        mask(second.saturating_sub(registers[1])),
    ];
    two_pass_at(problem, log_vector, first, registers, swaps)
}

/// [`two_pass`] with the swaps of a mask for each pass.
pub fn two_pass_at(
    problem: Problem,
    log_vector: u8,
    first: u8,
    registers: [u8; 2],
    swaps: [u32; 2],
) -> Result<Plan, PlanError> {
    let n = problem.log_n;
    let vectors = size("two passes", problem, log_vector, 2)?;
    let [r1, r2] = registers;
    let second = n.saturating_sub(first);
    let fits = r1 <= vectors
        && r2 <= vectors
        && vectors - r2 <= r1
        && (r1..n).contains(&first)
        && second >= r2
        && (first == r1 || vectors - r2 < r1)
        && (second == r2 || vectors - r1 < r2)
        && swaps.map(|mask| mask.count_ones() as u8) == [first - r1, second - r2];
    if !fits {
        let why = format!("{first} + {second} stages do not go with 2^{r1} and 2^{r2} registers");
        return Err(refusal("two passes", problem, log_vector, why));
    }
    let (low, keep) = (vectors - r1, vectors - r2);
    let upper: Vec<Bit> = (n - r1..n).collect();
    let mut chain = Chain::start(problem, log_vector, Access::strided(low), &upper)?;
    chain.stages_at(first as usize, swaps[0])?;
    // Of what is done and in the register number the uppermost is the second pass's block.
    let done = chain.register_bits();
    let fill = done[..(r1 - keep) as usize].to_vec();
    let lower: Vec<Bit> = (0..low).chain(low + second - r2..second).collect();
    chain.turn(Access::strided(r1 - keep), Access::Linear, &fill, &lower)?;
    chain.stages_at(chain.due(), swaps[1])?;
    chain.end(Access::strided(r2))
}

/// Three passes of `registers`, `registers` and the remaining stages: almost all bits come into the
/// register number by strides (the four-step transform, applied twice). Evaluations come out permuted.
pub fn strided(problem: Problem, log_vector: u8, registers: u8) -> Result<Plan, PlanError> {
    let (n, r) = (problem.log_n, registers);
    let vectors = size("three strided passes", problem, log_vector, 2)?;
    let third = n.saturating_sub(2 * r);
    let low = vectors.saturating_sub(r);
    let swaps = third.saturating_sub(r);
    if r > vectors || third < low + swaps + 1 || third - low - swaps > r || low >= r && swaps > 0 {
        let why = format!("{r} + {r} + {third} stages do not go with 2^{r} registers");
        return Err(refusal("three strided passes", problem, log_vector, why));
    }
    let upper: Vec<Bit> = (n - r..n).collect();
    let middle: Vec<Bit> = (n - 2 * r..n - r).collect();
    let mut chain = Chain::start(problem, log_vector, Access::strided(low), &upper)?;
    chain.stages(r as usize)?;
    chain.turn(Access::strided(r), Access::Linear, &upper, &middle)?;
    chain.stages(r as usize)?;
    let lower: Vec<Bit> = (0..low).chain(low + swaps..third).collect();
    let moved = third - low - swaps;
    chain.turn(
        Access::strided(moved),
        Access::Linear,
        &middle[..moved as usize],
        &lower,
    )?;
    chain.stages_at(third as usize, mask(swaps))?;
    chain.end(Access::Linear)
}

/// Two passes with consecutive words in every vector, for memories whose banks clash on strides:
/// every element bit comes into the register number by a swap, `early` of them in the first pass. The
/// upper `keep` bits stay in the register number. Evaluations come out permuted.
pub fn linear(
    problem: Problem,
    log_vector: u8,
    registers: u8,
    early: u8,
) -> Result<Plan, PlanError> {
    let keep = problem.log_n.saturating_sub(log_vector + registers);
    let late = log_vector.saturating_sub(early);
    let swaps = [mask(early) << keep.min(31), mask(late)];
    linear_at(problem, log_vector, registers, swaps)
}

/// [`linear`] with the swaps of a mask for each pass.
pub fn linear_at(
    problem: Problem,
    log_vector: u8,
    registers: u8,
    swaps: [u32; 2],
) -> Result<Plan, PlanError> {
    let (n, r) = (problem.log_n, registers);
    let vectors = size("two linear passes", problem, log_vector, 2)?;
    let keep = vectors.saturating_sub(r);
    let [early, late] = swaps.map(|mask| mask.count_ones() as u8);
    if r > vectors || keep + early > r || early + late != log_vector {
        let why = format!("{early} early and {late} late swaps do not go with 2^{r} registers");
        return Err(refusal("two linear passes", problem, log_vector, why));
    }
    let upper: Vec<Bit> = (n - r..n).collect();
    let mut chain = Chain::start(problem, log_vector, Access::Linear, &upper)?;
    chain.stages_at(r as usize, swaps[0])?;
    // What is not done and not in the elements, filled up with what is done.
    let open = late..n - r;
    let done = chain
        .register_bits()
        .into_iter()
        .filter(|&bit| bit >= n - r);
    let next: Vec<Bit> = open.chain(done).take(r as usize).collect();
    chain.turn(Access::Linear, Access::Linear, &[], &next)?;
    chain.stages_at(chain.due(), swaps[1])?;
    chain.end(Access::Linear)
}

/// Swaps behind the first `count` stages.
fn mask(count: u8) -> u32 {
    1u32.checked_shl(count.into())
        .map_or(u32::MAX, |bit| bit - 1)
}

/// log2 of the number of vectors, if there are at least 2^`least`.
fn size(
    breakdown: &'static str,
    problem: Problem,
    log_vector: u8,
    least: u8,
) -> Result<u8, PlanError> {
    match problem.log_n.checked_sub(log_vector) {
        Some(vectors) if vectors >= least && log_vector > 0 => Ok(vectors),
        _ => {
            let why = format!("needs at least {} vectors of 2 words or more", 1 << least);
            Err(refusal(breakdown, problem, log_vector, why))
        }
    }
}

fn refusal(breakdown: &'static str, problem: Problem, log_vector: u8, why: String) -> PlanError {
    PlanError::Size {
        breakdown,
        log_n: problem.log_n,
        log_vector,
        why,
    }
}

#[cfg(test)]
mod tests;
