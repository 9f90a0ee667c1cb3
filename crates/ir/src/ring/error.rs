//! What the verifier says of a broken rule.

use super::Loc;
use std::fmt;

/// A broken rule: where, what was given, what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function, unless the module as a whole is wrong.
    pub function: Option<String>,
    /// The operation in text form, if one is to blame.
    pub operation: Option<String>,
    /// The user's source line, if the operation has one.
    pub loc: Option<Loc>,
    /// What was given and what is allowed.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(loc) = &self.loc {
            write!(f, "{loc}: ")?;
        }
        if let Some(function) = &self.function {
            write!(f, "in `{function}`: ")?;
        }
        if let Some(operation) = &self.operation {
            write!(f, "`{operation}`: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}
