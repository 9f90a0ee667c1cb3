//! Jobs per second in the steady state, when the start and the end of the run no longer matter.
//!
//! Two things bound it (the asymptotic bounds of a closed network: Denning and Buzen, "The
//! operational analysis of queueing network models", ACM Computing Surveys 10(3), 1978): the
//! slowest resource cannot serve more than one job in the time that a job occupies it, and with k
//! jobs in flight no more than k finish in the time that one takes alone. For jobs that are chains
//! of stages the rate cannot exceed either, and a chain of distinct resources attains the lower one.

use crate::job_id::JobId;
use crate::schedule::Schedule;
use crate::workload::{ResourceId, Stage};
use ringwright_sim::{Femtoseconds, Provenance};

/// What holds the rate back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The resource that a job occupies longest; the first of equals.
    Resource(ResourceId),
    /// Too few jobs in flight to keep any resource busy.
    InFlight,
}

/// A rate and its reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// Jobs per second: for a camera, frames per second.
    pub jobs_per_second: f64,
    /// What bounds it.
    pub limit: Limit,
}

/// How much the jobs ask of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The resource.
    pub resource: ResourceId,
    /// How long it works or is held, the setup apart.
    pub busy: Femtoseconds,
    /// Where the durations come from, in order of first appearance.
    pub provenances: Vec<Provenance>,
}

impl Load {
    fn add(&mut self, stage: &Stage, times: u64) {
        self.busy.0 += stage.duration.0 * times;
        if !self.provenances.contains(&stage.provenance) {
            self.provenances.push(stage.provenance);
        }
    }
}

impl Schedule {
    /// What the jobs ask of each resource, in the order of resources. Inside a folded run a resource
    /// counts while a step occupies it.
    pub fn loads(&self) -> Vec<Load> {
        let resources = 0..self.workload().resources.len();
        let idle = resources.map(|index| Load {
            resource: ResourceId(index),
            busy: Femtoseconds::ZERO,
            provenances: Vec::new(),
        });
        let mut loads: Vec<Load> = idle.collect();
        for stage in self.workload().jobs.iter().flat_map(|job| &job.stages) {
            let Some(folded) = &stage.folded else {
                stage.held().for_each(|held| loads[held.0].add(stage, 1));
                continue;
            };
            for part in &folded.parts {
                for inner in &part.job.stages {
                    for held in inner.held() {
                        loads[part.outside(stage, held).0].add(inner, part.runs);
                    }
                }
            }
        }
        loads
    }

    /// How long a resource is occupied, by the setup if `setup`, and by all jobs.
    pub fn busy(&self, resource: ResourceId, setup: bool) -> Femtoseconds {
        let counted = self
            .placed()
            .iter()
            .filter(|placed| setup || placed.job != JobId::Setup);
        let stages = counted.map(|placed| self.stage(placed));
        let held = stages.filter(|stage| stage.held().any(|held| held == resource));
        Femtoseconds(held.map(|stage| stage.duration.0).sum())
    }

    /// The steady state of jobs like these; `None` when they take no time at all.
    pub fn throughput(&self) -> Option<Throughput> {
        let jobs = self.workload().jobs.len();
        let resources = (0..self.workload().resources.len()).map(ResourceId);
        let (slowest, busy) = resources
            .map(|resource| (resource, u128::from(self.busy(resource, false).0)))
            .reduce(|most, next| if next.1 > most.1 { next } else { most })?;
        let alone: u128 = (0..jobs)
            .filter_map(|job| self.latency_alone(job))
            .map(|fs| u128::from(fs.0))
            .sum();
        // Time for all jobs under either bound, times the number in flight to stay whole.
        let in_flight = self.options().in_flight as u128;
        let (time, limit) = match alone > busy * in_flight {
            true => (alone as f64 / in_flight as f64, Limit::InFlight),
            false => (busy as f64, Limit::Resource(slowest)),
        };
        (time > 0.0).then_some(Throughput {
            jobs_per_second: jobs as f64 * Femtoseconds::PER_SECOND as f64 / time,
            limit,
        })
    }
}
