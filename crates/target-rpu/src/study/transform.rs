//! One transform alone on a machine: the compiled kernel, its words and its cycles.
//!
//! The forward and the inverse kernel are those of a shipped recipe where there is one, else what a
//! short search finds.

use crate::config::Config;
use crate::execution::stalls;
use crate::kernels::compile::known::Recipes;
use crate::kernels::compile::recipe::Transform;
use crate::kernels::compile::{bound, check_degree, cold, search, Budget, CompileError, Kernel};
use crate::published;
use crate::rtl::provenance;
use crate::Schedule;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_ir::RunError;
use ringwright_spec::Machine;
use ringwright_target::{
    definition, Origin, PlacedInstruction, StrictReading, TransformError, TransformReport,
    TransformSchedule, Utilisation,
};

/// Widest prime of a report, whose moduli are 64-bit numbers.
const WIDEST_PRIME: u32 = 62;

/// Recipes tried where none is shipped: a few seconds at most.
const SHORT: Budget = Budget {
    tries: 60,
    seed: 1,
    among_others: false,
};

/// Runs a forward and an inverse transform on random words.
pub fn study(
    machine: &Machine,
    log_n: u32,
    modulus: Option<u64>,
) -> Result<TransformReport, TransformError> {
    let (config, recipes) = (Config::new(machine)?, Recipes::of(machine)?);
    check_degree(&config, log_n)?;
    let refused = |error: CompileError| error.refusal(&config);
    let q = match modulus {
        Some(modulus) => u128::from(modulus),
        None => largest_prime(&config, log_n)?,
    };
    let there =
        kernel(Transform::Forward, log_n as u8, &config, &recipes, SHORT).map_err(refused)?;
    let back =
        kernel(Transform::Inverse, log_n as u8, &config, &recipes, SHORT).map_err(refused)?;
    let schedules = vec![there.schedule, back.schedule];
    let (forward, inverse) = (there.kernel, back.kernel);
    let coefficients = words(1 << log_n, q);
    let (evaluations, schedule) = forward.run(&config, q, &coefficients).map_err(refused)?;
    let (back, _) = inverse.run(&config, q, &evaluations).map_err(refused)?;
    let cycles = schedule.cycles;
    let names = ["load_store", "compute", "shuffle"];
    let share = |(name, busy): (&str, u64)| Utilisation {
        unit: name.to_owned(),
        share: busy as f64 / cycles as f64,
    };
    Ok(TransformReport {
        machine: config.machine.clone(),
        n: 1 << log_n,
        modulus: q as u64,
        cycles,
        inverse_cycles: inverse.cycles,
        bound_cycles: bound(&config, log_n),
        drained_cycles: None,
        published: published::cycles(machine, log_n),
        strict: strict(machine, log_n)?,
        residency: cold::residency(&config, &forward),
        schedules,
        utilisation: names.into_iter().zip(forward.occupied).map(share).collect(),
        program: program(&forward, &schedule),
        stalls: stalls(&schedule),
        correct: expected(q, log_n, &coefficients).is_some_and(|words| words == evaluations)
            && back == coefficients,
        provenance: provenance(&config),
    })
}

/// The forward transform with the paper read to the letter.
fn strict(machine: &Machine, log_n: u32) -> Result<Option<StrictReading>, TransformError> {
    let Some(strict) = machine.read_strictly() else {
        return Ok(None);
    };
    let (config, recipes) = (Config::new(&strict)?, Recipes::of(&strict)?);
    let made = kernel(Transform::Forward, log_n as u8, &config, &recipes, SHORT);
    let made = made.map_err(|error| error.refusal(&config))?;
    let changed = machine.values().filter(|(declared, value)| {
        let read = strict.value(&declared.name);
        read.is_some_and(|read| read.setting != value.setting)
    });
    Ok(Some(StrictReading {
        cycles: made.kernel.cycles,
        bound_cycles: bound(&config, log_n),
        schedule: made.schedule,
        parameters: changed.map(|(declared, _)| declared.name.clone()).collect(),
    }))
}

/// The kernel's instructions with the cycles in which they started.
fn program(kernel: &Kernel, schedule: &Schedule) -> Vec<PlacedInstruction> {
    let instructions = kernel.program.instructions.iter();
    let placed = instructions.zip(&schedule.instructions);
    placed
        .map(|(instruction, times)| PlacedInstruction {
            start: times.start,
            unit: instruction.class().name(),
            text: instruction.to_string(),
        })
        .collect()
}

/// A transform's kernel, and who found its order.
#[derive(Clone, Debug)]
pub struct Made {
    /// The kernel.
    pub kernel: Kernel,
    /// Who found its order.
    pub schedule: TransformSchedule,
}

/// The kernel of a recipe that is known, or of a short search.
pub fn kernel(
    transform: Transform,
    log_n: u8,
    config: &Config,
    recipes: &Recipes,
    budget: Budget,
) -> Result<Made, CompileError> {
    let (known, refused) = recipes.quickest(config, transform, log_n, false);
    let (kernel, origin) = match known {
        Some(known) => (known.kernel, known.origin),
        None => {
            let (_, kernel) = search(transform.problem(log_n), config, budget)?;
            (kernel, Origin::Untuned)
        }
    };
    let schedule = TransformSchedule {
        n: 1 << log_n,
        inverse: transform != Transform::Forward,
        origin,
        refused,
    };
    Ok(Made { kernel, schedule })
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
            let report = study(&Machine::load(name).unwrap(), log_n, None).unwrap();
            assert!(report.correct, "{report:?}");
            assert!(report.cycles > report.bound_cycles, "{report:?}");
        }
    }
}
