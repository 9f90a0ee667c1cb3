//! What happened when: spans on tracks, one track per unit.
//!
//! On one track two spans are apart or one lies inside the other, so begins and ends nest as
//! trace viewers require (Perfetto's TrackEvent: TYPE_SLICE_BEGIN and TYPE_SLICE_END form a stack
//! per track). [`Timeline::edges`] checks that and gives the order in which a writer emits them.

use crate::clock::Femtoseconds;

/// A track of one timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrackId(pub usize);

/// A row of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Name of the unit, for instance of a link.
    pub name: String,
}

/// Something with a beginning and an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where.
    pub track: TrackId,
    /// First instant.
    pub start: Femtoseconds,
    /// First instant after it; not before `start`.
    pub end: Femtoseconds,
    /// What, for instance the stage.
    pub name: String,
    /// Details as (key, value), for instance the frame's number; never a secret.
    pub args: Vec<(String, String)>,
}

impl Span {
    /// `end - start`.
    pub fn duration(&self) -> Femtoseconds {
        Femtoseconds(self.end.0 - self.start.0)
    }
}

/// Whether a span begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// Opens the span.
    Begin,
    /// Closes the span opened last on its track.
    End,
}

/// One begin or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<'t> {
    /// When.
    pub time: Femtoseconds,
    /// Begin or end.
    pub kind: EdgeKind,
    /// Of which span.
    pub span: &'t Span,
}

/// Why a span cannot stand in a timeline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimelineError {
    /// A track that was not added.
    #[error("span {span:?}: track {track} of a timeline with {tracks} tracks")]
    NoTrack {
        /// The span's name.
        span: String,
        /// The track's number.
        track: usize,
        /// Tracks that exist.
        tracks: usize,
    },
    /// It ends before it starts.
    #[error("span {span:?} ends at {end} before it starts at {start}")]
    Backwards {
        /// The span's name.
        span: String,
        /// Its start.
        start: Femtoseconds,
        /// Its end.
        end: Femtoseconds,
    },
    /// It lies across another span of its track.
    #[error("track {track:?}: {span:?} starts at {start} inside {inside:?}, which ends at {end}, before it")]
    Crossing {
        /// The track's name.
        track: String,
        /// The later span's name.
        span: String,
        /// Its start.
        start: Femtoseconds,
        /// The name of the span it crosses.
        inside: String,
        /// That span's end.
        end: Femtoseconds,
    },
}

/// Tracks and their spans, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    tracks: Vec<Track>,
    spans: Vec<Span>,
}

impl Timeline {
    /// No track, no span.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a track below the others.
    pub fn add_track(&mut self, name: impl Into<String>) -> TrackId {
        self.tracks.push(Track { name: name.into() });
        TrackId(self.tracks.len() - 1)
    }

    /// Adds a span; whether it nests is found by [`Timeline::edges`].
    pub fn add_span(&mut self, span: Span) -> Result<(), TimelineError> {
        if span.track.0 >= self.tracks.len() {
            let tracks = self.tracks.len();
            return Err(TimelineError::NoTrack {
                span: span.name,
                track: span.track.0,
                tracks,
            });
        }
        if span.end < span.start {
            let (start, end) = (span.start, span.end);
            return Err(TimelineError::Backwards {
                span: span.name,
                start,
                end,
            });
        }
        self.spans.push(span);
        Ok(())
    }

