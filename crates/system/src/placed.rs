//! A stage's place in time.

use crate::job_id::JobId;
use ringwright_sim::Femtoseconds;

/// When a stage ran, and why not earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its job.
    pub job: JobId,
    /// Its number in the job.
    pub stage: usize,
    /// When everything it waits for was available.
    pub ready: Femtoseconds,
    /// Its resources are occupied from here ...
    pub start: Femtoseconds,
    /// ... to here.
    pub end: Femtoseconds,
    /// The end plus the stage's latency.
    pub available: Femtoseconds,
    /// Index among the placed stages of the stage whose end or arrival allowed the start; `None`
    /// at time 0.
    pub cause: Option<usize>,
}

/// When the last result is available.
pub(crate) fn last_available(placed: &[Placed]) -> Femtoseconds {
    placed.iter().map(|p| p.available).max().unwrap_or_default()
}
