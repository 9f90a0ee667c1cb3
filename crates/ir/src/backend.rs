//! What can execute ring programs: the interpreter here, and every target.
//!
//! A backend is a value that is passed explicitly; schemes generate keys, encrypt and decrypt
//! through it and never compute themselves.

use crate::ring::{Module, VerifyError};
use crate::value::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why a program could not be prepared or run.
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

/// Lowers a program once.
pub trait Backend: Send + Sync {
    /// Checks the program and makes it ready to run many times.
    fn prepare(&self, module: &Module) -> Result<Arc<dyn Kernel>, RunError>;
}

/// A lowered program; runs many times, from any thread.
pub trait Kernel: Send + Sync {
    /// Runs the entry function; one value per returned value. Keeps no reference, not even a weak
    /// one, to a secret input, nor to any result of a run with a seed or another secret input: whoever
    /// owns a secret overwrites it when done, and `Arc::get_mut` must grant that.
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError>;

    /// Runs the same, and says how long each call of the entry function took. A backend that does
    /// not measure gives no times; one that does leaves out what it did not have to run. Times are
    /// in order and apart.
    fn run_profiled(&self, inputs: &[Value]) -> Result<(Vec<Value>, Vec<CallTime>), RunError> {
        Ok((self.run(inputs)?, Vec::new()))
    }
}

/// When one call of the entry function ran, by the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTime {
    /// Which of the entry function's calls, from 0.
    pub call: usize,
    /// When it began.
    pub start: Instant,
    /// How long it took.
    pub duration: Duration,
}
