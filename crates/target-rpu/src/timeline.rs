//! A run for people: spans for Perfetto, a pipeline log for Konata.
//!
//! Spans: the front end's waits, and for every pipeline the instructions that it works on, from
//! their start until it has taken all of them. The log is Konata's text format (Kanata 0004): every
//! instruction with the stages D (in decode), Q (in its queue), X (until its pipeline has taken it) and
//! W (until its results are written).

use crate::config::{Config, LoadStorePipes};
use crate::isa::{Class, Instruction, Program};
use crate::schedule::Wait;
use crate::schedule::{Schedule, Times};
use ringwright_sim::{ClockError, Cycle, Span, Timeline, TimelineError, TrackId};
use std::fmt::Write;

/// Why a run has no timeline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTimeline {
    /// It ends beyond the range of femtoseconds.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// Its spans contradict each other.
    #[error(transparent)]
    Spans(#[from] TimelineError),
}

const CLASSES: [&str; 3] = ["load/store", "compute", "shuffle"];

/// Spans of the front end and of every pipeline.
pub fn timeline(
    program: &Program,
    config: &Config,
    schedule: &Schedule,
) -> Result<Timeline, NoTimeline> {
    let mut timeline = Timeline::new();
    let front_end = timeline.add_track("front end");
    let loads = timeline.add_track("load/store");
    let stores = match config.load_store_pipes {
        LoadStorePipes::Shared => loads,
        LoadStorePipes::Separate => timeline.add_track("store"),
    };
    let compute = timeline.add_track("compute");
    let shuffle = timeline.add_track("shuffle");
    let mut add = |track: TrackId, start: u64, end: u64, name: String, args| {
        timeline.add_span(Span {
            track,
            start: config.clock.time_of(Cycle(start))?,
            end: config.clock.time_of(Cycle(end))?,
            name,
            args,
        })?;
        Ok::<(), NoTimeline>(())
    };
    for waited in &schedule.waits {
        let name = match waited.reason {
            Wait::Busy(class) => format!("register busy: {}", CLASSES[class]),
            Wait::QueueFull(class) => format!("queue full: {}", CLASSES[class]),
        };
        add(front_end, waited.since, waited.until, name, Vec::new())?;
    }
    for (index, instruction) in program.instructions.iter().enumerate() {
        let times = schedule.instructions[index];
        let track = match instruction.class() {
            Class::LoadStore if matches!(instruction, Instruction::VStore { .. }) => stores,
            Class::LoadStore => loads,
            Class::Compute => compute,
            Class::Shuffle => shuffle,
        };
        let args = vec![
            ("instruction".to_owned(), index.to_string()),
            ("line".to_owned(), program.line(index).to_string()),
            ("issue".to_owned(), times.issue.to_string()),
            ("end".to_owned(), times.end.to_string()),
        ];
        let name = instruction.to_string();
        add(track, times.start, times.taken, name, args)?;
    }
    Ok(timeline)
}

/// The pipeline log.
pub fn konata(program: &Program, schedule: &Schedule) -> String {
    // Cycle, then the order in which lines of one cycle must come: instructions by number, and of
    // each its stages in their order.
    let mut events: Vec<(u64, usize, usize, Event)> = Vec::new();
    let mut decode = 0;
    for (id, times) in schedule.instructions.iter().enumerate() {
        let Times {
            issue,
            start,
            taken,
            end,
            ..
        } = *times;
        let stages = [(decode, "D"), (issue, "Q"), (start, "X"), (taken, "W")];
        for (order, (cycle, stage)) in stages.into_iter().enumerate() {
            events.push((cycle, id, order, Event::Stage(stage)));
        }
        events.push((end, id, stages.len(), Event::Retire));
        decode = issue + 1;
    }
    events.sort_unstable_by_key(|&(cycle, id, order, _)| (cycle, id, order));
    let mut log = "Kanata\t0004\nC=\t0\n".to_owned();
    let (mut now, mut retired) = (0, 0);
    for (cycle, id, _, event) in events {
        if cycle > now {
            push(&mut log, format_args!("C\t{}\n", cycle - now));
            now = cycle;
        }
        match event {
            Event::Stage(stage) => {
                if stage == "D" {
                    let text = &program.instructions[id];
                    let line = program.line(id);
                    push(
                        &mut log,
                        format_args!("I\t{id}\t{id}\t0\nL\t{id}\t0\t{line}: {text}\n"),
                    );
                }
                push(&mut log, format_args!("S\t{id}\t0\t{stage}\n"));
            }
            Event::Retire => {
                push(&mut log, format_args!("R\t{id}\t{retired}\t0\n"));
                retired += 1;
            }
        }
    }
    log
}

enum Event {
    Stage(&'static str),
    Retire,
}

fn push(log: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = log.write_fmt(line);
}
