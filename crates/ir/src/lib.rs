//! The two program dialects of Ringwright.
//!
//! [`he`] holds ciphertext operations with level, scale, noise and the keys they need; [`ring`]
//! holds typed functions over towers. A scheme expands each `he` operation into a call of a
//! `ring` function, so names and source lines survive into timelines and ledgers. [`interpret`]
//! is the reference every target is compared with, bit for bit.

pub mod arguments;
mod error;
pub mod generate;
pub mod he;
pub mod interpret;
pub mod interrupt;
pub mod ring;
pub mod text;
pub mod value;
mod words;

pub use error::{Difference, RunError};
pub use ring::{verify, VerifyError};
pub use value::Value;
