//! A run of a machine inside one stage.
//!
//! A barrier stands between the calls of a run, so every call of a part takes the same time and no two
//! calls overlap. Each part therefore is placed once, and the run's duration, ledger and timeline are
//! those of its parts, as often as they are called.

use super::{Job, ResourceId, Stage};
use crate::placed::{last_available, Placed};
use ringwright_sim::Femtoseconds;

/// Parts of a run and the order in which they are called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folded {
    /// In the order of their first calls.
    pub(crate) parts: Vec<FoldedPart>,
    /// Indices into `parts`.
    pub(crate) calls: Vec<u32>,
}

/// One part, placed alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoldedPart {
    /// On resources of its own numbering.
    pub(crate) job: Job,
    pub(crate) placed: Vec<Placed>,
    /// Which of the resources that the stage holds each resource of the part is.
    pub(crate) held: Vec<usize>,
    /// How often it is called.
    pub(crate) runs: u64,
}

impl Folded {
    /// What runs, in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &FoldedPart> {
        self.calls.iter().map(|&part| &self.parts[part as usize])
    }

    /// Stages of each part once.
    pub(crate) fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.parts.iter().flat_map(|part| &part.job.stages)
    }

    /// From its start to its end; `None` beyond 64 bits of femtoseconds.
    pub(crate) fn duration(&self) -> Option<Femtoseconds> {
        let parts = self.parts.iter();
        let each = parts.map(|part| part.total().0.checked_mul(part.runs));
        let sum = each.reduce(|sum, next| sum?.checked_add(next?));
        sum.unwrap_or(Some(0)).map(Femtoseconds)
    }
}

impl FoldedPart {
    /// How long one call takes.
    pub(crate) fn total(&self) -> Femtoseconds {
        last_available(&self.placed)
    }

    /// What a resource of the part is where `stage` is.
    pub(crate) fn outside(&self, stage: &Stage, resource: ResourceId) -> ResourceId {
        match self.held[resource.0].checked_sub(1) {
            None => stage.resource,
            Some(other) => stage.also_holds[other],
        }
    }
}
