//! Number-theoretic transforms as data: from a formula to a dataflow graph of vector operations.
//!
//! This is the front half of a program generator (RPU, section V: SPIRAL's NTTX). It knows vectors
//! of 2^v words, a memory of words and a number of registers, but no machine: what the operations
//! cost and how they are ordered is the back half's matter (`ringwright-target-rpu::compile`).
//!
//! | step | type |
//! |---|---|
//! | what is asked for: size, direction, batch | [`Problem`] |
//! | where each index bit lies at each moment: address, element, register | [`Layout`], [`Access`] |
//! | the formula: passes over memory, stages and swaps inside a pass | [`Plan`], [`Pass`], [`Step`] |
//! | known formulas | [`breakdown`] |
//! | the graph: loads, butterflies, shuffles, stores on values | [`Dataflow`] |
//! | the graph on words | [`execute`] |
//! | the graph as portable C | [`emit_c`] |
//!
//! **Bits.** Word i of a transform of N = 2^n words has the index bits n-1..0; a batch adds bits
//! above them. A stage works on one bit b: it pairs the words whose indices differ in b alone. The
//! forward transform goes through the bits downwards, the inverse upwards. A vector machine can pair
//! registers but not elements, so bit b must stand in the *register number* when its stage comes.
//! Everything a breakdown decides is how bits travel between the address, the element number and the
//! register number: by the stride of a load or store, or by a swap of one register bit with the
//! first or last element bit (unpack, pack).

pub mod breakdown;
mod dataflow;
pub mod emit_c;
mod error;
pub mod execute;
mod factor;
mod layout;
mod plan;
mod problem;
mod stride;

pub use dataflow::{Dataflow, Node, NodeId, Operation, Shuffle, Value};
pub use error::PlanError;
pub use factor::{Factor, PatternId, Patterns, Roots};
pub use layout::{Access, Layout};
pub use plan::{Pass, Plan, Step};
pub use problem::{Bit, Direction, Form, Problem};
