//! What shared results are to have.

use crate::integer::{count, Integer};
use pyo3::prelude::*;
use ringwright_schemes::ckks;

/// The attributes of `ringwright.ckks.Sharing`.
#[derive(FromPyObject)]
pub struct Sharing {
    statistical_bits: Integer,
    queries: Integer,
    precision_bits: Integer,
}

impl Sharing {
    /// As Rust has it.
    pub fn read(self) -> PyResult<ckks::Sharing> {
        Ok(ckks::Sharing {
            statistical_bits: count("statistical_bits", self.statistical_bits)?,
            queries: count("queries", self.queries)?,
            precision_bits: count("precision_bits", self.precision_bits)?,
        })
    }
}