    /// The tracks, by [`TrackId`].
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The spans.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// All begins and ends by time, then track, nested on each track; or the first pair of spans
    /// that cross. Of two spans with the same bounds the one added first is the outer one; a span
    /// of no length at the end of another one follows it.
    pub fn edges(&self) -> Result<Vec<Edge<'_>>, TimelineError> {
        let mut edges = Vec::with_capacity(2 * self.spans.len());
        for track in 0..self.tracks.len() {
            self.append_track(TrackId(track), &mut edges)?;
        }
        // Stable: on one track the edges are in time order already and keep their nesting.
        edges.sort_by_key(|edge| (edge.time, edge.span.track));
        Ok(edges)
    }

    fn append_track<'t>(
        &'t self,
        track: TrackId,
        edges: &mut Vec<Edge<'t>>,
    ) -> Result<(), TimelineError> {
        let mut spans: Vec<&Span> = self
            .spans
            .iter()
            .filter(|span| span.track == track)
            .collect();
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut open: Vec<&Span> = Vec::new();
        for span in spans {
            while let Some(outer) = open.pop_if(|outer| outer.end <= span.start) {
                edges.push(Edge {
                    time: outer.end,
                    kind: EdgeKind::End,
                    span: outer,
                });
            }
            if let Some(outer) = open.last().filter(|outer| outer.end < span.end) {
                return Err(self.crossing(outer, span));
            }
            edges.push(Edge {
                time: span.start,
                kind: EdgeKind::Begin,
                span,
            });
            open.push(span);
        }
        edges.extend(open.into_iter().rev().map(|span| Edge {
            time: span.end,
            kind: EdgeKind::End,
            span,
        }));
        Ok(())
    }

    fn crossing(&self, outer: &Span, span: &Span) -> TimelineError {
        TimelineError::Crossing {
            track: self.tracks[span.track.0].name.clone(),
            span: span.name.clone(),
            start: span.start,
            inside: outer.name.clone(),
            end: outer.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(track: TrackId, start: u64, end: u64, name: &str) -> Span {
        Span {
            track,
            start: Femtoseconds(start),
            end: Femtoseconds(end),
            name: name.to_string(),
            args: Vec::new(),
        }
    }

    fn timeline(spans: &[(u64, u64)]) -> Timeline {
        let mut timeline = Timeline::new();
        let track = timeline.add_track("unit");
        for (index, (start, end)) in spans.iter().enumerate() {
            timeline
                .add_span(span(track, *start, *end, &index.to_string()))
                .unwrap();
        }
        timeline
    }

    /// Replays the edges with a stack per track, as a trace viewer does; returns what it saw.
    fn replay(timeline: &Timeline) -> Vec<Span> {
        let mut open: Vec<Vec<(Femtoseconds, &Span)>> = vec![Vec::new(); timeline.tracks().len()];
        let mut closed = Vec::new();
        let mut now = Femtoseconds::ZERO;
        for edge in timeline.edges().unwrap() {
            assert!(edge.time >= now, "edges go back in time");
            now = edge.time;
            let stack = &mut open[edge.span.track.0];
            match edge.kind {
                EdgeKind::Begin => stack.push((edge.time, edge.span)),
                EdgeKind::End => {
                    let (start, begun) = stack.pop().expect("an end without begin");
                    assert_eq!(begun, edge.span);
                    closed.push(Span {
                        start,
                        end: edge.time,
                        ..begun.clone()
                    });
                }
            }
        }
        assert!(open.iter().all(Vec::is_empty), "a begin without end");
        closed
    }

    #[test]
    fn nested_adjacent_and_empty_spans_replay() {
        let timeline = timeline(&[
            (0, 10),
            (0, 10),
            (2, 4),
            (4, 4),
            (4, 10),
            (10, 10),
            (10, 12),
        ]);
        let mut seen = replay(&timeline);
        seen.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(seen, timeline.spans());
    }

    #[test]
    fn crossing_spans_are_named() {
        let crossing = timeline(&[(0, 10), (5, 11)]);
        let error = crossing.edges().unwrap_err();
        assert_eq!(
            error.to_string(),
            "track \"unit\": \"1\" starts at 5 fs inside \"0\", which ends at 10 fs, before it"
        );
    }

    #[test]
    fn spans_without_track_or_backwards_are_refused() {
        let mut timeline = Timeline::new();
        let refused = timeline.add_span(span(TrackId(0), 0, 1, "a")).unwrap_err();
        assert!(matches!(refused, TimelineError::NoTrack { tracks: 0, .. }));
        let track = timeline.add_track("unit");
        let refused = timeline.add_span(span(track, 2, 1, "a")).unwrap_err();
        assert!(matches!(refused, TimelineError::Backwards { .. }));
        assert!(timeline.spans().is_empty());
    }

    fn cross(a: &Span, b: &Span) -> bool {
        let straddles = |a: &Span, b: &Span| a.start < b.start && b.start < a.end && a.end < b.end;
        a.track == b.track && (straddles(a, b) || straddles(b, a))
    }

    proptest! {
        #[test]
        fn edges_exist_exactly_when_no_two_spans_cross(
            bounds in prop::collection::vec((0_u64..12, 0_u64..6, 0_usize..2), 0..8),
        ) {
            let mut timeline = Timeline::new();
            let tracks = [timeline.add_track("a"), timeline.add_track("b")];
            for (index, (start, length, track)) in bounds.iter().enumerate() {
                let span = span(tracks[*track], *start, start + length, &index.to_string());
                timeline.add_span(span).unwrap();
            }
            let spans = timeline.spans();
            let any_cross = spans.iter().any(|a| spans.iter().any(|b| cross(a, b)));
            prop_assert_eq!(timeline.edges().is_err(), any_cross);
            if !any_cross {
                prop_assert_eq!(replay(&timeline).len(), spans.len());
            }
        }
    }
}
