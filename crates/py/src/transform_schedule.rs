//! Who found the order of a compiled transform.

use pyo3::prelude::*;
use ringwright_target::Origin;

/// Who found the order of a compiled transform's instructions.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct TransformSchedule(pub ringwright_target::TransformSchedule);

#[pymethods]
impl TransformSchedule {
    /// Ring degree.
    #[getter]
    fn n(&self) -> usize {
        self.0.n
    }

    /// Whether it goes from evaluations to coefficients.
    #[getter]
    fn inverse(&self) -> bool {
        self.0.inverse
    }

    /// "tuned", or "untuned" where no search was made for such machines.
    #[getter]
    fn schedule(&self) -> &'static str {
        self.0.origin.name()
    }

    /// Of a tuned one: "shipped" or "cache".
    #[getter]
    fn source(&self) -> Option<&'static str> {
        self.0.origin.source()
    }

    /// Of one from a cache: its file.
    #[getter]
    fn file(&self) -> Option<&str> {
        match &self.0.origin {
            Origin::Cache(file) => Some(file),
            _ => None,
        }
    }

    /// What a cache says of it and does not hold, and why it is not used.
    #[getter]
    fn refused(&self) -> Option<&str> {
        self.0.refused.as_deref()
    }
}
