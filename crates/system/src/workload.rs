//! What is to be done: resources, stages, jobs.

mod folded;

pub use folded::Folded;
pub(crate) use folded::FoldedPart;

use crate::error::ScheduleError;
use crate::job_id::JobId;
use ringwright_sim::{Femtoseconds, Provenance};
use std::sync::Arc;

/// A resource of one workload, by its place in [`Workload::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub usize);

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// A processor that runs host functions.
    Host,
    /// An accelerator.
    Device,
    /// A connection between two of them.
    Link,
}

impl ResourceKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Host, Self::Device, Self::Link];

    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Link => "link",
        }
    }
}

/// Something that does one stage at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The name of its track in the timeline.
    pub name: String,
    /// What it is, where somebody said.
    pub kind: Option<ResourceKind>,
    /// Name of the resource that it is a unit of, or stands beside.
    pub part_of: Option<String>,
}

impl Resource {
    /// A resource of its own.
    pub fn new(name: impl Into<String>, kind: ResourceKind) -> Self {
        Self {
            name: name.into(),
            kind: Some(kind),
            part_of: None,
        }
    }
}

/// An end of a stage's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The least that it may take.
    Low,
    /// The most.
    High,
}

/// What a stage is; everything but the accelerated kernel is tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StageKind {
    /// A ring function on the machine under study.
    Kernel,
    /// Work of a host around it: encoding, packing, serialising.
    HostFunction,
    /// Bits on a link.
    Transfer,
}

impl StageKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Kernel, Self::HostFunction, Self::Transfer];

    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::HostFunction => "host",
            Self::Transfer => "transfer",
        }
    }
}

/// A named part of a stage, for the timeline: what the stage did when, inside itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// For instance the name of a call.
    pub name: String,
    /// From the beginning of the stage.
    pub offset: Femtoseconds,
    /// How long.
    pub duration: Femtoseconds,
    /// Details as (key, value), for instance the user's source line; never a secret.
    pub args: Vec<(String, String)>,
}

/// One step of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The name under which the ledger adds it up.
    pub name: String,
    /// Kernel or tax.
    pub kind: StageKind,
    /// Where it runs.
    pub resource: ResourceId,
    /// Other resources that it occupies all the while: the host of a transfer without DMA.
    pub also_holds: Vec<ResourceId>,
    /// How long it occupies them.
    pub duration: Femtoseconds,
    /// Between which durations the truth lies, where `duration` is one choice among several.
    pub range: Option<(Femtoseconds, Femtoseconds)>,
    /// Time after the end until the next stages may start, its resources being free: a link's
    /// propagation delay.
    pub latency: Femtoseconds,
    /// Where the duration comes from.
    pub provenance: Provenance,
    /// Energy, if known.
    pub joules: Option<f64>,
    /// Earlier stages of the same job whose results it needs.
    pub after: Vec<usize>,
    /// Its inside, in the order in which it began, within the duration: each detail lies inside an
    /// earlier one or after it.
    pub details: Vec<Detail>,
    /// A whole run of a machine that it stands for; `duration` is then that run's.
    pub folded: Option<Arc<Folded>>,
}

impl Stage {
    /// A stage that waits for nothing; the other fields can be set on it.
    pub fn new(
        name: impl Into<String>,
        kind: StageKind,
        resource: ResourceId,
        duration: Femtoseconds,
        provenance: Provenance,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            resource,
            also_holds: Vec::new(),
            duration,
            range: None,
            latency: Femtoseconds::ZERO,
            provenance,
            joules: None,
            after: Vec::new(),
            details: Vec::new(),
            folded: None,
        }
    }

    /// The same stage, waiting for these.
    pub fn after(mut self, stages: impl IntoIterator<Item = usize>) -> Self {
        self.after = stages.into_iter().collect();
        self
    }

    /// The least and the most that it may take.
    pub fn durations(&self) -> (Femtoseconds, Femtoseconds) {
        self.range.unwrap_or((self.duration, self.duration))
    }

    /// Whether it may take another time than its duration.
    pub fn is_ranged(&self) -> bool {
        let inside = self.folded.iter().flat_map(|folded| folded.stages());
        self.range.is_some() || inside.into_iter().any(Stage::is_ranged)
    }

    /// The names under which a ledger adds it up.
    pub(crate) fn named(&self) -> Vec<&str> {
        match &self.folded {
            Some(folded) => folded.stages().map(|stage| stage.name.as_str()).collect(),
            None => vec![&self.name],
        }
    }

    /// What ledger and timeline call the time in which its result is under way.
    pub(crate) fn wait(&self) -> String {
        format!("wait: latency of {}", self.name)
    }

    /// Every resource it occupies, its own first.
    pub(crate) fn held(&self) -> impl Iterator<Item = ResourceId> + '_ {
        std::iter::once(self.resource).chain(self.also_holds.iter().copied())
    }
}

