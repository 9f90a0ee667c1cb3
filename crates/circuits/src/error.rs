//! What a circuit refuses.

use ringwright_schemes::ckks;

/// A circuit that cannot be built, with what was given and what is allowed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The scheme refused an operation: too few levels, values that do not fit, a foreign value.
    #[error(transparent)]
    Ckks(#[from] ckks::Error),
    /// A number outside its range.
    #[error("{circuit}: {what} = {given}, allowed: {allowed}")]
    Range {
        /// The circuit.
        circuit: &'static str,
        /// The argument.
        what: &'static str,
        /// The value given.
        given: String,
        /// The values allowed.
        allowed: String,
    },
}

impl Error {
    /// A refusal of one argument.
    pub(crate) fn range(
        circuit: &'static str,
        what: &'static str,
        given: impl ToString,
        allowed: impl ToString,
    ) -> Self {
        let (given, allowed) = (given.to_string(), allowed.to_string());
        Error::Range {
            circuit,
            what,
            given,
            allowed,
        }
    }
}

impl From<ckks::ParameterError> for Error {
    fn from(error: ckks::ParameterError) -> Self {
        Error::Ckks(error.into())
    }
}
