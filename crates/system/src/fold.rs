//! A run of a machine as one stage, however long the program is.
//!
//! The stage holds all its resources from the run's start to its end: another run on the same device
//! comes before or after it. The same run with a stage for every step ([`Station::run`]) takes as
//! long to the femtosecond, unless other work uses its units or its host between two of its calls. A
//! test compares them.

use crate::error::ScheduleError;
use crate::host::HostStageError;
use crate::schedule::place_alone;
use crate::stages::Stages;
use crate::station::{Station, Waits};
use crate::workload::{
    End, Folded, FoldedPart, Job, Resource, ResourceId, Stage, StageKind, Workload,
};
use ringwright_sim::{Femtoseconds, Provenance};
use ringwright_target::Timing;
use std::sync::Arc;

impl Station {
    /// Adds a run as one stage; returns its index.
    ///
    /// An error for an operation whose cost the host does not know.
    pub fn run_folded(
        &self,
        stages: &mut Stages,
        timing: &Timing,
        after: &[usize],
    ) -> Result<usize, HostStageError> {
        let mut names = Vec::new();
        let folded = self.folded(timing, &mut names)?;
        let held = names.iter().map(|each| stages.resource(each));
        let mut held: Vec<ResourceId> = held.collect::<Result<_, _>>()?;
        if held.is_empty() {
            held.push(stages.resource(&self.processor)?);
        }
        let provenance = Provenance::least_certain(folded.stages().map(|each| each.provenance));
        let stage = Stage {
            also_holds: held.split_off(1),
            folded: Some(Arc::new(folded)),
            ..Stage::new(
                self.device.as_str(),
                StageKind::Kernel,
                held[0],
                Femtoseconds::ZERO,
                provenance.unwrap_or(Provenance::Modelled),
            )
        };
        let stage = stage.after(after.iter().copied());
        Ok(stages.push(measured(stage)?))
    }

    /// `names`: what the parts occupy, in order of first appearance.
    fn folded(&self, timing: &Timing, names: &mut Vec<Resource>) -> Result<Folded, HostStageError> {
        let mut numbers: Vec<Option<u32>> = vec![None; timing.parts.len()];
        let mut folded = Folded::default();
        for call in &timing.calls {
            let number = match numbers[call.part] {
                Some(number) => number,
                None => {
                    let mut stages = Stages::new();
                    let steps = &timing.parts[call.part].steps;
                    self.steps(&mut stages, &timing.clock, steps, Waits::default())?;
                    folded.parts.push(part(stages, names)?);
                    folded.parts.len() as u32 - 1
                }
            };
            numbers[call.part] = Some(number);
            folded.parts[number as usize].runs += 1;
            folded.calls.push(number);
        }
        Ok(folded)
    }
}

fn part(stages: Stages, names: &mut Vec<Resource>) -> Result<FoldedPart, ScheduleError> {
    let (resources, job) = stages.into_parts();
    let place = |resource: &Resource| {
        let known = names.iter().position(|known| known == resource);
        known.unwrap_or_else(|| {
            names.push(resource.clone());
            names.len() - 1
        })
    };
    let held: Vec<usize> = resources.iter().map(place).collect();
    Ok(FoldedPart {
        placed: place_alone(held.len(), &job)?,
        job,
        held,
        runs: 0,
    })
}

impl Workload {
    /// The same with every stage at one end of its range.
    pub fn at(self, end: End) -> Result<Self, ScheduleError> {
        let jobs = self.jobs.into_iter().map(|job| job_at(job, end));
        Ok(Workload {
            setup: job_at(self.setup, end)?,
            jobs: jobs.collect::<Result<_, _>>()?,
            resources: self.resources,
        })
    }
}

fn job_at(job: Job, end: End) -> Result<Job, ScheduleError> {
    let stages = job.stages.into_iter().map(|stage| stage_at(stage, end));
    Ok(Job {
        stages: stages.collect::<Result<_, _>>()?,
    })
}

fn stage_at(mut stage: Stage, end: End) -> Result<Stage, ScheduleError> {
    let (low, high) = stage.durations();
    stage.duration = match end {
        End::Low => low,
        End::High => high,
    };
    stage.range = None;
    if let Some(folded) = &stage.folded {
        let mut folded = Folded::clone(folded);
        for part in &mut folded.parts {
            part.job = job_at(std::mem::take(&mut part.job), end)?;
            part.placed = place_alone(part.held.len(), &part.job)?;
        }
        stage.folded = Some(Arc::new(folded));
    }
    measured(stage)
}

/// The same with the duration of what it folds.
fn measured(mut stage: Stage) -> Result<Stage, ScheduleError> {
    if let Some(folded) = &stage.folded {
        stage.duration = folded.duration().ok_or_else(|| ScheduleError::TooLong {
            what: format!("a run on {:?}", stage.name),
        })?;
    }
    Ok(stage)
}
