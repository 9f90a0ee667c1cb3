//! The kinds of files.

use super::crc64;
use std::fmt;

/// One of the two bodies of the checksum.
pub(super) type Crc = fn(u64, &[u8]) -> u64;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A parameter set.
    Parameters = 1,
    /// A ciphertext.
    Ciphertext = 2,
    /// A public key.
    PublicKey = 3,
    /// Relinearisation and rotation keys.
    EvaluationKeys = 4,
    /// A secret key.
    SecretKey = 5,
    /// What a key holder expects of a server.
    Expected = 6,
}

impl Kind {
    pub(super) const ALL: [Self; 6] = [
        Self::Parameters,
        Self::Ciphertext,
        Self::PublicKey,
        Self::EvaluationKeys,
        Self::SecretKey,
        Self::Expected,
    ];

    /// The body of the checksum for this kind of bytes.
    pub(super) fn crc(self) -> Crc {
        match self {
            Self::SecretKey => crc64::update_constant_time,
            _ => crc64::update,
        }
    }

    pub(super) fn of_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u16 == number)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Parameters => "parameter set",
            Kind::Ciphertext => "ciphertext",
            Kind::PublicKey => "public key",
            Kind::EvaluationKeys => "set of evaluation keys",
            Kind::SecretKey => "secret key",
            Kind::Expected => "record of what is expected",
        })
    }
}
