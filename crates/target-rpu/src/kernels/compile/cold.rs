//! What a compiled transform finds in the memories, and what one takes that finds less.
//!
//! The paper leaves this to double buffering (RPU, section IV-B3): it counts a transform whose
//! operand, factors and program are there. No DMA hardware exists here; transfers are modelled, one
//! after the other, by the machine's port to off-chip memory.

use super::memory_map::scalars;
use super::Kernel;
use crate::config::Config;
use ringwright_target::Residency;

/// Bytes of an instruction of B512.
const INSTRUCTION_BYTES: u64 = 8;

/// Where a kernel's operands lie and what it takes to bring them.
pub fn residency(config: &Config, kernel: &Kernel) -> Residency {
    let word = config.bytes_per_word();
    let tower = word << kernel.plan.problem.bits();
    // The operand's buffer, a second one between which passes go back and forth, and the constants.
    let factors = u64::from(kernel.map.words) * word - 2 * tower;
    let scalars = u64::from(scalars::WORDS) * word;
    let program = kernel.program.instructions.len() as u64 * INSTRUCTION_BYTES;
    let transfer = |bytes: u64| config.dma_latency + bytes.div_ceil(config.dma_bytes_per_cycle);
    let moved_cycles = transfer(tower) + kernel.cycles + transfer(tower);
    Residency {
        resident: vec![
            ("operand", tower),
            ("scratch", tower),
            ("factors", factors),
            ("scalars", scalars),
            ("program", program),
        ],
        moved_cycles,
        cold_cycles: moved_cycles + transfer(factors) + transfer(scalars) + transfer(program),
    }
}
