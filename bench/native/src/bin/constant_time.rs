//! A dudect-style measurement: can two classes of secrets be told apart by time?
//!
//! Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", DATE 2017. Each operation runs
//! on a fixed secret (all zero) and on random ones, in random order; Welch's t of the two samples,
//! after dropping the slowest tail, which interrupts made. |t| above 4.5 over this many samples
//! is evidence of a leak; a small |t| is absence of evidence, no proof: the proof-like check is
//! `tests/constant_time`. The last row is a deliberate leak, to show what one looks like.
//!
//! Prints a JSON list of rows.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::{Choices, Modulus};
use ringwright_kernels::{Isa, NttPlan, Pointwise};
use ringwright_ring::sampler;
use ringwright_rounds::answers;
use serde_json::{json, Value};
use std::hint::black_box;
use std::time::Instant;

const LOG_N: u32 = 12;
const N: usize = 1 << LOG_N;
const SAMPLES: usize = 40_000;
/// Of them where answers alone are checked: too few for a verdict.
const FEWER: usize = 1_000;
/// Share of the fastest samples that is kept.
const KEPT: f64 = 0.9;
const EVIDENCE: f64 = 4.5;

fn main() {
    let q = ntt_primes(60, LOG_N, 1).expect("a prime exists")[0] as u64;
    let modulus = Modulus::new(q).expect("an odd prime");
    let plan = NttPlan::<u64>::new(LOG_N, q).expect("a plan");
    let pointwise = Pointwise::new(q).expect("kernels");
    let mut random = Choices::new(1);
    let public: Vec<u64> = (0..N).map(|_| random.word() % q).collect();
    let mut tower = vec![0; N];
    let rows = [
        measure("ntt forward", q, |secret| plan.forward(secret)),
        measure("ntt inverse", q, |secret| plan.inverse(secret)),
        measure("multiply", q, |secret| {
            pointwise.mul_in_place(secret, &public)
        }),
        measure("to tower", 3, |secret| {
            let small: Vec<i8> = secret.iter().map(|&word| word as i8 - 1).collect();
            sampler::to_tower(&small, &modulus, &mut tower);
        }),
        measure("deliberate leak", q, |secret| {
            let nonzero = secret.iter().filter(|&&word| word != 0);
            for &word in nonzero {
                black_box(word % 7);
            }
        }),
    ];
    println!("{}", Value::from(rows.to_vec()));
}

/// One row: Welch's t between the fixed and the random class.
fn measure(name: &str, bound: u64, mut operation: impl FnMut(&mut [u64])) -> Value {
    let mut random = Choices::new(2);
    let samples = if answers::only() { FEWER } else { SAMPLES };
    let mut classes = [Vec::with_capacity(samples), Vec::with_capacity(samples)];
    let mut secret = vec![0; N];
    for _ in 0..samples {
        let class = (random.word() >> 32) as usize & 1;
        // Both classes do the same work beforehand, so that caches are alike.
        let mask = (class as u64).wrapping_neg();
        secret
            .iter_mut()
            .for_each(|word| *word = (random.word() % bound) & mask);
        let start = Instant::now();
        operation(black_box(&mut secret));
        classes[class].push(start.elapsed().as_nanos() as f64);
    }
    let t = welch(&fastest(&classes[0]), &fastest(&classes[1]));
    json!({
        "name": name,
        "isa": Isa::detect().to_string(),
        "samples": samples,
        "t": t,
        "verdict": match t.abs() > EVIDENCE {
            _ if answers::only() => "not judged",
            true => "told apart",
            false => "not told apart",
        },
    })
}

fn fastest(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.truncate((samples.len() as f64 * KEPT) as usize);
    sorted
}

fn welch(a: &[f64], b: &[f64]) -> f64 {
    let moments = |x: &[f64]| {
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance / n)
    };
    let ((mean_a, a), (mean_b, b)) = (moments(a), moments(b));
    (mean_a - mean_b) / (a + b).sqrt()
}
