//! What a simulated machine says about itself, event by event, for the pairing with its RTL.
//!
//! A unit owns its [`Trace`] and speaks of what its RTL module can see: `(cycle, unit, event,
//! destination, value)`. The default is [`NoTrace`], which is nothing at all once compiled; a
//! machine built with [`Records`] keeps every event. Units are simulated one after the other, so
//! records are in no order until [`in_order`] puts them in that of their cycles.

use crate::clock::Cycle;

/// Something that happened in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// When.
    pub cycle: Cycle,
    /// Where: the unit, by the name of its RTL instance.
    pub unit: &'static str,
    /// What.
    pub event: &'static str,
    /// To which register, row, or address; the unit says what it means.
    pub destination: u64,
    /// The value that went there.
    pub value: u128,
}

/// A place for a unit's records.
pub trait Trace: Default {
    /// Whether anything is kept; where not, a unit need not make records.
    const KEEPS: bool;

    /// Takes a record.
    fn record(&mut self, record: TraceRecord);

    /// Gives back what it keeps.
    fn take(&mut self) -> Vec<TraceRecord>;
}

/// Keeps nothing, costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrace;

impl Trace for NoTrace {
    const KEEPS: bool = false;

    #[inline(always)]
    fn record(&mut self, _record: TraceRecord) {}

    fn take(&mut self) -> Vec<TraceRecord> {
        Vec::new()
    }
}

/// Keeps everything.
#[derive(Clone, Debug, Default)]
pub struct Records(Vec<TraceRecord>);

impl Trace for Records {
    const KEEPS: bool = true;

    fn record(&mut self, record: TraceRecord) {
        self.0.push(record);
    }

    fn take(&mut self) -> Vec<TraceRecord> {
        std::mem::take(&mut self.0)
    }
}

/// The records of several units in the order of their cycles; records of one cycle stay as they
/// came.
pub fn in_order(units: impl IntoIterator<Item = Vec<TraceRecord>>) -> Vec<TraceRecord> {
    let mut records = units.into_iter().flatten().collect::<Vec<_>>();
    records.sort_by_key(|record| record.cycle);
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit<T: Trace>(cycles: &[u64]) -> Vec<TraceRecord> {
        let mut trace = T::default();
        for (i, &cycle) in cycles.iter().enumerate() {
            trace.record(TraceRecord {
                cycle: Cycle(cycle),
                unit: "unit",
                event: "event",
                destination: i as u64,
                value: 0,
            });
        }
        trace.take()
    }

    #[test]
    fn records_of_all_units_come_in_the_order_of_cycles() {
        let merged = in_order([unit::<Records>(&[0, 4, 3]), unit::<Records>(&[3, 1])]);
        let found = merged.iter().map(|r| (r.cycle.0, r.destination));
        assert!(found.eq([(0, 0), (1, 1), (3, 2), (3, 0), (4, 1)]));
    }

    #[test]
    fn without_a_trace_nothing_is_kept() {
        assert!(unit::<NoTrace>(&[0, 1]).is_empty());
    }
}
