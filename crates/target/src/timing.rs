//! The time of a program on a simulated machine, folded.
//!
//! A program is a row of calls of **parts**; a part is timed once, however often it is called. A
//! **barrier** stands between two calls: a part starts when every step of the call before it has
//! ended, on whatever unit, the host's included, and no step waits for a step of another call. So
//! every call finds the device in the same state, drained, and takes the same time, and a run is the
//! sum of its calls, with or without a host's costs. A machine that lets calls overlap would have
//! to keep a part's time under the state that it finds as well; what a run then takes beside what
//! its calls take is why a call says how much of it is [exposed](Call::exposed).
//!
//! [`Timing::check`] holds a simulator to that, and [`Timing::unfolded`] gives the same as one list.

use crate::counters::Counters;
use crate::share::{shares, Share};
use crate::step::{StepKind, Work, HOST};
use crate::steps::Steps;
use ringwright_ir::ring::Source;
use ringwright_sim::{
    Clock, ClockError, Cycle, Provenance, Span, Timeline, TimelineError, TrackId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Time of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// The clock that `cycles` counts.
    pub clock: Clock,
    /// From the start of the run until the device has drained, host functions taking no time.
    pub cycles: Cycle,
    /// The device's units, in the order of the timeline's tracks.
    pub units: &'static [&'static str],
    /// What is timed, each once.
    pub parts: Vec<Arc<Part>>,
    /// What runs, in order; a part may be called often.
    pub calls: Vec<Call>,
    /// What the device does once, before the first run, for the ring and for keys that it keeps; in none
    /// of the other numbers.
    pub set_up: Option<Arc<Timing>>,
}

/// A stretch of a program between two barriers: what one call of the entry function does, or its
/// own operations between calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What device, transfers and host do, in order.
    pub steps: Steps,
    /// From the first step until the device has drained, host functions taking no time.
    pub cycles: Cycle,
    /// Where they come from: `Simulated` where the units are in RTL, `Modelled` where they are
    /// described only. Both where it has steps of either kind.
    pub provenances: BTreeSet<Provenance>,
    /// What happened in its units.
    pub counters: Counters,
    /// What of it is whose, one for each [source](Call::sources).
    pub shares: Vec<Share>,
}

/// A part where the program runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Index into [`Timing::parts`].
    pub part: usize,
    /// What it is for: one function, or several that are done together.
    pub sources: Arc<[Source]>,
    /// When its part starts.
    pub start: Cycle,
    /// How much of the run is its own: from the end of all calls before it, or its start where that
    /// is later, to its end. Without overlap that is all of its part's cycles.
    pub exposed: Cycle,
}

/// How a timing contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// The calls do not add up.
    #[error("the calls expose {calls} cycles together, the run takes {run}")]
    Sum {
        /// Sum over the calls.
        calls: u64,
        /// The run.
        run: u64,
    },
    /// A call of a part that there is not.
    #[error("call {call} ({names}) is of part {part}; there are {parts}, from 0")]
    NoPart {
        /// Position of the call.
        call: usize,
        /// Its functions.
        names: String,
        /// What it calls.
        part: usize,
        /// How many there are.
        parts: usize,
    },
    /// A part divided among others than those that call it.
    #[error("part {part} is shared by {shares}, call {call} of it is for {sources}")]
    Shares {
        /// Position of the part.
        part: usize,
        /// How many share it.
        shares: usize,
        /// Position of the call.
        call: usize,
        /// For how many it is.
        sources: usize,
    },
    /// Shares that are not the part.
    #[error("the shares of part {part} expose {shares} cycles together, it takes {said}")]
    Divided {
        /// Position of the part.
        part: usize,
        /// Sum over its shares.
        shares: u64,
        /// What the part says.
        said: u64,
    },
    /// A part in which nothing is done.
    #[error("part {part} has no step")]
    Empty {
        /// Position of the part.
        part: usize,
    },
    /// A step without unit, or on a unit that does not fit its work.
    #[error(
        "step {index} ({name}) occupies {units:?}; host functions occupy \"host\", others units of the device"
    )]
    Units {
        /// Position of the step in its part.
        index: usize,
        /// Its name.
        name: &'static str,
        /// The units that it names.
        units: &'static [&'static str],
    },
    /// A step waits for one that is not before it.
    #[error("step {index} ({name}) waits for step {given}, which is not before it")]
    NotEarlier {
        /// Position of the step in its part.
        index: usize,
        /// Its name.
        name: &'static str,
        /// What it waits for.
        given: usize,
    },
    /// The steps of a part end at another time than it says.
    #[error("the steps of part {part} end at cycle {steps}, the part at {said}")]
    Steps {
        /// Position of the part.
        part: usize,
        /// End of the last step.
        steps: u64,
        /// What the part says.
        said: u64,
    },
    /// A call starts before the one before it has ended.
    #[error("call {call} starts at cycle {start}; the calls before it end at {end}")]
    Overlap {
        /// Position of the call.
        call: usize,
        /// Its start.
        start: u64,
        /// The end of those before it.
        end: u64,
    },
    /// A part says other origins than its steps.
    #[error("the cycles of part {part} are {}, its steps' {}", words(.said), words(.steps))]
    Provenances {
        /// Position of the part.
        part: usize,
        /// What the part says.
        said: BTreeSet<Provenance>,
        /// Over all its steps.
        steps: BTreeSet<Provenance>,
    },
    /// Spans of one track cross.
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    /// The run ends beyond the range of femtoseconds.
    #[error(transparent)]
    Clock(#[from] ClockError),
}

