//! How deep the write buffers must be: measured, and why one word is enough.
//!
//! In a stage the halves of the banks are read in turn, however long the butterflies stall between
//! two issues, so one bank is read in every second cycle at most. The reordering unit sends a
//! group's four half-rows in four cycles to the halves in turn, and groups are four cycles apart at
//! least, so one bank is written in every second cycle at most. A write that meets a read therefore
//! waits one cycle, finds the port free, and is gone before the next one comes: one word at any N,
//! P and D. (The one-word claim of RACE section IV-C2. A unit that sends each pair a fixed time
//! after its butterfly, instead of a group at once, needs deeper buffers behind deep multipliers
//! that stall, because a stall inside a group moves its writes onto the other half's reads.)
//!
//! `spec/rise/write_buffers.toml` holds what the simulator measured; the example `write_buffers`
//! prints it.

use crate::config::Config;
use crate::core::{Core, Group};
use crate::shape::Shape;
use crate::twiddles::{Constants, Direction};
use crate::units::bank_group::PortError;
use serde::Deserialize;
use std::sync::LazyLock;

/// The smallest depth with which both transforms run, measured with buffers that never fill.
pub fn smallest(config: &Config, shape: Shape, constants: &Constants) -> Result<usize, PortError> {
    let deep = Config {
        write_buffer: shape.bank_words(),
        ..config.clone()
    };
    let mut core = Core::new(&deep, shape);
    let mut now = 0;
    for direction in [Direction::Forward, Direction::Inverse] {
        now = core.transform(now, Group::Bg0, direction, constants)?;
    }
    Ok(core.deepest_write_buffer())
}

/// Measured depths of one machine at consecutive degrees.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Butterfly units P.
    pub bfus: usize,
    /// Their latency D.
    pub bfu_latency: u64,
    /// Batches of twiddle factors held.
    pub twiddle_batches: u64,
    /// log2 of the first degree.
    pub first_log_n: u32,
    /// Smallest depth at that degree, the next one, ….
    pub depths: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    row: Vec<Row>,
}

/// The measured table.
pub fn table() -> &'static [Row] {
    &TABLE
}

// Part of the program, not input: a test measures it again.
static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let text = include_str!("../../../spec/rise/write_buffers.toml");
    let file: File =
        toml::from_str(text).unwrap_or_else(|e| panic!("spec/rise/write_buffers.toml: {e}"));
    file.row
});
