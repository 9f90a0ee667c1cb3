//! The edge accelerator of RACE and RISE, and NTT_Accel, cycle by cycle.
//!
//! Three published machines are one with different parameters: RACE (one butterfly unit, no
//! samplers), RISE (1 to 32 butterfly units, error sampling beside the encryption) and NTT_Accel
//! (transforms alone). Values and cycles are those of the hardware described in `units`: every
//! bank access has its address and its cycle, and what the banks' single ports cannot do is an
//! error. Timing depends on no value.
//!
//! Reading order: [`shape`] (where words lie and in which order butterflies are taken),
//! [`twiddles`] (which factors, made how), [`units`], [`core`] (the units together),
//! [`closed_form`] (what that must take), `lowered` and `lower` (what a ring program becomes),
//! [`schedule`] (when each part runs), `run`, [`hosted`] (the program with the
//! hardware's host beside it), `target` (the record).

pub mod closed_form;
pub mod config;
pub mod core;
mod cost;
mod device;
mod host;
mod host_functions;
pub mod hosted;
mod lower;
mod lowered;
mod message;
pub mod published;
pub mod registers;
mod request;
mod roofs;
mod rtl;
mod run;
pub mod schedule;
pub mod shape;
mod slot;
mod target;
mod transform_study;
pub mod twiddles;
pub mod units;
pub mod write_buffers;

pub use config::{Config, Offload};
pub use target::RISE;
