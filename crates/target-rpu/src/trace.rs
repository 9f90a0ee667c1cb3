//! What the machine says about itself, for the pairing with its RTL.
//!
//! | unit | event | destination | value | cycle |
//! |---|---|---|---|---|
//! | `front_end` | `issue` | number of the instruction | its 64 bits | of the issue |
//! | `front_end` | `stall` | 0 busy register, 1 full queue | 0 | every one |
//! | `load_store`, `compute`, `shuffle` | `start` | how many started before | 0 | of the start |
//! | `load_store` | `hold` | 0, or 1 for a store pipeline of its own | 0 | every one |
//! | `vrf` | `write` | register times vector length plus element | the word | of the write |
//! | `vdm` | `write` | address | the word | of the write |
//! | `scalar` | `srf`, `arf`, `mrf` | register | the word, its low 32 bits, the modulus | of the write |
//! | `busyboard` | `write_set`, `read_set` | register | 0 | of the issue |
//! | `busyboard` | `write_clear`, `read_clear` | register | 0 | the last in which it is busy |
//! | `core` | `done` | 0 | 0 | the cycles of the program |
//!
//! Records are made instruction by instruction while values are computed, from cycles that are
//! known by then, and put in the order of cycles at the end.

use crate::check::{at, check, Checked};
use crate::config::Config;
use crate::isa::{encode, Class, Instruction, Program};
use crate::machine::{simulate, Simulated};
use crate::memory_order::{bank_cycles, Started};
use crate::program_error::ProgramError;
use crate::run::is_narrow;
use crate::schedule::Wait;
use crate::schedule::{index, Schedule};
use crate::units::busyboard::bits;
use crate::units::{hple, sbar};
use crate::values::{execute, Memories, Observer, Registers};
use ringwright_arith::Word;
use ringwright_sim::{in_order, Cycle, TraceRecord};

/// Runs a program like [`crate::run`] and keeps what happened, in the order of cycles.
pub fn traced(
    program: &Program,
    config: &Config,
    memories: &mut Memories,
) -> Result<(Schedule, Vec<TraceRecord>), ProgramError> {
    memories.prepare(program, config)?;
    let checked = check(program, config, &memories.sdm)?;
    let simulated = simulate(program, config, &checked)?;
    let mut words = Vec::with_capacity(program.instructions.len());
    for (index, instruction) in program.instructions.iter().enumerate() {
        words.push(encode(instruction).map_err(|error| at(program, index, error.into()))?);
    }
    let sdm = memories.sdm.clone();
    let mut recorder = Recorder {
        program,
        config,
        checked: &checked,
        simulated: &simulated,
        words: &words,
        sdm: &sdm,
        started: [0; 3],
        records: Vec::new(),
    };
    recorder.machine();
    match is_narrow(config) {
        true => execute::<u64>(program, config, &checked, memories, &mut recorder)?,
        false => execute::<u128>(program, config, &checked, memories, &mut recorder)?,
    }
    let records = recorder.records;
    Ok((simulated.schedule, in_order([records])))
}

struct Recorder<'a> {
    program: &'a Program,
    config: &'a Config,
    checked: &'a Checked,
    simulated: &'a Simulated,
    words: &'a [u64],
    sdm: &'a [u128],
    /// Instructions that have started in each pipeline.
    started: [u64; 3],
    records: Vec<TraceRecord>,
}

