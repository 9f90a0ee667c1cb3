//! Hosts, links, stage placement, tax ledger.
//!
//! A run is a one-time setup and a row of equal-shaped jobs (a camera's frames). Each is a graph of
//! [`Stage`]s, and every stage occupies one [`Resource`] (a host, a device, a link) for a known
//! duration: [`Workload`]. [`schedule`] places them, deterministically, and from the one
//! [`Schedule`] follow
//!
//! * the [`Ledger`]: per stage the time it kept its resource busy and the time that it *exposed*,
//!   where every instant of the critical path belongs to exactly one entry, so the exposed times
//!   add up to the end-to-end time in integer femtoseconds;
//! * the [timeline](Schedule::timeline), one track per resource;
//! * the [`Throughput`] of the steady state and the latency of a job, which are different things.
//!
//! Where a machine is simulated, a [`Station`] turns its [timing](ringwright_target::Timing) into
//! stages: units, and the host functions that the machine leaves to its [`Host`]. A long run is one
//! [folded](Folded) stage; a device behind a link is an [`Offload`], and a batch of equal jobs of any
//! size is [`Repeated`]. This crate knows no accelerator; durations come from timings, hosts and
//! links, or from the caller.
//!
//! Reading order: [`Stage`], [`schedule`], [`CriticalPath`], [`Ledger`]; [`Station`], [`Folded`],
//! [`Conversion`], [`Offload`], [`Repeated`].

mod conversion;
mod critical_path;
mod embedding;
mod error;
mod fold;
mod host;
mod job_id;
mod ledger;
mod link;
mod naming;
mod offload;
mod placed;
mod repeated;
mod schedule;
mod stages;
mod station;
mod throughput;
mod trace;
mod workload;

pub use conversion::{Batches, Conversion, Embedding};
pub use critical_path::{CriticalPath, Segment, SegmentKind};
pub use embedding::{decode_operations, encode_operations, Operations};
pub use error::ScheduleError;
pub use host::{Host, HostCost, HostError, HostStageError, Uncertain};
pub use job_id::JobId;
pub use ledger::{Entry, EntryKind, Ledger};
pub use link::Link;
pub use naming::{Group, Naming};
pub use offload::Offload;
pub use placed::Placed;
pub use repeated::Repeated;
pub use schedule::{schedule, Options, Schedule};
pub use stages::Stages;
pub use station::{Placing, Station, Waits};
pub use throughput::{Limit, Load, Throughput};
pub use workload::{
    Detail, End, Folded, Job, Resource, ResourceId, ResourceKind, Stage, StageKind, Workload,
};
