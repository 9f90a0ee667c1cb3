//! The time of a program on a simulated machine.
//!
//! A kernel boundary drains the device, so the time of a program is the sum of its kernels' times
//! and a kernel's time is computed once, however often it is called. [`Timing::check`] holds a
//! simulator to that.

use ringwright_ir::ring::Loc;
use ringwright_sim::{Clock, ClockError, Cycle, Femtoseconds, Provenance, Timeline, TimelineError};

/// Time of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// The clock that `cycles` counts.
    pub clock: Clock,
    /// From the start of the run until the device has drained.
    pub cycles: Cycle,
    /// The kernels of the entry function in order of execution; their cycles sum to `cycles`.
    pub kernels: Vec<KernelTiming>,
    /// What each unit does when; one track per unit.
    pub timeline: Timeline,
    /// `Simulated` for a cycle model, `Modelled` for an analytical one.
    pub provenance: Provenance,
}

/// Time of one kernel: one call of the entry function, or the whole of an entry without calls.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelTiming {
    /// The ring function.
    pub name: String,
    /// The line of the user's program that asked for it.
    pub loc: Option<Loc>,
    /// From the first operand until the device has drained.
    pub cycles: Cycle,
}

/// How a timing contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// The parts do not add up.
    #[error("the kernels take {kernels} cycles together, the run {run}")]
    Sum {
        /// Sum over the kernels.
        kernels: u64,
        /// The run.
        run: u64,
    },
    /// A kernel that takes no time.
    #[error("kernel {0} takes no cycle")]
    Free(String),
    /// A unit works after the device has drained.
    #[error("{name} ends at {end}, after the end of the run at {run}")]
    Tail {
        /// The span.
        name: String,
        /// Its end.
        end: Femtoseconds,
        /// The end of the run.
        run: Femtoseconds,
    },
    /// Spans of one track cross.
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    /// The run ends beyond the range of femtoseconds.
    #[error(transparent)]
    Clock(#[from] ClockError),
}

impl Timing {
    /// Whether the kernels add up to the run, spans nest, and no unit works after the end.
    pub fn check(&self) -> Result<(), TimingError> {
        if let Some(free) = self.kernels.iter().find(|k| k.cycles.0 == 0) {
            return Err(TimingError::Free(free.name.clone()));
        }
        let kernels = self.kernels.iter().map(|k| k.cycles.0).sum();
        if kernels != self.cycles.0 {
            return Err(TimingError::Sum {
                kernels,
                run: self.cycles.0,
            });
        }
        self.timeline.edges()?;
        let run = self.clock.time_of(self.cycles)?;
        match self.timeline.spans().iter().find(|span| span.end > run) {
            Some(span) => Err(TimingError::Tail {
                name: span.name.clone(),
                end: span.end,
                run,
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_sim::Span;

    const PERIOD: Femtoseconds = Femtoseconds(1000);

    fn timing(kernels: &[u64], run: u64, end: u64) -> Timing {
        let mut timeline = Timeline::new();
        let track = timeline.add_track("unit");
        let (start, end) = (Femtoseconds(0), Femtoseconds(end * PERIOD.0));
        let span = Span {
            track,
            start,
            end,
            name: "work".into(),
            args: vec![],
        };
        timeline.add_span(span).expect("the track exists");
        let named = |&cycles: &u64| KernelTiming {
            name: format!("k{cycles}"),
            loc: None,
            cycles: Cycle(cycles),
        };
        Timing {
            clock: Clock::new("core", PERIOD).expect("a period"),
            cycles: Cycle(run),
            kernels: kernels.iter().map(named).collect(),
            timeline,
            provenance: Provenance::Simulated,
        }
    }

    #[test]
    fn a_timing_that_adds_up_passes() {
        timing(&[3, 4], 7, 7).check().expect("consistent");
    }

    #[test]
    fn contradictions_are_named() {
        let message = |t: Timing| t.check().expect_err("inconsistent").to_string();
        assert_eq!(
            message(timing(&[3, 4], 8, 7)),
            "the kernels take 7 cycles together, the run 8"
        );
        assert_eq!(message(timing(&[7, 0], 7, 7)), "kernel k0 takes no cycle");
        assert_eq!(
            message(timing(&[7], 7, 8)),
            "work ends at 8000 fs, after the end of the run at 7000 fs"
        );
    }
}