fn words(provenances: &BTreeSet<Provenance>) -> String {
    let words: Vec<&str> = provenances.iter().map(|each| each.as_str()).collect();
    words.join(" + ")
}

/// A call whose time is not known yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// As [`Call::part`].
    pub part: usize,
    /// As [`Call::sources`].
    pub sources: Arc<[Source]>,
}

impl Part {
    /// Times the steps.
    pub fn new(steps: Steps, counters: Counters) -> Self {
        let cycles = device_cycles(&steps);
        Part {
            provenances: steps.provenances(),
            cycles: Cycle(cycles),
            shares: shares(&steps),
            steps,
            counters,
        }
    }
}

/// When the last of these steps ends, host functions taking no time.
fn device_cycles(steps: &Steps) -> u64 {
    steps.end(|kind| kind.work.device_cycles())
}

impl Part {
    /// Work of the unit that works longest: no order of the same steps takes less.
    pub fn bound(&self) -> Cycle {
        let cycles = |kind: &StepKind| kind.work.device_cycles();
        Cycle(self.steps.work(cycles).into_values().max().unwrap_or(0))
    }

    /// Bytes that its transfers move.
    pub fn bytes_moved(&self) -> u64 {
        self.shares.iter().map(|share| share.bytes_moved).sum()
    }
}

