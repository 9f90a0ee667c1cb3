//! The schedule as a timeline: one track per resource, and on request one for the critical path.

use crate::critical_path::{CriticalPath, Segment, SegmentKind};
use crate::job_id::JobId;
use crate::placed::Placed;
use crate::schedule::Schedule;
use crate::workload::{Folded, ResourceId, Stage};
use ringwright_sim::{Femtoseconds, Span, Timeline, TimelineError, TrackId};

impl Schedule {
    /// One track per resource, in their order. Each stage is a span of its name on its resource, so
    /// the lengths of a stage's spans add up to its busy time in the ledger; a resource that it
    /// also holds shows `held: ...`. The details of a stage lie inside it. A folded run shows the
    /// stages of all its calls.
    pub fn timeline(&self) -> Result<Timeline, TimelineError> {
        let mut timeline = Timeline::new();
        for resource in &self.workload().resources {
            timeline.add_track(resource.name.as_str());
        }
        for placed in self.placed() {
            let stage = self.stage(placed);
            match &stage.folded {
                Some(folded) => add_folded(&mut timeline, placed, stage, folded)?,
                None => add_stage(&mut timeline, placed, stage, |held| TrackId(held.0))?,
            }
        }
        Ok(timeline)
    }

    /// Adds a track whose spans, end to end, are the critical path; their lengths add up to the
    /// exposed times in the ledger.
    pub fn add_critical_path(&self, timeline: &mut Timeline) -> Result<(), TimelineError> {
        let track = timeline.add_track("critical path");
        let mut draw = |start, end, name, job| {
            timeline.add_span(Span {
                track,
                start,
                end,
                name,
                args: vec![job_arg(job)],
            })
        };
        for segment in self.critical_path().segments() {
            let placed = &self.placed()[segment.placed];
            let (stage, job) = (self.stage(placed), placed.job);
            match (segment.kind, &stage.folded) {
                (SegmentKind::Busy, Some(folded)) => {
                    for (name, start, end) in critical_inside(folded, segment.start) {
                        draw(start, end, name.to_owned(), job)?;
                    }
                }
                (SegmentKind::Busy, None) => {
                    draw(segment.start, segment.end, stage.name.clone(), job)?;
                }
                (SegmentKind::Latency, _) => {
                    draw(segment.start, segment.end, stage.wait(), job)?;
                }
            }
        }
        Ok(())
    }
}

/// The critical path of a folded run that begins at `start`: steps, which have no latency.
fn critical_inside(
    folded: &Folded,
    start: Femtoseconds,
) -> impl Iterator<Item = (&str, Femtoseconds, Femtoseconds)> {
    let begun = folded.calls().scan(start, |next, part| {
        let begun = *next;
        *next = after(begun, part.total());
        Some((begun, part))
    });
    begun.flat_map(|(begun, part)| {
        let path = CriticalPath::of(&part.placed);
        let segments: Vec<Segment> = path.segments().to_vec();
        segments.into_iter().map(move |segment| {
            let stage = &part.job.stages[part.placed[segment.placed].stage];
            let (start, end) = (after(begun, segment.start), after(begun, segment.end));
            (stage.name.as_str(), start, end)
        })
    })
}

fn add_folded(
    timeline: &mut Timeline,
    placed: &Placed,
    stage: &Stage,
    folded: &Folded,
) -> Result<(), TimelineError> {
    let mut begun = placed.start;
    for part in folded.calls() {
        for inner in &part.placed {
            let moved = Placed {
                job: placed.job,
                start: after(begun, inner.start),
                end: after(begun, inner.end),
                ..*inner
            };
            let track = |held: ResourceId| TrackId(part.outside(stage, held).0);
            add_stage(timeline, &moved, &part.job.stages[inner.stage], track)?;
        }
        begun = after(begun, part.total());
    }
    Ok(())
}

fn add_stage(
    timeline: &mut Timeline,
    placed: &Placed,
    stage: &Stage,
    track: impl Fn(ResourceId) -> TrackId,
) -> Result<(), TimelineError> {
    let own = track(stage.resource);
    let provenance = ("provenance".to_string(), stage.provenance.to_string());
    let span = Span {
        track: own,
        start: placed.start,
        end: placed.end,
        name: stage.name.clone(),
        args: vec![job_arg(placed.job), provenance],
    };
    for held in &stage.also_holds {
        let name = format!("held: {}", stage.name);
        timeline.add_span(Span {
            track: track(*held),
            name,
            ..span.clone()
        })?;
    }
    timeline.add_span(span)?;
    for detail in &stage.details {
        let start = after(placed.start, detail.offset);
        timeline.add_span(Span {
            track: own,
            start,
            end: after(start, detail.duration),
            name: detail.name.clone(),
            args: detail.args.clone(),
        })?;
    }
    Ok(())
}

/// Within a schedule's total, which 64 bits hold.
fn after(start: Femtoseconds, offset: Femtoseconds) -> Femtoseconds {
    Femtoseconds(start.0 + offset.0)
}

fn job_arg(job: JobId) -> (String, String) {
    ("job".to_string(), job.to_string())
}
