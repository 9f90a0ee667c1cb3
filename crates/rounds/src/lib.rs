//! Times taken in turn, ours and the peers', the least of each.
//!
//! Interruptions only ever add time, so the least of many short rounds is what the code takes on a
//! machine that is shared; taking turns lets all meet the same clock. Several threads live as long
//! as the measurement, on cores of their own, and wait for each other awake: a thread that is
//! started or woken for every round begins late, and may share its core with one that waits for it.

pub mod answers;

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::yield_now;
use std::time::{Duration, Instant};

/// Most rounds per measurement, and fewest where they are long.
const ROUNDS: usize = 301;
const FEWEST_ROUNDS: usize = 25;
/// After this no more than the fewest.
const PATIENCE: Duration = Duration::from_millis(300);
/// Shortest time of one round, long against the clock's resolution.
const ROUND_MICROSECONDS: f64 = 100.0;
/// A thread that has waited for so long lets others on its core go first.
const SPINS: u32 = 10_000;

/// What is timed, on a thread's own state.
pub type Action<'a, S> = Box<dyn Fn(&mut S) + Sync + 'a>;

/// Least microseconds per call of each action, taken in turn; every state has a thread of its own,
/// and a round ends when the last of them has done its calls.
pub fn least<S: Send>(states: &mut [S], actions: &[&Action<S>]) -> Vec<f64> {
    let calls = calls_per_round(actions[0], &mut states[0]);
    let gate = &Gate::new(states.len());
    let cores = match states.len() {
        1 => Vec::new(),
        _ => core_affinity::get_core_ids().unwrap_or_default(),
    };
    std::thread::scope(|scope| {
        let start = |(index, state)| {
            let core = cores.get(index).copied();
            scope.spawn(move || {
                core.map(core_affinity::set_for_current);
                rounds(state, actions, calls, gate)
            })
        };
        let mut threads: Vec<_> = states.iter_mut().enumerate().map(start).collect();
        threads.remove(0).join().expect("no action panics")
    })
}

/// One thread's part. A round's time begins before any thread can, and ends when all have: every
/// thread finds about the same.
fn rounds<S>(state: &mut S, actions: &[&Action<S>], calls: u32, gate: &Gate) -> Vec<f64> {
    let mut least = vec![f64::MAX; actions.len()];
    let mut passed = 0;
    let most = if answers::only() { 1 } else { ROUNDS };
    let begun = Instant::now();
    for round in 0.. {
        if round == most || round >= FEWEST_ROUNDS && begun.elapsed() > PATIENCE {
            gate.closed.store(true, Ordering::Release);
        }
        gate.pass(&mut passed);
        if gate.closed.load(Ordering::Acquire) {
            break;
        }
        for (action, least) in actions.iter().zip(&mut least) {
            let start = Instant::now();
            gate.pass(&mut passed);
            (0..calls).for_each(|_| action(state));
            gate.pass(&mut passed);
            *least = least.min(microseconds(start, calls));
        }
    }
    least
}

fn calls_per_round<S>(action: &Action<S>, state: &mut S) -> u32 {
    let mut calls = 1;
    loop {
        let start = Instant::now();
        (0..calls).for_each(|_| action(state));
        if microseconds(start, 1) >= ROUND_MICROSECONDS {
            return calls;
        }
        calls *= 2;
    }
}

fn microseconds(start: Instant, calls: u32) -> f64 {
    start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}

/// Where threads wait for each other, awake.
struct Gate {
    threads: usize,
    arrivals: AtomicUsize,
    /// Set before a thread passes: no thread goes on after that pass.
    closed: AtomicBool,
}

impl Gate {
    fn new(threads: usize) -> Self {
        Self {
            threads,
            arrivals: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        }
    }

    /// Returns when every thread has come as often as this one; `passed` counts its times.
    fn pass(&self, passed: &mut usize) {
        *passed += 1;
        self.arrivals.fetch_add(1, Ordering::AcqRel);
        for spins in 0.. {
            if self.arrivals.load(Ordering::Acquire) >= *passed * self.threads {
                return;
            }
            if spins < SPINS {
                spin_loop();
            } else {
                yield_now();
            }
        }
    }
}
