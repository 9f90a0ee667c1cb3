//! The secret seed of one run of a program.
//!
//! All randomness of a run comes from one seed, which is never used twice: whoever encrypts
//! draws a fresh one from the operating system. It is not serialisable and not `Clone`, its
//! `Debug` form is opaque, and it is zeroised when it goes out of scope.

use std::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes of a seed.
pub const SEED_BYTES: usize = 32;

/// The operating system gave no randomness.
#[derive(Debug, thiserror::Error)]
#[error("no randomness from the operating system: {0}")]
pub struct SeedError(#[from] getrandom::Error);

/// 32 secret bytes.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Seed([u8; SEED_BYTES]);

impl Seed {
    /// Fresh from the operating system.
    pub fn from_os() -> Result<Self, SeedError> {
        let mut seed = Self([0; SEED_BYTES]);
        getrandom::fill(&mut seed.0)?;
        Ok(seed)
    }

    /// The caller's own bytes: **insecure**, for tests and for reproducing a result.
    ///
    /// Two encryptions under one seed reveal the difference of their messages. What accepts a
    /// seed made this way says so with `insecure` in its own interface.
    pub fn from_bytes(bytes: [u8; SEED_BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes, for a machine that runs the sampler itself. Do not copy or print them.
    pub fn expose(&self) -> &[u8; SEED_BYTES] {
        &self.0
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_seeds_differ_and_debug_is_opaque() {
        let (a, b) = (Seed::from_os().unwrap(), Seed::from_os().unwrap());
        assert_ne!(a.expose(), b.expose());
        assert_eq!(format!("{a:?}"), "Seed(..)");
    }

    #[test]
    fn zeroize_clears_the_bytes() {
        let mut seed = Seed::from_bytes([7; SEED_BYTES]);
        seed.zeroize();
        assert_eq!(seed.expose(), &[0; SEED_BYTES]);
    }
}
