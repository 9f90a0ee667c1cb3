//! What blocks of hardware and memories take in a process: area, longest path, energy.
//!
//! Of a block of our RTL, `spec/silicon/synthesised.toml` has points, mapped onto an open cell
//! library; of parameters between them a block is a sum of the terms that `blocks.toml` gives it,
//! fitted to its points. A [`Process`] scales what it finds to the process that papers were built
//! in, and adds what no open library has: memories, wires, energies. Whatever it says is an
//! [`Estimate`], a range around what is expected, and carries provenance and source.
//!
//! ```
//! use ringwright_silicon::{Block, Ports, Process};
//!
//! let process = Process::shipped();
//! let multiplier = process.block(&Block::new("barrett_mul").with("Width", 30).with("Stages", 8)).unwrap();
//! let bank = process.memory(4096, 30, Ports::ONE);
//! assert!(bank.area_um2.expected > multiplier.area_um2.expected);
//! ```
//!
//! An architect with a library of their own writes a file of the same form as
//! `spec/silicon/process.toml` ([`Process::parse`]): what it has takes the place of ours.

mod block;
mod core;
mod designs;
mod error;
mod estimate;
mod fit;
mod fpga;
mod memory;
mod point;
mod process;
mod term;

pub use self::core::CoreCost;
pub use block::{Block, BlockCost};
pub use error::ProcessError;
pub use estimate::Estimate;
pub use fpga::{fpga_cells, FpgaCells};
pub use memory::{MemoryCost, Ports};
pub use process::{Process, Sourced};
