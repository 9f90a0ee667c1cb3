//! From a transform's plan to a scheduled program of B512.
//!
//! The paper leaves this to SPIRAL (section V): registers, spilling, placement in the stacked
//! memories of the register file, a greedy scheduler. Here: [`graph`] turns a dataflow graph of
//! `ringwright-nttx` into instructions without registers ([`task_graph`]), [`schedule`] chooses order
//! and registers in one sweep over time in [`pipeline`], a cut-down copy of the machine that a test
//! holds to the simulator; [`ports`] chooses the registers again where their memories have one port;
//! [`search`] varies the knobs, [`emit`] writes the program.
//!
//! [`super::scheduled`] does the same for every other operation on a tower, and gives all of them the
//! interface of plain kernels.
//!
//! Constants lie in the vector data memory behind the two buffers, each distinct vector once and no
//! longer than its period: repeating loads replicate it.

pub mod bound;
pub mod emit;
mod error;
pub mod graph;
mod kernel;
mod knobs;
pub mod known;
pub mod memory_map;
pub mod pipeline;
pub mod placed;
pub mod ports;
pub mod recipe;
pub mod schedule;
mod schedule_parameters;
pub mod search;
pub mod task_graph;
pub mod tuning;

pub use bound::bound;
pub use error::{check_degree, CompileError};
pub use kernel::Kernel;
pub use knobs::Knobs;
pub use recipe::{fits_among_others, Formula, Recipe, Transform};
pub use schedule_parameters::ScheduleParameters;
pub use search::{search, search_from, Budget};

#[cfg(test)]
mod tests;
