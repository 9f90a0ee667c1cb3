//! The time of a program on a simulated machine.
//!
//! A kernel boundary drains the device, so the time of a program is the sum of its kernels' times
//! and a kernel's time is computed once, however often it is called. Below the kernels stand the
//! [`Step`]s, with what the device leaves to its host. [`Timing::check`] holds a simulator to that.

use crate::step::{schedule, Step, Work, HOST};
use ringwright_ir::ring::Loc;
use ringwright_sim::{Clock, ClockError, Cycle, Femtoseconds, Provenance, Timeline, TimelineError};
use std::collections::BTreeMap;

/// Time of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// The clock that `cycles` counts.
    pub clock: Clock,
    /// From the start of the run until the device has drained.
    pub cycles: Cycle,
    /// The kernels of the entry function in order of execution; their cycles sum to `cycles`.
    pub kernels: Vec<KernelTiming>,
    /// What device, transfers and host do, in order; with host functions that take no time the
    /// last one ends at `cycles`. Empty where a target does not say.
    pub steps: Vec<Step>,
    /// What each unit does when; one track per unit.
    pub timeline: Timeline,
    /// How often each instruction runs, by mnemonic; empty for machines without instructions.
    pub instructions: BTreeMap<&'static str, u64>,
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
    /// A step without unit, or on a unit that does not fit its work.
    #[error(
        "step {index} ({name}) occupies {units:?}; host functions occupy \"host\", others do not"
    )]
    Units {
        /// Position of the step.
        index: usize,
        /// Its name.
        name: String,
        /// The units that it names.
        units: Vec<String>,
    },
    /// A step waits for one that is not before it.
    #[error("step {index} ({name}) waits for step {given}, which is not before it")]
    NotEarlier {
        /// Position of the step.
        index: usize,
        /// Its name.
        name: String,
        /// What it waits for.
        given: usize,
    },
    /// The steps end at another time than the run.
    #[error("the steps end at cycle {steps}, the run at {run}")]
    Steps {
        /// End of the last step.
        steps: u64,
        /// The run.
        run: u64,
    },
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
        self.check_steps()?;
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

    fn check_steps(&self) -> Result<(), TimingError> {
        for (index, step) in self.steps.iter().enumerate() {
            let name = || step.name.clone();
            let on_host = matches!(step.work, Work::HostFunction { .. });
            let fits = |unit: &String| (unit == HOST) == on_host;
            if step.units.is_empty() || !step.units.iter().all(fits) {
                let units = step.units.clone();
                return Err(TimingError::Units {
                    index,
                    name: name(),
                    units,
                });
            }
            if let Some(&given) = step.after.iter().find(|&&before| before >= index) {
                return Err(TimingError::NotEarlier {
                    index,
                    name: name(),
                    given,
                });
            }
        }
        let intervals = schedule(&self.steps, |step| step.work.device_cycles());
        match intervals.iter().map(|interval| interval.end).max() {
            Some(steps) if steps != self.cycles.0 => Err(TimingError::Steps {
                steps,
                run: self.cycles.0,
            }),
            _ => Ok(()),
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
            steps: vec![],
            timeline,
            instructions: BTreeMap::new(),
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

    fn step(work: Work, unit: &str, after: &[usize]) -> Step {
        Step {
            name: "step".into(),
            work,
            units: vec![unit.into()],
            after: after.to_vec(),
            loc: None,
        }
    }

    #[test]
    fn steps_overlap_where_neither_unit_nor_dependency_forbids() {
        let (load, transform, store) = (3, 5, 2);
        let transfer = |cycles| Work::Transfer { cycles, bytes: 8 };
        let mut timing = timing(&[load + transform + store], load + transform + store, 1);
        timing.steps = vec![
            step(transfer(load), "dma", &[]),
            step(Work::Kernel { cycles: transform }, "bfu", &[0]),
            step(transfer(load), "dma", &[]),
            step(transfer(store), "dma", &[1, 2]),
        ];
        timing
            .check()
            .expect("the second load is beside the transform");
        timing.steps[1].after = vec![];
        let error = timing.check().expect_err("it ends earlier now").to_string();
        let end = 2 * load + store;
        assert_eq!(
            error,
            format!(
                "the steps end at cycle {end}, the run at {}",
                load + transform + store
            )
        );
    }

    #[test]
    fn a_step_on_the_wrong_unit_or_out_of_order_is_named() {
        let mut timing = timing(&[1], 1, 1);
        let host = Work::HostFunction {
            operations: Default::default(),
        };
        timing.steps = vec![step(host.clone(), "dma", &[])];
        assert!(matches!(
            timing.check(),
            Err(TimingError::Units { index: 0, .. })
        ));
        timing.steps = vec![step(host, HOST, &[0])];
        assert!(matches!(
            timing.check(),
            Err(TimingError::NotEarlier {
                index: 0,
                given: 0,
                ..
            })
        ));
    }
}
