//! The shipped transforms of the RPU, compiled from their recipes and run: cycles, not time. Prints a
//! JSON list of rows.
//!
//! Every program runs on random words modulo a prime of 127 bits and is compared word by word with
//! the transform from its definition. Cycles are the simulator's, the same on every computer.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_target::definition;
use ringwright_target_rpu::kernels::compile::bound;
use ringwright_target_rpu::kernels::compile::known::{shipped, Entry, Tuned};
use ringwright_target_rpu::kernels::compile::recipe::Transform;
use serde_json::{json, Value};
use std::time::Instant;

const PRIME_BITS: u32 = 127;

fn main() {
    let all = shipped().iter();
    let rows: Vec<Value> = all
        .flat_map(|tuned| tuned.kernel.iter().map(|entry| row(tuned, entry)))
        .collect();
    println!("{}", Value::from(rows));
}

fn row(tuned: &Tuned, entry: &Entry) -> Value {
    let config = tuned.config().expect("a machine");
    let log_n = u32::from(entry.log_n);
    let problem = entry.transform.problem(entry.log_n);
    let started = Instant::now();
    let kernel = entry.recipe.compile(problem, &config).expect("a recipe");
    let compile_us = started.elapsed().as_secs_f64() * 1e6;

    let q = ntt_primes(PRIME_BITS, log_n, 1).expect("a prime of this size")[0];
    let modulus = Modulus::new(q).expect("a prime is odd");
    let psi = definition::smallest_root(&modulus, log_n).expect("the prime has a root");
    let coefficients: Vec<u128> = (0..1 << log_n).map(|i| modulus.pow(3 + i, 5)).collect();
    let evaluations = definition::ntt(&modulus, psi, &coefficients);
    let (transform, operand, expected) = match entry.transform {
        Transform::Forward => ("forward", coefficients, evaluations),
        Transform::Inverse => ("inverse", evaluations, coefficients),
        Transform::InverseCooleyTukey => ("inverse_cooley_tukey", evaluations, coefficients),
    };
    let (result, schedule) = kernel
        .run(&config, q, &operand)
        .expect("a program that runs");
    json!({
        "parameters": tuned.parameters,
        "transform": transform,
        "log_n": log_n,
        "cycles": schedule.cycles,
        "bound_cycles": bound(&config, log_n),
        "instructions": kernel.program.instructions.len(),
        "vector_memory_words": kernel.map.words,
        "compile_us": compile_us,
        "correct": result == expected,
    })
}
