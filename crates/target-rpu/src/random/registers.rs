//! Which registers an instruction may name, and which it names so that it has to wait.

use crate::config::{Config, VrfPorts};
use crate::isa::{Class, Instruction, VReg, REGISTERS};
use ringwright_arith::Choices;
use std::collections::VecDeque;

/// Instructions that a new one may meet in a pipe.
const RECENT: usize = 6;

/// Why a register is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// No reason.
    None,
    /// It is being written.
    Written,
    /// It is being read.
    Read,
    /// It lies in a memory that is being used.
    SameMemory,
}

impl Trouble {
    pub(super) fn any(choices: &mut Choices) -> Self {
        match choices.below(8) {
            0 | 1 => Trouble::Written,
            2 => Trouble::Read,
            3 | 4 => Trouble::SameMemory,
            _ => Trouble::None,
        }
    }
}

/// The vector registers.
pub(super) struct Registers {
    /// The largest value of a register; `None` before it is written.
    limits: [Option<u128>; REGISTERS],
    recent: VecDeque<Instruction>,
    memory: [usize; REGISTERS],
    legality: Legality,
}

impl Registers {
    pub(super) fn new(config: &Config) -> Self {
        let sram = |register| config.vrf_map.sram(register);
        Registers {
            limits: [None; REGISTERS],
            recent: VecDeque::new(),
            memory: std::array::from_fn(sram),
            legality: Legality::new(config),
        }
    }

    /// The largest value of a register that has been written.
    pub(super) fn limit(&self, register: VReg) -> Option<u128> {
        self.limits[register.index()]
    }

    pub(super) fn set_limit(&mut self, register: VReg, limit: u128) {
        self.limits[register.index()] = Some(limit);
    }

    /// A register with something in it, at most `limit`.
    pub(super) fn source(
        &self,
        choices: &mut Choices,
        trouble: Trouble,
        limit: u128,
    ) -> Option<VReg> {
        let fits = |r: &VReg| self.limit(*r).is_some_and(|largest| largest <= limit);
        self.choose(choices, trouble, VReg::all().filter(fits).collect())
    }

    /// Any register.
    pub(super) fn destination(&self, choices: &mut Choices, trouble: Trouble) -> Option<VReg> {
        self.choose(choices, trouble, VReg::all().collect())
    }

    /// A register that no recent instruction names.
    pub(super) fn idle(&self, choices: &mut Choices) -> Option<VReg> {
        let named = |r: &VReg| self.recent.iter().any(|i| names(i, *r));
        let idle: Vec<VReg> = VReg::all().filter(|r| !named(r)).collect();
        choices.pick(&idle)
    }

    fn choose(&self, choices: &mut Choices, trouble: Trouble, all: Vec<VReg>) -> Option<VReg> {
        let in_trouble = |register: &VReg| {
            let mut recent = self.recent.iter();
            match trouble {
                Trouble::None => false,
                Trouble::Written => recent.any(|i| i.vector_destinations().any(|r| r == *register)),
                Trouble::Read => recent.any(|i| i.vector_sources().any(|r| r == *register)),
                Trouble::SameMemory => recent.any(|i| self.shares(i, *register)),
            }
        };
        let wanted: Vec<VReg> = all.iter().copied().filter(in_trouble).collect();
        choices.pick(&wanted).or_else(|| choices.pick(&all))
    }

    /// Whether an instruction uses a neighbour of the register, but not the register.
    fn shares(&self, instruction: &Instruction, register: VReg) -> bool {
        let memory = |r: VReg| self.memory[r.index()];
        let mut used = instruction
            .vector_sources()
            .chain(instruction.vector_destinations());
        !names(instruction, register) && used.any(|r| memory(r) == memory(register))
    }

    /// Whether the machine takes the instruction.
    pub(super) fn allow(&self, instruction: &Instruction) -> bool {
        self.legality.allows(instruction, &self.memory)
    }

    /// Notes an instruction of the program.
    pub(super) fn note(&mut self, instruction: Instruction) {
        self.recent.push_back(instruction);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }
}

fn names(instruction: &Instruction, register: VReg) -> bool {
    let mut used = instruction
        .vector_sources()
        .chain(instruction.vector_destinations());
    used.any(|r| r == register)
}

/// What a machine refuses of an instruction by itself.
struct Legality {
    /// Whether registers of one memory get into each other's way.
    single_port: bool,
    /// Whether reads and writes of one compute instruction can meet in a cycle.
    compute_overlaps: bool,
    /// The same of a shuffle.
    shuffle_overlaps: bool,
}

impl Legality {
    fn new(config: &Config) -> Self {
        let beats = config.beats() as u64;
        let (latency, ii) = (config.compute_latency, config.ii);
        Legality {
            single_port: config.vrf_ports == VrfPorts::Single,
            compute_overlaps: latency.is_multiple_of(ii) && latency / ii < beats,
            shuffle_overlaps: config.shuffle_latency < beats,
        }
    }

    fn allows(&self, instruction: &Instruction, memory: &[usize; REGISTERS]) -> bool {
        let sources = distinct(instruction.vector_sources());
        let results: Vec<VReg> = instruction.vector_destinations().collect();
        let overlaps = match instruction.class() {
            Class::Compute => self.compute_overlaps,
            Class::Shuffle => self.shuffle_overlaps,
            Class::LoadStore => false,
        };
        let in_place = sources.iter().any(|source| results.contains(source));
        let at = |r: &VReg| memory[r.index()];
        let shared = sources
            .iter()
            .any(|s| results.iter().any(|r| at(s) == at(r)));
        let stacked = |registers: &[VReg]| {
            let mut rest = registers;
            while let Some((first, others)) = rest.split_first() {
                if others.iter().any(|other| at(other) == at(first)) {
                    return true;
                }
                rest = others;
            }
            false
        };
        let same_result = results.len() == 2 && results[0] == results[1];
        let broken_shuffle = instruction.class() == Class::Shuffle && overlaps && in_place;
        let clash =
            self.single_port && (stacked(&sources) || stacked(&results) || (overlaps && shared));
        !(same_result || broken_shuffle || clash)
    }
}

fn distinct(registers: impl Iterator<Item = VReg>) -> Vec<VReg> {
    let mut seen = Vec::new();
    for register in registers {
        if !seen.contains(&register) {
            seen.push(register);
        }
    }
    seen
}
