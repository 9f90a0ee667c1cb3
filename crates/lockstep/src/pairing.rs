//! Pairs the records of two sides, and stops at the first without an equal partner.
//!
//! A side says when a cycle is complete; a cycle that both have completed is compared at once, so a
//! record that one side never emits is noticed in the cycle in which it is missing, not when the
//! next record happens to differ.

use crate::record::{NamedRecord, Probe, Probes, Record};
use ringwright_sim::Cycle;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fmt;

/// Who emitted a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The verilated design.
    Rtl,
    /// The simulator.
    Model,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Rtl => "RTL",
            Side::Model => "model",
        })
    }
}

/// The first pair that is not equal; one of the two may be missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("first difference after {paired} equal records\n    RTL: {}\n  model: {}\n   seed: {seed}\n replay: {replay}", shown(.rtl), shown(.model))]
pub struct Difference {
    /// What the RTL emitted.
    pub rtl: Option<NamedRecord>,
    /// What the simulator emitted.
    pub model: Option<NamedRecord>,
    /// Pairs that were equal before.
    pub paired: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The command that runs it again.
    pub replay: String,
}

impl Difference {
    /// The cycle in which the sides first differ.
    pub fn cycle(&self) -> Cycle {
        let cycles = [&self.rtl, &self.model].into_iter().flatten();
        cycles.map(|record| record.cycle).min().unwrap_or_default()
    }
}

fn shown(record: &Option<NamedRecord>) -> String {
    match record {
        Some(record) => record.to_string(),
        None => "nothing".to_string(),
    }
}

/// A side went back in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{side}: {record}, but that side has completed or passed the cycle")]
pub struct OutOfOrder {
    /// Who.
    pub side: Side,
    /// With which record.
    pub record: NamedRecord,
}

