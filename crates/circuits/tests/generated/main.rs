//! Ciphertext programs drawn at random, circuits included: every target computes the reference
//! interpreter's words, and what decrypts is what was meant.
//!
//! A program is a list of [`steps::Step`]s on two encrypted vectors. A step that the parameters do
//! not carry any more (levels, modulus, precision) is refused when it is added and left out; what a
//! circuit had added by then stays, and is there to be computed or left out by the target.

mod bounds;
#[path = "../../../schemes/tests/ckks/client.rs"]
#[allow(dead_code)] // shared with the scheme's tests, which use the rest
mod client;
mod plain;
mod program;
mod shapes;
mod steps;
mod targets;
