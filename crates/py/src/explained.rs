//! What is known of a program, operation by operation and value by value.

use pyo3::prelude::*;
use ringwright_ir::he::KeyId;
use ringwright_ir::ring::{Count, Loc};
use ringwright_schemes::ckks;

/// What one operation of a program takes, composites expanded; a machine may need less.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct OperationCount {
    pub site: ckks::CallSite,
    pub count: Count,
}

#[pymethods]
impl OperationCount {
    /// Name of the value it makes.
    #[getter]
    fn result(&self) -> &str {
        &self.site.result
    }

    /// The user's file and line: "camera.py:12".
    #[getter]
    fn line(&self) -> Option<String> {
        self.site.loc.as_ref().map(Loc::to_string)
    }

    /// Towers transformed, forward or inverse.
    #[getter]
    fn transforms(&self) -> usize {
        self.count.transforms
    }

    /// Towers multiplied word by word.
    #[getter]
    fn products(&self) -> usize {
        self.count.products
    }

    /// Towers of evaluation keys that are read.
    #[getter]
    fn key_towers(&self) -> usize {
        self.count.key_towers
    }
}

/// What is known of one value of a program.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct ExplainRow(pub ckks::Row);

#[pymethods]
impl ExplainRow {
    /// The user's file and line: "camera.py:12".
    #[getter]
    fn line(&self) -> Option<String> {
        self.0.loc.as_ref().map(Loc::to_string)
    }

    /// Name of the value.
    #[getter]
    fn value(&self) -> &str {
        &self.0.value
    }

    /// The operation with its operands, or "input"; empty for what the operation above it returns besides.
    #[getter]
    fn op(&self) -> &str {
        &self.0.op
    }

    /// Towers that remain.
    #[getter]
    fn level(&self) -> u16 {
        self.0.level
    }

    /// log2 of the scale.
    #[getter]
    fn scale_bits(&self) -> f64 {
        self.0.scale_bits
    }

    /// log2 of the predicted noise of a coefficient, in integer units.
    #[getter]
    fn noise_bits(&self) -> f64 {
        self.0.noise_bits
    }

    /// Bits after the binary point that the slots' real parts keep (root mean square).
    #[getter]
    fn precision_bits(&self) -> f64 {
        self.0.precision_bits
    }

    /// The same of what no slot's real part is off by more, but with probability 2^-20.
    #[getter]
    fn bound_bits(&self) -> f64 {
        self.0.bound_bits
    }

    /// Bits of modulus that message and noise leave free.
    #[getter]
    fn room_bits(&self) -> f64 {
        self.0.room_bits
    }

    /// Keys that the operation needs.
    #[getter]
    fn keys(&self) -> Vec<String> {
        self.0.keys.iter().map(KeyId::to_string).collect()
    }

    fn __repr__(&self) -> String {
        format!("ExplainRow({:?}, level={})", self.0.op, self.0.level)
    }
}
