//! Turns ring programs into parts: runs of tower kernels, with the moves of towers between them.
//!
//! What a program computes, tower by tower, and where it is cut, is [`ringwright_towers`]'s; which
//! towers lie in which slots when is its `residency`'s. Reading order: [`kinds`] (which tower kernel
//! computes what), [`program`] (in which manner), [`part`] (a kernel of the program as calls of tower
//! kernels of [`crate::kernels`]), [`start`] (which of them are started together), [`phases`] and
//! [`sweep`] (what is done word by word on blocks, where towers are long).

pub mod kinds;
pub mod part;
pub mod phases;
pub mod program;
pub mod start;
pub mod sweep;
