//! Stages, schedules, ledgers and timelines.

use crate::error::{schedule_error, scheduled, timeline_error, ScheduleError};
use pyo3::prelude::*;
use ringwright_sim::{self as sim, Femtoseconds, Provenance};
use ringwright_system::{self as system, EntryKind, ResourceId, ResourceKind, StageKind, Workload};
use std::collections::BTreeMap;

/// A named part of a stage, for the timeline; times in femtoseconds from the stage's beginning.
#[pyclass(frozen, from_py_object, module = "ringwright._ringwright")]
#[derive(Clone)]
pub struct Detail(system::Detail);

#[pymethods]
impl Detail {
    #[new]
    #[pyo3(signature = (name, offset_fs, duration_fs, args = BTreeMap::new()))]
    fn new(name: String, offset_fs: u64, duration_fs: u64, args: BTreeMap<String, String>) -> Self {
        Self(system::Detail {
            name,
            offset: Femtoseconds(offset_fs),
            duration: Femtoseconds(duration_fs),
            args: args.into_iter().collect(),
        })
    }

    /// What it is called in the timeline.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// From the beginning of the stage, femtoseconds.
    #[getter]
    fn offset_fs(&self) -> u64 {
        self.0.offset.0
    }

    /// How long, femtoseconds.
    #[getter]
    fn duration_fs(&self) -> u64 {
        self.0.duration.0
    }
}

/// One step of a job: a kernel, a host function or a transfer that occupies a resource.
#[pyclass(frozen, from_py_object, module = "ringwright._ringwright")]
#[derive(Clone)]
pub struct Stage {
    name: String,
    kind: StageKind,
    resource: String,
    also_holds: Vec<String>,
    duration_fs: u64,
    latency_fs: u64,
    provenance: Provenance,
    joules: Option<f64>,
    after: Vec<usize>,
    details: Vec<Detail>,
}

#[pymethods]
impl Stage {
    /// `kind`: "kernel" (work an accelerator takes), "host" (work around it) or "transfer".
    #[new]
    #[pyo3(signature = (name, kind, resource, duration_fs, provenance, *, joules = None,
                        after = Vec::new(), also_holds = Vec::new(), latency_fs = 0,
                        details = Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        name: String,
        kind: &str,
        resource: String,
        duration_fs: i64,
        provenance: &str,
        joules: Option<f64>,
        after: Vec<i64>,
        also_holds: Vec<String>,
        latency_fs: i64,
        details: Vec<Detail>,
    ) -> PyResult<Self> {
        let (kind, provenance) = (stage_kind(kind)?, parse_provenance(provenance)?);
        Ok(Self {
            name,
            kind,
            resource,
            also_holds,
            duration_fs: scheduled("duration_fs", duration_fs)?,
            latency_fs: scheduled("latency_fs", latency_fs)?,
            provenance,
            joules,
            after: after
                .into_iter()
                .map(|at| scheduled("after", at))
                .collect::<Result<_, _>>()?,
            details,
        })
    }

    /// The name under which the ledger adds it up.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// "kernel", "host" or "transfer".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.kind {
            StageKind::Kernel => "kernel",
            StageKind::HostFunction => "host",
            StageKind::Transfer => "transfer",
        }
    }

    /// The host, device or link that it occupies: its track in the timeline.
    #[getter]
    fn resource(&self) -> &str {
        &self.resource
    }

    /// Other resources that it occupies all the while.
    #[getter]
    fn also_holds(&self) -> Vec<String> {
        self.also_holds.clone()
    }

    /// How long it occupies them, femtoseconds.
    #[getter]
    fn duration_fs(&self) -> u64 {
        self.duration_fs
    }

    /// Time after the end until the next stages may start, femtoseconds: a link's delay.
    #[getter]
    fn latency_fs(&self) -> u64 {
        self.latency_fs
    }

    /// Where the duration comes from.
    #[getter]
    fn provenance(&self) -> &'static str {
        self.provenance.as_str()
    }

    /// Energy, where it is known.
    #[getter]
    fn joules(&self) -> Option<f64> {
        self.joules
    }

    /// Indices of the earlier stages of the same job that it waits for.
    #[getter]
    fn after(&self) -> Vec<usize> {
        self.after.clone()
    }

    /// Its inside, for the timeline.
    #[getter]
    fn details(&self) -> Vec<Detail> {
        self.details.clone()
    }

    fn __repr__(&self) -> String {
        format!(
            "Stage({:?}, {:?}, {:?}, {})",
            self.name,
            self.kind(),
            self.resource,
            self.duration_fs
        )
    }
}

