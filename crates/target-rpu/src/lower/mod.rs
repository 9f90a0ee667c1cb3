//! Turns ring programs into parts: runs of tower kernels, with the moves of towers between them.
//!
//! Reading order: [`program`] (a ring program, cut into parts), [`graph`] (what a part computes, tower
//! by tower), [`part`] (that as calls of tower kernels of [`crate::kernels`]), [`residency`] (which
//! towers lie in which slots when), [`start`] (which kernels are started together).

pub mod graph;
pub mod part;
pub mod program;
pub mod residency;
pub mod start;
