//! Jobs while they are composed, and machines that add their runs to them.

use crate::error::{schedule_error, stage_error, ScheduleError};
use crate::host::Host;
use crate::integer::{scheduled, Integer};
use crate::machine::Link;
use crate::stage::{named, stage_kind, Named, Resource, Stage};
use crate::timing::Timing;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use ringwright_system::{self as system, Conversion, Embedding, Group, Naming, Offload, Waits};
use ringwright_target::Task;

/// What a ledger calls a machine's steps: each by its own name.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct StepNaming(Naming);

#[pymethods]
impl StepNaming {
    #[new]
    fn new() -> Self {
        Self(Naming::Own)
    }

    /// Each by its own name after what it is a part of: "encrypt: ntt"; one for what the device
    /// computes, one for what its host does, one for what it moves.
    #[staticmethod]
    fn part_of(kernel: String, host: String, transfer: String) -> Self {
        Self(Naming::PartOf {
            kernel,
            host,
            transfer,
        })
    }

    /// All of a kind and a task under one name, as (kind, task, name); the first that fits counts, and
    /// a task `None` fits any.
    #[staticmethod]
    fn groups(groups: Vec<(String, Option<String>, String)>) -> PyResult<Self> {
        let group = |(kind, task, name): (String, Option<String>, String)| {
            Ok(Group {
                kind: stage_kind(&kind)?,
                task: task.as_deref().map(task_of).transpose()?,
                name,
            })
        };
        let groups = groups.into_iter().map(group).collect::<PyResult<_>>()?;
        Ok(Self(Naming::Groups(groups)))
    }
}

fn task_of(given: &str) -> PyResult<Task> {
    named("task", given, Task::ALL, Task::as_str)
}

/// A simulated machine where it stands in a system, with the host that serves it.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Station(system::Station);

#[pymethods]
impl Station {
    /// `device`: what the names of the machine's units begin with. `part_of`: the resource that they
    /// are parts of; default the device. `processor`: where the host's functions run; default one
    /// with the host's name. `naming`: what the ledger calls the steps; default their own names.
    #[new]
    #[pyo3(signature = (device, host, *, part_of = None, processor = None, naming = None))]
    fn new(
        device: String,
        host: &Host,
        part_of: Option<String>,
        processor: Option<Named>,
        naming: Option<&StepNaming>,
    ) -> Self {
        let own = || system::Resource::new(host.host.name(), system::ResourceKind::Host);
        Self(system::Station {
            part_of: part_of.unwrap_or_else(|| device.clone()),
            device,
            processor: processor.map_or_else(own, Into::into),
            host: host.host.clone(),
            naming: naming.map_or_else(Naming::default, |naming| naming.0.clone()),
        })
    }
}

/// How many ciphertexts, and how they follow each other.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Batches(system::Batches);

#[pymethods]
impl Batches {
    /// `batch`: ciphertexts handed over together; before the next ones the machine has drained.
    /// `sampling_overlap`: whether a step that draws samples may run beside others.
    #[new]
    #[pyo3(signature = (count, batch = Integer::Held(1), *, sampling_overlap = true),
           text_signature = "(count, batch=1, *, sampling_overlap=True)")]
    fn new(count: Integer, batch: Integer, sampling_overlap: bool) -> PyResult<Self> {
        Ok(Self(system::Batches {
            count: scheduled("count", count)?,
            batch: scheduled("batch", batch)?,
            sampling_overlap,
        }))
    }
}

/// The stages of one job, in order; `Stage.after` holds indices into them.
#[pyclass(module = "ringwright._ringwright")]
pub struct Stages(pub system::Stages);

#[pymethods]
impl Stages {
    #[new]
    #[pyo3(signature = (stages = Vec::new()), text_signature = "(stages=...)")]
    fn new(stages: Vec<Stage>) -> PyResult<Self> {
        let mut made = system::Stages::new();
        for stage in stages {
            stage.add_to(&mut made).map_err(schedule_error)?;
        }
        Ok(Self(made))
    }

    /// Adds a stage; returns its index.
    fn append(&mut self, stage: Stage) -> PyResult<usize> {
        stage.add_to(&mut self.0).map_err(schedule_error)
    }

    /// Adds a run of a simulated machine, one stage for each of its steps; returns the index after
    /// which the device is free, `None` for a run without steps. `after`: what all of it waits for;
    /// `device_after`: what the device and its control wait for besides, such as the run before.
    #[pyo3(signature = (station, timing, *, after = Vec::new(), device_after = Vec::new()))]
    fn run(
        &mut self,
        py: Python<'_>,
        station: &Station,
        timing: &Timing,
        after: Vec<usize>,
        device_after: Vec<usize>,
    ) -> PyResult<Option<usize>> {
        let waits = Waits {
            all: &after,
            device: &device_after,
        };
        let placing = py.detach(|| station.0.run(&mut self.0, &timing.0, waits));
        Ok(placing.map_err(stage_error)?.free)
    }

