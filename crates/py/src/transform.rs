//! One transform alone on a simulated machine.

use crate::error::{run_error, target_error, unknown_target, ParameterError};
use crate::integer::{count, Integer};
use crate::interruptible::interruptible;
use crate::machine::Machine;
use crate::transform_schedule::TransformSchedule;
use pyo3::prelude::*;
use ringwright_ir::RunError;
use ringwright_target::{Sought, TransformAsked, TransformError, TransformReport, WordOrder};

/// A forward transform of one tower, operands and result in the device's memory.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Transform(pub TransformReport);

#[pymethods]
impl Transform {
    /// The machine's name.
    #[getter]
    fn machine(&self) -> &str {
        &self.0.machine
    }

    /// Ring degree.
    #[getter]
    fn n(&self) -> usize {
        self.0.n
    }

    /// The prime.
    #[getter]
    fn prime(&self) -> u64 {
        self.0.modulus
    }

    /// "in-order" where words keep their order, as in a program; "any" where the transform stands
    /// alone and they lie as suits it; `None` where the machine has only one.
    #[getter]
    fn order(&self) -> Option<&'static str> {
        self.0.order.map(WordOrder::name)
    }

    /// From the first operand read until the last result is in memory.
    #[getter]
    fn cycles(&self) -> u64 {
        self.0.cycles
    }

    /// The same for the inverse transform, 1/N included; `None` where it was not asked for.
    #[getter]
    fn inverse_cycles(&self) -> Option<u64> {
        self.0.inverse_cycles
    }

    /// What no schedule of the same hardware can beat; `cycles` is never less.
    #[getter]
    fn bound_cycles(&self) -> u64 {
        self.0.bound_cycles
    }

    /// All products one after the other on the machine's multipliers, each stage drained: a
    /// yardstick that a machine which overlaps goes below. `None` where stages do not drain.
    #[getter]
    fn drained_cycles(&self) -> Option<u64> {
        self.0.drained_cycles
    }

    /// What a paper prints for this degree, number of units and width; `None` where none does.
    #[getter]
    fn published_cycles(&self) -> Option<u64> {
        self.0.published.as_ref().map(|published| published.cycles)
    }

    /// Paper, table and page of `published_cycles`.
    #[getter]
    fn published_source(&self) -> Option<&str> {
        let published = self.0.published.as_ref()?;
        Some(&published.source)
    }

    /// Unit and share of `cycles` in which it works, 0 to 1, in the order in which words pass.
    #[getter]
    fn units(&self) -> Vec<(String, f64)> {
        let units = self.0.utilisation.iter();
        units.map(|unit| (unit.unit.clone(), unit.share)).collect()
    }

    /// First cycle in its pipe, pipe and text of every instruction of the forward transform, in
    /// program order; empty for machines without instructions.
    #[getter]
    fn program(&self) -> Vec<(u64, &'static str, &str)> {
        let program = self.0.program.iter();
        program.map(|i| (i.start, i.unit, &*i.text)).collect()
    }

    /// Unit, what it did or waited for, and cycles; empty where a simulator does not say.
    #[getter]
    fn stalls(&self) -> Vec<(&'static str, &'static str, u64)> {
        let stalls = self.0.stalls.iter();
        stalls.map(|s| (s.unit, s.reason, s.cycles)).collect()
    }

    /// The forward transform under the harshest reading of the paper: cycles, what they cannot go
    /// below, who found the order, and the parameters that are read otherwise. `None` where nothing
    /// is left open.
    #[getter]
    fn strict(&self) -> Option<(u64, u64, TransformSchedule, Vec<String>)> {
        let strict = self.0.strict.clone()?;
        let schedule = TransformSchedule(strict.schedule);
        Some((
            strict.cycles,
            strict.bound_cycles,
            schedule,
            strict.parameters,
        ))
    }

    /// What lies in the machine's memories when the forward transform starts, in bytes.
    #[getter]
    fn resident(&self) -> Vec<(&'static str, u64)> {
        self.0.residency.resident.clone()
    }

    /// Cycles with the operand brought and the result fetched; modelled.
    #[getter]
    fn moved_cycles(&self) -> u64 {
        self.0.residency.moved_cycles
    }

    /// Cycles with everything brought that is not scratch, and the result fetched; modelled.
    #[getter]
    fn cold_cycles(&self) -> u64 {
        self.0.residency.cold_cycles
    }

    /// Who found the orders of forward and inverse transform; empty where nothing is ordered.
    #[getter]
    fn schedules(&self) -> Vec<TransformSchedule> {
        let schedules = self.0.schedules.iter().cloned();
        schedules.map(TransformSchedule).collect()
    }

    /// Whether both transforms give the words of the reference interpreter.
    #[getter]
    fn correct(&self) -> bool {
        self.0.correct
    }

    /// How `cycles` was obtained.
    #[getter]
    fn provenance(&self) -> &'static str {
        self.0.provenance.as_str()
    }
}

