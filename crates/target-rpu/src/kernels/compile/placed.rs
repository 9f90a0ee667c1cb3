//! Instructions of an order with their registers.

use crate::config::Config;
use crate::isa::Class;

/// Stands for a task where an instruction only passes time in the load/store pipe.
pub const FILLER: u32 = u32::MAX;

/// An instruction with its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The task.
    pub task: u32,
    /// Registers of the operands, in their order.
    pub sources: [u8; 3],
    /// Registers of the results.
    pub results: [u8; 2],
}

/// Whether a result may take the place of a source that is read for the last time.
pub fn in_place(class: Class, config: &Config) -> bool {
    class == Class::Compute || config.beats() as u64 <= config.shuffle_latency
}
