//! Why bytes are refused.

use super::kind::Kind;
use ringwright_schemes::ckks::{Error, ParameterError};
use ringwright_schemes::rlwe;

/// What is wrong with bytes, or with the place they should go to.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The first bytes are not ours.
    #[error("not a Ringwright file: it begins with {given:02x?}, expected \"RWHE\"")]
    Magic {
        /// What it begins with; fewer than four bytes when there are no more.
        given: Vec<u8>,
    },
    /// A version that this program does not read.
    #[error("version {given} of the format; this program reads versions 1 to {known}")]
    Version {
        /// The file's.
        given: u16,
        /// Ours.
        known: u16,
    },
    /// Too short or too long.
    #[error("{given} bytes where the header announces {announced}: truncated, or damaged")]
    Length {
        /// Bytes at hand.
        given: u64,
        /// Bytes that the header announces, header and checksum included.
        announced: u64,
    },
    /// The checksum does not fit.
    #[error("damaged: its checksum is {given:016x}, its contents give {computed:016x}")]
    Damaged {
        /// The file's.
        given: u64,
        /// That of the bytes before it.
        computed: u64,
    },
    /// Something else than was asked for.
    #[error("this is a {given}, expected a {expected}")]
    Kind {
        /// What it is.
        given: String,
        /// What was asked for.
        expected: Kind,
    },
    /// Made under other parameters.
    #[error("made under other parameters: fingerprint {given}, expected {expected}")]
    ForeignParameters {
        /// First bytes of the file's fingerprint.
        given: String,
        /// Name and first bytes of the fingerprint of the parameters asked for.
        expected: String,
    },
    /// A field outside its range.
    #[error("{what} = {given}, allowed: {allowed}")]
    Field {
        /// The field.
        what: &'static str,
        /// Its value.
        given: String,
        /// The values allowed.
        allowed: String,
    },
    /// The scheme refuses the contents.
    #[error(transparent)]
    Scheme(#[from] Error),
    /// The parameters are unusable or insecure.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// The destination refuses the bytes.
    #[error("cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

impl From<rlwe::Error> for WireError {
    fn from(error: rlwe::Error) -> Self {
        WireError::Scheme(error.into())
    }
}

/// A field outside its range.
pub(super) fn field<T>(
    what: &'static str,
    given: impl std::fmt::Display,
    allowed: impl std::fmt::Display,
) -> Result<T, WireError> {
    Err(WireError::Field {
        what,
        given: given.to_string(),
        allowed: allowed.to_string(),
    })
}
