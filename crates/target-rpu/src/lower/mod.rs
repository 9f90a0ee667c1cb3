//! Lowers ring programs to B512, plainly: every operation on a tower is a program of its own.
//!
//! Reading order: [`shape`] (where words lie), [`table`] (constants), [`assembler`] (registers and
//! the order of memory accesses), [`kernel`] with `pointwise`, `transform` and `automorphism` (one
//! program each), [`library`] (which program is started: the plain one, or a scheduled one of
//! [`crate::compile::kernels`] where that is quicker), [`chain`] and [`start`] (which kernels are
//! started together).

pub mod assembler;
mod automorphism;
pub mod chain;
pub mod constants;
pub mod graph;
pub mod kernel;
pub mod library;
pub mod part;
mod pointwise;
pub mod program;
pub mod residency;
pub mod shape;
pub mod start;
pub mod table;
mod transform;

pub use assembler::StoreOrder;
pub use kernel::{Making, Operation, Scalar, TowerKernel};
pub use shape::Shape;
pub use table::Symbol;

#[cfg(test)]
mod tests;
