//! The schedule as a timeline: one track per resource, and on request one for the critical path.

use crate::critical_path::SegmentKind;
use crate::schedule::{Placed, Schedule};
use crate::workload::Stage;
use ringwright_sim::{Femtoseconds, Span, Timeline, TimelineError, TrackId};

impl Schedule {
    /// One track per resource, in their order. Each stage is a span of its name on its resource, so
    /// the lengths of a stage's spans add up to its busy time in the ledger; a resource that it
    /// also holds shows `held: ...`. The details of a stage lie inside it.
    pub fn timeline(&self) -> Result<Timeline, TimelineError> {
        let mut timeline = Timeline::new();
        for resource in &self.workload().resources {
            timeline.add_track(resource.name.as_str());
        }
        for placed in self.placed() {
            add_stage(&mut timeline, placed, self.stage(placed))?;
        }
        Ok(timeline)
    }

    /// Adds a track whose spans, end to end, are the critical path; their lengths add up to the
    /// exposed times in the ledger.
    pub fn add_critical_path(&self, timeline: &mut Timeline) -> Result<(), TimelineError> {
        let track = timeline.add_track("critical path");
        for segment in self.critical_path().segments() {
            let placed = &self.placed()[segment.placed];
            let stage = &self.stage(placed).name;
            let name = match segment.kind {
                SegmentKind::Busy => stage.clone(),
                SegmentKind::Latency => format!("wait: latency of {stage}"),
            };
            let args = vec![job_arg(placed)];
            timeline.add_span(Span {
                track,
                start: segment.start,
                end: segment.end,
                name,
                args,
            })?;
        }
        Ok(())
    }
}

fn add_stage(timeline: &mut Timeline, placed: &Placed, stage: &Stage) -> Result<(), TimelineError> {
    let own = TrackId(stage.resource.0);
    let provenance = ("provenance".to_string(), stage.provenance.to_string());
    let span = Span {
        track: own,
        start: placed.start,
        end: placed.end,
        name: stage.name.clone(),
        args: vec![job_arg(placed), provenance],
    };
    for held in &stage.also_holds {
        let name = format!("held: {}", stage.name);
        timeline.add_span(Span {
            track: TrackId(held.0),
            name,
            ..span.clone()
        })?;
    }
    timeline.add_span(span)?;
    for detail in &stage.details {
        let start = Femtoseconds(placed.start.0 + detail.offset.0);
        timeline.add_span(Span {
            track: own,
            start,
            end: Femtoseconds(start.0 + detail.duration.0),
            name: detail.name.clone(),
            args: detail.args.clone(),
        })?;
    }
    Ok(())
}

fn job_arg(placed: &Placed) -> (String, String) {
    ("job".to_string(), placed.job.to_string())
}
