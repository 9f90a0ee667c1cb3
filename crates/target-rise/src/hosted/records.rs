//! What the simulated machine does beside its host, record by record.
//!
//! Records beside those of the units ([`crate::core`]): `io_control` `accept` (place of the call,
//! request), `begin` and `end` of each transfer, sampling and computation (unit, place and number of
//! the instruction), `interrupt`; `dma` `constant` (index, word). They are those of the probes in
//! `hw/rise/tb/rise_probes.sv`.

use super::Hosted;
use crate::lowered::Instruction;
use crate::run;
use crate::schedule::What;
use ringwright_ir::{RunError, Value};
use ringwright_sim::{Cycle, Records, TraceRecord};
use ringwright_target::Interval;

/// Number of an instruction that loads constants.
const CONSTANTS: u64 = 15;

impl Hosted {
    /// Runs the program on the simulated units with its steps in these intervals: its results, and
    /// what the units say, in the order of cycles.
    pub fn simulate(
        &self,
        inputs: &[Value],
        intervals: &[Interval],
    ) -> Result<(Vec<Value>, Vec<TraceRecord>), RunError> {
        let run = self.what().iter().zip(intervals);
        let run = run.filter(|(what, _)| matches!(what, What::Instruction(..)));
        let run = run.map(|(_, &interval)| interval);
        let (results, mut records) =
            run::traced::<Records>(&self.config, &self.program, run, inputs)?;
        records.extend(self.constant_records(intervals));
        records.extend(self.control_records(intervals));
        records.sort_by_key(|record| record.cycle);
        Ok((results, records))
    }

    /// The I/O controller's records, in the order of cycles.
    fn control_records(&self, intervals: &[Interval]) -> Vec<TraceRecord> {
        let mut records = Vec::new();
        for (what, interval) in self.what().iter().zip(intervals) {
            match *what {
                What::WriteCall(call) => {
                    let request = u128::from(self.call(call).2.number);
                    records.push(event(interval.end, "accept", self.place_of(call), request));
                }
                What::Constants(call) => {
                    let unit = self.occupied(Unit::Dma, call, CONSTANTS);
                    records.push(event(interval.start, "begin", unit, 0));
                    records.push(event(interval.end - 1, "end", unit, 0));
                }
                What::Instruction(call, index) => {
                    records.extend(self.instruction_records(call, index, *interval));
                }
                What::Interrupt(_) => records.push(event(interval.end - 1, "interrupt", 0, 0)),
                _ => {}
            }
        }
        records.sort_by_key(|record| record.cycle);
        records
    }

    /// What the records of a step that runs on the device's units are about; that of its end, where
    /// it occupies two.
    pub fn label(&self, step: usize) -> Option<u64> {
        match *self.what().get(step)? {
            What::Constants(call) => Some(self.occupied(Unit::Dma, call, CONSTANTS)),
            What::Instruction(call, index) => {
                let whole = Interval { start: 0, end: 1 };
                let records = self.instruction_records(call, index, whole);
                records.last().map(|record| record.destination)
            }
            _ => None,
        }
    }

    /// An instruction begins in each of its units and ends in the one that ends it.
    fn instruction_records(&self, call: u32, index: u32, interval: Interval) -> Vec<TraceRecord> {
        let (frame, of, request) = self.call(call);
        let number = request.places[index as usize] as u64;
        let units = units(&frame.part.instructions(of)[index as usize]);
        let begin = |&unit: &Unit| {
            event(
                interval.start,
                "begin",
                self.occupied(unit, call, number),
                0,
            )
        };
        let mut records: Vec<TraceRecord> = units.iter().map(begin).collect();
        let unit = self.occupied(units[0], call, number);
        records.push(event(interval.end - 1, "end", unit, 0));
        records
    }

    fn constant_records(&self, intervals: &[Interval]) -> Vec<TraceRecord> {
        let mut records = Vec::new();
        for (what, interval) in self.what().iter().zip(intervals) {
            let What::Constants(call) = *what else {
                continue;
            };
            let prime = self.call(call).1.prime as usize;
            let table = self.program.constants[prime].table(self.config.word_bits);
            let first = interval.start + self.config.dma_latency;
            for (index, &word) in table.iter().enumerate() {
                records.push(TraceRecord {
                    cycle: Cycle(first + (index / self.config.words_per_cycle()) as u64),
                    unit: "dma",
                    event: "constant",
                    destination: index as u64,
                    value: word.into(),
                });
            }
        }
        records
    }

    /// The controller's registers that a call is in.
    fn place_of(&self, call: u32) -> u64 {
        u64::from(call) % self.config.queued_calls as u64
    }

    /// Unit, place of the call and number of the instruction.
    fn occupied(&self, unit: Unit, call: u32, number: u64) -> u64 {
        (unit as u64) << 8 | self.place_of(call) << 4 | number
    }
}

/// The units of an instruction, the one that ends it first.
fn units(instruction: &Instruction) -> &'static [Unit] {
    match instruction {
        Instruction::Load(..) | Instruction::Store(..) => &[Unit::Dma],
        Instruction::Sample(..) => &[Unit::Sampler],
        Instruction::LoadSum(..) => &[Unit::Sampler, Unit::Dma],
        Instruction::Transform(..) | Instruction::Pointwise(..) => &[Unit::Butterflies],
    }
}

/// What an instruction occupies, by its number in the records.
#[derive(Clone, Copy)]
enum Unit {
    Dma = 0,
    Sampler = 1,
    Butterflies = 2,
}

fn event(cycle: u64, event: &'static str, destination: u64, value: u128) -> TraceRecord {
    TraceRecord {
        cycle: Cycle(cycle),
        unit: "io_control",
        event,
        destination,
        value,
    }
}
