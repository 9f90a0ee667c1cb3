//! What a transform finds in the memories, and what one takes that finds less.
//!
//! The paper leaves this to double buffering (RPU, section IV-B3): it counts a transform whose
//! operand, factors and program are there. No DMA hardware exists here; transfers are modelled, one
//! after the other, by the machine's port to off-chip memory.

use crate::config::Config;
use crate::isa::INSTRUCTION_BITS;
use ringwright_target::Residency;

/// What lies in the memories, in words and instructions.
pub struct Resident {
    /// Words of the operand.
    pub operand: u64,
    /// Words written and read again on the way.
    pub scratch: u64,
    /// Words of factors.
    pub factors: u64,
    /// Words of scalar data memory.
    pub scalars: u64,
    /// Instructions.
    pub instructions: u64,
}

impl Resident {
    /// The same in bytes, and what it takes to bring it around `cycles` of computing.
    pub fn residency(&self, config: &Config, cycles: u64) -> Residency {
        let word = config.bytes_per_word();
        let [tower, scratch] = [self.operand, self.scratch].map(|words| words * word);
        let [factors, scalars] = [self.factors, self.scalars].map(|words| words * word);
        let program = self.instructions * u64::from(INSTRUCTION_BITS / 8);
        let transfer = |bytes: u64| config.dma_latency + config.transfer_cycles(bytes);
        let moved_cycles = transfer(tower) + cycles + transfer(tower);
        Residency {
            resident: vec![
                ("operand", tower),
                ("scratch", scratch),
                ("factors", factors),
                ("scalars", scalars),
                ("program", program),
            ],
            moved_cycles,
            cold_cycles: moved_cycles + transfer(factors) + transfer(scalars) + transfer(program),
        }
    }
}
