//! Integers from Python, which have no largest one.

use crate::error::{ParameterError, ScheduleError};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// Any Python integer; one that 128 bits do not hold is only good for saying so.
pub enum Integer {
    /// One that they hold.
    Held(i128),
    /// As Python writes it.
    Beyond(String),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Integer {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match given.extract() {
            Ok(integer) => Ok(Self::Held(integer)),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
                Ok(Self::Beyond(written(&given)))
            }
            Err(error) => Err(error),
        }
    }
}

/// Python refuses to write one of thousands of digits.
fn written(integer: &Bound<'_, PyAny>) -> String {
    let text = integer.str();
    text.map_or_else(
        |_| "a number of thousands of digits".into(),
        |text| text.to_string(),
    )
}

/// What counts are held in.
pub trait Count: TryFrom<i128> {
    /// What is allowed, in words.
    const RANGE: &str;
}

macro_rules! counts {
    ($($type:ty: $range:literal),*) => {
        $(impl Count for $type {
            const RANGE: &str = $range;
        })*
    };
}

counts!(u8: "0 to 2^8 - 1", u16: "0 to 2^16 - 1", u32: "0 to 2^32 - 1", u64: "0 to 2^64 - 1");
counts!(usize: "0 to 2^64 - 1");

/// A count that a `ParameterError` refuses where it is negative or too large.
pub fn count<T: Count>(what: &str, given: Integer) -> PyResult<T> {
    read(what, given).map_err(ParameterError::new_err)
}

/// The same for what is scheduled, and a `ScheduleError`.
pub fn scheduled<T: Count>(what: &str, given: Integer) -> PyResult<T> {
    read(what, given).map_err(ScheduleError::new_err)
}

fn read<T: Count>(what: &str, given: Integer) -> Result<T, String> {
    let refused = |given: &dyn std::fmt::Display| {
        format!("{what} = {given}, allowed: a number from {}", T::RANGE)
    };
    match given {
        Integer::Held(integer) => T::try_from(integer).map_err(|_| refused(&integer)),
        Integer::Beyond(text) => Err(refused(&text)),
    }
}
