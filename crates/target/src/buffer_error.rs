//! What can be wrong with a value that is to stay on a device.

use ringwright_ir::RunError;

/// A value that cannot lie where it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum BufferError {
    /// The memory has no room.
    #[error("{machine}: no room for {asked} bytes; {free} of {capacity} bytes are free")]
    Full {
        /// The memory's machine.
        machine: String,
        /// Bytes that were asked for.
        asked: u64,
        /// Bytes that nobody holds.
        free: u64,
        /// All bytes of the memory.
        capacity: u64,
    },
    /// A buffer of another device.
    #[error("{machine}: argument {index} lies in the memory of another device, {owner}")]
    Foreign {
        /// The machine that was to run.
        machine: String,
        /// Position of the argument, from 0.
        index: usize,
        /// The machine in whose memory it lies.
        owner: String,
    },
    /// A buffer that is something else than the program takes there.
    #[error("argument {index}: expected {expected}, got {got}")]
    Form {
        /// Position of the argument, from 0.
        index: usize,
        /// What the program takes.
        expected: String,
        /// What the buffer is.
        got: String,
    },
    /// A device that works in its host's memory was asked to keep values.
    #[error("{machine} has no memory of its own; values stay with the caller")]
    NoMemory {
        /// The machine.
        machine: String,
    },
    /// A seed was to stay: it is of one run.
    #[error("a seed is of one run and stays on no device")]
    Seed,
    /// The program or an argument was refused.
    #[error(transparent)]
    Run(#[from] RunError),
}
