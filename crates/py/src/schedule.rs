//! Schedules, ledgers and timelines.

use crate::error::{schedule_error, timeline_error, ScheduleError};
use crate::integer::{scheduled, Integer};
use crate::stage::Resource;
use crate::stages::Stages;
use pyo3::prelude::*;
use ringwright_sim::{self as sim, Femtoseconds};
use ringwright_system::{self as system, End, Workload};
use std::collections::BTreeMap;

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
        self.entry.kind.as_str()
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

    /// Whether a stage may take another time than it does here.
    #[getter]
    fn is_ranged(&self) -> bool {
        self.0.workload().is_ranged()
    }

    /// What the jobs, without the set-up, ask of each resource: (resource, femtoseconds that it works
    /// or is held, where these come from in order of first appearance).
    fn loads(&self) -> Vec<(Resource, u64, Vec<&'static str>)> {
        let resources = &self.0.workload().resources;
        let loads = self.0.loads().into_iter();
        loads
            .map(|load| {
                let words = load.provenances.iter().map(|each| each.as_str());
                let resource = Resource(resources[load.resource.0].clone());
                (resource, load.busy.0, words.collect())
            })
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

/// Places the set-up and then the jobs on their resources. `end`: every stage that has a range takes
/// the least ("low") or the most ("high") of it.
#[pyfunction]
#[pyo3(signature = (setup, jobs, in_flight, *, end = None))]
pub fn schedule(
    py: Python<'_>,
    setup: PyRef<'_, Stages>,
    jobs: Vec<PyRef<'_, Stages>>,
    in_flight: Integer,
    end: Option<&str>,
) -> PyResult<Schedule> {
    let in_flight = scheduled("in_flight", in_flight)?;
    let end = end.map(range_end).transpose()?;
    let setup = setup.0.clone();
    let jobs: Vec<_> = jobs.iter().map(|job| job.0.clone()).collect();
    let placed = || {
        let workload = Workload::of(setup, jobs)?;
        let workload = match end {
            Some(end) => workload.at(end)?,
            None => workload,
        };
        system::schedule(workload, system::Options { in_flight })
    };
    py.detach(placed).map(Schedule).map_err(schedule_error)
}

pub(crate) fn range_end(given: &str) -> PyResult<End> {
    match given {
        "low" => Ok(End::Low),
        "high" => Ok(End::High),
        _ => Err(ScheduleError::new_err(format!(
            "end = {given:?}; allowed: low, high"
        ))),
    }
}
