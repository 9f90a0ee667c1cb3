//! The critical path: an unbroken chain of stages from time 0 to the end of the run.
//!
//! Walked backwards from the result that is available last. Each stage started when its recorded
//! cause ended (the resource became free) or arrived (a result, a buffer), so the segments leave no
//! gap and do not overlap: every instant of the run belongs to exactly one of them.

use crate::placed::{last_available, Placed};
use crate::schedule::Schedule;
use ringwright_sim::Femtoseconds;

/// What a stretch of the critical path was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SegmentKind {
    /// The stage occupied its resource.
    Busy,
    /// The stage had ended and its latency passed.
    Latency,
}

/// A stretch of the critical path, longer than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First instant.
    pub start: Femtoseconds,
    /// First instant after it.
    pub end: Femtoseconds,
    /// The stage it belongs to, as an index into [`Schedule::placed`].
    pub placed: usize,
    /// What for.
    pub kind: SegmentKind,
}

/// All segments, from time 0 to the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPath {
    segments: Vec<Segment>,
}

impl CriticalPath {
    /// In order of time; each begins where the one before ends.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

impl Schedule {
    /// The chain of causes that made the run as long as it is.
    pub fn critical_path(&self) -> CriticalPath {
        CriticalPath::of(self.placed())
    }
}

impl CriticalPath {
    pub(crate) fn of(placed: &[Placed]) -> Self {
        let mut segments = Vec::new();
        let mut end = last_available(placed);
        let mut next = placed.iter().position(|stage| stage.available == end);
        while let Some(index) = next {
            let stage = &placed[index];
            // Reached by its arrival, or by the release of its resource before that.
            push(&mut segments, stage.end, end, index, SegmentKind::Latency);
            push(
                &mut segments,
                stage.start,
                stage.end,
                index,
                SegmentKind::Busy,
            );
            end = stage.start;
            next = stage.cause;
        }
        segments.reverse();
        CriticalPath { segments }
    }
}

fn push(
    segments: &mut Vec<Segment>,
    start: Femtoseconds,
    end: Femtoseconds,
    placed: usize,
    kind: SegmentKind,
) {
    if start < end {
        segments.push(Segment {
            start,
            end,
            placed,
            kind,
        });
    }
}
