//! A kernel with its cycles, beside the plain one's.

use super::tower_kernel::{Making, TowerKernel};
use crate::isa::{Class, Program};
use ringwright_target::{Counters, TransformSchedule};

/// A kernel with what one run of it takes on this machine.
#[derive(Debug)]
pub struct Measured {
    /// The kernel.
    pub kernel: TowerKernel,
    /// From the first instruction in decode until the last has ended.
    pub cycles: u64,
    /// What happens in the machine's units meanwhile.
    pub counters: Counters,
    /// The plain program, which `kernel` may be.
    pub plain: Program,
    /// The same of the plain program; `None` where that does not fit the machine.
    pub plain_cycles: Option<u64>,
    /// Cycles that load/store, compute and shuffle pipe work at least, prologue aside; `None` where
    /// nothing could be scheduled.
    pub occupied: Option<[u64; 3]>,
    /// Who found the order of a transform; `None` for other operations.
    pub schedule: Option<TransformSchedule>,
}

impl Measured {
    /// What no order of the same instructions can go below, and the pipe that says so.
    pub fn bound(&self) -> Option<(u64, &'static str)> {
        let pipes = [Class::LoadStore, Class::Compute, Class::Shuffle].map(Class::name);
        let occupied = self.occupied?.into_iter().zip(pipes);
        occupied.max_by_key(|&(cycles, _)| cycles)
    }

    /// How the program was made and what it takes, beside its bound and the plain one.
    pub fn summary(&self) -> String {
        let mut said = format!("{}: {} cycles", self.kernel.making.name(), self.cycles);
        if let Some((bound, pipe)) = self.bound() {
            said += &format!(", bound {bound} ({pipe})");
        }
        match (self.kernel.making, self.plain_cycles) {
            (Making::Scheduled, Some(plain)) => said + &format!(", plain {plain}"),
            (Making::Plain, _) => said + ": no schedule is quicker",
            _ => said,
        }
    }
}