    /// Adds the same as one stage, each part of it scheduled once; returns its index. It holds the
    /// device from its start to its end.
    #[pyo3(signature = (station, timing, *, after = Vec::new()))]
    fn run_folded(
        &mut self,
        py: Python<'_>,
        station: &Station,
        timing: &Timing,
        after: Vec<usize>,
    ) -> PyResult<usize> {
        py.detach(|| station.0.run_folded(&mut self.0, &timing.0, &after))
            .map_err(stage_error)
    }

    /// Adds what happens once before runs of a simulated machine behind a link: bytes of keys and constants
    /// cross and stay, then the machine does what it does once (`timing.set_up`). Returns the index of
    /// the last; `None` of nothing. The link's track is the device's name and "link".
    #[pyo3(signature = (station, link, timing, byte_count, *, after = Vec::new()))]
    fn set_up(
        &mut self,
        station: &Station,
        link: &Link,
        timing: &Timing,
        byte_count: Integer,
        after: Vec<usize>,
    ) -> PyResult<Option<usize>> {
        let byte_count = scheduled("byte_count", byte_count)?;
        let link = system::Link::new(&link.0);
        let (station, link) = (&station.0, &link);
        let offload = Offload { station, link };
        offload
            .set_up(&mut self.0, &timing.0, byte_count, &after)
            .map_err(stage_error)
    }

    /// Adds a run of a simulated machine behind a link, folded, between the transfers of its operands
    /// and results; returns the index of the last. Nothing crosses the link for 0 bytes.
    #[pyo3(signature = (station, link, timing, operands, results, *, after = Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn offload(
        &mut self,
        py: Python<'_>,
        station: &Station,
        link: &Link,
        timing: &Timing,
        operands: Integer,
        results: Integer,
        after: Vec<usize>,
    ) -> PyResult<usize> {
        let moved = [
            scheduled("operands", operands)?,
            scheduled("results", results)?,
        ];
        let link = system::Link::new(&link.0);
        let (station, link) = (&station.0, &link);
        let offload = Offload { station, link };
        py.detach(|| offload.run(&mut self.0, &timing.0, moved, &after))
            .map_err(stage_error)
    }

    /// Adds conversions on a machine: "m2c", each encoded by the machine's host and then encrypted, or
    /// "c2m", each decrypted and then decoded by the host.
    #[pyo3(signature = (direction, station, timing, log_n, towers, batches, *, after = Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn convert(
        &mut self,
        direction: &str,
        station: &Station,
        timing: &Timing,
        log_n: u32,
        towers: usize,
        batches: &Batches,
        after: Vec<usize>,
    ) -> PyResult<()> {
        let embedding = match direction {
            "m2c" => Embedding::Encode(system::encode_operations(log_n, towers)),
            "c2m" => Embedding::Decode(system::decode_operations(log_n, towers)),
            _ => {
                let said = format!("no direction is called {direction:?}; known: m2c, c2m");
                return Err(ScheduleError::new_err(said));
            }
        };
        let conversion = Conversion {
            station: &station.0,
            timing: &timing.0,
            embedding: &embedding,
        };
        let added = conversion.add(&mut self.0, batches.0, &after);
        added.map_err(stage_error)
    }

    /// The stages from this index on that none of the others waits for.
    #[pyo3(signature = (first = 0))]
    fn ends(&self, first: usize) -> Vec<usize> {
        self.0.ends(first)
    }

    /// The stages' names, each once, in order of first appearance.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.0.names()
    }

    /// What its stages occupy, in order of first appearance.
    #[getter]
    fn resources(&self) -> Vec<Resource> {
        self.0.resources().iter().cloned().map(Resource).collect()
    }

    fn __len__(&self) -> usize {
        self.0.stages().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let stages = self.0.stages().iter();
        let stages: Vec<Stage> = stages
            .map(|one| Stage::of(one, self.0.resources()))
            .collect();
        PyList::new(py, stages)?.try_iter()
    }

    /// The stage of an index, from 0.
    fn __getitem__(&self, index: usize) -> PyResult<Stage> {
        let stages = self.0.stages();
        let stage = stages.get(index).ok_or_else(|| {
            let count = stages.len();
            PyIndexError::new_err(format!("no stage {index}; there are {count}, from 0"))
        })?;
        Ok(Stage::of(stage, self.0.resources()))
    }

    fn __repr__(&self) -> String {
        format!("<{} stages>", self.__len__())
    }
}
