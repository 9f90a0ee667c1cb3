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
//! This crate knows no accelerator: names, kinds and durations of the stages come from the caller.
//!
//! Reading order: [`Stage`], [`schedule`], [`CriticalPath`], [`Ledger`].

mod critical_path;
mod error;
mod host;
mod job_id;
mod ledger;
mod link;
mod schedule;
mod throughput;
mod trace;
mod workload;

pub use critical_path::{CriticalPath, Segment, SegmentKind};
pub use error::ScheduleError;
pub use host::{Host, HostCost, HostError, HostStageError};
pub use job_id::JobId;
pub use ledger::{Entry, EntryKind, Ledger};
pub use link::Link;
pub use schedule::{schedule, Options, Placed, Schedule};
pub use throughput::{Limit, Throughput};
pub use workload::{
    Detail, End, Job, Resource, ResourceId, ResourceKind, Stage, StageKind, Workload,
};
