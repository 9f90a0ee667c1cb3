//! Stages, schedules, ledgers and timelines.

use crate::error::{schedule_error, timeline_error, ScheduleError};
use crate::integer::{scheduled, Integer};
use pyo3::prelude::*;
use ringwright_sim::{self as sim, Femtoseconds, Provenance};
use ringwright_system::{
    self as system, End, EntryKind, ResourceId, ResourceKind, StageKind, Workload,
};
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

/// A host, a device or a link: something that does one stage at a time.
#[pyclass(frozen, from_py_object, eq, module = "ringwright._ringwright")]
#[derive(Clone, PartialEq)]
pub struct Resource(system::Resource);

#[pymethods]
impl Resource {
    /// `kind`: "host", "device" or "link", where it is known; `part_of`: the resource that it is a
    /// unit of, or stands beside.
    #[new]
    #[pyo3(signature = (name, kind = None, *, part_of = None))]
    fn new(name: String, kind: Option<&str>, part_of: Option<String>) -> PyResult<Self> {
        let kind = kind.map(resource_kind).transpose()?;
        Ok(Self(system::Resource {
            name,
            kind,
            part_of,
        }))
    }

    /// Its track in the timeline.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// "host", "device" or "link"; `None` where nobody said.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        self.0.kind.map(ResourceKind::as_str)
    }

    /// Name of the resource that it is a unit of, or stands beside.
    #[getter]
    fn part_of(&self) -> Option<&str> {
        self.0.part_of.as_deref()
    }

    fn __repr__(&self) -> String {
        match self.kind() {
            Some(kind) => format!("Resource({:?}, {kind:?})", self.name()),
            None => format!("Resource({:?})", self.name()),
        }
    }
}

fn resource_kind(given: &str) -> PyResult<ResourceKind> {
    match given {
        "host" => Ok(ResourceKind::Host),
        "device" => Ok(ResourceKind::Device),
        "link" => Ok(ResourceKind::Link),
        _ => Err(ScheduleError::new_err(format!(
            "no resource kind is called {given:?}; known: host, device, link"
        ))),
    }
}

/// A resource, or its name alone.
#[derive(FromPyObject)]
pub enum Named {
    Resource(Resource),
    Name(String),
}

impl From<Named> for system::Resource {
    fn from(given: Named) -> Self {
        match given {
            Named::Resource(resource) => resource.0,
            Named::Name(name) => system::Resource {
                name,
                kind: None,
                part_of: None,
            },
        }
    }
}

/// One step of a job: a kernel, a host function or a transfer that occupies a resource.
#[pyclass(frozen, from_py_object, module = "ringwright._ringwright")]
#[derive(Clone)]
pub struct Stage {
    name: String,
    kind: StageKind,
    resource: system::Resource,
    also_holds: Vec<system::Resource>,
    duration_fs: u64,
    range_fs: Option<(u64, u64)>,
    latency_fs: u64,
    provenance: Provenance,
    joules: Option<f64>,
    after: Vec<usize>,
    details: Vec<Detail>,
}

