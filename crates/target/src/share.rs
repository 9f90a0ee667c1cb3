//! What of a part is whose, where several operations are one part.
//!
//! Steps say for which source they are. Time is divided as a ledger does: every cycle of the part
//! belongs to one step, the one that it waits for. From the step that ends last back to the first,
//! each step begins when another ends, one that it waits for or the last on its unit; that row of
//! steps is as long as the part, and each source is **exposed** for its steps in it.

use crate::step::{HostOperation, StepKind, Work};
use crate::steps::{Interval, Steps};
use ringwright_sim::{Cycle, Provenance};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What one source takes of a part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// From the first of its steps until the last has ended, host functions taking no time.
    pub cycles: Cycle,
    /// How many cycles of the part are its own; over all sources they sum to the part's.
    pub exposed: Cycle,
    /// Work of the unit that works longest for it: no order of the same steps takes less.
    pub bound: Cycle,
    /// Bytes that its transfers move.
    pub bytes_moved: u64,
    /// What its host does, and how often.
    pub host_operations: BTreeMap<HostOperation, u64>,
    /// Where its cycles come from.
    pub provenances: BTreeSet<Provenance>,
}

/// One for each source up to the last that has steps.
pub(crate) fn shares(steps: &Steps) -> Vec<Share> {
    let intervals = steps.place(|kind| kind.work.device_cycles());
    let mut all: Vec<Gathered> = Vec::new();
    for (step, interval) in steps.iter().zip(&intervals) {
        let source = step.source as usize;
        if source >= all.len() {
            all.resize(source + 1, Gathered::default());
        }
        all[source].add(step.kind, interval);
    }
    for step in row(steps, &intervals) {
        let Interval { start, end } = intervals[step];
        all[steps.get(step).source as usize].share.exposed.0 += end - start;
    }
    all.into_iter().map(Gathered::share).collect()
}

/// The steps without gaps between them that are as long as the part.
fn row(steps: &Steps, intervals: &[Interval]) -> Vec<usize> {
    let mut before: Vec<Option<usize>> = Vec::with_capacity(intervals.len());
    let mut last_on: FxHashMap<&str, usize> = FxHashMap::default();
    for (index, step) in steps.iter().enumerate() {
        let on_units = step.kind.units.iter().filter_map(|unit| last_on.get(unit));
        let waited = step.after.iter().map(|&step| step as usize);
        let begun = waited.chain(on_units.copied());
        let start = intervals[index].start;
        before.push(begun.filter(|&step| intervals[step].end == start).max());
        last_on.extend(step.kind.units.iter().map(|&unit| (unit, index)));
    }
    let last = (0..intervals.len()).max_by_key(|&step| (intervals[step].end, step));
    std::iter::successors(last, |&step| before[step]).collect()
}

/// A share while steps are added.
#[derive(Clone, Default)]
struct Gathered {
    share: Share,
    work: FxHashMap<&'static str, u64>,
    start: Option<u64>,
    end: u64,
}

impl Gathered {
    fn add(&mut self, kind: &StepKind, interval: &Interval) {
        let share = &mut self.share;
        match &kind.work {
            Work::Transfer { bytes, .. } => share.bytes_moved += bytes,
            Work::HostFunction { operations } => {
                for (&operation, times) in operations {
                    *share.host_operations.entry(operation).or_default() += times;
                }
            }
            Work::Kernel { .. } => {}
        }
        let cycles = kind.work.device_cycles();
        if cycles > 0 {
            share.provenances.extend(kind.provenance());
        }
        for &unit in kind.units {
            *self.work.entry(unit).or_default() += cycles;
        }
        self.start = Some(self.start.map_or(interval.start, |s| s.min(interval.start)));
        self.end = self.end.max(interval.end);
    }

    fn share(self) -> Share {
        Share {
            cycles: Cycle(self.end - self.start.unwrap_or(self.end)),
            bound: Cycle(self.work.into_values().max().unwrap_or(0)),
            ..self.share
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hardware, Task};

    fn kind(work: Work, units: &'static [&'static str]) -> StepKind {
        StepKind {
            name: "step",
            task: Task::Compute,
            work,
            hardware: Hardware::Rtl,
            units,
        }
    }

    /// While the first operation computes, the second one's words come.
    #[test]
    fn what_is_hidden_is_not_exposed() {
        let transfer = |cycles| kind(Work::Transfer { cycles, bytes: 8 }, &["dma"]);
        let computed = |cycles| kind(Work::Kernel { cycles }, &["core"]);
        let mut steps = Steps::new();
        let first = steps.push_for(0, transfer(5), &[], None);
        steps.push_for(0, computed(10), &[first], None);
        let second = steps.push_for(1, transfer(3), &[], None);
        steps.push_for(1, computed(2), &[second], None);
        let [first, second] = shares(&steps).try_into().expect("two sources");
        assert_eq!((first.cycles, first.exposed), (Cycle(15), Cycle(15)));
        assert_eq!((second.cycles, second.exposed), (Cycle(12), Cycle(2)));
        assert_eq!((first.bound, second.bound), (Cycle(10), Cycle(3)));
        assert_eq!((first.bytes_moved, second.bytes_moved), (8, 8));
    }
}
