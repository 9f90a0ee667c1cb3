//! Places stages in time: a deterministic list schedule, first come first served.
//!
//! Rules. The setup runs first. Then jobs are admitted in order, at most [`Options::in_flight`] at a
//! time: 1 means one after the other, 2 is double buffering (while one job is computed the next one
//! is brought), k for a chain of k resources lets all of them work at once. A stage is *ready* when
//! the stages it waits for are available, and every resource serves its queue in the order
//! (ready time, job, stage). A stage that occupies several resources starts when it is first in line
//! at each; the order is the same at all of them, so nothing can deadlock.
//!
//! Every start has one recorded **cause**, the stage whose end or arrival allowed it; the critical
//! path is read off these causes.

use crate::error::ScheduleError;
use crate::job_id::JobId;
use crate::placed::{last_available, Placed};
use crate::workload::{Job, ResourceId, Stage, Workload};
use ringwright_sim::{Clock, Cycle, EventQueue, Femtoseconds, UnitId};
use std::collections::BTreeSet;

/// How much may overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Jobs admitted and not finished, at least 1: the number of buffers for a job's data.
    pub in_flight: usize,
}

impl Options {
    /// Each job after the one before it.
    pub const SEQUENTIAL: Self = Self { in_flight: 1 };
    /// Two jobs at a time.
    pub const DOUBLE_BUFFERED: Self = Self { in_flight: 2 };
}

/// A workload with a time for every stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    workload: Workload,
    options: Options,
    placed: Vec<Placed>,
    alone: Vec<Femtoseconds>,
}

/// Places all stages of a workload.
pub fn schedule(workload: Workload, options: Options) -> Result<Schedule, ScheduleError> {
    workload.check()?;
    if options.in_flight == 0 {
        return Err(ScheduleError::NoneInFlight);
    }
    let placed = Placement::new(workload.resources.len(), workload.all(), options).run()?;
    let jobs = workload.jobs.iter();
    let alone = jobs.map(|job| latency_alone(workload.resources.len(), job));
    let alone = alone.collect::<Result<_, _>>()?;
    Ok(Schedule {
        placed,
        alone,
        options,
        workload,
    })
}

/// How long the job takes when nothing else runs.
fn latency_alone(resources: usize, job: &Job) -> Result<Femtoseconds, ScheduleError> {
    Ok(last_available(&place_alone(resources, job)?))
}

/// Places one job when nothing else runs.
pub(crate) fn place_alone(resources: usize, job: &Job) -> Result<Vec<Placed>, ScheduleError> {
    let nothing = Job::new();
    let jobs = [(JobId::Setup, &nothing), (JobId::Job(0), job)];
    Placement::new(resources, jobs, Options::SEQUENTIAL).run()
}

impl Schedule {
    /// What was scheduled.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The options it was scheduled with.
    pub fn options(&self) -> Options {
        self.options
    }

    /// All stages, setup first, then job by job.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// The stage that a [`Placed`] of this schedule places.
    pub fn stage(&self, placed: &Placed) -> &Stage {
        &self.workload.job(placed.job).stages[placed.stage]
    }

    /// End-to-end time: from 0 until the last result is available, setup included.
    pub fn total(&self) -> Femtoseconds {
        last_available(&self.placed)
    }

    /// From the start of a job's first stage until its last result is available, beside the other
    /// jobs in flight; `None` for a job that does not exist.
    pub fn latency(&self, job: usize) -> Option<Femtoseconds> {
        let of_job = || {
            self.placed
                .iter()
                .filter(|placed| placed.job == JobId::Job(job))
        };
        let start = of_job().map(|placed| placed.start).min()?;
        of_job()
            .map(|placed| placed.available)
            .max()?
            .checked_sub(start)
    }

    /// The latency that the job would have with all resources to itself.
    pub fn latency_alone(&self, job: usize) -> Option<Femtoseconds> {
        self.alone.get(job).copied()
    }
}

/// Something that a stage does when its time has come.
enum Happening {
    /// Its resources become free.
    Released(usize),
    /// Its result can be used.
    Available(usize),
}

/// The schedule under construction. Stages are numbered over all jobs, setup first.
pub(crate) struct Placement<'w> {
    stages: Vec<&'w Stage>,
    placed: Vec<Placed>,
    /// Stages of the same job that wait for this one.
    successors: Vec<Vec<usize>>,
    /// How many results this one still waits for.
    unmet: Vec<usize>,
    /// Of each job, setup first: the range of its stages.
    jobs: Vec<std::ops::Range<usize>>,
    /// Of each job: stages whose result is not available yet.
    unfinished: Vec<usize>,
    admitted: usize,
    /// Jobs that may still be admitted now.
    free_buffers: usize,
    in_flight: usize,
    resources: Vec<Queue>,
    events: EventQueue<Happening>,
    time: Clock,
}

/// A resource: who waits for it, in the order of service, and who had it last.
#[derive(Clone, Default)]
struct Queue {
    waiting: BTreeSet<(Femtoseconds, usize)>,
    busy: bool,
    last: Option<usize>,
}

