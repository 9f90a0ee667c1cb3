//! The Ring Processing Unit and its instruction set B512.
//!
//! The machine is that of "RPU: The Ring Processing Unit" (ISPASS 2023): an in-order front end,
//! three decoupled pipelines (load/store, compute, shuffle), vectors of 512 words of 128 bits in
//! 64 registers, and a banked vector data memory. TREBUCHET builds its tiles from it.
//!
//! Reading order: [`isa`], [`config`] (what can be set), [`units`] (what each part does in a
//! cycle), [`machine`] (the parts together, from event to event), `values` (what is computed),
//! [`schedule`] (when everything happened, and where the other cycles went), [`kernels`] (programs for
//! one operation on one tower), [`lower`] (ring programs as runs of those), `device` (the target).

pub mod activity;
mod check;
pub mod checker;
pub mod command;
pub mod config;
mod cost;
mod device;
mod execution;
mod instruction_set;
pub mod isa;
pub mod kernels;
pub mod lower;
pub mod machine;
mod memory_order;
mod mesh;
pub mod program_error;
pub mod published;
pub mod random;
pub mod registers;
mod roofs;
mod rtl;
mod run;
pub mod schedule;
pub mod study;
pub mod timeline;
mod trace;
pub mod units;
mod values;

pub use check::{check, Checked};
pub use config::Config;
pub use device::RPU;
pub use instruction_set::B512;
pub use machine::time;
pub use program_error::{Problem, ProgramError};
pub use run::run;
pub use schedule::Schedule;
pub use trace::traced;
pub use values::Memories;