impl Recorder<'_> {
    fn record(
        &mut self,
        cycle: u64,
        unit: &'static str,
        event: &'static str,
        destination: u64,
        value: u128,
    ) {
        self.records.push(TraceRecord {
            cycle: Cycle(cycle),
            unit,
            event,
            destination,
            value,
        });
    }

    /// What is not about one instruction.
    fn machine(&mut self) {
        let simulated = self.simulated;
        for waited in &simulated.schedule.waits {
            let full = matches!(waited.reason, Wait::QueueFull(_));
            for cycle in waited.since..waited.until {
                self.record(cycle, "front_end", "stall", u64::from(full), 0);
            }
        }
        let pipes = [Some(&simulated.vbar.loads), simulated.vbar.stores.as_ref()];
        for (number, pipe) in pipes.into_iter().flatten().enumerate() {
            for cycle in pipe.held() {
                self.record(cycle, "load_store", "hold", number as u64, 0);
            }
        }
        self.record(simulated.schedule.cycles, "core", "done", 0, 0);
    }

    /// Issue, start, busy bits.
    fn control(&mut self, instruction: usize) {
        let times = self.simulated.schedule.instructions[instruction];
        let op = &self.checked.ops[instruction];
        let word = self.words[instruction];
        self.record(
            times.issue,
            "front_end",
            "issue",
            instruction as u64,
            word.into(),
        );
        let class = index(op.class);
        let unit = ["load_store", "compute", "shuffle"][class];
        self.record(times.start, unit, "start", self.started[class], 0);
        self.started[class] += 1;
        for (registers, set, clear, free) in [
            (op.uses.writes, "write_set", "write_clear", times.end),
            (op.uses.reads, "read_set", "read_clear", times.read_out),
        ] {
            for register in bits(registers) {
                self.record(times.issue, "busyboard", set, register as u64, 0);
                self.record(free - 1, "busyboard", clear, register as u64, 0);
            }
        }
    }

    fn row<W: Word>(&mut self, cycle: u64, register: usize, row: usize, registers: &Registers<W>) {
        let first = row * self.config.hples;
        for element in first..first + self.config.hples {
            let destination = (register * self.config.vector_length + element) as u64;
            let word = registers.vrf[register][element].to_u128();
            self.record(cycle, "vrf", "write", destination, word);
        }
    }

    /// The rows that a compute or shuffle instruction writes, beat by beat.
    fn beats<W: Word>(&mut self, instruction: usize, registers: &Registers<W>) {
        let op = self.checked.ops[instruction];
        let start = self.simulated.schedule.instructions[instruction].start;
        let rhythm = match op.class {
            Class::Shuffle => sbar::rhythm(self.config),
            _ => hple::rhythm(self.config),
        };
        let beats = self.config.beats();
        for beat in 0..beats {
            let row = match self.program.instructions[instruction] {
                Instruction::Shuffle { op, .. } => sbar::row(op, beat, beats),
                _ => beat,
            };
            let cycle = start + beat as u64 * rhythm.interval + rhythm.latency;
            for register in bits(op.uses.writes) {
                self.row(cycle, register, row, registers);
            }
        }
    }

    fn access<W: Word>(&mut self, instruction: usize, registers: &Registers<W>) {
        let op = self.checked.ops[instruction];
        let (Some(access), Some(steps)) = (op.access, self.simulated.steps[instruction]) else {
            return;
        };
        let started = Started {
            instruction,
            store: op.store,
            pattern: access.pattern,
            steps,
        };
        let (groups, vbar) = (&self.simulated.groups, &self.simulated.vbar);
        if op.store {
            let source = bits(op.uses.reads).next().unwrap_or(0);
            let cycles = bank_cycles(&started, self.config, groups, vbar);
            for (element, cycle) in cycles.into_iter().enumerate() {
                let word = registers.vrf[source][element].to_u128();
                let address = access.pattern.address(element);
                self.record(cycle, "vdm", "write", address, word);
            }
            return;
        }
        let costs = self.checked.costs.groups(access.groups);
        for (row, &cost) in costs.iter().enumerate() {
            let last = groups[steps.first + row] + u64::from(cost) - 1;
            let cycle = vbar.loads.cycle(last + self.config.load_store_latency);
            for register in bits(op.uses.writes) {
                self.row(cycle, register, row, registers);
            }
        }
    }

    fn scalar(&mut self, instruction: usize) {
        let written = match self.program.instructions[instruction] {
            Instruction::SLoad { rt, address } => ("srf", rt.number(), address, u128::MAX),
            Instruction::MLoad { rt, address } => ("mrf", rt.number(), address, u128::MAX),
            Instruction::ALoad { rt, address } => ("arf", rt.number(), address, u32::MAX.into()),
            _ => return,
        };
        let (event, register, address, mask) = written;
        let end = self.simulated.schedule.instructions[instruction].end;
        let word = self.sdm[address as usize] & mask;
        self.record(end - 1, "scalar", event, register.into(), word);
    }
}

impl<W: Word> Observer<W> for Recorder<'_> {
    fn done(&mut self, instruction: usize, registers: &Registers<W>) {
        self.control(instruction);
        match self.checked.ops[instruction].class {
            Class::LoadStore => {
                self.access(instruction, registers);
                self.scalar(instruction);
            }
            Class::Compute | Class::Shuffle => self.beats(instruction, registers),
        }
    }
}
