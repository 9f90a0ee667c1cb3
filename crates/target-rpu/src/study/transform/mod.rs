//! One transform on a machine: its program, its words and its cycles.
//!
//! With words in their order it is the program that the library has for a transform among other
//! operations, so its cycles are those of a transform in any ring program. With words in any order it
//! stands alone, as papers count it: its recipe is one that is known, else what a short search finds.

mod cold;
mod made;

use crate::activity::activity;
use crate::config::Config;
use crate::execution::stalls;
use crate::kernels::compile::known::Recipes;
use crate::kernels::compile::recipe::Transform;
use crate::kernels::compile::{bound, check_degree};
use crate::kernels::tower_kernel::WIDEST_PRIME;
use crate::published;
use crate::rtl::provenance;
use crate::Schedule;
use made::{Made, Maker};
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_ir::RunError;
use ringwright_spec::Machine;
use ringwright_target::{
    definition, PlacedInstruction, StrictReading, TransformAsked, TransformError, TransformReport,
    Utilisation, WordOrder,
};

/// Runs a forward transform on random words, and an inverse one on what that gives.
pub fn study(machine: &Machine, asked: &TransformAsked) -> Result<TransformReport, TransformError> {
    let TransformAsked { log_n, order, .. } = *asked;
    let (config, recipes) = (Config::new(machine)?, Recipes::of(machine)?);
    check_degree(&config, log_n)?;
    let q = match asked.modulus {
        Some(modulus) => u128::from(modulus),
        None => largest_prime(&config, log_n)?,
    };
    let maker = Maker::new(&config, recipes, log_n, order);
    let forward = maker.make(Transform::Forward)?;
    let coefficients = words(1 << log_n, q);
    let (evaluations, schedule) = maker.run(&forward, q, &coefficients)?;
    let right = expected(q, log_n, &coefficients).is_some_and(|words| words == evaluations);
    let back = match asked.forward_only {
        true => None,
        false => {
            let inverse = maker.make(Transform::Inverse)?;
            let (words, _) = maker.run(&inverse, q, &evaluations)?;
            Some((inverse, words == coefficients))
        }
    };
    let came_back = back.as_ref().is_none_or(|(_, right)| *right);
    let inverse = back.map(|(made, _)| made);
    let (cycles, busy) = (schedule.cycles, forward.occupied(&schedule));
    let pipes = ["load_store", "compute", "shuffle"];
    let share = |(name, busy): (&str, u64)| Utilisation {
        unit: name.to_owned(),
        share: busy as f64 / cycles as f64,
    };
    Ok(TransformReport {
        machine: config.machine.clone(),
        n: 1 << log_n,
        modulus: q as u64,
        order: Some(order),
        cycles,
        inverse_cycles: inverse.as_ref().map(Made::cycles),
        bound_cycles: bound(&config, log_n),
        drained_cycles: None,
        published: match order {
            WordOrder::InOrder => None,
            WordOrder::Any => published::cycles(machine, log_n),
        },
        strict: match asked.forward_only {
            true => None,
            false => strict(machine, log_n, order)?,
        },
        residency: forward.residency(&config),
        schedules: std::iter::once(&forward)
            .chain(&inverse)
            .map(|made| made.schedule.clone())
            .collect(),
        utilisation: pipes.into_iter().zip(busy).map(share).collect(),
        program: program(&forward, &schedule),
        stalls: stalls(&schedule),
        counters: activity(&config, forward.program()),
        correct: right && came_back,
        provenance: provenance(&config),
    })
}

/// The forward transform with the paper read to the letter.
fn strict(
    machine: &Machine,
    log_n: u32,
    order: WordOrder,
) -> Result<Option<StrictReading>, TransformError> {
    let Some(strict) = machine.read_strictly() else {
        return Ok(None);
    };
    let (config, recipes) = (Config::new(&strict)?, Recipes::of(&strict)?);
    let made = Maker::new(&config, recipes, log_n, order).make(Transform::Forward)?;
    let changed = machine.values().filter(|(declared, value)| {
        let read = strict.value(&declared.name);
        read.is_some_and(|read| read.setting != value.setting)
    });
    Ok(Some(StrictReading {
        cycles: made.cycles(),
        bound_cycles: bound(&config, log_n),
        parameters: changed.map(|(declared, _)| declared.name.clone()).collect(),
        schedule: made.schedule,
    }))
}

/// The transform's instructions with the cycles in which they started.
fn program(made: &Made, schedule: &Schedule) -> Vec<PlacedInstruction> {
    let instructions = made.program().instructions.iter();
    let placed = instructions.zip(&schedule.instructions);
    placed
        .map(|(instruction, times)| PlacedInstruction {
            start: times.start,
            unit: instruction.class().name(),
            text: instruction.to_string(),
        })
        .collect()
}

fn largest_prime(config: &Config, log_n: u32) -> Result<u128, RunError> {
    let bits = WIDEST_PRIME.min(config.word_bits - 1);
    let primes = ntt_primes(bits, log_n, 1);
    let primes = primes.map_err(|error| RunError::Invalid(error.to_string()))?;
    Ok(primes[0])
}

fn words(count: usize, q: u128) -> Vec<u128> {
    let mix = |i: usize| (i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (0..count).map(|i| mix(i) % q).collect()
}

fn expected(q: u128, log_n: u32, coefficients: &[u128]) -> Option<Vec<u128>> {
    let modulus = Modulus::new(q).ok()?;
    let psi = definition::smallest_root(&modulus, log_n)?;
    Some(definition::ntt(&modulus, psi, coefficients))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forward and inverse of the largest, against the definition.
    #[test]
    fn the_published_transform_is_exact() {
        for (name, log_n) in [("rpu-128x128", 16), ("rpu-128x128-freeports", 10)] {
            for order in WordOrder::ALL {
                let machine = Machine::load(name).unwrap();
                let report = study(&machine, &TransformAsked::new(log_n, order)).unwrap();
                assert!(report.correct, "{report:?}");
                assert!(report.cycles > report.bound_cycles, "{report:?}");
                assert_eq!(report.order, Some(order));
            }
        }
    }
}
