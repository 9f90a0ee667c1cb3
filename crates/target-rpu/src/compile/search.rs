//! The best of many settings of the scheduler.
//!
//! A schedule takes milliseconds, so a search is a list of settings and then random ones, all from
//! one seed: the same budget finds the same program everywhere.

use super::kernel::{Front, Kernel};
use super::schedule::Knobs;
use super::CompileError;
use crate::config::Config;
use ringwright_nttx::Plan;

/// How long to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Settings to try.
    pub tries: u32,
    /// Where the random ones start.
    pub seed: u64,
}

/// The best kernel that `budget` finds for a plan.
pub fn search(plan: &Plan, config: &Config, budget: Budget) -> Result<Kernel, CompileError> {
    let front = Front::new(plan, config)?;
    let mut random = Random(budget.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut best: Vec<(u64, Knobs)> = Vec::new();
    for _ in 0..budget.tries.max(1) {
        let knobs = match best.first() {
            Some(&(_, knobs)) if random.below(4) > 0 => random.near(knobs, config),
            _ => random.any(config),
        };
        if let Some(cycles) = front.estimate(config, knobs) {
            best.push((cycles, knobs));
            best.sort_by_key(|&(cycles, _)| cycles);
            best.truncate(KEPT);
        }
    }
    let kernels = best
        .iter()
        .filter_map(|&(_, knobs)| front.finish(config, knobs).ok());
    let found = kernels.min_by_key(|kernel| kernel.cycles);
    found.ok_or(CompileError::Registers(Knobs::default()))
}

/// Settings that are timed by the simulator in the end.
const KEPT: usize = 4;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) % limit
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn any(&mut self, config: &Config) -> Knobs {
        let knobs = Knobs {
            noise: 0,
            ..Knobs::default()
        };
        (0..8).fold(knobs, |knobs, _| self.near(knobs, config))
    }

    /// One setting changed.
    fn near(&mut self, mut knobs: Knobs, config: &Config) -> Knobs {
        let choices = if config.single_port() { 7 } else { 4 };
        match self.below(choices) {
            0 => knobs.ahead = self.pick(&[0, 0, 1, 1, 2]),
            1 => knobs.window = self.pick(&[60, 100, 160, 200, 240, 320, 400, 600]),
            2 => knobs.reserve = self.pick(&[1, 2, 3, 4, 6, 8, 10]),
            3 => {
                knobs.noise = self.pick(&[0, 2, 4, 8, 16, 32]);
                knobs.seed = self.below(1 << 16);
            }
            4 => knobs.constant_memories = self.pick(&[1, 2, 3, 4]),
            5 => knobs.guests = self.pick(&[1, 2, 4, 8, 16]),
            _ => knobs.hot = self.pick(&[0, 1, 2, 3, 4, 6, 8]),
        }
        knobs
    }
}
