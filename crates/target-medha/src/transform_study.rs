//! One transform alone: values, cycles and how busy the NTT core is.

use crate::config::{Config, BYTES_PER_WORD};
use crate::ntt_core::NttCore;
use crate::shape::Shape;
use crate::timing::count_stages;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Choices;
use ringwright_ir::RunError;
use ringwright_kernels::NttPlan;
use ringwright_sim::Provenance;
use ringwright_spec::Machine;
use ringwright_target::{
    Counters, Residency, TransformAsked, TransformError, TransformReport, Utilisation,
};

/// Runs a forward and an inverse transform on random words, which keep their order.
pub fn study(machine: &Machine, asked: &TransformAsked) -> Result<TransformReport, TransformError> {
    let config = Config::new(machine)?;
    let shape = Shape::of(&config, asked.log_n)?;
    let modulus = match asked.modulus {
        Some(modulus) => modulus,
        None => largest_prime(&config, asked.log_n)?,
    };
    config.assign(&[modulus.into()])?;
    let refuse = |reason: String| config.unsupported(format!("prime {modulus}: {reason}"));
    let plan = NttPlan::new(asked.log_n, modulus).map_err(|error| refuse(error.to_string()))?;
    let core = NttCore::new(&shape, modulus).map_err(refuse)?;
    let mut choices = Choices::new(1);
    let words: Vec<u64> = (0..shape.n()).map(|_| choices.word() % modulus).collect();
    let mut evaluations = words.clone();
    plan.forward(&mut evaluations);
    let correct = core.run(&words, false) == evaluations && core.run(&evaluations, true) == words;
    let cycles = config.issue_cycles + shape.transform(&config, shape.log_n, true);
    let busy = u64::from(shape.log_n) * shape.rows();
    let mut counters = Counters::new();
    count_stages(&mut counters, &shape, shape.log_n.into());
    Ok(TransformReport {
        machine: config.machine.clone(),
        n: shape.n(),
        modulus,
        order: None,
        cycles,
        inverse_cycles: (!asked.forward_only).then_some(cycles),
        bound_cycles: busy,
        drained_cycles: Some(
            u64::from(shape.log_n) * (shape.rows() + config.ntt_latency) + config.issue_cycles,
        ),
        published: None,
        strict: None,
        residency: residency(&config, &shape, cycles),
        schedules: Vec::new(),
        utilisation: vec![Utilisation {
            unit: "ntt".to_owned(),
            share: busy as f64 / cycles as f64,
        }],
        program: Vec::new(),
        stalls: Vec::new(),
        counters,
        correct,
        provenance: Provenance::Modelled,
    })
}

fn residency(config: &Config, shape: &Shape, cycles: u64) -> Residency {
    let moved_cycles = 2 * shape.transfer(config) + cycles;
    Residency {
        resident: vec![
            ("operand", shape.n() as u64 * BYTES_PER_WORD),
            ("factors", 2 * shape.n() as u64 * BYTES_PER_WORD),
        ],
        moved_cycles,
        cold_cycles: moved_cycles,
    }
}

/// The largest prime that narrow words hold.
fn largest_prime(config: &Config, log_n: u32) -> Result<u64, RunError> {
    let primes = ntt_primes(config.word_bits, log_n, 1);
    let primes = primes.map_err(|error| RunError::Invalid(error.to_string()))?;
    Ok(primes[0] as u64)
}
