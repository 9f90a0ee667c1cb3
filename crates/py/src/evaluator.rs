//! Programs made ready to run, and run.

use crate::ciphertext::Ciphertext;
use crate::error::ckks_error;
use crate::keys::EvaluationKeys;
use crate::machine::Backend;
use crate::parameters::Parameters;
use crate::program::HeProgram;
use pyo3::prelude::*;
use ringwright_schemes::ckks;

/// Prepares programs for one machine.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Evaluator(ckks::Evaluator);

#[pymethods]
impl Evaluator {
    #[new]
    fn new(parameters: &Parameters, backend: &Backend) -> Self {
        Self(ckks::Evaluator::new(&parameters.0, backend.0.clone()))
    }

    /// Expands a program into ring functions, lowers them and encodes its constants, once.
    fn prepare(&self, py: Python<'_>, program: &HeProgram) -> PyResult<Prepared> {
        py.detach(|| self.0.prepare(&program.program))
            .map(Prepared)
            .map_err(ckks_error)
    }
}

/// A program made ready; runs many times, from any thread.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Prepared(ckks::Prepared);

#[pymethods]
impl Prepared {
    /// The ring function of every operation, in the order they run: "ckks.mul_relin@6", ...
    #[getter]
    fn calls(&self) -> Vec<&str> {
        self.0
            .calls()
            .iter()
            .map(|call| call.function.as_str())
            .collect()
    }

    /// The text form of the `ring` dialect.
    #[getter]
    fn text(&self) -> String {
        ringwright_ir::text::print(self.0.module())
    }

    /// Runs the program on ciphertexts, in the order of its inputs.
    fn run(
        &self,
        py: Python<'_>,
        inputs: Vec<Bound<'_, Ciphertext>>,
        keys: &EvaluationKeys,
    ) -> PyResult<Vec<Ciphertext>> {
        let inputs: Vec<_> = inputs.iter().map(|input| input.get().0.clone()).collect();
        let results = py
            .detach(|| self.0.run(&inputs, &keys.0))
            .map_err(ckks_error)?;
        Ok(results.into_iter().map(Ciphertext).collect())
    }
}