impl Timing {
    /// A run of these calls, a barrier between each two.
    pub fn new(
        clock: Clock,
        units: &'static [&'static str],
        parts: Vec<Arc<Part>>,
        called: Vec<Called>,
    ) -> Result<Self, TimingError> {
        let mut timing = Timing {
            clock,
            cycles: Cycle(0),
            units,
            parts,
            calls: Vec::with_capacity(called.len()),
            set_up: None,
        };
        for Called { part, sources } in called {
            let exposed = match timing.parts.get(part) {
                Some(part) => part.cycles,
                None => return Err(timing.no_part(timing.calls.len(), &sources, part)),
            };
            let start = timing.cycles;
            timing.cycles.0 = start.0.saturating_add(exposed.0);
            timing.calls.push(Call {
                part,
                sources,
                start,
                exposed,
            });
        }
        timing.check()?;
        Ok(timing)
    }

    /// The same behind a set-up.
    #[must_use]
    pub fn behind(self, set_up: Timing) -> Self {
        Self {
            set_up: Some(Arc::new(set_up)),
            ..self
        }
    }

    fn no_part(&self, call: usize, sources: &[Source], part: usize) -> TimingError {
        let names: Vec<&str> = sources.iter().map(|source| &*source.name).collect();
        TimingError::NoPart {
            call,
            names: names.join(", "),
            part,
            parts: self.parts.len(),
        }
    }

    /// What the run does for each source, in order of the calls.
    pub fn shares(&self) -> impl Iterator<Item = (&Source, &Share)> {
        self.calls.iter().flat_map(|call| {
            let shares = self.parts[call.part].shares.iter();
            call.sources.iter().zip(shares)
        })
    }

    /// The bounds of all calls' parts together.
    pub fn bound(&self) -> Cycle {
        let parts = self.parts.iter().zip(self.runs());
        Cycle(parts.map(|(part, runs)| part.bound().0 * runs).sum())
    }

    /// How often each part is called.
    pub fn runs(&self) -> Vec<u64> {
        let mut runs = vec![0; self.parts.len()];
        self.calls.iter().for_each(|call| runs[call.part] += 1);
        runs
    }

    /// How often each kind of step occurs in the run; a kind that several parts have is there for each.
    pub fn count(&self) -> Vec<(&StepKind, u64)> {
        let parts = self.parts.iter().zip(self.runs());
        let counts = parts.flat_map(|(part, runs)| {
            let counts = part.steps.count().into_iter();
            counts.map(move |(kind, count)| (kind, count * runs))
        });
        counts.collect()
    }

    /// Where `cycles` come from; more than one means that they mix them.
    pub fn provenances(&self) -> BTreeSet<Provenance> {
        let called = self
            .parts
            .iter()
            .zip(self.runs())
            .filter(|(_, runs)| *runs > 0);
        called
            .flat_map(|(part, _)| part.provenances.iter().copied())
            .collect()
    }

    /// What happened in the units during the run.
    pub fn counters(&self) -> Counters {
        let mut all = Counters::new();
        for (part, runs) in self.parts.iter().zip(self.runs()) {
            all += &part.counters.times(runs);
        }
        all
    }

    /// Whether parts and calls add up to the run, each step on a unit that there is.
    pub fn check(&self) -> Result<(), TimingError> {
        for (index, part) in self.parts.iter().enumerate() {
            self.check_part(index, part)?;
        }
        let (mut end, mut exposed) = (0, 0_u64);
        for (index, call) in self.calls.iter().enumerate() {
            let part = self.parts.get(call.part);
            let part = part.ok_or_else(|| self.no_part(index, &call.sources, call.part))?;
            let (shares, sources) = (part.shares.len(), call.sources.len());
            if shares > sources {
                return Err(TimingError::Shares {
                    part: call.part,
                    shares,
                    call: index,
                    sources,
                });
            }
            if call.start.0 < end {
                let start = call.start.0;
                return Err(TimingError::Overlap {
                    call: index,
                    start,
                    end,
                });
            }
            end = call.start.0.saturating_add(part.cycles.0);
            exposed = exposed.saturating_add(call.exposed.0);
        }
        if exposed != self.cycles.0 || end != self.cycles.0 {
            let (calls, run) = (exposed, self.cycles.0);
            return Err(TimingError::Sum { calls, run });
        }
        self.clock.time_of(self.cycles)?;
        Ok(())
    }

    fn check_part(&self, part: usize, given: &Part) -> Result<(), TimingError> {
        if given.steps.is_empty() {
            return Err(TimingError::Empty { part });
        }
        self.check_steps(&given.steps)?;
        let (said, steps) = (&given.provenances, given.steps.provenances());
        if *said != steps {
            let said = said.clone();
            return Err(TimingError::Provenances { part, said, steps });
        }
        match device_cycles(&given.steps) {
            steps if steps != given.cycles.0 => {
                let said = given.cycles.0;
                Err(TimingError::Steps { part, steps, said })
            }
            said => {
                let shares = given.shares.iter().map(|share| share.exposed.0).sum();
                match shares == said {
                    true => Ok(()),
                    false => Err(TimingError::Divided { part, shares, said }),
                }
            }
        }
    }

    fn check_steps(&self, steps: &Steps) -> Result<(), TimingError> {
        for (index, step) in steps.iter().enumerate() {
            let StepKind { name, units, .. } = *step.kind;
            let fits = |unit: &&str| match step.kind.work {
                Work::HostFunction { .. } => *unit == HOST,
                _ => self.units.contains(unit),
            };
            if units.is_empty() || !units.iter().all(fits) {
                return Err(TimingError::Units { index, name, units });
            }
            let mut after = step.after.iter().map(|&before| before as usize);
            if let Some(given) = after.find(|&before| before >= index) {
                return Err(TimingError::NotEarlier { index, name, given });
            }
        }
        Ok(())
    }

    /// All steps of the run as one list: those of a call that wait for none of their own wait for the
    /// last step of each unit in the call before. For programs that are small enough.
    pub fn unfolded(&self) -> Steps {
        let mut all = Steps::new();
        let mut drained: Vec<usize> = Vec::new();
        for call in &self.calls {
            let first = all.len();
            let mut last: BTreeMap<&str, usize> = BTreeMap::new();
            for step in self.parts[call.part].steps.iter() {
                let after = step.after.iter().map(|&before| first + before as usize);
                let after: Vec<usize> = match step.after {
                    [] => drained.clone(),
                    _ => after.collect(),
                };
                let source = call.sources.get(step.source as usize);
                let loc = step.loc.or(source.and_then(|source| source.loc.as_ref()));
                let index = all.push(step.kind.clone(), &after, loc);
                last.extend(step.kind.units.iter().map(|&unit| (unit, index)));
            }
            drained = last.into_values().collect();
        }
        all
    }

    /// Cycles that the calls take one by one, and those of the same run as one list of steps, beside
    /// a host that takes so many cycles for each of its functions. Both are equal.
    pub(crate) fn both_ways(&self, host: u64) -> [u64; 2] {
        let end = |steps: &Steps| steps.end(|kind| kind.work.cycles_beside(host));
        let parts: Vec<u64> = self.parts.iter().map(|part| end(&part.steps)).collect();
        let folded = self.calls.iter().map(|call| parts[call.part]).sum();
        [folded, end(&self.unfolded())]
    }

    /// What each unit does when, one track per unit, while host functions take no time.
    pub fn timeline(&self) -> Result<Timeline, TimingError> {
        let mut timeline = Timeline::new();
        let tracks = self.units.iter().map(|&unit| timeline.add_track(unit));
        let tracks: Vec<TrackId> = tracks.collect();
        let steps = self.unfolded();
        let intervals = steps.place(|kind| kind.work.device_cycles());
        for (step, interval) in steps.iter().zip(intervals) {
            for (unit, &track) in self.units.iter().zip(&tracks) {
                if step.kind.units.contains(unit) {
                    timeline.add_span(Span {
                        track,
                        start: self.clock.time_of(Cycle(interval.start))?,
                        end: self.clock.time_of(Cycle(interval.end))?,
                        name: step.kind.name.to_owned(),
                        args: step.kind.provenance_args(),
                    })?;
                }
            }
        }
        Ok(timeline)
    }
}

#[cfg(test)]
mod tests;