impl<'w> Placement<'w> {
    /// `jobs`: the setup first.
    pub(crate) fn new(
        resources: usize,
        jobs: impl IntoIterator<Item = (JobId, &'w Job)>,
        options: Options,
    ) -> Self {
        let mut new = Self {
            stages: Vec::new(),
            placed: Vec::new(),
            successors: Vec::new(),
            unmet: Vec::new(),
            jobs: Vec::new(),
            unfinished: Vec::new(),
            admitted: 0,
            free_buffers: 1,
            in_flight: options.in_flight,
            resources: vec![Queue::default(); resources],
            events: EventQueue::new(),
            time: Clock::femtosecond(),
        };
        for (id, job) in jobs {
            new.number(id, job);
        }
        new
    }

    fn number(&mut self, id: JobId, job: &'w Job) {
        let first = self.stages.len();
        for (index, stage) in job.stages.iter().enumerate() {
            self.stages.push(stage);
            self.successors.push(Vec::new());
            self.unmet.push(stage.after.len());
            self.placed.push(unplaced(id, index));
            for before in &stage.after {
                self.successors[first + before].push(first + index);
            }
        }
        self.jobs.push(first..self.stages.len());
        self.unfinished.push(job.stages.len());
    }

    /// Places all of them.
    pub(crate) fn run(mut self) -> Result<Vec<Placed>, ScheduleError> {
        self.admit(None);
        loop {
            self.start_what_can()?;
            let Some(event) = self.events.take() else {
                return Ok(self.placed);
            };
            self.happen(event.payload);
            while let Some(event) = self.events.take_in_cycle() {
                self.happen(event.payload);
            }
        }
    }

    fn now(&self) -> Femtoseconds {
        Femtoseconds(self.events.now().0)
    }

    /// Lets jobs in while there are buffers; `cause` is the stage that freed one.
    fn admit(&mut self, cause: Option<usize>) {
        while self.free_buffers > 0 && self.admitted < self.jobs.len() {
            let job = self.admitted;
            self.admitted += 1;
            self.free_buffers -= 1;
            for stage in self.jobs[job]
                .clone()
                .filter(|stage| self.unmet[*stage] == 0)
                .collect::<Vec<_>>()
            {
                self.make_ready(stage, cause);
            }
            if self.unfinished[job] == 0 {
                self.finish_job(job);
            }
        }
    }

    /// The setup's end opens all buffers, a job's end its own.
    fn finish_job(&mut self, job: usize) {
        self.free_buffers += if job == 0 { self.in_flight } else { 1 };
    }

    fn make_ready(&mut self, stage: usize, cause: Option<usize>) {
        let now = self.now();
        self.placed[stage].ready = now;
        self.placed[stage].cause = cause;
        for resource in self.stages[stage].held() {
            self.resources[resource.0].waiting.insert((now, stage));
        }
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Released(stage) => {
                for resource in self.stages[stage].held() {
                    self.resources[resource.0].busy = false;
                }
            }
            Happening::Available(stage) => self.deliver(stage),
        }
    }

    fn deliver(&mut self, stage: usize) {
        for next in std::mem::take(&mut self.successors[stage]) {
            self.unmet[next] -= 1;
            if self.unmet[next] == 0 {
                self.make_ready(next, Some(stage));
            }
        }
        let job = self.jobs.partition_point(|stages| stages.end <= stage);
        self.unfinished[job] -= 1;
        if self.unfinished[job] == 0 {
            self.finish_job(job);
            self.admit(Some(stage));
        }
    }

    /// One pass is enough: a start occupies every resource whose first in line it changes.
    fn start_what_can(&mut self) -> Result<(), ScheduleError> {
        for resource in 0..self.resources.len() {
            let Some(&first) = self.resources[resource].waiting.first() else {
                continue;
            };
            if self.stages[first.1]
                .held()
                .all(|held| self.is_next(held, first))
            {
                self.start(first)?;
            }
        }
        Ok(())
    }

    fn is_next(&self, resource: ResourceId, entry: (Femtoseconds, usize)) -> bool {
        let queue = &self.resources[resource.0];
        !queue.busy && queue.waiting.first() == Some(&entry)
    }

    fn start(&mut self, entry: (Femtoseconds, usize)) -> Result<(), ScheduleError> {
        let (ready, index) = entry;
        let (stage, now) = (self.stages[index], self.now());
        let cause = match now > ready {
            true => self.last_to_release(stage, now),
            false => self.placed[index].cause,
        };
        for held in stage.held() {
            let queue = &mut self.resources[held.0];
            queue.waiting.remove(&entry);
            queue.busy = true;
            queue.last = Some(index);
        }
        let too_long = || ScheduleError::TooLong {
            what: format!("stage {:?}", stage.name),
        };
        let end = now.checked_add(stage.duration).ok_or_else(too_long)?;
        let available = end.checked_add(stage.latency).ok_or_else(too_long)?;
        self.placed[index] = Placed {
            start: now,
            end,
            available,
            cause,
            ..self.placed[index]
        };
        let unit = UnitId(stage.resource.0 as u32);
        self.at(end, unit, Happening::Released(index));
        self.at(available, unit, Happening::Available(index));
        Ok(())
    }

    /// A stage that had to wait for its resources starts at the moment one of them is released.
    fn last_to_release(&self, stage: &Stage, now: Femtoseconds) -> Option<usize> {
        let last = stage.held().filter_map(|held| self.resources[held.0].last);
        let cause = last
            .into_iter()
            .find(|holder| self.placed[*holder].end == now);
        debug_assert!(cause.is_some(), "{:?} starts without a cause", stage.name);
        cause
    }

    fn at(&mut self, time: Femtoseconds, unit: UnitId, happening: Happening) {
        let cycle: Cycle = self.time.edge_at_or_after(time);
        let scheduled = self.events.schedule(cycle, unit, happening);
        debug_assert!(scheduled.is_ok(), "an end before its start");
    }
}

fn unplaced(job: JobId, stage: usize) -> Placed {
    let never = Femtoseconds::ZERO;
    Placed {
        job,
        stage,
        ready: never,
        start: never,
        end: never,
        available: never,
        cause: None,
    }
}
