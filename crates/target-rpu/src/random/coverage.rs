//! What programs did: every instruction and mode, every hazard, every clash, every full queue.
//!
//! Bins are counted from the text of a program, not from a run: two instructions of a hazard are
//! close enough that they meet unless something else keeps them apart.

use crate::config::{Config, VdmMap};
use crate::isa::{Class, Form, Instruction, Mode, Program, VReg};
use crate::units::vdm::Banks;
use std::collections::{BTreeMap, BTreeSet};

/// How often each bin was met.
pub type Coverage = BTreeMap<String, u64>;

const CLASSES: [Class; 3] = [Class::LoadStore, Class::Compute, Class::Shuffle];
const MODES: [&str; 4] = ["linear", "strided", "strided_skip", "repeated"];

/// Instructions between two that still meet.
const REACH: usize = 4;

/// Counts the bins of a program.
pub fn coverage(program: &Program, config: &Config) -> Coverage {
    let mut seen = Coverage::new();
    let mut hit = |bin: String| *seen.entry(bin).or_default() += 1;
    let mut addresses = Addresses::new(program);
    let instructions = &program.instructions;
    for (i, instruction) in instructions.iter().enumerate() {
        hit(name(instruction));
        if let Some(base) = addresses.base(instruction) {
            hit(conflict(instruction, base, config));
        }
        for earlier in &instructions[i.saturating_sub(REACH)..i] {
            hazards(earlier, instruction, config, &mut hit);
        }
    }
    for class in CLASSES {
        let mut run = 0;
        for instruction in instructions {
            run = if instruction.class() == class {
                run + 1
            } else {
                0
            };
            if run == config.queue_depth + 1 {
                hit(format!("run of {} beyond its queue", class.name()));
            }
        }
    }
    seen
}

/// The bins that a set of programs for this machine is to fill.
pub fn required(config: &Config) -> BTreeSet<String> {
    let mut bins = BTreeSet::new();
    for row in &crate::isa::tables().instructions {
        match row.mnemonic.as_str() {
            name @ ("vload" | "vstore") => bins.extend(MODES.map(|mode| format!("{name} {mode}"))),
            "bfly" => bins.extend(["bfly ct".to_owned(), "bfly gs".to_owned()]),
            name => {
                bins.insert(name.to_owned());
            }
        }
    }
    for file in ["scalar", "modulus", "address"] {
        bins.insert(format!("{file} register read after load"));
    }
    for first in CLASSES {
        bins.insert(format!("run of {} beyond its queue", first.name()));
        for second in CLASSES {
            let pair = format!("{} then {}", first.name(), second.name());
            for hazard in ["raw", "war", "waw", "same memory"] {
                bins.insert(format!("{hazard}, {pair}"));
            }
        }
    }
    for name in ["vload", "vstore"] {
        bins.insert(format!(
            "{name} linear, {}",
            banks_needed(config.hples > config.banks)
        ));
        let modulo = config.vdm_map == VdmMap::Modulo;
        // A row of blocks as far apart as they are long reaches over twice its elements.
        let modes = [
            ("strided", config.hples > 1),
            ("strided_skip", 2 * config.hples > config.banks),
        ];
        for (mode, _) in modes.iter().filter(|&&(_, may)| modulo && may) {
            bins.insert(format!("{name} {mode}, {}", banks_needed(true)));
        }
    }
    bins
}

fn name(instruction: &Instruction) -> String {
    let mnemonic = instruction.mnemonic();
    match instruction {
        Instruction::VLoad { mode, .. } | Instruction::VStore { mode, .. } => {
            format!("{mnemonic} {}", mode.name())
        }
        Instruction::Butterfly { form, .. } => match form {
            Form::CooleyTukey => format!("{mnemonic} ct"),
            Form::GentlemanSande => format!("{mnemonic} gs"),
        },
        _ => mnemonic.to_owned(),
    }
}

