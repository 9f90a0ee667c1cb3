//! What can be wrong with a workload.

use crate::job_id::JobId;
use ringwright_sim::Femtoseconds;

/// Why a workload cannot be scheduled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// Nothing to do.
    #[error("a run needs at least one job; 0 were given")]
    NoJobs,
    /// A job without stages.
    #[error("job {job} has no stage; at least one is needed")]
    EmptyJob {
        /// The job.
        job: JobId,
    },
    /// No job may be in flight.
    #[error(
        "0 jobs in flight; allowed are 1 (one after the other), 2 (double buffering) and more"
    )]
    NoneInFlight,
    /// A resource that was not added.
    #[error("job {job}, stage {stage:?}: resource {given} of a workload with {resources}")]
    NoResource {
        /// The job.
        job: JobId,
        /// The stage's name.
        stage: String,
        /// The resource's number.
        given: usize,
        /// Resources that exist.
        resources: usize,
    },
    /// A resource is named twice by one stage.
    #[error("job {job}, stage {stage:?}: holds {resource:?} twice")]
    HeldTwice {
        /// The job.
        job: JobId,
        /// The stage's name.
        stage: String,
        /// The resource's name.
        resource: String,
    },
    /// A resource of which two stages say different things.
    #[error(
        "resource {resource:?} is {kind:?} and a part of {part_of:?} for one stage, something else for another"
    )]
    TwoThings {
        /// The resource's name.
        resource: String,
        /// What it is for the first.
        kind: Option<&'static str>,
        /// What it is a part of there.
        part_of: Option<String>,
    },
    /// A stage waits for itself or a later one.
    #[error("job {job}, stage {stage:?} (number {index}): waits for stage {given}; allowed are earlier stages")]
    NotEarlier {
        /// The job.
        job: JobId,
        /// The stage's name.
        stage: String,
        /// Its number.
        index: usize,
        /// The number it waits for.
        given: usize,
    },
    /// Energy below zero, infinite or not a number.
    #[error("job {job}, stage {stage:?}: joules must be a finite number, 0 or more")]
    BadEnergy {
        /// The job.
        job: JobId,
        /// The stage's name.
        stage: String,
    },
    /// The inside of a stage does not lie inside it.
    #[error(
        "job {job}, stage {stage:?}: details must begin in order, each inside or after the earlier ones, within the stage's duration"
    )]
    DetailsDoNotFit {
        /// The job.
        job: JobId,
        /// The stage's name.
        stage: String,
    },
    /// A range that the stage's own duration is not in.
    #[error("job {job}, stage {stage:?}: takes {given}, but between {low} and {high}")]
    BadRange {
        /// The job.
        job: JobId,
        /// The stage's name.
        stage: String,
        /// Its duration.
        given: Femtoseconds,
        /// The least.
        low: Femtoseconds,
        /// The most.
        high: Femtoseconds,
    },
    /// Equal jobs that do not come to take turns.
    #[error(
        "no state of the equal jobs comes back within {jobs} of them; fewer in flight do so sooner"
    )]
    NothingRepeats {
        /// How many were placed.
        jobs: usize,
    },
    /// A time beyond 64 bits of femtoseconds.
    #[error("{what} ends after 2^64 fs (5.1 hours), the longest run that can be added up exactly")]
    TooLong {
        /// The stage or transfer.
        what: String,
    },
}
