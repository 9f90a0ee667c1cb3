//! Paired timing: ours and a peer's in turn, the least of each.
//!
//! Interruptions only ever add time, so the least of many short rounds is what the code takes on a
//! machine that is shared; taking turns lets both meet the same clock.

use std::time::{Duration, Instant};

/// Most rounds per measurement, and fewest where they are long.
const ROUNDS: usize = 301;
const FEWEST_ROUNDS: usize = 9;
/// After this no more than the fewest.
const PATIENCE: Duration = Duration::from_millis(300);
/// Shortest time of one round, long against the clock's resolution.
const ROUND_MICROSECONDS: f64 = 100.0;

/// Least microseconds per call of each function, measured in turn.
pub fn paired(ours: &mut dyn FnMut(), peer: &mut dyn FnMut()) -> (f64, f64) {
    let calls = calls_per_round(ours);
    let mut least = (f64::MAX, f64::MAX);
    let start = Instant::now();
    for round in 0..ROUNDS {
        if round >= FEWEST_ROUNDS && start.elapsed() > PATIENCE {
            break;
        }
        least.0 = least.0.min(microseconds(ours, calls));
        least.1 = least.1.min(microseconds(peer, calls));
    }
    least
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
