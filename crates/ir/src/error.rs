//! Why a ring program does not lower or run, whoever runs it.

use crate::ring::{Loc, VerifyError};
use std::fmt;

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
    /// Two devices computed one kernel, and not the same.
    #[error(transparent)]
    Differs(Box<Difference>),
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

/// Where two devices differ that computed one kernel from the same operands. Without words: operands may be
/// anybody's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Difference {
    /// The machine that was checked.
    pub machine: String,
    /// The machine that values are taken from.
    pub values: String,
    /// The ring function, for instance `ckks.mul_relin@6`.
    pub kernel: String,
    /// Which of the run's calls of kernels, from 0.
    pub call: usize,
    /// How many there are.
    pub calls: usize,
    /// The line of the user's program.
    pub loc: Option<Loc>,
    /// Which tower, counted over all that the kernel returns.
    pub tower: usize,
    /// The first word of it that differs.
    pub word: usize,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (machine, values) = (&self.machine, &self.values);
        write!(
            f,
            "{machine} and {values} compute different values: {}",
            self.kernel
        )?;
        write!(f, ", call {} of {}", self.call, self.calls)?;
        if let Some(loc) = &self.loc {
            write!(f, ", {loc}")?;
        }
        write!(f, ": tower {}, from word {} on", self.tower, self.word)
    }
}