#[pymethods]
impl Stage {
    /// `kind`: "kernel" (work an accelerator takes), "host" (work around it) or "transfer".
    /// `resource`, `also_holds`: a `Resource`, or the name of one of unknown kind. `range_fs`: between
    /// which durations the truth lies, where `duration_fs` is one choice among several.
    #[new]
    #[pyo3(signature = (name, kind, resource, duration_fs, provenance, *, joules = None,
                        after = Vec::new(), also_holds = Vec::new(), latency_fs = Integer::Held(0),
                        details = Vec::new(), range_fs = None),
           text_signature = "(name, kind, resource, duration_fs, provenance, *, joules=None, after=..., \
                             also_holds=..., latency_fs=0, details=..., range_fs=None)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        name: String,
        kind: &str,
        resource: Named,
        duration_fs: Integer,
        provenance: &str,
        joules: Option<f64>,
        after: Vec<Integer>,
        also_holds: Vec<Named>,
        latency_fs: Integer,
        details: Vec<Detail>,
        range_fs: Option<(Integer, Integer)>,
    ) -> PyResult<Self> {
        let (kind, provenance) = (stage_kind(kind)?, parse_provenance(provenance)?);
        Ok(Self {
            name,
            kind,
            resource: resource.into(),
            also_holds: also_holds.into_iter().map(Into::into).collect(),
            duration_fs: scheduled("duration_fs", duration_fs)?,
            range_fs: match range_fs {
                Some((low, high)) => {
                    Some((scheduled("range_fs", low)?, scheduled("range_fs", high)?))
                }
                None => None,
            },
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
        &self.resource.name
    }

    /// Other resources that it occupies all the while.
    #[getter]
    fn also_holds(&self) -> Vec<&str> {
        let names = self.also_holds.iter();
        names.map(|resource| resource.name.as_str()).collect()
    }

    /// Every resource that it occupies, its own first.
    #[getter]
    fn holds(&self) -> Vec<Resource> {
        let all = std::iter::once(&self.resource).chain(&self.also_holds);
        all.cloned().map(Resource).collect()
    }

    /// How long it occupies them, femtoseconds.
    #[getter]
    fn duration_fs(&self) -> u64 {
        self.duration_fs
    }

    /// The least and the most that it may take, femtoseconds; `None` where the duration is certain.
    #[getter]
    fn range_fs(&self) -> Option<(u64, u64)> {
        self.range_fs
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
            self.resource.name,
            self.duration_fs
        )
    }
}

impl Stage {
    /// A host function as `system::Host::stage` made it, on a resource; `counted`: where its counts
    /// come from, if from less than the machine's own interface.
    pub fn of_host(
        made: system::Stage,
        resource: Named,
        after: Vec<usize>,
        counted: Option<Provenance>,
    ) -> Self {
        let provenance = Provenance::least_certain(counted.into_iter().chain([made.provenance]));
        Self {
            name: made.name,
            kind: made.kind,
            resource: resource.into(),
            also_holds: Vec::new(),
            duration_fs: made.duration.0,
            range_fs: made.range.map(|(low, high)| (low.0, high.0)),
            latency_fs: made.latency.0,
            provenance: provenance.unwrap_or(made.provenance),
            joules: made.joules,
            after,
            details: Vec::new(),
        }
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

/// The one word for a number that is made of several; `None` for nothing.
#[pyfunction]
pub fn least_certain(provenances: Vec<String>) -> PyResult<Option<&'static str>> {
    let parts = provenances.iter().map(|given| parse_provenance(given));
    let parts = parts.collect::<PyResult<Vec<_>>>()?;
    Ok(Provenance::least_certain(parts).map(Provenance::as_str))
}

/// A word for a provenance.
pub fn parse_provenance(given: &str) -> PyResult<Provenance> {
    given
        .parse()
        .map_err(|error: sim::UnknownProvenance| ScheduleError::new_err(error.to_string()))
}

/// One line of a ledger; times in femtoseconds.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct LedgerEntry {
    entry: system::Entry,
    resource: system::Resource,
}

#[pymethods]
impl LedgerEntry {
    /// The stages' name, or what was waited for.
    #[getter]
    fn stage(&self) -> &str {
        &self.entry.stage
    }

