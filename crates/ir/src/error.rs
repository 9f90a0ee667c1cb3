//! Why a ring program does not lower or run, whoever runs it.

use crate::ring::VerifyError;

/// Why a program could not be lowered or run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The program breaks a rule of the dialect.
    #[error("invalid program: {0}")]
    Invalid(String),
    /// The machine cannot hold or express the program: what was asked, what is allowed.
    #[error("{machine} cannot run this program: {reason}")]
    Unsupported {
        /// The machine's name.
        machine: String,
        /// What was asked and what is allowed.
        reason: String,
    },
    /// Too few or too many arguments.
    #[error("expected {expected} arguments, got {got}")]
    ArgumentCount {
        /// The entry function's parameters.
        expected: usize,
        /// What was passed.
        got: usize,
    },
    /// Somebody stopped it ([`crate::interrupt`]).
    #[error("interrupted")]
    Interrupted,
    /// An argument does not have the parameter's type.
    #[error("argument {index} ({name}): expected {expected}, got {got}")]
    Argument {
        /// Position, from 0.
        index: usize,
        /// The parameter's name.
        name: String,
        /// The parameter's type.
        expected: String,
        /// What was passed.
        got: String,
    },
}

impl From<VerifyError> for RunError {
    fn from(error: VerifyError) -> Self {
        RunError::Invalid(error.to_string())
    }
}
