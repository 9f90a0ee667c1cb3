//! The computation controller: what the butterfly units take in each cycle of a transform.
//!
//! Butterflies come first: in a cycle they enter if their twiddle factors are there; else a
//! product of the twiddle unit enters if it can; else nothing does. With one batch of factors held
//! that is the published machine, which stalls the butterflies for every batch. With more, the
//! products slip into the cycles in which a stage drains. (Products first was tried: a transform of
//! N = 1024 on 32 units with 16 batches then takes 310 cycles instead of 290, because products
//! displace butterflies that could have entered.)

use super::twiddle_unit::TwiddleUnit;
use crate::shape::Shape;
use crate::twiddles::batches;
use ringwright_sim::Trace;

/// What enters the butterfly units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Issue number `issue` of the stage, with this batch of factors.
    Operands {
        /// Number of the issue in its stage.
        issue: u64,
        /// Number of the batch in the transform's sequence.
        batch: u64,
    },
    /// A product for the twiddle unit.
    Factors,
    /// Nothing.
    Idle,
}

/// Counters of one stage.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    issue: u64,
    issues: u64,
    /// Issues per batch.
    per_batch: u64,
    /// Number of the stage's first batch in the sequence.
    first_batch: u64,
}

impl Control {
    /// Before the first stage.
    pub fn new() -> Self {
        Control {
            issue: 0,
            issues: 0,
            per_batch: 1,
            first_batch: 0,
        }
    }

    /// Begins the next stage, of `issues` issues; stage L is the pass behind an inverse transform.
    pub fn next_stage(&mut self, shape: Shape, stage: u32, issues: u64) {
        self.first_batch += self.issues / self.per_batch;
        self.issue = 0;
        self.issues = issues;
        self.per_batch = issues / batches(shape, stage);
    }

    /// Decides one cycle.
    #[inline]
    pub fn slot<T: Trace>(&mut self, cycle: u64, twiddles: &mut TwiddleUnit<T>) -> Slot {
        let batch = self.first_batch + self.issue / self.per_batch;
        if self.issue < self.issues && twiddles.has(cycle, batch) {
            let issue = self.issue;
            self.issue += 1;
            if self.issue.is_multiple_of(self.per_batch) {
                twiddles.retire();
            }
            return Slot::Operands { issue, batch };
        }
        match twiddles.wants(cycle) {
            true => Slot::Factors,
            false => Slot::Idle,
        }
    }

    /// Whether every issue of the stage has entered.
    pub fn issued(&self) -> bool {
        self.issue == self.issues
    }
}

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}
