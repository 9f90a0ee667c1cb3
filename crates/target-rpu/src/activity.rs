//! How often the memories, crossbars and lanes work in one run of a program.
//!
//! There are no jumps, so every instruction runs once, and what it moves and computes depends on no
//! value. Counted are words but where a line says otherwise; energy can be computed from them.
//!
//! | group | name | counted |
//! |---|---|---|
//! | `instruction` | mnemonic | instructions |
//! | `vrf` | `reads`, `writes` | words between register file and pipelines |
//! | `vrf_port` | `memory 0` ... | rows through the port of that memory, in each slice at once |
//! | `vdm` | `reads`, `writes` | words of banks; what a row repeats is read once for it |
//! | `vbar` | `loads`, `stores` | words through the crossbar between lanes and banks |
//! | `sbar` | `words` | words that the shuffle crossbar delivers |
//! | `law` | `multiplications`, `additions` | products, and sums and differences, modulo the modulus |
//! | `sdm` | `reads` | words of scalar data memory |

use crate::config::{Config, SRAMS};
use crate::isa::{Instruction, Mode, Op, Program, VReg};
use ringwright_target::Counters;
use std::collections::BTreeMap;

/// The port to off-chip memory, and the group in which its bytes are counted.
pub const DMA: &str = "dma";

/// Names of the memories of a register file slice.
const MEMORIES: [&str; SRAMS] = [
    "memory 0",
    "memory 1",
    "memory 2",
    "memory 3",
    "memory 4",
    "memory 5",
    "memory 6",
    "memory 7",
    "memory 8",
    "memory 9",
    "memory 10",
    "memory 11",
    "memory 12",
    "memory 13",
    "memory 14",
    "memory 15",
];

/// What happens in one run.
pub fn activity(config: &Config, program: &Program) -> Counters {
    let mut counted = Counted::default();
    for instruction in &program.instructions {
        *counted
            .instructions
            .entry(instruction.mnemonic())
            .or_insert(0) += 1;
        counted.registers(config, instruction);
        counted.memories(config, instruction);
        counted.lanes(instruction);
    }
    counted.counters(config)
}

#[derive(Default)]
struct Counted {
    instructions: BTreeMap<&'static str, u64>,
    /// Vectors read and written.
    registers: [u64; 2],
    /// Vectors through each port.
    ports: [u64; SRAMS],
    /// Words of banks read and written.
    banks: [u64; 2],
    /// Vectors loaded and stored.
    crossed: [u64; 2],
    shuffled: u64,
    /// Vectors of products, and of sums and differences.
    arithmetic: [u64; 2],
    scalars: u64,
}

impl Counted {
    fn registers(&mut self, config: &Config, instruction: &Instruction) {
        let sources = distinct(instruction.vector_sources());
        let results = distinct(instruction.vector_destinations());
        for (count, mut mask) in self.registers.iter_mut().zip([sources, results]) {
            *count += u64::from(mask.count_ones());
            while mask != 0 {
                let register = mask.trailing_zeros() as usize;
                self.ports[config.vrf_map.sram(register)] += 1;
                mask &= mask - 1;
            }
        }
    }

    fn memories(&mut self, config: &Config, instruction: &Instruction) {
        match *instruction {
            Instruction::VLoad { mode, .. } => {
                let row = match mode {
                    Mode::Repeated(v) => config.hples.min(1 << v),
                    _ => config.hples,
                };
                self.banks[0] += (row * config.beats()) as u64;
                self.crossed[0] += 1;
            }
            Instruction::VStore { .. } => {
                self.banks[1] += config.vector_length as u64;
                self.crossed[1] += 1;
            }
            Instruction::SLoad { .. } | Instruction::ALoad { .. } => self.scalars += 1,
            Instruction::MLoad { .. } => self.scalars += 2,
            _ => {}
        }
    }

    fn lanes(&mut self, instruction: &Instruction) {
        let [products, sums] = match *instruction {
            Instruction::Vector { op: Op::Mul, .. }
            | Instruction::VectorScalar { op: Op::Mul, .. } => [1, 0],
            Instruction::Vector { .. } | Instruction::VectorScalar { .. } => [0, 1],
            Instruction::Butterfly { .. } => [1, 2],
            _ => [0, 0],
        };
        self.arithmetic[0] += products;
        self.arithmetic[1] += sums;
        self.shuffled += u64::from(matches!(instruction, Instruction::Shuffle { .. }));
    }

    fn counters(self, config: &Config) -> Counters {
        let mut counters = Counters::new();
        for (mnemonic, count) in self.instructions {
            counters.add("instruction", mnemonic, count);
        }
        let words = |vectors: u64| vectors * config.vector_length as u64;
        counters.add("vrf", "reads", words(self.registers[0]));
        counters.add("vrf", "writes", words(self.registers[1]));
        for (name, vectors) in MEMORIES.into_iter().zip(self.ports) {
            counters.add("vrf_port", name, vectors * config.beats() as u64);
        }
        counters.add("vdm", "reads", self.banks[0]);
        counters.add("vdm", "writes", self.banks[1]);
        counters.add("vbar", "loads", words(self.crossed[0]));
        counters.add("vbar", "stores", words(self.crossed[1]));
        counters.add("sbar", "words", words(self.shuffled));
        counters.add("law", "multiplications", words(self.arithmetic[0]));
        counters.add("law", "additions", words(self.arithmetic[1]));
        counters.add("sdm", "reads", self.scalars);
        counters
    }
}

/// Registers as a mask: one that an instruction names twice is read once.
fn distinct(registers: impl Iterator<Item = VReg>) -> u64 {
    registers.fold(0, |mask, register| mask | 1 << register.index())
}
