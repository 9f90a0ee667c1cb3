//! The ledger: where the time went, per stage, kernel or tax.
//!
//! `busy` is how long a stage kept its resource occupied, summed over the jobs; overlapping stages
//! are all busy. `exposed` is how much of the critical path was the stage's: the exposed times of
//! all entries add up to the end-to-end time exactly. A stage that is busy and not exposed costs
//! energy, not time. Time in which a result was under way and its link free has an entry of its own,
//! `wait: ...`.

use crate::critical_path::{CriticalPath, SegmentKind};
use crate::placed::Placed;
use crate::schedule::Schedule;
use crate::workload::{FoldedPart, ResourceId, Stage, StageKind};
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
        Ledger {
            entries: entries(self.placed(), |placed| self.stage(placed)),
            total: self.total(),
        }
    }
}

/// Adds up placed stages.
fn entries<'a>(placed: &[Placed], stage: impl Fn(&Placed) -> &'a Stage) -> Vec<Entry> {
    let mut book = Book::default();
    let mut inside: BTreeMap<usize, Vec<(&FoldedPart, Vec<Entry>)>> = BTreeMap::new();
    for (index, placed) in placed.iter().enumerate() {
        let stage = stage(placed);
        match &stage.folded {
            Some(folded) => {
                let parts: Vec<_> = folded.parts.iter().map(part_entries).collect();
                parts
                    .iter()
                    .for_each(|part| book.add_part_busy(stage, part));
                inside.insert(index, parts);
            }
            None => book.add_busy(stage),
        }
    }
    for segment in CriticalPath::of(placed).segments() {
        let stage = stage(&placed[segment.placed]);
        let length = Femtoseconds(segment.end.0 - segment.start.0);
        match (segment.kind, inside.get(&segment.placed)) {
            // A folded stage is there as a whole, with all that its parts expose.
            (SegmentKind::Busy, Some(parts)) => {
                parts
                    .iter()
                    .for_each(|part| book.add_part_exposed(stage, part));
            }
            (kind, _) => {
                let waits = kind == SegmentKind::Latency;
                book.entry(key(stage, waits), waits).exposed.0 += length.0;
            }
        }
    }
    book.entries
}

/// What one call of a part adds up to.
fn part_entries(part: &FoldedPart) -> (&FoldedPart, Vec<Entry>) {
    (
        part,
        entries(&part.placed, |placed| &part.job.stages[placed.stage]),
    )
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
    fn add_busy(&mut self, stage: &Stage) {
        let busy = Busy {
            time: stage.duration,
            range: stage.durations(),
            joules: stage.joules,
        };
        self.spend(key(stage, false), busy);
    }

    fn add_part_busy(&mut self, stage: &Stage, (part, entries): &(&FoldedPart, Vec<Entry>)) {
        for entry in entries.iter().filter(|entry| !entry.waits) {
            let busy = Busy::of(entry).times(part.runs);
            self.spend(inner_key(stage, part, entry), busy);
        }
    }

    fn add_part_exposed(&mut self, stage: &Stage, (part, entries): &(&FoldedPart, Vec<Entry>)) {
        for entry in entries {
            let mine = self.entry(inner_key(stage, part, entry), entry.waits);
            mine.exposed.0 += entry.exposed.0 * part.runs;
        }
    }

    fn spend(&mut self, key: Key, busy: Busy) {
        let first = !self.index.contains_key(&key);
        let entry = self.entry(key, false);
        entry.busy.0 += busy.time.0;
        entry.busy_range.0 .0 += busy.range.0 .0;
        entry.busy_range.1 .0 += busy.range.1 .0;
        entry.joules = match first {
            true => busy.joules,
            false => entry.joules.zip(busy.joules).map(|(sum, more)| sum + more),
        };
    }

    fn entry(&mut self, key: Key, waits: bool) -> &mut Entry {
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

/// What a stage, or an entry of a folded one, adds to its entry.
struct Busy {
    time: Femtoseconds,
    range: (Femtoseconds, Femtoseconds),
    joules: Option<f64>,
}

impl Busy {
    fn of(entry: &Entry) -> Self {
        Busy {
            time: entry.busy,
            range: entry.busy_range,
            joules: entry.joules,
        }
    }

    fn times(self, runs: u64) -> Self {
        let (low, high) = self.range;
        Busy {
            time: Femtoseconds(self.time.0 * runs),
            range: (Femtoseconds(low.0 * runs), Femtoseconds(high.0 * runs)),
            joules: self.joules.map(|joules| joules * runs as f64),
        }
    }
}

fn key(stage: &Stage, waits: bool) -> Key {
    match waits {
        true => {
            let tax = EntryKind::Tax;
            (stage.wait(), tax, stage.resource, stage.provenance)
        }
        false => (
            stage.name.clone(),
            entry_kind(stage.kind),
            stage.resource,
            stage.provenance,
        ),
    }
}

/// The key that an entry of a part has among the entries of the whole.
fn inner_key(stage: &Stage, part: &FoldedPart, entry: &Entry) -> Key {
    let resource = part.outside(stage, entry.resource);
    (entry.stage.clone(), entry.kind, resource, entry.provenance)
}

fn entry_kind(kind: StageKind) -> EntryKind {
    match kind {
        StageKind::Kernel => EntryKind::Kernel,
        StageKind::HostFunction | StageKind::Transfer => EntryKind::Tax,
    }
}
