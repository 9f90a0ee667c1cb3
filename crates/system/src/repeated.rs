//! Equal jobs, however many of them: the time of a million without placing a million.
//!
//! Where all jobs are equal, what happens from the admission of one on depends on the state at that
//! instant alone: how far the jobs in flight are, and when what runs ends. No job overtakes another,
//! because every resource serves the earlier one first. There are finitely many states in reach, so
//! one comes back, and from there on the jobs take turns for ever: `period` more jobs take `stride`
//! more time. Both are found by placing a few jobs, and no rounding is in them: a total is the one
//! that [`schedule`](crate::schedule()) has for as many jobs, to the femtosecond (a test).
//!
//! The last jobs of a run have no others behind them. So totals up to the end of the first period are
//! each placed on their own, and only then added to.

use crate::error::ScheduleError;
use crate::job_id::JobId;
use crate::placed::{last_available, Placed};
use crate::schedule::{Options, Placement};
use crate::stages::Stages;
use crate::workload::{End, Job, Workload};
use ringwright_sim::Femtoseconds;
use std::collections::HashMap;

/// Jobs placed at most until a state comes back.
const MOST_JOBS: usize = 1 << 14;

/// A set-up, and equal jobs after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    setup: Femtoseconds,
    /// Of 1, 2, … jobs, from the end of the set-up until the last result is available.
    totals: Vec<Femtoseconds>,
    /// After the jobs of `totals`: so many more ...
    period: usize,
    /// ... take so much longer.
    stride: Femtoseconds,
}

/// Two states are the same where the stages of the jobs in flight are placed alike, seen from the
/// admission of the last of them.
type State = Vec<[i128; 4]>;

impl Repeated {
    /// Finds what repeats. `end`: every stage at one end of its range.
    pub fn new(
        setup: Stages,
        job: Stages,
        options: Options,
        end: Option<End>,
    ) -> Result<Self, ScheduleError> {
        let workload = Workload::of(setup, [job])?;
        let workload = match end {
            Some(end) => workload.at(end)?,
            None => workload,
        };
        workload.check()?;
        if options.in_flight == 0 {
            return Err(ScheduleError::NoneInFlight);
        }
        let equal = Equal {
            resources: workload.resources.len(),
            setup: &workload.setup,
            job: &workload.jobs[0],
            options,
        };
        equal.repeated()
    }

    /// How long the set-up takes.
    pub fn setup(&self) -> Femtoseconds {
        self.setup
    }

    /// How long so many jobs take, the set-up apart: femtoseconds, beyond the 64 bits of a schedule.
    pub fn jobs(&self, count: u64) -> Result<u128, ScheduleError> {
        let last = count.checked_sub(1).ok_or(ScheduleError::NoJobs)?;
        let (known, period) = (self.totals.len() as u64, self.period as u64);
        let turns = match last.checked_sub(known) {
            None => 0,
            Some(beyond) => beyond / period + 1,
        };
        let placed = self.totals[(last - turns * period) as usize];
        Ok(u128::from(placed.0) + u128::from(self.stride.0) * u128::from(turns))
    }

    /// The steady state: so many jobs in so much time.
    pub fn steady(&self) -> (usize, Femtoseconds) {
        (self.period, self.stride)
    }

    /// The smallest number of jobs that, set-up included, take no longer than `each` for every one;
    /// `None` where no number does.
    pub fn first_within(&self, each: Femtoseconds) -> Option<u64> {
        let known = 1..=self.totals.len() as u64;
        let lacks = |count: u64| {
            let placed = self.totals[count as usize - 1].0;
            let taken = u128::from(self.setup.0) + u128::from(placed);
            taken.saturating_sub(u128::from(each.0) * u128::from(count))
        };
        if let Some(count) = known.clone().find(|&count| lacks(count) == 0) {
            return Some(count);
        }
        // With every turn each place in the period gains the same.
        let spent = u128::from(each.0) * self.period as u128;
        let gained = spent.saturating_sub(u128::from(self.stride.0));
        let last = known.rev().take(self.period);
        let found = last.filter_map(|count| {
            let turns = (gained > 0).then(|| lacks(count).div_ceil(gained))?;
            let more = u64::try_from(turns).ok()?.checked_mul(self.period as u64)?;
            count.checked_add(more)
        });
        found.min()
    }
}

/// What is placed, so many times.
struct Equal<'w> {
    resources: usize,
    setup: &'w Job,
    job: &'w Job,
    options: Options,
}

impl Equal<'_> {
    fn repeated(&self) -> Result<Repeated, ScheduleError> {
        let (first, period) = self.period()?;
        let setup = last_available(&self.place(0)?);
        let totals = (1..=first + period).map(|count| {
            let placed = self.place(count)?;
            Ok(Femtoseconds(last_available(&placed).0 - setup.0))
        });
        let totals: Vec<Femtoseconds> = totals.collect::<Result<_, ScheduleError>>()?;
        let placed = self.place(first + period + 2 * self.options.in_flight)?;
        let [before, after] = [first, first + period].map(|job| self.admitted(&placed, job));
        Ok(Repeated {
            setup,
            totals,
            period,
            stride: Femtoseconds(after - before),
        })
    }

    /// A job, from 0, at whose admission the state is that at a later one's, and how much later.
    fn period(&self) -> Result<(usize, usize), ScheduleError> {
        let in_flight = self.options.in_flight;
        let mut count = in_flight.saturating_mul(4).saturating_add(16);
        while count <= MOST_JOBS {
            let placed = self.place(count)?;
            let mut seen: HashMap<State, usize> = HashMap::new();
            // Behind the last of them, the jobs that would take resources from it are missing.
            for job in in_flight - 1..count - 2 * in_flight {
                if let Some(before) = seen.insert(self.state(&placed, job), job) {
                    return Ok((before, job - before));
                }
            }
            count *= 2;
        }
        Err(ScheduleError::NothingRepeats { jobs: MOST_JOBS })
    }

    /// The set-up and so many jobs.
    fn place(&self, count: usize) -> Result<Vec<Placed>, ScheduleError> {
        let jobs = (0..count).map(|number| (JobId::Job(number), self.job));
        let jobs = std::iter::once((JobId::Setup, self.setup)).chain(jobs);
        Placement::new(self.resources, jobs, self.options).run()
    }

    fn stages_of<'p>(&self, placed: &'p [Placed], job: usize) -> &'p [Placed] {
        let first = self.setup.stages.len() + job * self.job.stages.len();
        &placed[first..first + self.job.stages.len()]
    }

    /// When a job was let in: its first stages wait for nothing else.
    fn admitted(&self, placed: &[Placed], job: usize) -> u64 {
        let stages = self.stages_of(placed, job).iter();
        stages.map(|stage| stage.ready.0).min().unwrap_or_default()
    }

    fn state(&self, placed: &[Placed], job: usize) -> State {
        let now = i128::from(self.admitted(placed, job));
        let window = job + 1 - self.options.in_flight..=job;
        let stages = window.flat_map(|each| self.stages_of(placed, each));
        stages
            .map(|stage| {
                [stage.ready, stage.start, stage.end, stage.available]
                    .map(|time| i128::from(time.0) - now)
            })
            .collect()
    }
}
