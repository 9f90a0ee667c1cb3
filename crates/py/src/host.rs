//! Hosts: processors that do what an accelerator leaves to them.

use crate::error::{host_error, spec_error, stage_error};
use crate::integer::{count, Integer};
use crate::stage::{parse_provenance, Named, Stage};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringwright_spec as spec;
use ringwright_system::{self as system, ResourceId};
use std::collections::BTreeMap;

/// Operation, cycles, the least and the most that they may be, how often.
type UncertainCost = (String, f64, f64, f64, u64);

/// A host description: cycles of each operation that is known.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Host {
    description: spec::Host,
    pub host: system::Host,
}

#[pymethods]
impl Host {
    /// By name, or from a file whose path ends in `.toml`. Raises `MachineError`.
    #[staticmethod]
    fn load(name_or_path: &str) -> PyResult<Self> {
        let description = spec::Host::load(name_or_path);
        description
            .map(|found| Self::of(&found))
            .map_err(spec_error)
    }

    /// Those that ship with the package.
    #[staticmethod]
    fn all() -> PyResult<Vec<Self>> {
        let shipped = spec::Host::shipped().iter();
        shipped.map(|shipped| Self::load(shipped.name)).collect()
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        self.description.name()
    }

    /// What it is, in a few words.
    #[getter]
    fn title(&self) -> &str {
        self.description.title()
    }

    /// Period of the clock, femtoseconds.
    #[getter]
    fn clock_fs(&self) -> u64 {
        self.description.clock_fs()
    }

    /// The core of `hw/soc` whose area and energy it has; `None` where that is not known.
    #[getter]
    fn core(&self) -> Option<&str> {
        self.description.core()
    }

    /// What is known, by operation, in the order of declaration: dicts of `cycles`, `low`, `high`
    /// (both `cycles` where it is certain), `provenance`, `source`.
    #[getter]
    fn operations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (declared, cost) in self.description.operations() {
            let (low, high) = cost.range.unwrap_or((cost.cycles, cost.cycles));
            let one = PyDict::new(py);
            one.set_item("cycles", cost.cycles)?;
            one.set_item("low", low)?;
            one.set_item("high", high)?;
            one.set_item("provenance", cost.provenance.as_str())?;
            one.set_item("source", &cost.source)?;
            all.set_item(&declared.name, one)?;
        }
        Ok(all)
    }

    /// The operations whose cost is not known.
    #[getter]
    fn missing(&self) -> Vec<&str> {
        let missing = self.description.missing();
        missing.map(|declared| declared.name.as_str()).collect()
    }

    /// What counts of operations cost. Raises `MachineError` for one whose cost is not known.
    fn cost(&self, operations: BTreeMap<String, Integer>) -> PyResult<HostCost> {
        let counts = counted(operations)?;
        let counts = counts.iter().map(|(name, count)| (name.as_str(), *count));
        self.host.cost(counts).map(HostCost).map_err(host_error)
    }

    /// A host function that does so many operations, on `resource`. `provenance`: where the counts
    /// come from, if from less than what exists; the stage has the least certain of that and of the
    /// costs. Raises `MachineError` for an operation whose cost is not known.
    #[pyo3(signature = (name, operations, resource, *, after = Vec::new(), provenance = None))]
    fn stage(
        &self,
        name: String,
        operations: BTreeMap<String, Integer>,
        resource: Named,
        after: Vec<usize>,
        provenance: Option<&str>,
    ) -> PyResult<Stage> {
        let counts = counted(operations)?;
        let counts = counts.iter().map(|(name, count)| (name.as_str(), *count));
        let provenance = provenance.map(parse_provenance).transpose()?;
        // Resources have their numbers when stages are added to a job.
        let made = self.host.stage(name, ResourceId(0), counts, provenance);
        let made = made.map_err(stage_error)?.after(after);
        Ok(Stage::on(made, resource))
    }

    /// The costs among these operations that are a range, what moves the time most first: tuples
    /// (operation, cycles, least, most, how often).
    fn uncertain(&self, operations: BTreeMap<String, Integer>) -> PyResult<Vec<UncertainCost>> {
        let counts = counted(operations)?;
        let counts = counts.iter().map(|(name, count)| (name.as_str(), *count));
        let found = self.host.uncertain(counts).into_iter();
        Ok(found
            .map(|each| {
                let (low, high) = each.range;
                (each.operation, each.cycles, low, high, each.count)
            })
            .collect())
    }

    /// Raises `MachineError` where it lacks the cost of an operation; names the hosts that ship and
    /// know them all.
    fn require_costs(&self, operations: Vec<String>) -> PyResult<()> {
        let operations = operations.iter().map(String::as_str);
        self.host.require(operations).map_err(host_error)
    }

    fn __repr__(&self) -> String {
        format!("Host({:?})", self.name())
    }
}

impl Host {
    /// The host of a description.
    pub fn of(description: &spec::Host) -> Self {
        Self {
            host: system::Host::new(description),
            description: description.clone(),
        }
    }
}

/// What encoding 2^(log_n - 1) slots takes: the embedding's transform, rounding, residues per tower.
#[pyfunction]
pub fn encode_operations(log_n: u32, towers: usize) -> system::Operations {
    system::encode_operations(log_n, towers)
}

/// What decoding takes: the integer coefficients out of their residues, then the transform.
#[pyfunction]
pub fn decode_operations(log_n: u32, towers: usize) -> system::Operations {
    system::decode_operations(log_n, towers)
}

fn counted(operations: BTreeMap<String, Integer>) -> PyResult<BTreeMap<String, u64>> {
    let counts = operations.into_iter();
    counts
        .map(|(name, given)| Ok((name.clone(), count(&name, given)?)))
        .collect()
}

/// What a host function costs, in cycles of the host's clock.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct HostCost(system::HostCost);

#[pymethods]
impl HostCost {
    /// Rounded up.
    #[getter]
    fn cycles(&self) -> u64 {
        self.0.cycles
    }

    /// The least it may be.
    #[getter]
    fn low(&self) -> u64 {
        self.0.range.0
    }

    /// The most it may be.
    #[getter]
    fn high(&self) -> u64 {
        self.0.range.1
    }

    /// Where the costs come from; empty for nothing to do.
    #[getter]
    fn provenances(&self) -> Vec<&'static str> {
        self.0.provenances.iter().map(|p| p.as_str()).collect()
    }
}
