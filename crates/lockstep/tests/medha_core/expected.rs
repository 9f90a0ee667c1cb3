//! What the simulator says of a kernel, word by word.

use ringwright_sim::{Cycle, TraceRecord};
use ringwright_target::Interval;
use ringwright_target_medha::microcode::{
    Bank, Function, Instruction, Placed, Slot, Stages, MOST_LANES,
};
use ringwright_target_medha::ntt_core::NttCore;
use ringwright_target_medha::shape::{link, Shape};
use ringwright_target_medha::Config;
use ringwright_towers::Words;
use std::collections::BTreeSet;

/// Names of units and events live as long as the records that bear them.
fn kept(name: String, names: &mut BTreeSet<&'static str>) -> &'static str {
    match names.get(name.as_str()) {
        Some(known) => known,
        None => {
            let new: &'static str = Box::leak(name.into_boxed_str());
            names.insert(new);
            new
        }
    }
}

/// What the simulator says of a kernel.
pub struct Expected<'a> {
    pub config: &'a Config,
    pub shape: &'a Shape,
    pub cores: Vec<Option<NttCore>>,
    pub names: BTreeSet<&'static str>,
    pub records: Vec<TraceRecord>,
}

impl Expected<'_> {
    fn push(&mut self, cycle: u64, unit: String, event: String, destination: u64, value: u64) {
        let record = TraceRecord {
            cycle: Cycle(cycle),
            unit: kept(unit, &mut self.names),
            event: kept(event, &mut self.names),
            destination,
            value: value.into(),
        };
        self.records.push(record);
    }

    /// Its unit began and ended.
    pub fn of_unit(&mut self, placed: &Placed, interval: Interval, ordinal: u64) {
        let unit = usize::from(placed.instruction.unit(placed.rpau));
        let (unit, name) = match unit.checked_sub(MOST_LANES) {
            None => (format!("lane{unit}"), ""),
            Some(of) => {
                let names = ["ntt ", "dyadic ", "link "];
                (format!("rpau{}", of / 3), names[of % 3])
            }
        };
        self.push(
            interval.start,
            unit.clone(),
            format!("{name}begin"),
            ordinal,
            0,
        );
        self.push(interval.end - 1, unit, format!("{name}end"), ordinal, 0);
    }

    /// A word of a slot is written.
    fn write(&mut self, cycle: u64, rpau: u8, slot: (Bank, u8), at: (usize, usize), word: u64) {
        let (bank, row) = at;
        let row = u64::from(slot.1) * self.shape.rows() + row as u64;
        let destination = row * self.config.banks() as u64 + bank as u64;
        let unit = format!("rpau{rpau}");
        match slot.0 {
            Bank::VIRTUAL => {
                let spare = self.config.bits(rpau.into()).div_ceil(3);
                for part in 1..4 {
                    let cut = word >> ((part - 1) * spare) & ((1 << spare) - 1);
                    self.push(cycle, unit.clone(), format!("v{part}"), destination, cut);
                }
            }
            Bank(memory) => self.push(cycle, unit, format!("m{memory}"), destination, word),
        }
    }

    /// A row of a tower in the order of its words, in all banks.
    fn row(&mut self, cycle: u64, rpau: u8, slot: (Bank, u8), row: usize, words: &[u64]) {
        let banks = self.config.banks();
        let first = row * banks;
        for (word, &value) in (first..).zip(&words[first..first + banks]) {
            let at = (self.shape.bank(word), row);
            self.write(cycle, rpau, slot, at, value);
        }
    }

    /// What a microinstruction writes, and when.
    pub fn writes(
        &mut self,
        placed: &Placed,
        begin: u64,
        slot_of: &dyn Fn(u8, Slot) -> (Bank, u8),
        read: &[Words],
        made: &Words,
        rows: &[u64],
    ) {
        let (config, own) = (self.config, placed.rpau);
        let first = begin + config.issue_cycles;
        let all = 0..self.shape.rows() as usize;
        match &placed.instruction {
            Instruction::Transform {
                inverse,
                stages,
                to,
                ..
            } => {
                let period = self.shape.stage(config);
                let wanted = match stages {
                    Stages::All => 0..self.shape.log_n as usize,
                    Stages::First => 0..1,
                    Stages::Rest => 1..self.shape.log_n as usize,
                };
                let mut written = Vec::new();
                let core = self.cores[usize::from(own)].as_ref().expect("a prime");
                core.watch(&read[0], *inverse, &mut |stage, row, words| {
                    if wanted.contains(&stage) {
                        let at = (stage - wanted.start) as u64 * period + row as u64;
                        let cycle = first + at + config.ntt_latency - 1;
                        written.extend(words.iter().map(|&word| (cycle, word)));
                    }
                });
                let slot = slot_of(own, *to);
                for (cycle, (bank, row, word)) in written {
                    self.write(cycle, own, slot, (bank, row), word);
                }
            }
            Instruction::Dyadic {
                function: Function::Automorphism(galois, domain),
                to,
                ..
            } => {
                // Words of a row go one after the other to a bank, the lowest bank's first.
                let (slot, banks) = (slot_of(own, *to), config.banks());
                let mut cycle = first + 1;
                for row in all {
                    let mut waiting: Vec<usize> = (row * banks..(row + 1) * banks).collect();
                    waiting.sort_by_key(|&word| self.shape.bank(word));
                    while !waiting.is_empty() {
                        let mut taken = BTreeSet::new();
                        let mut left = Vec::new();
                        for word in waiting {
                            let place = self.shape.image(*galois, *domain, word);
                            let bank = self.shape.bank(place);
                            match taken.insert(bank) {
                                true => {
                                    let at = (bank, place >> self.shape.log_banks);
                                    self.write(cycle + 1, own, slot, at, made[place]);
                                }
                                false => left.push(word),
                            }
                        }
                        waiting = left;
                        cycle += 1;
                    }
                }
            }
            Instruction::Dyadic { to, .. } => {
                let slot = slot_of(own, *to);
                let passes = (placed.cycles - config.issue_cycles - config.dyadic_latency + 1)
                    / self.shape.rows();
                for row in all {
                    let cycle = first + (row as u64 + 1) * passes - 1 + config.dyadic_latency - 1;
                    self.row(cycle, own, slot, row, made);
                }
            }
            Instruction::Send { to, .. } => {
                let count = config.rpaus;
                let mut way = 0;
                for hop in 1..=count {
                    let before = (usize::from(own) + hop - 1) % count;
                    way += link(config, before);
                    let at = ((before + 1) % count) as u8;
                    let Some(&(_, slot)) = to.iter().find(|(rpau, _)| *rpau == at) else {
                        continue;
                    };
                    let slot = slot_of(at, slot);
                    for row in all.clone() {
                        self.row(first + row as u64 + way, at, slot, row, made);
                    }
                }
            }
            Instruction::Load { to, .. } => {
                let slot = slot_of(own, *to);
                for (row, &cycle) in rows.iter().enumerate() {
                    self.row(cycle + 1, own, slot, row, made);
                }
            }
            Instruction::Store { .. } | Instruction::Wait(_) => {}
        }
    }
}
