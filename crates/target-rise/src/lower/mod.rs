//! Lowers ring programs: which tower operation runs where, in which call.
//!
//! [`graph`] looks through calls and views at single towers; [`calls`] cuts the graph into calls
//! that need no more than the two bank groups; [`host`] makes host functions of the rest.

mod calls;
mod graph;
mod host;

pub use calls::lower;