    /// "kernel" or "tax".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.entry.kind {
            EntryKind::Kernel => "kernel",
            EntryKind::Tax => "tax",
        }
    }

    /// Where its stages ran.
    #[getter]
    fn resource(&self) -> Resource {
        Resource(self.resource.clone())
    }

    /// Whether it is time in which nothing worked.
    #[getter]
    fn waits(&self) -> bool {
        self.entry.waits
    }

    /// The least and the most that `busy_fs` may have been; `None` where it is certain.
    #[getter]
    fn busy_range_fs(&self) -> Option<(u64, u64)> {
        let (low, high) = self.entry.busy_range;
        (low != high).then_some((low.0, high.0))
    }

    /// How long its stages ran.
    #[getter]
    fn busy_fs(&self) -> u64 {
        self.entry.busy.0
    }

    /// How much of the end-to-end time belongs to it.
    #[getter]
    fn exposed_fs(&self) -> u64 {
        self.entry.exposed.0
    }

    /// Energy, where it is known.
    #[getter]
    fn joules(&self) -> Option<f64> {
        self.entry.joules
    }

    /// Where the times come from.
    #[getter]
    fn provenance(&self) -> &'static str {
        self.entry.provenance.as_str()
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
    fn latency_fs(&self, job: Integer) -> PyResult<u64> {
        let job = scheduled("job", job)?;
        self.of_job(job, self.0.latency(job))
    }

    /// The latency that the job would have with all resources to itself.
    fn latency_alone_fs(&self, job: Integer) -> PyResult<u64> {
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
        let resources = &self.0.workload().resources;
        let ledger = self.0.ledger();
        let entries = ledger.entries().iter().cloned();
        entries
            .map(|entry| LedgerEntry {
                resource: resources[entry.resource.0].clone(),
                entry,
            })
            .collect()
    }

    /// Everything that its stages occupy, in order of first appearance.
    #[getter]
    fn resources(&self) -> Vec<Resource> {
        let resources = self.0.workload().resources.iter();
        resources.cloned().map(Resource).collect()
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

/// Places the set-up and then the jobs on their resources. `end`: every stage that has a range takes
/// the least ("low") or the most ("high") of it.
#[pyfunction]
#[pyo3(signature = (setup, jobs, in_flight, *, end = None))]
pub fn schedule(
    py: Python<'_>,
    setup: Vec<Stage>,
    jobs: Vec<Vec<Stage>>,
    in_flight: Integer,
    end: Option<&str>,
) -> PyResult<Schedule> {
    let in_flight = scheduled("in_flight", in_flight)?;
    let end = end.map(range_end).transpose()?;
    let mut resources = Resources::default();
    let mut job = |stages: Vec<Stage>| -> PyResult<system::Job> {
        let stages = stages.into_iter().map(|stage| resources.place(stage));
        Ok(system::Job {
            stages: stages.collect::<PyResult<_>>()?,
        })
    };
    let setup = job(setup)?;
    let jobs = jobs.into_iter().map(job).collect::<PyResult<_>>()?;
    let workload = Workload {
        setup,
        jobs,
        resources: resources.list,
    };
    let workload = match end {
        Some(end) => workload.at(end),
        None => workload,
    };
    py.detach(|| system::schedule(workload, system::Options { in_flight }))
        .map(Schedule)
        .map_err(schedule_error)
}

fn range_end(given: &str) -> PyResult<End> {
    match given {
        "low" => Ok(End::Low),
        "high" => Ok(End::High),
        _ => Err(ScheduleError::new_err(format!(
            "end = {given:?}; allowed: low, high"
        ))),
    }
}

/// Resources in order of first appearance, found by their names.
#[derive(Default)]
struct Resources {
    list: Vec<system::Resource>,
}

impl Resources {
    fn place(&mut self, stage: Stage) -> PyResult<system::Stage> {
        let resource = self.id(stage.resource)?;
        let also_holds = stage.also_holds.into_iter().map(|held| self.id(held));
        Ok(system::Stage {
            also_holds: also_holds.collect::<PyResult<_>>()?,
            duration: Femtoseconds(stage.duration_fs),
            range: stage
                .range_fs
                .map(|(low, high)| (Femtoseconds(low), Femtoseconds(high))),
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
        })
    }

    /// A resource is one thing: who says what it is says the same as the others.
    fn id(&mut self, given: system::Resource) -> PyResult<ResourceId> {
        let known = self.list.iter().position(|known| known.name == given.name);
        let Some(id) = known else {
            self.list.push(given);
            return Ok(ResourceId(self.list.len() - 1));
        };
        let known = &mut self.list[id];
        if agree(&mut known.kind, given.kind) && agree(&mut known.part_of, given.part_of) {
            return Ok(ResourceId(id));
        }
        let (name, kind) = (&known.name, known.kind.map(ResourceKind::as_str));
        Err(ScheduleError::new_err(format!(
            "resource {name:?} is {kind:?} and a part of {:?} for one stage, something else for another",
            known.part_of
        )))
    }
}

/// Takes what is said for what was not; whether both say the same.
fn agree<T: PartialEq>(known: &mut Option<T>, given: Option<T>) -> bool {
    match given {
        Some(given) => match known {
            Some(known) => *known == given,
            None => {
                *known = Some(given);
                true
            }
        },
        None => true,
    }
}
