//! Paired timing: ours and a peer's in turn, the median of each.

use std::time::Instant;

/// Rounds per measurement; odd, so that the median is a sample.
const ROUNDS: usize = 15;
/// Shortest time of one round, long against the clock's resolution.
const ROUND_MICROSECONDS: f64 = 2000.0;

/// Median microseconds per call of each function, measured in turn.
pub fn paired(ours: &mut dyn FnMut(), peer: &mut dyn FnMut()) -> (f64, f64) {
    let calls = calls_per_round(ours);
    let mut samples = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        samples.0.push(microseconds(ours, calls));
        samples.1.push(microseconds(peer, calls));
    }
    (median(samples.0), median(samples.1))
}

fn calls_per_round(function: &mut dyn FnMut()) -> u32 {
    let mut calls = 1;
    while microseconds(function, calls) * f64::from(calls) < ROUND_MICROSECONDS {
        calls *= 2;
    }
    calls
}

fn microseconds(function: &mut dyn FnMut(), calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        function();
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
