//! The time of a program on a simulated machine.
//!
//! A kernel boundary drains the device, so the time of a program is the sum of its kernels' times
//! and a kernel's time is computed once, however often it is called. Below the kernels stand the
//! [`Step`]s, with what the device leaves to its host. [`Timing::check`] holds a simulator to that.

use crate::step::{provenances, schedule, Step, Work, HOST};
use ringwright_ir::ring::Loc;
use ringwright_sim::{
    Clock, ClockError, Cycle, Provenance, Span, Timeline, TimelineError, TrackId,
};
use std::collections::{BTreeMap, BTreeSet};

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
    /// The device's units, in the order of the timeline's tracks.
    pub units: &'static [&'static str],
    /// How often each instruction runs, by mnemonic; empty for machines without instructions.
    pub instructions: BTreeMap<&'static str, u64>,
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
    /// Where they come from, [`provenances`] of its steps: `Simulated` where the units are in RTL,
    /// `Modelled` where they are described only. Both where it has steps of either kind.
    pub provenances: BTreeSet<Provenance>,
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
        "step {index} ({name}) occupies {units:?}; host functions occupy \"host\", others units of the device"
    )]
    Units {
        /// Position of the step.
        index: usize,
        /// Its name.
        name: &'static str,
        /// The units that it names.
        units: &'static [&'static str],
    },
    /// A step waits for one that is not before it.
    #[error("step {index} ({name}) waits for step {given}, which is not before it")]
    NotEarlier {
        /// Position of the step.
        index: usize,
        /// Its name.
        name: &'static str,
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
    /// The kernels say other origins than the steps.
    #[error("the kernels' cycles are {}, the steps' {}", words(.kernels), words(.steps))]
    Provenances {
        /// Over all kernels.
        kernels: BTreeSet<Provenance>,
        /// Over all steps.
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

impl Timing {
    /// Where `cycles` come from; more than one means that they mix them.
    pub fn provenances(&self) -> BTreeSet<Provenance> {
        let kernels = self.kernels.iter();
        kernels
            .flat_map(|kernel| kernel.provenances.iter().copied())
            .collect()
    }

    /// Whether the kernels and the steps add up to the run, each step on a unit that there is.
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
        self.clock.time_of(self.cycles)?;
        Ok(())
    }

    /// What each unit does when, one track per unit, while host functions take no time.
    pub fn timeline(&self) -> Result<Timeline, TimingError> {
        let mut timeline = Timeline::new();
        let tracks = self.units.iter().map(|&unit| timeline.add_track(unit));
        let tracks: Vec<TrackId> = tracks.collect();
        let intervals = schedule(&self.steps, |step| step.work.device_cycles());
        for (step, interval) in self.steps.iter().zip(intervals) {
            for (unit, &track) in self.units.iter().zip(&tracks) {
                if step.units.contains(unit) {
                    timeline.add_span(Span {
                        track,
                        start: self.clock.time_of(Cycle(interval.start))?,
                        end: self.clock.time_of(Cycle(interval.end))?,
                        name: step.name.to_owned(),
                        args: step.provenance_args(),
                    })?;
                }
            }
        }
        Ok(timeline)
    }

    fn check_steps(&self) -> Result<(), TimingError> {
        for (index, step) in self.steps.iter().enumerate() {
            let (name, units) = (step.name, step.units);
            let fits = |unit: &&str| match step.work {
                Work::HostFunction { .. } => *unit == HOST,
                _ => self.units.contains(unit),
            };
            if units.is_empty() || !units.iter().all(fits) {
                return Err(TimingError::Units { index, name, units });
            }
            if let Some(&given) = step.after.iter().find(|&&before| before >= index) {
                return Err(TimingError::NotEarlier { index, name, given });
            }
        }
        let (kernels, steps) = (self.provenances(), provenances(&self.steps));
        if !self.steps.is_empty() && kernels != steps {
            return Err(TimingError::Provenances { kernels, steps });
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
    use crate::{Hardware, Task};
    use ringwright_sim::Femtoseconds;

    const PERIOD: Femtoseconds = Femtoseconds(1000);
    const BFU: &[&str] = &["bfu"];
    const DMA: &[&str] = &["dma"];

    fn timing(kernels: &[u64], run: u64) -> Timing {
        let named = |&cycles: &u64| KernelTiming {
            name: format!("k{cycles}"),
            loc: None,
            cycles: Cycle(cycles),
            provenances: [Provenance::Simulated].into(),
        };
        Timing {
            clock: Clock::new("core", PERIOD, Provenance::Modelled).expect("a period"),
            cycles: Cycle(run),
            kernels: kernels.iter().map(named).collect(),
            steps: vec![],
            units: &["bfu", "dma"],
            instructions: BTreeMap::new(),
        }
    }

    #[test]
    fn a_timing_that_adds_up_passes() {
        timing(&[3, 4], 7).check().expect("consistent");
    }

    #[test]
    fn contradictions_are_named() {
        let message = |t: Timing| t.check().expect_err("inconsistent").to_string();
        assert_eq!(
            message(timing(&[3, 4], 8)),
            "the kernels take 7 cycles together, the run 8"
        );
        assert_eq!(message(timing(&[7, 0], 7)), "kernel k0 takes no cycle");
    }

    fn step(work: Work, units: &'static [&'static str], after: &[usize]) -> Step {
        Step {
            name: "step",
            task: Task::Compute,
            work,
            hardware: Hardware::Rtl,
            units,
            after: after.to_vec(),
            loc: None,
        }
    }

    #[test]
    fn steps_overlap_where_neither_unit_nor_dependency_forbids() {
        let (load, transform, store) = (3, 5, 2);
        let transfer = |cycles| Work::Transfer { cycles, bytes: 8 };
        let mut timing = timing(&[load + transform + store], load + transform + store);
        timing.steps = vec![
            step(transfer(load), DMA, &[]),
            step(Work::Kernel { cycles: transform }, BFU, &[0]),
            step(transfer(load), DMA, &[]),
            step(transfer(store), DMA, &[1, 2]),
        ];
        timing
            .check()
            .expect("the second load is beside the transform");
        let timeline = timing.timeline().expect("within the range");
        let track = |span: &Span| timeline.tracks()[span.track.0].name.clone();
        let spans: Vec<_> = timeline.spans().iter().map(track).collect();
        assert_eq!(spans, ["dma", "bfu", "dma", "dma"]);
        timeline.edges().expect("spans nest");
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
    fn what_no_rtl_does_is_modelled_and_the_run_says_that_it_mixes() {
        let (load, transform) = (3, 5);
        let transfer = Work::Transfer {
            cycles: load,
            bytes: 8,
        };
        let mut timing = timing(&[load + transform], load + transform);
        timing.steps = vec![
            step(transfer, DMA, &[]),
            step(Work::Kernel { cycles: transform }, BFU, &[0]),
        ];
        timing.check().expect("all of it is in RTL");
        timing.steps[0].hardware = Hardware::Described { through_rtl: None };
        let error = timing.check().expect_err("said nowhere").to_string();
        let said = "the kernels' cycles are simulated, the steps' simulated + modelled";
        assert_eq!(error, said);
        timing.kernels[0].provenances = provenances(&timing.steps);
        timing.check().expect("said");
        let mixed = BTreeSet::from([Provenance::Simulated, Provenance::Modelled]);
        assert_eq!(timing.provenances(), mixed);
    }

    #[test]
    fn a_host_function_is_its_hosts_unless_it_needs_what_no_device_has() {
        let operations = Default::default();
        let mut step = step(Work::HostFunction { operations }, &[HOST], &[]);
        assert_eq!(step.provenance(), None);
        step.hardware = Hardware::Described { through_rtl: None };
        assert_eq!(step.provenance(), Some(Provenance::Modelled));
        // It takes no cycle of the device, so the device's cycles are not its.
        assert!(provenances([&step]).is_empty());
    }

    #[test]
    fn a_step_on_the_wrong_unit_or_out_of_order_is_named() {
        let mut timing = timing(&[1], 1);
        let host = Work::HostFunction {
            operations: Default::default(),
        };
        timing.steps = vec![step(host.clone(), DMA, &[])];
        assert!(matches!(
            timing.check(),
            Err(TimingError::Units { index: 0, .. })
        ));
        timing.steps = vec![step(Work::Kernel { cycles: 1 }, &["sampler"], &[])];
        assert!(matches!(
            timing.check(),
            Err(TimingError::Units { index: 0, .. })
        ));
        timing.steps = vec![step(host, &[HOST], &[0])];
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
