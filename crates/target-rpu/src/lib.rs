//! The Ring Processing Unit and its instruction set B512.
//!
//! The machine is that of "RPU: The Ring Processing Unit" (ISPASS 2023): an in-order front end,
//! three decoupled pipelines (load/store, compute, shuffle), vectors of 512 words of 128 bits in
//! 64 registers, and a banked vector data memory. TREBUCHET builds its tiles from it.

pub mod config;
mod instruction_set;
pub mod isa;
pub mod lower;
pub mod machines;

pub use config::Config;
pub use instruction_set::B512;
