//! What readers and writers say of objects that they refuse.

use crate::foreign::{ForeignError, Library};
use std::fmt::Display;

pub(super) const LIBRARY: Library = Library::Seal;

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

/// An object that is cut off, goes on, or does not unpack.
pub(super) fn damaged(what: &'static str, reason: String) -> ForeignError {
    ForeignError::Damaged {
        library: LIBRARY,
        what,
        reason,
    }
}
