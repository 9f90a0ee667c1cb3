//! The ledger: where the time went, per stage, kernel or tax.
//!
//! `busy` is how long a stage kept its resource occupied, summed over the jobs; overlapping stages
//! are all busy. `exposed` is how much of the critical path was the stage's: the exposed times of
//! all entries add up to the end-to-end time exactly. A stage that is busy and not exposed costs
//! energy, not time. Time in which a result was under way and its link free has an entry of its own,
//! `wait: ...`.

use crate::critical_path::SegmentKind;
use crate::schedule::{Placed, Schedule};
use crate::workload::{ResourceId, StageKind};
use ringwright_sim::{Femtoseconds, Provenance};
use std::collections::BTreeMap;

/// Kernel or tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// The accelerated work itself.
    Kernel,
    /// Everything around it.
    Tax,
}

impl EntryKind {
    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            EntryKind::Kernel => "kernel",
            EntryKind::Tax => "tax",
        }
    }
}

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name of the stage, or `wait: ...`.
    pub stage: String,
    /// Kernel or tax.
    pub kind: EntryKind,
    /// Where it ran; stages of one name on two resources have two entries.
    pub resource: ResourceId,
    /// Whether it is time in which nothing worked: `wait: ...`.
    pub waits: bool,
    /// Time its resource was occupied, over all jobs.
    pub busy: Femtoseconds,
    /// The least and the most that it may have been; both `busy` where no stage has a range.
    pub busy_range: (Femtoseconds, Femtoseconds),
    /// Time of the critical path that is this entry's.
    pub exposed: Femtoseconds,
    /// Energy, when every stage in the entry states it.
    pub joules: Option<f64>,
    /// Where the durations come from; stages that differ in it have two entries.
    pub provenance: Provenance,
}

/// The entries in the order in which their stages first appear: setup, then the jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    entries: Vec<Entry>,
    total: Femtoseconds,
}

impl Schedule {
    /// Adds up the schedule.
    pub fn ledger(&self) -> Ledger {
        let mut book = Book::default();
        for placed in self.placed() {
            book.add_busy(self, placed);
        }
        for segment in self.critical_path().segments() {
            let length = segment.end.0 - segment.start.0;
            let waits = segment.kind == SegmentKind::Latency;
            book.entry(self, &self.placed()[segment.placed], waits)
                .exposed
                .0 += length;
        }
        Ledger {
            entries: book.entries,
            total: self.total(),
        }
    }
}

impl Ledger {
    /// The lines.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// End-to-end time of the whole run, setup included: the sum of all exposed times.
    pub fn total(&self) -> Femtoseconds {
        self.total
    }

    /// Exposed time of all entries of a kind.
    pub fn exposed(&self, kind: EntryKind) -> Femtoseconds {
        let of_kind = self.entries.iter().filter(|entry| entry.kind == kind);
        Femtoseconds(of_kind.map(|entry| entry.exposed.0).sum())
    }

    /// Where the total comes from: every provenance on the critical path, in order. More than one
    /// means that the total mixes them.
    pub fn provenance(&self) -> Vec<Provenance> {
        let exposed = self.entries.iter().filter(|entry| entry.exposed.0 > 0);
        let mut all: Vec<Provenance> = exposed.map(|entry| entry.provenance).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Energy of the whole run, when every stage that took time states it.
    pub fn joules(&self) -> Option<f64> {
        let spending = |entry: &&Entry| entry.busy.0 > 0 || entry.joules.is_some();
        self.entries
            .iter()
            .filter(spending)
            .map(|entry| entry.joules)
            .sum()
    }
}

/// What makes two stages belong to one entry.
type Key = (String, EntryKind, ResourceId, Provenance);

#[derive(Default)]
struct Book {
    entries: Vec<Entry>,
    index: BTreeMap<Key, usize>,
}

impl Book {
    fn add_busy(&mut self, schedule: &Schedule, placed: &Placed) {
        let stage = schedule.stage(placed);
        let first = !self.index.contains_key(&key(schedule, placed, false));
        let entry = self.entry(schedule, placed, false);
        entry.busy.0 += stage.duration.0;
        let (low, high) = stage.durations();
        entry.busy_range.0 .0 += low.0;
        entry.busy_range.1 .0 += high.0;
        entry.joules = match first {
            true => stage.joules,
            false => entry.joules.zip(stage.joules).map(|(sum, more)| sum + more),
        };
    }

    fn entry(&mut self, schedule: &Schedule, placed: &Placed, waits: bool) -> &mut Entry {
        let key = key(schedule, placed, waits);
        let next = self.entries.len();
        let at = *self.index.entry(key.clone()).or_insert(next);
        if at == next {
            let (stage, kind, resource, provenance) = key;
            self.entries.push(Entry {
                stage,
                kind,
                resource,
                waits,
                busy: Femtoseconds::ZERO,
                busy_range: (Femtoseconds::ZERO, Femtoseconds::ZERO),
                exposed: Femtoseconds::ZERO,
                joules: None,
                provenance,
            });
        }
        &mut self.entries[at]
    }
}

fn key(schedule: &Schedule, placed: &Placed, waits: bool) -> Key {
    let stage = schedule.stage(placed);
    match (waits, stage.kind) {
        (true, _) => {
            let name = format!("wait: latency of {}", stage.name);
            (name, EntryKind::Tax, stage.resource, stage.provenance)
        }
        (false, kind) => (
            stage.name.clone(),
            entry_kind(kind),
            stage.resource,
            stage.provenance,
        ),
    }
}

fn entry_kind(kind: StageKind) -> EntryKind {
    match kind {
        StageKind::Kernel => EntryKind::Kernel,
        StageKind::HostFunction | StageKind::Transfer => EntryKind::Tax,
    }
}
