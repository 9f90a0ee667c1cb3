//! One transform on a machine: ours, the paper's own program, and how much each open parameter matters.
//!
//! [`korn_lambiotte`] writes the 64K transform with the paper's 1024 compute and 1920 shuffle
//! instructions; [`list_schedule`] puts a program into an order that keeps the pipelines busy, as
//! the paper's compiler does; [`sensitivity`] times it on machines that differ in one parameter;
//! [`transform_time`] times it and our own programs on any machine, for `ringwright reproduce`;
//! [`transform`] runs one of ours, for `ringwright ntt`.

pub mod korn_lambiotte;
pub mod list_schedule;
pub mod sensitivity;
pub mod transform;
pub mod transform_time;