/// Stages that belong together, for instance those of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Each names the earlier ones that it waits for.
    pub stages: Vec<Stage>,
}

impl Job {
    /// No stage yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a stage; returns its index for [`Stage::after`].
    pub fn push(&mut self, stage: Stage) -> usize {
        self.stages.push(stage);
        self.stages.len() - 1
    }
}

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// By [`ResourceId`].
    pub resources: Vec<Resource>,
    /// Done once; jobs start when it is complete. May be empty.
    pub setup: Job,
    /// In the order in which they are admitted.
    pub jobs: Vec<Job>,
}

impl Workload {
    /// Adds a resource.
    pub fn add_resource(&mut self, name: impl Into<String>, kind: ResourceKind) -> ResourceId {
        self.resources.push(Resource::new(name, kind));
        ResourceId(self.resources.len() - 1)
    }

    /// Whether a stage may take another time than its duration.
    pub fn is_ranged(&self) -> bool {
        let stages = self.all().flat_map(|(_, job)| &job.stages);
        stages.into_iter().any(Stage::is_ranged)
    }

    /// The setup, or a job that exists.
    pub(crate) fn job(&self, id: JobId) -> &Job {
        match id {
            JobId::Setup => &self.setup,
            JobId::Job(number) => &self.jobs[number],
        }
    }

    /// Setup first.
    pub(crate) fn all(&self) -> impl Iterator<Item = (JobId, &Job)> {
        let jobs = self
            .jobs
            .iter()
            .enumerate()
            .map(|(number, job)| (JobId::Job(number), job));
        std::iter::once((JobId::Setup, &self.setup)).chain(jobs)
    }

    pub(crate) fn check(&self) -> Result<(), ScheduleError> {
        if self.jobs.is_empty() {
            return Err(ScheduleError::NoJobs);
        }
        for (id, job) in self.all() {
            if job.stages.is_empty() && id != JobId::Setup {
                return Err(ScheduleError::EmptyJob { job: id });
            }
            for (index, stage) in job.stages.iter().enumerate() {
                self.check_stage(id, index, stage)?;
            }
        }
        Ok(())
    }

    fn check_stage(&self, job: JobId, index: usize, stage: &Stage) -> Result<(), ScheduleError> {
        let name = || stage.name.clone();
        let resources = self.resources.len();
        if let Some(unknown) = stage.held().find(|held| held.0 >= resources) {
            return Err(ScheduleError::NoResource {
                job,
                stage: name(),
                given: unknown.0,
                resources,
            });
        }
        let mut held: Vec<_> = stage.held().collect();
        held.sort_unstable();
        if let Some(pair) = held.windows(2).find(|pair| pair[0] == pair[1]) {
            let resource = self.resources[pair[0].0].name.clone();
            return Err(ScheduleError::HeldTwice {
                job,
                stage: name(),
                resource,
            });
        }
        if let Some(&later) = stage.after.iter().find(|before| **before >= index) {
            return Err(ScheduleError::NotEarlier {
                job,
                stage: name(),
                index,
                given: later,
            });
        }
        if stage
            .joules
            .is_some_and(|joules| !joules.is_finite() || joules < 0.0)
        {
            return Err(ScheduleError::BadEnergy { job, stage: name() });
        }
        let (low, high) = stage.durations();
        if !(low..=high).contains(&stage.duration) {
            return Err(ScheduleError::BadRange {
                job,
                stage: name(),
                given: stage.duration,
                low,
                high,
            });
        }
        match stage.details_fit() {
            true => Ok(()),
            false => Err(ScheduleError::DetailsDoNotFit { job, stage: name() }),
        }
    }
}

impl Stage {
    fn details_fit(&self) -> bool {
        let mut begun = Femtoseconds::ZERO;
        let mut open = Vec::new();
        self.details.iter().all(|detail| {
            let Some(end) = detail.offset.checked_add(detail.duration) else {
                return false;
            };
            while open.pop_if(|outer| *outer <= detail.offset).is_some() {}
            let fits = detail.offset >= begun && end <= *open.last().unwrap_or(&self.duration);
            begun = detail.offset;
            open.push(end);
            fits
        })
    }
}
