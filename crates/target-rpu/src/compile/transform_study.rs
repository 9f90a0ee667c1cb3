//! One transform alone on a machine: the compiled kernel, its words and its cycles.
//!
//! The forward and the inverse kernel are those of a shipped recipe where there is one, else what a
//! short search finds.

use super::recipe::{shipped, Transform};
use super::{search, Budget, CompileError, Kernel};
use crate::config::Config;
use crate::execution::stalls;
use crate::Schedule;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_ir::RunError;
use ringwright_nttx::PlanError;
use ringwright_sim::Provenance;
use ringwright_spec::Machine;
use ringwright_target::{
    definition, PlacedInstruction, PublishedCycles, TransformError, TransformReport, Utilisation,
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
    crate::RPU.check(machine)?;
    let config = Config::new(machine)?;
    let unsupported = |reason: String| RunError::Unsupported {
        machine: config.machine.clone(),
        reason,
    };
    let refused = |error: CompileError| match error {
        CompileError::Plan(PlanError::Modulus(_)) | CompileError::Modulus { .. } => {
            RunError::Invalid(error.to_string())
        }
        error => unsupported(error.to_string()),
    };
    let vectors = config.vector_length.ilog2() + 1;
    if !(vectors..=MOST_LOG_N).contains(&log_n) {
        let n = 1u64.checked_shl(log_n).unwrap_or(0);
        let (least, most) = (1 << vectors, 1 << MOST_LOG_N);
        let reason = format!("N = {n}: compiled are transforms of {least} to {most} words");
        return Err(unsupported(reason).into());
    }
    let q = match modulus {
        Some(modulus) => u128::from(modulus),
        None => largest_prime(&config, log_n)?,
    };
    let forward = kernel(Transform::Forward, log_n as u8, &config).map_err(refused)?;
    let inverse = kernel(Transform::Inverse, log_n as u8, &config).map_err(refused)?;
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
        published: published(&config, log_n),
        utilisation: names.into_iter().zip(forward.occupied).map(share).collect(),
        program: program(&forward, &schedule),
        stalls: stalls(&schedule),
        correct: expected(q, log_n, &coefficients).is_some_and(|words| words == evaluations)
            && back == coefficients,
        provenance: Provenance::Simulated,
    })
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

/// Largest degree that is compiled; beyond 2^16 for memories larger than the published one.
const MOST_LOG_N: u32 = 17;

/// The kernel of a shipped recipe, or of a short search.
pub fn kernel(transform: Transform, log_n: u8, config: &Config) -> Result<Kernel, CompileError> {
    let problem = transform.problem(log_n);
    let entries = shipped().unwrap_or_default();
    let known = entries.iter().find(|entry| {
        entry.machine == config.machine && (entry.transform, entry.log_n) == (transform, log_n)
    });
    match known {
        Some(entry) => entry.recipe.compile(problem, config),
        None => search(problem, config, SHORT).map(|(_, kernel)| kernel),
    }
}

/// Cycles in which the lanes do nothing but butterflies: (N/2) log2 N of them.
pub fn bound(config: &Config, log_n: u32) -> u64 {
    let butterflies = u64::from(log_n) << (log_n - 1);
    let instructions = butterflies / config.vector_length as u64;
    instructions * (config.beats() as u64 * config.ii + config.gap)
}

/// What a paper prints for the machine.
pub fn published(config: &Config, log_n: u32) -> Option<PublishedCycles> {
    let (cycles, source) = match (config.machine.as_str(), log_n) {
        ("rpu-128x128", 16) => (11_256, "RPU, abstract: 6.7 us at 1.68 GHz"),
        ("trebuchet-v1", 16) => (18_300, "TREBUCHET, section V-C: 18.3k cycles"),
        ("trebuchet-v2", 16) => (24_600, "TREBUCHET, section V-C: 24.6k cycles"),
        _ => return None,
    };
    Some(PublishedCycles {
        cycles,
        source: source.to_owned(),
    })
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
