//! Which secret key something belongs to.
//!
//! Sixteen random bytes, drawn with a secret key and saved with it, derived from nothing. They travel
//! with what was made under the key, so that two clients' ciphertexts and keys are not mixed by
//! mistake. Anybody can write them: no security decision rests on them.

use super::error::short;
use super::Error;
use ringwright_ring::Seed;
use std::fmt;

/// Bytes of an identity.
const BYTES: usize = 16;

/// The identity of a secret key, or that nobody said which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity([u8; BYTES]);

impl Identity {
    /// Of what was read from elsewhere: it goes with everything.
    pub const UNKNOWN: Self = Self([0; BYTES]);

    /// Sixteen bytes; all zero for [`Identity::UNKNOWN`].
    pub fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(bytes)
    }

    /// A new one; the seed serves nothing else.
    pub(crate) fn drawn(seed: &Seed) -> Self {
        let mut bytes = [0; BYTES];
        let drawn = seed.derive("identity", b"");
        bytes.copy_from_slice(&drawn.expose()[..BYTES]);
        Self(bytes)
    }

    /// The bytes.
    pub fn bytes(&self) -> [u8; BYTES] {
        self.0
    }

    /// Whether somebody said which it is.
    pub fn is_known(&self) -> bool {
        *self != Self::UNKNOWN
    }

    /// This one, or the other where this is not known.
    pub(crate) fn or(self, other: Self) -> Self {
        match self.is_known() {
            true => self,
            false => other,
        }
    }

    /// Refuses what is known to belong to another secret key.
    pub(crate) fn check(self, what: &str, expected: Self) -> Result<(), Error> {
        if self == expected || !self.is_known() || !expected.is_known() {
            return Ok(());
        }
        Err(Error::ForeignKey {
            what: what.to_string(),
            given: self.to_string(),
            expected: expected.to_string(),
        })
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_known() {
            true => f.write_str(&short(&self.0)),
            false => f.write_str("unknown"),
        }
    }
}
