//! One job while it is composed: stages, and the resources that they name.

use crate::error::ScheduleError;
use crate::workload::{Job, Resource, ResourceId, ResourceKind, Stage, Workload};
use std::collections::BTreeSet;

/// Stages with resources of their own numbering, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stages {
    resources: Vec<Resource>,
    job: Job,
}

impl Stages {
    /// No stage yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a resource, found by its name.
    ///
    /// A resource is one thing: an error where somebody said something else of it before.
    pub fn resource(&mut self, given: &Resource) -> Result<ResourceId, ScheduleError> {
        register(&mut self.resources, given)
    }

    /// Adds a stage on resources of this job; returns its index for [`Stage::after`].
    pub fn push(&mut self, stage: Stage) -> usize {
        self.job.push(stage)
    }

    /// All stages, in order.
    pub fn stages(&self) -> &[Stage] {
        &self.job.stages
    }

    /// Resources and stages.
    pub(crate) fn into_parts(self) -> (Vec<Resource>, Job) {
        (self.resources, self.job)
    }

    /// The same, to make them wait for more.
    pub(crate) fn stages_mut(&mut self) -> &mut [Stage] {
        &mut self.job.stages
    }

    /// The stages' names, each once, in order of first appearance; a folded run's are its steps'.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut known = BTreeSet::new();
        let all = self.job.stages.iter().flat_map(Stage::named);
        names.extend(all.filter(|name| known.insert(*name)));
        names
    }

    /// By [`ResourceId`].
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The stages from this index on that none of the others waits for.
    pub fn ends(&self, first: usize) -> Vec<usize> {
        let stages = &self.job.stages[first.min(self.job.stages.len())..];
        let mut waited_for = vec![false; stages.len()];
        for before in stages.iter().flat_map(|stage| &stage.after) {
            if let Some(waited_for) = before
                .checked_sub(first)
                .and_then(|at| waited_for.get_mut(at))
            {
                *waited_for = true;
            }
        }
        let ends = waited_for.into_iter().enumerate();
        ends.filter(|(_, waited_for)| !waited_for)
            .map(|(index, _)| first + index)
            .collect()
    }
}

impl Workload {
    /// A set-up and jobs, each resource once.
    pub fn of(
        setup: Stages,
        jobs: impl IntoIterator<Item = Stages>,
    ) -> Result<Self, ScheduleError> {
        let mut workload = Workload::default();
        workload.setup = workload.taken(setup)?;
        for job in jobs {
            let job = workload.taken(job)?;
            workload.jobs.push(job);
        }
        Ok(workload)
    }

    fn taken(&mut self, mut stages: Stages) -> Result<Job, ScheduleError> {
        let resources = stages.resources.iter();
        let numbers = resources.map(|each| register(&mut self.resources, each));
        let numbers: Vec<_> = numbers.collect::<Result<_, _>>()?;
        let all = stages.job.stages.iter_mut();
        all.for_each(|stage| stage.renumber(&numbers));
        Ok(stages.job)
    }
}

impl Stage {
    fn renumber(&mut self, numbers: &[ResourceId]) {
        self.resource = numbers[self.resource.0];
        for held in &mut self.also_holds {
            *held = numbers[held.0];
        }
    }
}

fn register(known: &mut Vec<Resource>, given: &Resource) -> Result<ResourceId, ScheduleError> {
    let Some(id) = known.iter().position(|each| each.name == given.name) else {
        known.push(given.clone());
        return Ok(ResourceId(known.len() - 1));
    };
    let known = &mut known[id];
    if agree(&mut known.kind, &given.kind) && agree(&mut known.part_of, &given.part_of) {
        return Ok(ResourceId(id));
    }
    Err(ScheduleError::TwoThings {
        resource: known.name.clone(),
        kind: known.kind.map(ResourceKind::as_str),
        part_of: known.part_of.clone(),
    })
}

/// Takes what is said for what was not; whether both say the same.
fn agree<T: PartialEq + Clone>(known: &mut Option<T>, given: &Option<T>) -> bool {
    match (&known, given) {
        (_, None) => true,
        (Some(known), Some(given)) => known == given,
        (None, Some(given)) => {
            *known = Some(given.clone());
            true
        }
    }
}
