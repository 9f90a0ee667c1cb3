//! The RTL's side of a run: a verilated design, stepped cycle by cycle.

use crate::ffi::{LoadError, Model, RawRecord};
use crate::pairing::{Lockstep, PairingError, Side};
use crate::record::{Probe, Record};
use ringwright_sim::Cycle;
use std::path::Path;

/// A design after reset, before cycle 0.
///
/// An assertion that fails inside the design ends the process, with its message.
pub struct Rtl {
    model: Model,
    /// The run's number of each probe of the library.
    probes: Vec<Probe>,
    next: Cycle,
}

impl Rtl {
    /// Loads a library built from `hw/`; registers without reset start with random bits.
    pub fn load(path: &Path, seed: u64, lockstep: &mut Lockstep) -> Result<Self, LoadError> {
        let model = Model::load(path.as_os_str(), seed)?;
        let named = model.probes.iter();
        let probes = named.map(|(unit, event)| lockstep.probe(unit, event));
        Ok(Self {
            probes: probes.collect(),
            next: Cycle(0),
            model,
        })
    }

    /// Words of the input vector.
    pub fn input_words(&self) -> usize {
        self.model.inputs()
    }

    /// The cycle that the next step runs.
    pub fn cycle(&self) -> Cycle {
        self.next
    }

    /// One cycle with these inputs: returns the outputs as they stand before its closing edge, and
    /// hands the records of that edge to the run.
    ///
    /// Panics when `inputs` has not [`Rtl::input_words`] words.
    pub fn step(&mut self, inputs: &[u32], run: &mut Lockstep) -> Result<&[u32], PairingError> {
        let cycle = self.next;
        let (outputs, records) = self.watch(inputs);
        for record in records {
            run.record(Side::Rtl, record)?;
        }
        run.complete(Side::Rtl, cycle)?;
        Ok(outputs)
    }

    /// As [`Rtl::step`], but the caller keeps the records: for what no simulator can know.
    ///
    /// Panics when `inputs` has not [`Rtl::input_words`] words.
    pub fn watch(&mut self, inputs: &[u32]) -> (&[u32], impl Iterator<Item = Record> + '_) {
        let cycle = self.next;
        self.next = Cycle(cycle.0 + 1);
        let (outputs, records) = self.model.step(inputs);
        let probes = &self.probes;
        let record = move |raw: &RawRecord| Record {
            cycle,
            probe: probes[raw.probe as usize],
            destination: raw.destination,
            value: u128::from(raw.value[1]) << 64 | u128::from(raw.value[0]),
        };
        (outputs, records.iter().map(record))
    }
}