fn stage_kind(given: &str) -> PyResult<StageKind> {
    match given {
        "kernel" => Ok(StageKind::Kernel),
        "host" => Ok(StageKind::HostFunction),
        "transfer" => Ok(StageKind::Transfer),
        _ => Err(ScheduleError::new_err(format!(
            "no stage kind is called {given:?}; known: kernel, host, transfer"
        ))),
    }
}

fn parse_provenance(given: &str) -> PyResult<Provenance> {
    given
        .parse()
        .map_err(|error: sim::UnknownProvenance| ScheduleError::new_err(error.to_string()))
}

/// One line of a ledger; times in femtoseconds.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct LedgerEntry(system::Entry);

#[pymethods]
impl LedgerEntry {
    /// The stages' name, or what was waited for.
    #[getter]
    fn stage(&self) -> &str {
        &self.0.stage
    }

    /// "kernel" or "tax".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind {
            EntryKind::Kernel => "kernel",
            EntryKind::Tax => "tax",
        }
    }

    /// How long its stages ran.
    #[getter]
    fn busy_fs(&self) -> u64 {
        self.0.busy.0
    }

    /// How much of the end-to-end time belongs to it.
    #[getter]
    fn exposed_fs(&self) -> u64 {
        self.0.exposed.0
    }

    /// Energy, where it is known.
    #[getter]
    fn joules(&self) -> Option<f64> {
        self.0.joules
    }

    /// Where the times come from.
    #[getter]
    fn provenance(&self) -> &'static str {
        self.0.provenance.as_str()
    }
}

/// One span of a timeline; times in femtoseconds from the start.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Span {
    track: String,
    span: sim::Span,
}

impl Span {
    /// All spans of a timeline.
    pub fn all(timeline: &sim::Timeline) -> Vec<Self> {
        let spans = timeline.spans().iter();
        spans
            .map(|span| Span {
                track: timeline.tracks()[span.track.0].name.clone(),
                span: span.clone(),
            })
            .collect()
    }
}

#[pymethods]
impl Span {
    /// The resource.
    #[getter]
    fn track(&self) -> &str {
        &self.track
    }

    /// What it did.
    #[getter]
    fn name(&self) -> &str {
        &self.span.name
    }

    /// First instant.
    #[getter]
    fn start_fs(&self) -> u64 {
        self.span.start.0
    }

    /// First instant after it.
    #[getter]
    fn end_fs(&self) -> u64 {
        self.span.end.0
    }

    /// Details: the job's number, the provenance.
    #[getter]
    fn args(&self) -> BTreeMap<String, String> {
        self.span.args.iter().cloned().collect()
    }
}

/// Stages placed in time.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Schedule(system::Schedule);

#[pymethods]
impl Schedule {
    /// End-to-end time, set-up included, femtoseconds.
    #[getter]
    fn total_fs(&self) -> u64 {
        self.0.total().0
    }

    /// How many jobs were scheduled.
    #[getter]
    fn jobs(&self) -> usize {
        self.0.workload().jobs.len()
    }

    /// From a job's first start until its last result is available, beside the others in flight.
    fn latency_fs(&self, job: i64) -> PyResult<u64> {
        let job = scheduled("job", job)?;
        self.of_job(job, self.0.latency(job))
    }

