//! What readers and writers say of objects that they refuse.

use crate::foreign::{ForeignError, Library};
use std::fmt::Display;

pub(super) const LIBRARY: Library = Library::OpenFhe;

/// A field outside its range.
pub(super) fn field<T>(
    what: &'static str,
    given: impl Display,
    allowed: impl Display,
) -> Result<T, ForeignError> {
    Err(ForeignError::Field {
        library: LIBRARY,
        what,
        given: given.to_string(),
        allowed: allowed.to_string(),
    })
}

/// What the scheme says of words that it was given.
pub(super) fn refused(reason: ringwright_schemes::ckks::Error) -> ForeignError {
    ForeignError::Scheme {
        library: LIBRARY,
        reason: reason.into(),
    }
}
