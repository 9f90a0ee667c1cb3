//! The secret seed of one run of a program.
//!
//! All randomness of a run comes from one seed, which is never used twice: whoever encrypts
//! draws a fresh one from the operating system. It is not serialisable and not `Clone`, its
//! `Debug` form is opaque, and it is zeroised when it goes out of scope.
//!
//! What belongs to a secret key for as long as it lives (the randomness of its evaluation keys, the
//! noise of what it shares) comes from one root instead, by [`Seed::derive`].

use crate::shake::Shake256;
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

    /// Another seed for one purpose, as SHAKE-256 gives it: who knows it learns nothing of this one,
    /// nor of what is derived for other purposes or contexts.
    pub fn derive(&self, purpose: &str, context: &[u8]) -> Self {
        let length = (purpose.len() as u64).to_le_bytes();
        let parts: [&[u8]; 5] = [
            b"ringwright seed",
            &self.0,
            &length,
            purpose.as_bytes(),
            context,
        ];
        let mut sponge = Shake256::new(&parts);
        let mut seed = Self([0; SEED_BYTES]);
        let words = sponge.next_block().iter();
        for (bytes, word) in seed.0.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        seed
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
    fn derived_seeds_differ_by_purpose_and_context() {
        let root = Seed::from_bytes([7; SEED_BYTES]);
        let derived = |purpose, context: &[u8]| *root.derive(purpose, context).expose();
        let all = [
            derived("a", b"b"),
            derived("a", b"c"),
            derived("ab", b""),
            derived("", b"ab"),
            *root.expose(),
        ];
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!(derived("a", b"b"), derived("a", b"b"));
    }

    #[test]
    fn zeroize_clears_the_bytes() {
        let mut seed = Seed::from_bytes([7; SEED_BYTES]);
        seed.zeroize();
        assert_eq!(seed.expose(), &[0; SEED_BYTES]);
    }
}