    /// The latency that the job would have with all resources to itself.
    fn latency_alone_fs(&self, job: i64) -> PyResult<u64> {
        let job = scheduled("job", job)?;
        self.of_job(job, self.0.latency_alone(job))
    }

    /// Jobs per second in the steady state; `None` when jobs take no time.
    #[getter]
    fn throughput_fps(&self) -> Option<f64> {
        self.0
            .throughput()
            .map(|throughput| throughput.jobs_per_second)
    }

    /// The resource that holds the rate back; `None` where it is the number of jobs in flight.
    #[getter]
    fn bottleneck(&self) -> Option<String> {
        match self.0.throughput()?.limit {
            system::Limit::Resource(id) => Some(self.0.workload().resources[id.0].name.clone()),
            system::Limit::InFlight => None,
        }
    }

    /// Busy and exposed time by stage; the exposed times sum to `total_fs`.
    fn ledger(&self) -> Vec<LedgerEntry> {
        self.0
            .ledger()
            .entries()
            .iter()
            .cloned()
            .map(LedgerEntry)
            .collect()
    }

    /// One track per resource.
    fn timeline(&self) -> PyResult<Vec<Span>> {
        let timeline = self.0.timeline().map_err(timeline_error)?;
        Ok(Span::all(&timeline))
    }
}

impl Schedule {
    fn of_job(&self, job: usize, time: Option<Femtoseconds>) -> PyResult<u64> {
        time.map(|fs| fs.0).ok_or_else(|| {
            ScheduleError::new_err(format!("no job {job}; there are {}, from 0", self.jobs()))
        })
    }
}

/// Places the set-up and then the jobs on their resources.
#[pyfunction]
pub fn schedule(
    py: Python<'_>,
    setup: Vec<Stage>,
    jobs: Vec<Vec<Stage>>,
    in_flight: i64,
) -> PyResult<Schedule> {
    let in_flight = scheduled("in_flight", in_flight)?;
    let mut resources = Resources::default();
    let mut job = |stages: Vec<Stage>| system::Job {
        stages: stages
            .into_iter()
            .map(|stage| resources.place(stage))
            .collect(),
    };
    let setup = job(setup);
    let jobs = jobs.into_iter().map(job).collect();
    let workload = Workload {
        setup,
        jobs,
        resources: resources.list,
    };
    py.detach(|| system::schedule(workload, system::Options { in_flight }))
        .map(Schedule)
        .map_err(schedule_error)
}

/// Resources in order of first appearance, found by their names.
#[derive(Default)]
struct Resources {
    list: Vec<system::Resource>,
}

impl Resources {
    fn place(&mut self, stage: Stage) -> system::Stage {
        let resource = self.id(&stage.resource, stage.kind);
        let also_holds = stage
            .also_holds
            .iter()
            .map(|name| self.id(name, StageKind::HostFunction));
        system::Stage {
            also_holds: also_holds.collect(),
            duration: Femtoseconds(stage.duration_fs),
            latency: Femtoseconds(stage.latency_fs),
            joules: stage.joules,
            after: stage.after,
            details: stage.details.into_iter().map(|detail| detail.0).collect(),
            ..system::Stage::new(
                stage.name,
                stage.kind,
                resource,
                Femtoseconds::ZERO,
                stage.provenance,
            )
        }
    }

    /// What transfers is a link; what runs a host function is a host; else it is a device.
    fn id(&mut self, name: &str, used_for: StageKind) -> ResourceId {
        let kind = match used_for {
            StageKind::Transfer => ResourceKind::Link,
            StageKind::HostFunction => ResourceKind::Host,
            StageKind::Kernel => ResourceKind::Device,
        };
        let known = self.list.iter().position(|resource| resource.name == name);
        let id = known.unwrap_or_else(|| {
            self.list.push(system::Resource {
                name: name.to_string(),
                kind,
            });
            self.list.len() - 1
        });
        if kind == ResourceKind::Host {
            self.list[id].kind = kind;
        }
        ResourceId(id)
    }
}