/// Runs one transform of degree `n`; `None` where the machine's target has no transform unit.
/// `prime`: default the largest that the machine takes. `order`: "in-order" (default) for what a
/// program's transform takes, "any" for a transform alone. `forward_only`: no inverse transform, and no
/// strict reading.
#[pyfunction]
#[pyo3(signature = (machine, n, prime = None, *, order = "in-order", forward_only = false))]
pub fn run_transform(
    py: Python<'_>,
    machine: &Machine,
    n: Integer,
    prime: Option<Integer>,
    order: &str,
    forward_only: bool,
) -> PyResult<Option<Transform>> {
    let prime = prime.map(|given| count("prime", given)).transpose()?;
    let asked = TransformAsked {
        log_n: log_of(n)?,
        modulus: prime,
        order: order_named(order)?,
        forward_only,
    };
    let name = machine.0.target();
    let target = ringwright_targets::find(name).ok_or_else(|| unknown_target(name))?;
    let Some(study) = target.transform else {
        return Ok(None);
    };
    interruptible(py, || study(&machine.0, &asked))?
        .map(|report| Some(Transform(report)))
        .map_err(transform_error)
}

/// What a search found for one transform: `inverse`, whether words keep their order, cycles of what
/// was known (`None`: nothing was), cycles of what is known now.
pub type Found = (bool, bool, Option<u64>, u64);

/// Tries `tries` orders for each transform of degree `n`, from what is known on, the same ones every
/// time: the text for `Machine.with_schedules` and each transform's cycles. `sought`: which of them,
/// each as (inverse, words in order); without, all four. `None` where the target orders nothing.
#[pyfunction]
#[pyo3(signature = (machine, n, tries, sought = None))]
pub fn search_schedules(
    py: Python<'_>,
    machine: &Machine,
    n: Integer,
    tries: Integer,
    sought: Option<Vec<(bool, bool)>>,
) -> PyResult<Option<(String, Vec<Found>)>> {
    let tries: u32 = count("tries", tries)?;
    let log_n = log_of(n)?;
    let name = machine.0.target();
    let target = ringwright_targets::find(name).ok_or_else(|| unknown_target(name))?;
    let Some(search) = target.schedules else {
        return Ok(None);
    };
    let each = |sought: Vec<_>| sought.into_iter().map(|(i, o)| Sought::new(i, o)).collect();
    let sought = sought.map_or_else(|| Sought::ALL.to_vec(), each);
    let made = interruptible(py, || (search.search)(&machine.0, log_n, tries, &sought))?;
    let made = made.map_err(transform_error)?;
    let found = made.found.iter();
    let found = found.map(|one| (one.inverse, one.in_order, one.before, one.cycles));
    Ok(Some((made.text, found.collect())))
}

fn transform_error(error: TransformError) -> PyErr {
    match error {
        TransformError::Machine(inner) => target_error(inner),
        TransformError::Run(RunError::Invalid(what)) => ParameterError::new_err(what),
        TransformError::Run(inner) => run_error(inner),
    }
}

fn order_named(given: &str) -> PyResult<WordOrder> {
    let mut all = WordOrder::ALL.into_iter();
    all.find(|order| order.name() == given).ok_or_else(|| {
        let allowed = WordOrder::ALL.map(WordOrder::name).join(", ");
        ParameterError::new_err(format!("order = {given}, allowed: {allowed}"))
    })
}

fn log_of(n: Integer) -> PyResult<u32> {
    let given: u64 = count("n", n)?;
    match given.is_power_of_two() {
        true => Ok(given.ilog2()),
        false => Err(ParameterError::new_err(format!(
            "n = {given}, allowed: a power of two"
        ))),
    }
}
