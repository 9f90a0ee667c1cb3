//! Medha, cycle by cycle.
//!
//! An RPAU works under one prime. It has four residue memories, an NTT core and a dyadic core, which
//! work at the same time, each from a stream of microinstructions of its own; a ring joins it to its
//! neighbours, and DMA lanes to a memory. `hw/medha` is the same in RTL.
//!
//! Reading order: [`shape`] (where words lie, how long what takes), [`ntt_core`] (a transform, row by
//! row), [`microcode`] (what units are told), [`encode`] (as words), [`image`] (what the hardware holds), [`lower`] (what a ring program becomes), [`timing`] (when each part of it runs), [`check`]
//! (whether the hardware can), [`run`]
//! (its words), `target` (the record).

pub mod check;
pub mod config;
mod cost;
mod device;
pub mod encode;
pub mod image;
mod instruction_set;
pub mod lower;
pub mod microcode;
pub mod ntt_core;
mod roofs;
mod rtl;
pub mod run;
pub mod shape;
mod target;
pub mod timing;
mod transform_study;

pub use config::Config;
pub use instruction_set::MICROCODE;
pub use target::MEDHA;
