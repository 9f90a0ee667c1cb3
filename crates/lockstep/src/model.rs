//! The simulator's side of a run: its trace, handed over cycle by cycle.
//!
//! The simulator runs first, to its end, unit by unit; its records are put in the order of cycles
//! and then keep pace with the RTL.

use crate::pairing::{Lockstep, PairingError, Side};
use crate::record::Record;
use ringwright_sim::{Cycle, TraceRecord};
use std::iter::Peekable;
use std::vec::IntoIter;

/// The trace of a simulated run.
#[derive(Debug)]
pub struct Model {
    records: Peekable<IntoIter<TraceRecord>>,
    end: Option<Cycle>,
}

impl Model {
    /// Records in the order of cycles, as [`ringwright_sim::in_order`] gives them.
    pub fn new(records: Vec<TraceRecord>) -> Self {
        Model {
            end: records.last().map(|record| record.cycle),
            records: records.into_iter().peekable(),
        }
    }

    /// Cycle of the last record.
    pub fn end(&self) -> Option<Cycle> {
        self.end
    }

    /// Hands the run everything up to and including a cycle.
    pub fn step(&mut self, cycle: Cycle, run: &mut Lockstep) -> Result<(), PairingError> {
        while let Some(record) = self.records.next_if(|record| record.cycle <= cycle) {
            let probe = run.probe(record.unit, record.event);
            let record = Record {
                cycle: record.cycle,
                probe,
                destination: record.destination,
                value: record.value,
            };
            run.record(Side::Model, record)?;
        }
        run.complete(Side::Model, cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(cycle: u64) -> TraceRecord {
        TraceRecord {
            cycle: Cycle(cycle),
            unit: "unit",
            event: "event",
            destination: 0,
            value: 0,
        }
    }

    #[test]
    fn records_are_due_in_their_cycle_and_not_before() {
        let mut run = Lockstep::new(0, "");
        let mut model = Model::new(vec![record(1), record(1), record(3)]);
        assert_eq!(model.end(), Some(Cycle(3)));
        model.step(Cycle(0), &mut run).unwrap();
        run.complete(Side::Rtl, Cycle(0)).unwrap();
        model.step(Cycle(2), &mut run).unwrap();
        let missing = run.complete(Side::Rtl, Cycle(1)).unwrap_err();
        assert!(missing.to_string().contains("cycle 1"), "{missing}");
    }
}