/// Why a run stops.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// The sides differ.
    #[error(transparent)]
    Difference(#[from] Box<Difference>),
    /// A side is not a sequence of cycles.
    #[error(transparent)]
    OutOfOrder(#[from] Box<OutOfOrder>),
}

/// Records of one side that have no partner yet.
#[derive(Debug, Default)]
struct Pending {
    records: VecDeque<Record>,
    /// Cycles below this one are complete.
    complete: u64,
}

impl Pending {
    fn is_late(&self, cycle: Cycle) -> bool {
        let newest = self.records.back().map_or(0, |record| record.cycle.0);
        cycle.0 < self.complete.max(newest)
    }

    /// The records below a cycle, in the order of comparison.
    fn take_below(&mut self, cycle: u64) -> impl Iterator<Item = Record> {
        let count = self.records.partition_point(|r| r.cycle.0 < cycle);
        let mut taken: Vec<_> = self.records.drain(..count).collect();
        taken.sort_unstable();
        taken.into_iter()
    }
}

/// A run of two sides.
#[derive(Debug)]
pub struct Lockstep {
    probes: Probes,
    rtl: Pending,
    model: Pending,
    paired: u64,
    seed: u64,
    replay: String,
}

impl Lockstep {
    /// A run; `replay` is the command that repeats it.
    pub fn new(seed: u64, replay: impl Into<String>) -> Self {
        Self {
            probes: Probes::default(),
            rtl: Pending::default(),
            model: Pending::default(),
            paired: 0,
            seed,
            replay: replay.into(),
        }
    }

    /// The number of a unit's event.
    pub fn probe(&mut self, unit: &str, event: &str) -> Probe {
        self.probes.probe(unit, event)
    }

    /// Pairs that were equal so far.
    pub fn paired(&self) -> u64 {
        self.paired
    }

    /// Takes a record; a side's cycles never go back.
    pub fn record(&mut self, side: Side, record: Record) -> Result<(), PairingError> {
        if self.pending(side).is_late(record.cycle) {
            let record = self.probes.named(&record);
            return Err(Box::new(OutOfOrder { side, record }).into());
        }
        self.pending(side).records.push_back(record);
        Ok(())
    }

    /// A side has emitted everything up to and including this cycle. Compares what both have.
    pub fn complete(&mut self, side: Side, cycle: Cycle) -> Result<(), PairingError> {
        let pending = self.pending(side);
        pending.complete = pending.complete.max(cycle.0 + 1);
        let both = self.rtl.complete.min(self.model.complete);
        Ok(self.compare_below(both)?)
    }

    /// The end of the run: whatever is left on either side is a difference. Returns the pairs.
    pub fn finish(mut self) -> Result<u64, PairingError> {
        self.compare_below(u64::MAX)?;
        Ok(self.paired)
    }

    fn pending(&mut self, side: Side) -> &mut Pending {
        match side {
            Side::Rtl => &mut self.rtl,
            Side::Model => &mut self.model,
        }
    }

    fn compare_below(&mut self, cycle: u64) -> Result<(), Box<Difference>> {
        let mut rtl = self.rtl.take_below(cycle);
        let mut model = self.model.take_below(cycle);
        loop {
            let (rtl, model) = match (rtl.next(), model.next()) {
                (None, None) => return Ok(()),
                (Some(a), Some(b)) if a == b => {
                    self.paired += 1;
                    continue;
                }
                // Of two records for different places the earlier one has no partner.
                (Some(a), Some(b)) => match a.place().cmp(&b.place()) {
                    Ordering::Less => (Some(a), None),
                    Ordering::Greater => (None, Some(b)),
                    Ordering::Equal => (Some(a), Some(b)),
                },
                alone => alone,
            };
            return Err(Box::new(self.difference(rtl, model)));
        }
    }

    fn difference(&self, rtl: Option<Record>, model: Option<Record>) -> Difference {
        Difference {
            rtl: rtl.map(|record| self.probes.named(&record)),
            model: model.map(|record| self.probes.named(&record)),
            paired: self.paired,
            seed: self.seed,
            replay: self.replay.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run over two probes; each record is (cycle, probe, destination, value).
    fn run(rtl: &[(u64, usize, u64, u128)], model: &[(u64, usize, u64, u128)]) -> Lockstep {
        let mut lockstep = Lockstep::new(7, "again");
        let probes = [
            lockstep.probe("fifo", "push"),
            lockstep.probe("fifo", "pop"),
        ];
        for (side, records) in [(Side::Rtl, rtl), (Side::Model, model)] {
            for &(cycle, probe, destination, value) in records {
                let record = Record {
                    cycle: Cycle(cycle),
                    probe: probes[probe],
                    destination,
                    value,
                };
                lockstep.record(side, record).unwrap();
            }
        }
        lockstep
    }

    fn difference(error: PairingError) -> Difference {
        match error {
            PairingError::Difference(difference) => *difference,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn order_within_a_cycle_does_not_count_and_order_of_cycles_does() {
        let one = [(3, 0, 0, 1), (3, 1, 0, 2), (4, 0, 1, 3)];
        let other = [(3, 1, 0, 2), (3, 0, 0, 1), (4, 0, 1, 3)];
        assert_eq!(run(&one, &other).finish(), Ok(one.len() as u64));
        let later = [(3, 0, 0, 1), (4, 1, 0, 2), (4, 0, 1, 3)];
        let found = difference(run(&one, &later).finish().unwrap_err());
        assert_eq!((found.cycle(), found.paired), (Cycle(3), 1));
        assert!(found.model.is_none());
    }

    #[test]
    fn a_difference_names_both_values_seed_and_replay() {
        let found = difference(
            run(&[(5, 1, 2, 10)], &[(5, 1, 2, 11)])
                .finish()
                .unwrap_err(),
        );
        assert_eq!(
            found.to_string(),
            "first difference after 0 equal records\n    RTL: cycle 5: fifo pop -> 2: 0xa\n  \
             model: cycle 5: fifo pop -> 2: 0xb\n   seed: 7\n replay: again"
        );
    }

    #[test]
    fn a_missing_record_is_noticed_when_its_cycle_is_complete() {
        let mut lockstep = run(&[(2, 0, 0, 1)], &[]);
        lockstep.complete(Side::Model, Cycle(9)).unwrap();
        lockstep.complete(Side::Rtl, Cycle(1)).unwrap();
        let found = difference(lockstep.complete(Side::Rtl, Cycle(2)).unwrap_err());
        assert_eq!((found.cycle(), found.model), (Cycle(2), None));
    }

    #[test]
    fn a_silent_tail_of_either_side_fails() {
        for (rtl, model) in [(&[(1, 0, 0, 1)][..], &[][..]), (&[], &[(1, 0, 0, 1)])] {
            let found = difference(run(rtl, model).finish().unwrap_err());
            assert_eq!(found.rtl.is_some(), found.model.is_none());
        }
    }

    #[test]
    fn time_does_not_run_back() {
        let mut lockstep = run(&[(4, 0, 0, 1)], &[]);
        let probe = lockstep.probe("fifo", "push");
        let record = |cycle| Record {
            cycle: Cycle(cycle),
            probe,
            destination: 0,
            value: 0,
        };
        assert!(lockstep.record(Side::Rtl, record(3)).is_err());
        lockstep.complete(Side::Model, Cycle(6)).unwrap();
        assert!(lockstep.record(Side::Model, record(6)).is_err());
        assert!(lockstep.record(Side::Model, record(7)).is_ok());
    }
}
