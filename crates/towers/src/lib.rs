//! Ring programs tower by tower: what every target lowers from.
//!
//! A ring operation acts on all towers of its operands. A machine acts on one, so a [`Graph`] holds
//! the operations of one function on single towers, each tower defined once; operations that only say
//! which towers a value consists of have vanished. Values, kinds and views are named here and nowhere
//! else.
//!
//! | file | what it does |
//! |---|---|
//! | [`graph`] | towers, kinds, values |
//! | [`build`] | a function as a graph; composites by `composites` where the target has what they need |
//! | [`passes`] | rewrites that keep every bit, in an explicit list |
//! | [`program`] | a whole program as calls of kernels, for machines with a memory of their own |
//! | [`regions`] | calls one behind the other as one kernel |
//! | [`meaning`] | what a kernel means, as a ring program of its own |
//! | [`memory`] | towers in a machine's memory: inputs in, results out |
//! | [`residency`] | which towers are in a memory of few slots, and what is moved when |
//!
//! A machine that keeps calls ([`functions`]) gets one graph per function. One that looks through
//! them ([`Program::new`]) gets one per call of the entry function, and equal ones once.

pub mod build;
mod composites;
pub mod graph;
pub mod meaning;
pub mod memory;
mod parallel;
pub mod passes;
pub mod program;
pub mod regions;
pub mod residency;

pub use build::functions;
pub use graph::{
    Callee, ConstantId, Graph, Kind, Node, Origin, OriginId, Outcome, Sample, Supports, TowerId,
    Towers, Val,
};
pub use meaning::{Meaning, Piece};
pub use memory::{Memory, Shelf, Words};
pub use parallel::in_parallel;
pub use program::{Call, Constants, Kernel, Means, Place, Program};

/// An error that a verified module cannot cause.
fn invalid(message: &str) -> ringwright_ir::RunError {
    ringwright_ir::RunError::Invalid(message.to_owned())
}
