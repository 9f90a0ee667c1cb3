//! Times taken in turn, ours and the peers', the least of each.
//!
//! Interruptions only ever add time, so the least of many short rounds is what the code takes on a
//! machine that is shared; taking turns lets all meet the same clock. Several threads live as long
//! as the measurement and wait for each other awake: a thread that is started or woken for every
//! round begins late, and on a core that the scheduler may still change.

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
/// A thread that has waited for so long may share its core with the one it waits for.
const SPINS: u32 = 10_000;

/// What is timed, on a thread's own state.
pub type Action<'a, S> = Box<dyn Fn(&mut S) + Sync + 'a>;

/// Least microseconds per call of each action, taken in turn; every state has a thread of its own,
/// and a round ends when the last of them has done its calls.
pub fn least<S: Send>(states: &mut [S], actions: &[&Action<S>]) -> Vec<f64> {
    let [first, others @ ..] = states else {
        return Vec::new();
    };
    let calls = calls_per_round(actions[0], first);
    let gate = Gate::new(1 + others.len());
    let over = AtomicBool::new(false);
    let mut least = vec![f64::MAX; actions.len()];
    std::thread::scope(|scope| {
        for state in others {
            let (gate, over) = (&gate, &over);
            scope.spawn(move || {
                let mut passed = 0;
                loop {
                    for action in actions {
                        gate.pass(&mut passed);
                        if over.load(Ordering::Acquire) {
                            return;
                        }
                        (0..calls).for_each(|_| action(state));
                        gate.pass(&mut passed);
                    }
                }
            });
        }
        let mut passed = 0;
        let start = Instant::now();
        let enough = |round| round >= FEWEST_ROUNDS && start.elapsed() > PATIENCE;
        for _ in (0..ROUNDS).take_while(|&round| !enough(round)) {
            for (action, least) in actions.iter().zip(&mut least) {
                gate.pass(&mut passed);
                let start = Instant::now();
                (0..calls).for_each(|_| action(first));
                gate.pass(&mut passed);
                *least = least.min(microseconds(start, calls));
            }
        }
        over.store(true, Ordering::Release);
        gate.pass(&mut passed);
    });
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
}

impl Gate {
    fn new(threads: usize) -> Self {
        let arrivals = AtomicUsize::new(0);
        Self { threads, arrivals }
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
