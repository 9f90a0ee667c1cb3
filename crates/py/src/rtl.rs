//! What a target's RTL package holds beside sources.

use crate::error::{run_error, target_error, unknown_target};
use crate::interruptible::interruptible;
use crate::machine::Machine;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringwright_target::{Rtl, RtlParameter, TransformError};

/// Parameters and vectors of one machine.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct RtlPackage {
    rtl: Rtl,
    package: ringwright_target::RtlPackage,
}

/// One operation with operands and result.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct RtlCase(ringwright_target::RtlCase);

#[pymethods]
impl RtlPackage {
    /// The module that is handed over.
    #[getter]
    fn top(&self) -> &str {
        self.rtl.top
    }

    /// The module that applies the vectors to it.
    #[getter]
    fn testbench(&self) -> &str {
        self.rtl.testbench
    }

    /// Parameters of the module.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in &self.package.parameters {
            match value {
                RtlParameter::Number(number) => dict.set_item(name, number)?,
                RtlParameter::Text(text) => dict.set_item(name, text)?,
            }
        }
        Ok(dict)
    }

    /// The vectors.
    #[getter]
    fn cases(&self) -> Vec<RtlCase> {
        self.package.cases.iter().cloned().map(RtlCase).collect()
    }
}

#[pymethods]
impl RtlCase {
    /// Name of its files.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What the testbench reads.
    #[getter]
    fn numbers(&self) -> Vec<(&'static str, u64)> {
        self.0.numbers.clone()
    }

    /// What a reader wants to know.
    #[getter]
    fn facts(&self) -> Vec<(&'static str, String)> {
        self.0.facts.clone()
    }

    /// What each file holds, the width of a word, the words.
    #[getter]
    fn words(&self) -> Vec<(&'static str, u32, Vec<u128>)> {
        let words = self.0.words.iter();
        words.map(|w| (w.what, w.bits, w.words.clone())).collect()
    }
}

/// Parameters and vectors of a machine's RTL; `None` where its target has none.
#[pyfunction]
pub fn rtl_package(py: Python<'_>, machine: &Machine, seed: u64) -> PyResult<Option<RtlPackage>> {
    let name = machine.0.target();
    let target = ringwright_targets::find(name).ok_or_else(|| unknown_target(name))?;
    let Some(rtl) = target.rtl else {
        return Ok(None);
    };
    interruptible(py, || (rtl.package)(&machine.0, seed))?
        .map(|package| Some(RtlPackage { rtl, package }))
        .map_err(|error| match error {
            TransformError::Machine(inner) => target_error(inner),
            TransformError::Run(inner) => run_error(inner),
        })
}
