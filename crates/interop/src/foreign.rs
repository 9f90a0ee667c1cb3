//! What the formats of all other libraries share: why bytes are refused, and what they do not say.

use ringwright_ir::he::SecretId;
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{Error, NoiseModel, ParameterError, Parameters};
use ringwright_schemes::rlwe::{Ring, RingKind, SwitchingKey};
use std::fmt::{self, Display};

/// Whose format it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Microsoft SEAL, alone or inside TenSEAL.
    Seal,
    /// OpenFHE.
    OpenFhe,
}

impl Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Library::Seal => "SEAL",
            Library::OpenFhe => "OpenFHE",
        })
    }
}

/// What is wrong with the bytes of another library, or with what should become such bytes.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The first bytes are of something else.
    #[error("no object of {library}'s: it begins with {given:02x?}, expected {expected}")]
    Magic {
        /// Whose format was expected.
        library: Library,
        /// What it begins with.
        given: Vec<u8>,
        /// What such an object begins with.
        expected: &'static str,
    },
    /// A field outside its range.
    #[error("{library}: {what} = {given}, allowed: {allowed}")]
    Field {
        /// Whose format it is.
        library: Library,
        /// The field.
        what: &'static str,
        /// Its value.
        given: String,
        /// The values allowed.
        allowed: String,
    },
    /// Fewer or more bytes than the fields announce.
    #[error("{library}: {what}: {reason}")]
    Damaged {
        /// Whose format it is.
        library: Library,
        /// What was being read.
        what: &'static str,
        /// What the bytes did.
        reason: String,
    },
    /// Made under other parameters.
    #[error("{library}: {what} made under other parameters: {given}, expected {expected}")]
    ForeignParameters {
        /// Whose format it is.
        library: Library,
        /// The object.
        what: &'static str,
        /// What it says of its parameters.
        given: String,
        /// What the parameters asked for would say.
        expected: String,
    },
    /// Something that the library can do and we, or the parameters, cannot; or the reverse.
    #[error("{library}: {given}; {advice}")]
    Unsupported {
        /// Whose format it is.
        library: Library,
        /// What was given.
        given: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// The scheme refuses the contents.
    #[error("{library}: {reason}")]
    Scheme {
        /// Whose format it is.
        library: Library,
        /// What the scheme says.
        reason: Box<Error>,
    },
    /// The parameters are unusable or insecure.
    #[error("{library}: {reason}")]
    Parameters {
        /// Whose format it is.
        library: Library,
        /// What the parameters say.
        reason: Box<ParameterError>,
    },
}

/// What readers and writers say of objects that they refuse.
impl Library {
    /// A field outside its range.
    pub(crate) fn field<T>(
        self,
        what: &'static str,
        given: impl Display,
        allowed: impl Display,
    ) -> Result<T, ForeignError> {
        Err(ForeignError::Field {
            library: self,
            what,
            given: given.to_string(),
            allowed: allowed.to_string(),
        })
    }

    /// An object that is cut off, goes on, or does not unpack.
    pub(crate) fn damaged(self, what: &'static str, reason: String) -> ForeignError {
        ForeignError::Damaged {
            library: self,
            what,
            reason,
        }
    }

    /// What the scheme says of words that it was given.
    pub(crate) fn refused(self, reason: impl Into<Error>) -> ForeignError {
        ForeignError::Scheme {
            library: self,
            reason: Box::new(reason.into()),
        }
    }

    /// Refuses rings that other libraries have no place for.
    pub(crate) fn require_standard(self, ring: &Ring) -> Result<(), ForeignError> {
        match ring.kind() {
            RingKind::Standard => Ok(()),
            kind => Err(ForeignError::Unsupported {
                library: self,
                given: format!("parameters of a {kind} ring ({})", ring.name()),
                advice: "its objects are of standard rings, Z[X]/(X^N + 1)",
            }),
        }
    }

    /// Refuses keys that are limited to some levels: other libraries have no place for them.
    pub(crate) fn require_full(self, key: &SwitchingKey) -> Result<(), ForeignError> {
        match key.is_full() {
            true => Ok(()),
            false => Err(ForeignError::Unsupported {
                library: self,
                given: format!("an evaluation key for {}", key.shape()),
                advice: "generate it for every level",
            }),
        }
    }

    /// Parameters that the scheme refuses.
    pub(crate) fn unusable(self, reason: ParameterError) -> ForeignError {
        ForeignError::Parameters {
            library: self,
            reason: reason.into(),
        }
    }
}

/// What the bytes of another library do not say about an encrypted vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Declared {
    /// Bound on the slots' absolute values.
    pub max: f64,
    /// Bound on their root mean square.
    pub rms: f64,
    /// Standard deviation of a coefficient's error; `None`: that of a fresh encryption of ours,
    /// which SEAL's and OpenFHE's stay below or equal.
    pub noise: Option<f64>,
}

impl Default for Declared {
    fn default() -> Self {
        Self {
            max: 1.0,
            rms: 1.0,
            noise: None,
        }
    }
}

impl Declared {
    /// The type of a ciphertext of these parameters.
    pub(crate) fn ty(
        &self,
        parameters: &Parameters,
        parts: u8,
        level: u16,
        scale: f64,
    ) -> Estimate {
        let fresh = || NoiseModel::new(parameters).encryption();
        let noise = self.noise.unwrap_or_else(fresh);
        Estimate {
            parts,
            level,
            secret: SecretId::MAIN,
            scale,
            max: self.max,
            rms: self.rms,
            noise,
            peak: noise,
        }
    }
}
