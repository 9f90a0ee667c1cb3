//! Programs made ready to run, and run.

use crate::ciphertext::Ciphertext;
use crate::error::ckks_error;
use crate::femtoseconds::femtoseconds;
use crate::interruptible::interruptible;
use crate::keys::EvaluationKeys;
use crate::machine::Backend;
use crate::parameters::Parameters;
use crate::program::HeProgram;
use crate::timing::Timing;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use ringwright_ir::ring::Loc;
use ringwright_schemes::ckks;
use ringwright_sim::Femtoseconds;
use ringwright_target as target;
use std::collections::BTreeMap;
use std::time::Instant;

/// Prepares programs for one machine.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Evaluator(ckks::Evaluator);

#[pymethods]
impl Evaluator {
    /// `encoder`: transforms constants and plain arguments; default: the machine itself.
    #[new]
    #[pyo3(signature = (parameters, backend, encoder = None))]
    fn new(parameters: &Parameters, backend: &Backend, encoder: Option<&Backend>) -> Self {
        let (device, encoder) = (backend.device(), encoder.unwrap_or(backend).device());
        Self(ckks::Evaluator::encoding_on(&parameters.0, device, encoder))
    }

    /// Expands a program into ring functions, lowers them and encodes its constants, once.
    /// `keys`: those that it will run with; default: keys of every level.
    #[pyo3(signature = (program, keys = None))]
    fn prepare(
        &self,
        py: Python<'_>,
        program: &HeProgram,
        keys: Option<&EvaluationKeys>,
    ) -> PyResult<Prepared> {
        let shapes = keys.map(|keys| keys.0.shapes()).unwrap_or_default();
        interruptible(py, || self.0.prepare_for(&program.program, &shapes))?
            .map(Prepared)
            .map_err(ckks_error)
    }

    /// The same with its plain arguments, in the order they were added; encodings are kept by content.
    fn bind(
        &self,
        py: Python<'_>,
        prepared: &Prepared,
        plains: Vec<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Prepared> {
        let plains: Vec<_> = plains.iter().map(|each| each.as_array().to_vec()).collect();
        interruptible(py, || self.0.bind(&prepared.0, &plains))?
            .map(Prepared)
            .map_err(ckks_error)
    }
}

/// A program made ready; runs many times, from any thread.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Prepared(pub ckks::Prepared);

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

    /// Time of one run on a simulated machine; `None` on one whose time is measured.
    #[getter]
    fn timing(&self) -> Option<Timing> {
        self.0.timing().cloned().map(Timing)
    }

    /// Bytes that a run takes and gives, in the machine's words: "ciphertexts", "plain" (arguments of
    /// this run), "keys", "constants", "results"; `None` where the machine is real and its words stay in this computer's memory.
    #[getter]
    fn traffic_bytes(&self) -> Option<BTreeMap<&'static str, u64>> {
        let (traffic, tower) = (self.0.traffic(), self.0.tower_bytes()?);
        let towers = [
            ("ciphertexts", traffic.ciphertexts),
            ("plain", traffic.plain),
            ("keys", traffic.keys),
            ("constants", traffic.constants),
            ("results", traffic.results),
        ];
        Some(
            towers
                .map(|(what, count)| (what, count as u64 * tower))
                .into(),
        )
    }

    /// Runs the program on ciphertexts, in the order of its inputs.
    fn run(
        &self,
        py: Python<'_>,
        inputs: Vec<Bound<'_, Ciphertext>>,
        keys: &EvaluationKeys,
    ) -> PyResult<Vec<Ciphertext>> {
        let inputs: Vec<_> = inputs.iter().map(|input| input.get().0.clone()).collect();
        let results = interruptible(py, || self.0.run(&inputs, &keys.0))?.map_err(ckks_error)?;
        Ok(results.into_iter().map(Ciphertext).collect())
    }

    /// Runs the program and says how long each operation took, no times where the machine does
    /// not measure them; and what was checked, where values are another machine's.
    fn run_profiled(
        &self,
        py: Python<'_>,
        inputs: Vec<Bound<'_, Ciphertext>>,
        keys: &EvaluationKeys,
    ) -> PyResult<(Vec<Ciphertext>, Vec<OperationTime>, Option<Checked>)> {
        let called = Instant::now();
        let inputs: Vec<_> = inputs.iter().map(|input| input.get().0.clone()).collect();
        let run = interruptible(py, || self.0.run_profiled(&inputs, &keys.0))?;
        let run = run.map_err(ckks_error)?;
        let times = run.times.into_iter();
        Ok((
            run.results.into_iter().map(Ciphertext).collect(),
            times.map(|time| OperationTime { called, time }).collect(),
            run.checked.map(Checked),
        ))
    }
}

/// What was compared in a run whose values are another machine's.
#[pyclass(frozen, eq, module = "ringwright._ringwright")]
#[derive(PartialEq)]
pub struct Checked(target::Checked);

#[pymethods]
impl Checked {
    /// The machine that the values come from.
    #[getter]
    fn values(&self) -> &str {
        &self.0.values
    }

    /// Calls of kernels in the run.
    #[getter]
    fn calls(&self) -> usize {
        self.0.calls
    }

    /// Those that the simulated machine ran too, all words equal.
    #[getter]
    fn checked(&self) -> usize {
        self.0.checked
    }

    /// Different kernels among the calls.
    #[getter]
    fn kernels(&self) -> usize {
        self.0.kernels
    }

    fn __repr__(&self) -> String {
        let target::Checked {
            values,
            calls,
            checked,
            kernels,
        } = &self.0;
        format!("Checked(values={values:?}, calls={calls}, checked={checked}, kernels={kernels})")
    }
}

/// When one operation of a program ran, measured by the wall clock; times in femtoseconds.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct OperationTime {
    called: Instant,
    time: ckks::OperationTime,
}

#[pymethods]
impl OperationTime {
    /// What it does, in a word: "mul_relin", "rotate", "decompose".
    #[getter]
    fn kind(&self) -> &'static str {
        self.time.site.kind
    }

    /// The operation with its operands, as `explain` shows it: "rotate %4".
    #[getter]
    fn op(&self) -> &str {
        &self.time.site.op
    }

    /// Name of the value it made.
    #[getter]
    fn result(&self) -> &str {
        &self.time.site.result
    }

    /// The ring function that ran: "ckks.square_relin@6".
    #[getter]
    fn function(&self) -> &str {
        &self.time.site.function
    }

    /// The user's file and line: "camera.py:12".
    #[getter]
    fn line(&self) -> Option<String> {
        self.time.site.loc.as_ref().map(Loc::to_string)
    }

    /// From the beginning of the run.
    #[getter]
    fn start_fs(&self) -> u64 {
        femtoseconds(self.time.start.duration_since(self.called))
    }

    /// How long it took.
    #[getter]
    fn duration_fs(&self) -> u64 {
        femtoseconds(self.time.duration)
    }

    fn __repr__(&self) -> String {
        format!(
            "OperationTime({:?}, {})",
            self.op(),
            Femtoseconds(self.duration_fs())
        )
    }
}
