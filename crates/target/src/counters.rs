//! How often the ports, banks, units and instructions of a machine worked.
//!
//! Energy is events times energy per event, so a simulator counts events where they happen. Counts
//! depend on no value, like cycles.

use std::collections::BTreeMap;
use std::ops::AddAssign;

/// What is counted: a group ("instruction", "memory") and a name in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Counter {
    /// One word for counters of the same kind.
    pub group: &'static str,
    /// Which of them.
    pub name: &'static str,
}

/// Counts of events; what never happened is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters(BTreeMap<Counter, u64>);

impl Counters {
    /// Nothing has happened.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds events; none add nothing.
    pub fn add(&mut self, group: &'static str, name: &'static str, events: u64) {
        if events > 0 {
            *self.0.entry(Counter { group, name }).or_insert(0) += events;
        }
    }

    /// The same events, so many times over.
    pub fn times(&self, times: u64) -> Self {
        let each = self
            .0
            .iter()
            .map(|(&counter, &events)| (counter, events * times));
        Counters(each.filter(|(_, events)| *events > 0).collect())
    }

    /// How often this happened.
    pub fn get(&self, group: &str, name: &str) -> u64 {
        self.of(group)
            .find(|(each, _)| *each == name)
            .map_or(0, |(_, events)| events)
    }

    /// Everything of one group, by name.
    pub fn of<'a>(&'a self, group: &'a str) -> impl Iterator<Item = (&'static str, u64)> + 'a {
        let all = self
            .0
            .iter()
            .filter(move |(counter, _)| counter.group == group);
        all.map(|(counter, &events)| (counter.name, events))
    }

    /// Everything, by group and name.
    pub fn iter(&self) -> impl Iterator<Item = (Counter, u64)> + '_ {
        self.0.iter().map(|(&counter, &events)| (counter, events))
    }
}

impl AddAssign<&Counters> for Counters {
    fn add_assign(&mut self, other: &Counters) {
        for (counter, events) in other.iter() {
            self.add(counter.group, counter.name, events);
        }
    }
}
