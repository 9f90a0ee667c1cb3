//! The CPU at hand as a target.
//!
//! A program is lowered once and run many times, bit-exact with the reference interpreter. Reading
//! order: [`plan`] (what a program becomes), `lower` (how), `run` (what happens then), [`Cpu`].

mod arguments;
mod device;
mod lower;
mod plan;
mod run;
mod scratch;
mod tables;
mod target;

pub use device::{Cpu, Options, ThreadsError};
pub use target::CPU;
