//! A list of steps, with what waits for what and when each runs.
//!
//! A program of a million operations has millions of steps and few kinds of them, so kinds and source
//! lines are interned: a step is a dozen bytes and four for each step that it waits for.

use crate::step::StepKind;
use ringwright_ir::ring::Loc;
use ringwright_sim::Provenance;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

/// Steps in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    kinds: Interned<StepKind>,
    lines: Interned<Loc>,
    rows: Vec<Row>,
    /// What the steps wait for, one after the other.
    after: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    kind: u32,
    source: u32,
    line: Option<u32>,
    /// End of its part of [`Steps::after`].
    after: u32,
}

/// One step of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a> {
    /// What it does.
    pub kind: &'a StepKind,
    /// Earlier steps of the list that must have ended.
    pub after: &'a [u32],
    /// Which of its part's sources it is for.
    pub source: u32,
    /// The line of the user's program that asked for it.
    pub loc: Option<&'a Loc>,
}

/// When a step begins and ends, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first cycle.
    pub start: u64,
    /// The first cycle after it.
    pub end: u64,
}

impl Steps {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Appends a step for its part's first source, which waits for earlier ones; its index.
    pub fn push(&mut self, kind: StepKind, after: &[usize], loc: Option<&Loc>) -> usize {
        self.push_for(0, kind, after, loc)
    }

    /// The same for the source of this number.
    pub fn push_for(
        &mut self,
        source: u32,
        kind: StepKind,
        after: &[usize],
        loc: Option<&Loc>,
    ) -> usize {
        self.after.extend(after.iter().map(|&step| step as u32));
        let row = Row {
            kind: self.kinds.id(&kind),
            source,
            line: loc.map(|loc| self.lines.id(loc)),
            after: self.after.len() as u32,
        };
        self.rows.push(row);
        self.rows.len() - 1
    }

    /// A step by its index; panics beyond the end.
    pub fn get(&self, index: usize) -> Step<'_> {
        let row = &self.rows[index];
        let first = index
            .checked_sub(1)
            .map_or(0, |before| self.rows[before].after);
        Step {
            kind: &self.kinds.items[row.kind as usize],
            after: &self.after[first as usize..row.after as usize],
            source: row.source,
            loc: row.line.map(|line| &self.lines.items[line as usize]),
        }
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = Step<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// How often each kind occurs.
    pub fn count(&self) -> Vec<(&StepKind, u64)> {
        let mut counts = vec![0; self.kinds.items.len()];
        self.rows
            .iter()
            .for_each(|row| counts[row.kind as usize] += 1);
        self.kinds.items.iter().zip(counts).collect()
    }

    /// By unit, for how long it works when each step lasts as long as `duration` says of its kind.
    pub fn work(&self, duration: impl Fn(&StepKind) -> u64) -> BTreeMap<&'static str, u64> {
        let mut work = BTreeMap::new();
        for (kind, count) in self.count() {
            for &unit in kind.units {
                *work.entry(unit).or_default() += count * duration(kind);
            }
        }
        work
    }

    /// Where the cycles of these steps come from, host functions taking none.
    pub fn provenances(&self) -> BTreeSet<Provenance> {
        let kinds = self.kinds.items.iter();
        let timed = kinds.filter(|kind| kind.work.device_cycles() > 0);
        timed.filter_map(StepKind::provenance).collect()
    }

    /// Begin and end of every step when each starts as early as its units and what it waits for
    /// allow, and lasts as long as `duration` says of its kind. A step that is not earlier in the
    /// list is not waited for here; [`crate::Timing::check`] refuses it.
    pub fn place(&self, duration: impl Fn(&StepKind) -> u64) -> Vec<Interval> {
        let durations: Vec<u64> = self.kinds.items.iter().map(duration).collect();
        self.place_by(|_, kind| durations[kind])
    }

    /// When the last of them ends, each placed so.
    pub fn end(&self, duration: impl Fn(&StepKind) -> u64) -> u64 {
        let ends = self.place(duration).into_iter().map(|each| each.end);
        ends.max().unwrap_or(0)
    }

    /// As [`Steps::place`], with a duration for each step, in order.
    pub fn place_each(&self, durations: &[u64]) -> Vec<Interval> {
        self.place_by(|step, _| durations[step])
    }

    /// `duration`: of a step and its kind, by their numbers.
    fn place_by(&self, duration: impl Fn(usize, usize) -> u64) -> Vec<Interval> {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let units = self.kinds.items.iter().map(|kind| -> Vec<usize> {
            let number = |unit: &&'static str| {
                let next = numbers.len();
                *numbers.entry(unit).or_insert(next)
            };
            kind.units.iter().map(number).collect()
        });
        let units: Vec<Vec<usize>> = units.collect();
        let mut free = vec![0; numbers.len()];
        let mut intervals: Vec<Interval> = Vec::with_capacity(self.len());
        let mut first = 0;
        for row in &self.rows {
            let (kind, end) = (row.kind as usize, row.after as usize);
            let after = self.after[first..end].iter();
            let ends = after.filter_map(|&step| Some(intervals.get(step as usize)?.end));
            let ready = ends.max().unwrap_or(0);
            let start = units[kind]
                .iter()
                .fold(ready, |ready, &unit| ready.max(free[unit]));
            let interval = Interval {
                start,
                end: start.saturating_add(duration(intervals.len(), kind)),
            };
            units[kind]
                .iter()
                .for_each(|&unit| free[unit] = interval.end);
            intervals.push(interval);
            first = end;
        }
        intervals
    }
}

/// Values that occur often, each kept once.
#[derive(Clone, Debug)]
struct Interned<T> {
    items: Vec<T>,
    index: FxHashMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned {
            items: Vec::new(),
            index: FxHashMap::default(),
        }
    }
}

impl<T: PartialEq> PartialEq for Interned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    fn id(&mut self, item: &T) -> u32 {
        if let Some(&id) = self.index.get(item) {
            return id;
        }
        let id = self.items.len() as u32;
        self.items.push(item.clone());
        self.index.insert(item.clone(), id);
        id
    }
}
