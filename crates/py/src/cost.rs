//! What a machine costs in silicon.

use crate::error::{cost_error, process_error};
use crate::instruction_set::TransformTime;
use crate::machine::Machine;
use crate::timing::Timing;
use crate::transform::Transform;
use pyo3::prelude::*;
use ringwright_silicon as silicon;
use ringwright_silicon::Estimate;
use ringwright_sim::Provenance;
use ringwright_target::cost::{self, Energy, Quantity, Total};
use std::collections::BTreeSet;

/// Low, expected, high.
type Range = (f64, f64, f64);
/// A sum: its range, the provenances in it, the unit that it is least sure of.
type Sum = (Range, Vec<&'static str>, &'static str);
/// The whole, unit by unit, counters without energy.
type Parts = (Sum, Vec<(&'static str, Sum)>, Vec<String>);
/// GHz, the unit and part that it waits for, provenances.
type Waits = (Range, &'static str, &'static str, Vec<&'static str>);
/// Unit, part or counter, range, provenance, source.
type Row<'a, P = &'static str> = (&'static str, P, Range, &'static str, &'a str);

fn row<'a, P>(
    unit: &'static str,
    part: P,
    value: Estimate,
    provenance: Provenance,
    source: &'a str,
) -> Row<'a, P> {
    (unit, part, range(value), provenance.as_str(), source)
}

fn range(estimate: Estimate) -> Range {
    (estimate.low, estimate.expected, estimate.high)
}

fn words(provenances: &BTreeSet<Provenance>) -> Vec<&'static str> {
    provenances
        .iter()
        .map(|provenance| provenance.as_str())
        .collect()
}

fn sum(total: &Total) -> Sum {
    (
        range(total.value),
        words(&total.provenances),
        total.dominated_by,
    )
}

/// A process in which machines are built.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Process(silicon::Process);

#[pymethods]
impl Process {
    /// From the text of a file of the form of `spec/silicon/process.toml`; `file` is what errors
    /// call it. Raises `MachineError`.
    #[staticmethod]
    fn parse(file: &str, text: &str) -> PyResult<Self> {
        silicon::Process::parse(file, text)
            .map(Self)
            .map_err(process_error)
    }

    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }
}

/// The process in which the papers' chips were built.
#[pyfunction]
pub fn shipped_process() -> Process {
    Process(silicon::Process::shipped().clone())
}

/// Square micrometres there of a block that has so many in the library of our points.
#[pyfunction]
pub fn placed_um2(library_um2: f64) -> Range {
    range(silicon::Process::shipped().placed_um2(library_um2))
}

/// Of a host core, by the name that `hw/soc` gives it: square millimetres, picojoules of an average
/// cycle, and where the latter come from. Raises `MachineError` for a core that was not mapped.
#[pyfunction]
pub fn core_cost(core: &str, process: &Process) -> PyResult<(Range, Range, String)> {
    let cost = process.0.core(core).map_err(process_error)?;
    let area_mm2 = cost.area_um2() * 1e-6;
    Ok((range(area_mm2), range(cost.cycle_pj), cost.source))
}

/// What a machine costs.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Cost(cost::Cost);

/// Of a machine in a process; `None` where its target has no hardware. Raises `MachineError`.
#[pyfunction]
pub fn machine_cost(
    py: Python<'_>,
    machine: &Machine,
    process: &Process,
) -> PyResult<Option<Cost>> {
    let target = crate::machine::target_of(&machine.0)?;
    let Some(of) = target.cost else {
        return Ok(None);
    };
    let made = py.detach(|| of(&machine.0, &process.0));
    made.map(|cost| Some(Cost(cost))).map_err(cost_error)
}

#[pymethods]
impl Cost {
    /// Of a quantity: unit, part, range, provenance, source.
    fn entries(&self, quantity: &str) -> Vec<Row<'_>> {
        let entries = self
            .0
            .entries
            .iter()
            .filter(|entry| entry.quantity.as_str() == quantity);
        entries
            .map(|e| row(e.unit, e.part, e.value, e.provenance, &e.source))
            .collect()
    }

    /// The quantities that are counted.
    #[getter]
    fn quantities(&self) -> Vec<&'static str> {
        let counted = Quantity::ALL
            .into_iter()
            .filter(|&q| self.0.total(q).is_some());
        counted.map(Quantity::as_str).collect()
    }

    /// The sum of a quantity; `None` where nothing counts it.
    fn total(&self, quantity: &str) -> Option<Sum> {
        let known = Quantity::ALL.into_iter().find(|q| q.as_str() == quantity)?;
        self.0.total(known).as_ref().map(sum)
    }

    /// The sums of a quantity, unit by unit.
    fn by_unit(&self, quantity: &str) -> Vec<(&'static str, Sum)> {
        let known = Quantity::ALL.into_iter().find(|q| q.as_str() == quantity);
        let units = known
            .map(|quantity| self.0.by_unit(quantity))
            .unwrap_or_default();
        units
            .iter()
            .map(|(unit, total)| (*unit, sum(total)))
            .collect()
    }

    /// Paths in picoseconds: unit, part, range, provenance, source.
    #[getter]
    fn paths(&self) -> Vec<Row<'_>> {
        let paths = self.0.paths.iter();
        paths
            .map(|p| row(p.unit, p.part, p.ps, p.provenance, &p.source))
            .collect()
    }

    /// Picojoules of events: unit, counter as `group name`, range, provenance, source.
    #[getter]
    fn events(&self) -> Vec<Row<'_, String>> {
        let events = self.0.events.iter();
        events
            .map(|e| {
                let counter = e
                    .name
                    .map_or(e.group.to_owned(), |name| format!("{} {name}", e.group));
                row(e.unit, counter, e.pj, e.provenance, &e.source)
            })
            .collect()
    }

    /// What the machine has and nothing is known of.
    #[getter]
    fn absent(&self) -> Vec<&'static str> {
        self.0.absent.clone()
    }

    /// What papers print of it: quantity, value, source.
    #[getter]
    fn published(&self) -> Vec<(&str, f64, &str)> {
        let rows = self.0.published.iter();
        rows.map(|row| (&*row.quantity, row.value, &*row.source))
            .collect()
    }

    /// The clock that the longest path allows, in GHz: range, unit and part that it waits for,
    /// provenances; `None` without paths.
    #[getter]
    fn clock_ghz(&self) -> Option<Waits> {
        let clock = self.0.clock()?;
        let (unit, part) = clock.slowest;
        Some((range(clock.ghz()), unit, part, words(&clock.provenances)))
    }

    /// What a run takes, in microjoules: the whole, each unit's, and counters that have no energy.
    fn energy_of_timing(&self, timing: &Timing) -> Option<Parts> {
        self.0.energy(&timing.0.counters()).map(parts)
    }

    /// What a transform's program takes, as `energy_of_timing`.
    fn energy_of_program(&self, program: &TransformTime) -> Option<Parts> {
        self.0.energy(&program.0.events).map(parts)
    }

    /// What a forward transform takes, as `energy_of_timing`.
    fn energy_of_transform(&self, transform: &Transform) -> Option<Parts> {
        self.0.energy(&transform.0.counters).map(parts)
    }
}

fn parts(energy: Energy) -> Parts {
    let units = energy.units.iter().map(|(unit, total)| (*unit, sum(total)));
    let uncounted = energy
        .uncounted
        .iter()
        .map(|c| format!("{} {}", c.group, c.name));
    (sum(&energy.total), units.collect(), uncounted.collect())
}
