//! The arithmetic that a token has when nothing else is said, and the same with room for sums.

/// Arithmetic modulo any modulus that the word carries.
#[derive(Clone, Copy, Debug)]
pub struct WordWide;

/// Arithmetic modulo q < 2^60 that corrects every second level.
#[derive(Clone, Copy, Debug)]
pub struct Below60;

/// What sets the two apart.
pub trait Window: Copy {
    /// Whether a word holds 16q.
    const ROOMY: bool;
}

impl Window for WordWide {
    const ROOMY: bool = false;
}

impl Window for Below60 {
    const ROOMY: bool = true;
}
