//! The arithmetic that a token has when nothing else is said.

/// Arithmetic modulo any modulus that the word carries.
#[derive(Clone, Copy, Debug)]
pub struct WordWide;
