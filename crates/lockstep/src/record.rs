//! Records, and the names of what they speak of.

use ringwright_sim::Cycle;
use std::fmt;

/// A unit and one of its events; numbered by [`Probes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Probe(u32);

/// Something that happened. The order of the fields is the order of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// When.
    pub cycle: Cycle,
    /// Where, and what.
    pub probe: Probe,
    /// To which register, row, or address; the unit says what it means.
    pub destination: u64,
    /// The value that went there.
    pub value: u128,
}

impl Record {
    /// All but the value: which record is to be compared with which.
    pub(crate) fn place(&self) -> (Cycle, Probe, u64) {
        (self.cycle, self.probe, self.destination)
    }
}

/// The units and events of a run, in the order in which they were first named.
#[derive(Clone, Debug, Default)]
pub struct Probes {
    names: Vec<(String, String)>,
}

impl Probes {
    /// The number of a unit's event; the same names give the same number.
    pub fn probe(&mut self, unit: &str, event: &str) -> Probe {
        let known = self
            .names
            .iter()
            .position(|(u, e)| u == unit && e == event)
            .unwrap_or_else(|| {
                self.names.push((unit.to_string(), event.to_string()));
                self.names.len() - 1
            });
        Probe(known as u32)
    }

    /// A record with its names, for people.
    pub fn named(&self, record: &Record) -> NamedRecord {
        let (unit, event) = &self.names[record.probe.0 as usize];
        NamedRecord {
            cycle: record.cycle,
            unit: unit.clone(),
            event: event.clone(),
            destination: record.destination,
            value: record.value,
        }
    }
}

/// A record with its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRecord {
    /// When.
    pub cycle: Cycle,
    /// Where.
    pub unit: String,
    /// What.
    pub event: String,
    /// To which register, row, or address.
    pub destination: u64,
    /// The value that went there.
    pub value: u128,
}

impl fmt::Display for NamedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cycle {}: {} {} -> {}: {:#x}",
            self.cycle.0, self.unit, self.event, self.destination, self.value
        )
    }
}
