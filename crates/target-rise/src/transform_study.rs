//! One transform alone: values, cycles and how busy the units are.

use crate::closed_form;
use crate::config::Config;
use crate::core::{Activity, Core, Group};
use crate::published;
use crate::schedule::transform_counters;
use crate::shape::Shape;
use crate::twiddles::{Constants, Direction};
use crate::units::bank_group::PortError;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type};
use ringwright_ir::{RunError, Value};
use ringwright_sim::Provenance;
use ringwright_spec::Machine;
use ringwright_target::{Residency, TransformAsked, TransformError, TransformReport, Utilisation};

/// Runs a forward and an inverse transform on random words, which keep their order.
pub fn study(machine: &Machine, asked: &TransformAsked) -> Result<TransformReport, TransformError> {
    let log_n = asked.log_n;
    let config = Config::new(machine)?;
    let shape = config.shape(log_n)?;
    let modulus = match asked.modulus {
        Some(modulus) => modulus,
        None => largest_prime(&config, log_n)?,
    };
    config.check_modulus(u128::from(modulus))?;
    let module = module(log_n, modulus)?;
    let constants = Constants::new(log_n, modulus).map_err(RunError::Invalid)?;
    let (coefficients, evaluations) = reference(&module)?;
    let run = |direction, words: &[u64]| {
        run(&config, shape, &constants, direction, words).map_err(|error| config.unsupported(error))
    };
    let forward = run(Direction::Forward, &coefficients)?;
    let inverse = match asked.forward_only {
        true => None,
        false => Some(run(Direction::Inverse, &evaluations)?),
    };
    Ok(TransformReport {
        machine: config.machine.clone(),
        n: shape.n(),
        modulus,
        order: None,
        cycles: forward.cycles,
        inverse_cycles: inverse.as_ref().map(|inverse| inverse.cycles),
        bound_cycles: closed_form::bound(&config, shape),
        drained_cycles: Some(closed_form::drained_stages(&config, shape)),
        published: published::cycles(log_n, shape.bfus(), config.word_bits),
        strict: None,
        residency: residency(&config, shape, forward.cycles),
        schedules: Vec::new(),
        utilisation: utilisation(forward.activity, forward.cycles),
        program: Vec::new(),
        stalls: Vec::new(),
        counters: transform_counters(shape, Direction::Forward, forward.activity),
        correct: forward.words == evaluations
            && inverse.is_none_or(|inverse| inverse.words == coefficients),
        provenance: Provenance::Simulated,
    })
}

/// One polynomial in a bank group; factors are made on the fly.
fn residency(config: &Config, shape: Shape, cycles: u64) -> Residency {
    let words = shape.n() as u64;
    let transfer = config.dma_latency + words.div_ceil(config.words_per_cycle() as u64);
    let moved_cycles = transfer + cycles + transfer;
    Residency {
        resident: vec![("operand", words * config.bytes_per_word())],
        moved_cycles,
        cold_cycles: moved_cycles,
    }
}

/// The largest prime that the machine's words hold.
fn largest_prime(config: &Config, log_n: u32) -> Result<u64, RunError> {
    let primes = ntt_primes(config.word_bits, log_n, 1);
    let primes = primes.map_err(|error| RunError::Invalid(error.to_string()))?;
    Ok(primes[0] as u64)
}

/// coefficients -> coefficients, evaluations.
fn module(log_n: u32, modulus: u64) -> Result<Module, RunError> {
    let mut mb = ModuleBuilder::new(log_n, &[u128::from(modulus)]);
    let mut fb = mb.function("ntt");
    let x = fb.param("x", Type::poly(&Basis::range(0..1), Domain::Coeff), false);
    let y = fb.ntt(x)?;
    let main = fb.finish(&[x, y])?;
    Ok(mb.finish(main)?)
}

fn reference(module: &Module) -> Result<(Vec<u64>, Vec<u64>), RunError> {
    let inputs = generate::inputs(1, module);
    let results = Interpreter.prepare(module)?.run(&inputs)?;
    let mut words = results.into_iter().filter_map(|value| match value {
        Value::Poly(poly) => Some(poly.words().to_vec()),
        _ => None,
    });
    Ok((
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    ))
}

struct Run {
    words: Vec<u64>,
    cycles: u64,
    activity: Activity,
}

fn run(
    config: &Config,
    shape: Shape,
    constants: &Constants,
    direction: Direction,
    words: &[u64],
) -> Result<Run, PortError> {
    let (before, after) = direction.layouts();
    let mut core = Core::new(config, shape);
    let start = core.load(0, Group::Bg0, before, words)?;
    let end = core.transform(start, Group::Bg0, direction, constants)?;
    let mut result = vec![0; shape.n()];
    core.store(end, Group::Bg0, after, &mut result)?;
    Ok(Run {
        words: result,
        cycles: end - start,
        activity: core.activity(),
    })
}

fn utilisation(activity: Activity, cycles: u64) -> Vec<Utilisation> {
    // A half-row takes half of the banks' ports for a cycle.
    let ports = activity.bank_accesses as f64 / 2.0;
    let units = [
        ("bank_group", ports),
        ("bfu", (activity.operands + activity.factors) as f64),
        ("bfu, butterflies", activity.operands as f64),
        ("bfu, twiddle factors", activity.factors as f64),
        ("reordering_unit", activity.half_rows as f64),
    ];
    let share = |(unit, busy): (&str, f64)| Utilisation {
        unit: unit.to_owned(),
        share: busy / cycles as f64,
    };
    units.into_iter().map(share).collect()
}