fn hazards(
    earlier: &Instruction,
    later: &Instruction,
    config: &Config,
    hit: &mut impl FnMut(String),
) {
    let pair = format!("{} then {}", earlier.class().name(), later.class().name());
    let meet = |a: &[VReg], b: &[VReg]| a.iter().any(|register| b.contains(register));
    let written: Vec<VReg> = earlier.vector_destinations().collect();
    let read: Vec<VReg> = earlier.vector_sources().collect();
    let writes: Vec<VReg> = later.vector_destinations().collect();
    let reads: Vec<VReg> = later.vector_sources().collect();
    let (raw, war, waw) = (
        meet(&written, &reads),
        meet(&read, &writes),
        meet(&written, &writes),
    );
    for (name, found) in [("raw", raw), ("war", war), ("waw", waw)] {
        if found {
            hit(format!("{name}, {pair}"));
        }
    }
    let memory = |r: &VReg| config.vrf_map.sram(r.index());
    let used = [written, read].concat();
    let mut uses = writes.iter().chain(&reads);
    if !(raw || war || waw) && uses.any(|r| used.iter().any(|u| u != r && memory(u) == memory(r))) {
        hit(format!("same memory, {pair}"));
    }
    let file = match (earlier, later) {
        (Instruction::SLoad { rt, .. }, _) if later.scalar() == Some(*rt) => "scalar",
        (Instruction::MLoad { rt, .. }, _) if later.modulus() == Some(*rt) => "modulus",
        (Instruction::ALoad { rt, .. }, _) if later.address_register() == Some(*rt) => "address",
        _ => return,
    };
    hit(format!("{file} register read after load"));
}

/// Follows the address registers through a program.
struct Addresses {
    sdm: BTreeMap<u32, u128>,
    arf: BTreeMap<u8, u64>,
}

impl Addresses {
    fn new(program: &Program) -> Self {
        let segments = program.data.iter();
        let sdm = segments.filter(|segment| segment.space == crate::isa::Space::Sdm);
        let words = sdm.flat_map(|s| (s.address..).zip(s.words.iter().copied()));
        Addresses {
            sdm: words.collect(),
            arf: BTreeMap::new(),
        }
    }

    /// The base address of a vector load or store.
    fn base(&mut self, instruction: &Instruction) -> Option<u64> {
        match *instruction {
            Instruction::ALoad { rt, address } => {
                let word = self.sdm.get(&address).copied().unwrap_or(0);
                self.arf.insert(rt.number(), u64::from(word as u32));
                None
            }
            Instruction::VLoad { rm, offset, .. } | Instruction::VStore { rm, offset, .. } => {
                let register = self.arf.get(&rm.number()).copied().unwrap_or(0);
                Some(register + u64::from(offset))
            }
            _ => None,
        }
    }
}

fn conflict(instruction: &Instruction, base: u64, config: &Config) -> String {
    let (Instruction::VLoad { mode, .. } | Instruction::VStore { mode, .. }) = instruction else {
        return String::new();
    };
    let conflicts = (0..config.vector_length)
        .step_by(config.hples)
        .any(|first| group_conflicts(first..first + config.hples, base, *mode, config));
    format!(
        "{} {}, {}",
        instruction.mnemonic(),
        mode.name(),
        banks_needed(conflicts)
    )
}

fn banks_needed(conflicts: bool) -> &'static str {
    match conflicts {
        true => "a bank needed twice",
        false => "banks apart",
    }
}

/// Whether two addresses of a group lie in one bank.
fn group_conflicts(
    elements: std::ops::Range<usize>,
    base: u64,
    mode: Mode,
    config: &Config,
) -> bool {
    let banks = Banks::new(config);
    let addresses: BTreeSet<u64> = elements.map(|i| base + mode.offset(i as u64)).collect();
    let used: BTreeSet<usize> = addresses.iter().map(|&a| banks.bank(a)).collect();
    used.len() < addresses.len()
}
