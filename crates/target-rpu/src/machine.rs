//! The machine: its units together, from one event to the next.
//!
//! A cycle is decided in this order: the front end issues (it sees the state at the start of the
//! cycle), the lanes start an instruction, the shuffle crossbar starts one (behind the lanes'
//! reservations of register ports), loads and stores make their step (behind both). Nothing happens
//! in the cycles between two decisions but what the decisions fixed, so the machine goes from each
//! to the earliest cycle in which another is possible: a register becomes free, a pipeline does, an
//! instruction has just arrived. Time depends on no value.

use crate::check::{at, check, Checked, Op};
use crate::config::{Config, SourceRelease, VrfClash};
use crate::isa::{Class, Program};
use crate::memory_order::{MemoryOrder, Started};
use crate::program_error::{Problem, ProgramError};
use crate::schedule::Wait;
use crate::schedule::{index, Counters, PipeStalls, Schedule, Stalls, Times};
use crate::units::busyboard::Busyboard;
use crate::units::front_end::FrontEnd;
use crate::units::hple::{BeatPipe, Entry};
use crate::units::queue::Queue;
use crate::units::vbar::{self, Rows, Step, Steps, Vbar};
use crate::units::vrf::Ports;
use crate::units::{hple, sbar};

/// The times of a program; `sdm` is the scalar data memory at the start, for the addresses.
pub fn time(program: &Program, config: &Config, sdm: &[u128]) -> Result<Schedule, ProgramError> {
    let checked = check(program, config, sdm)?;
    Ok(simulate(program, config, &checked)?.schedule)
}

/// A schedule with what a trace needs beside it.
pub(crate) struct Simulated {
    pub(crate) schedule: Schedule,
    /// Of loads and stores, their steps.
    pub(crate) steps: Vec<Option<Steps>>,
    /// First steps of the groups of loads and stores.
    pub(crate) groups: Vec<Step>,
    pub(crate) vbar: Vbar,
}

/// Runs a checked program without values.
pub(crate) fn simulate(
    program: &Program,
    config: &Config,
    checked: &Checked,
) -> Result<Simulated, ProgramError> {
    let mut machine = Machine::new(config, checked);
    machine
        .run()
        .map_err(|(instruction, what)| at(program, instruction, what))?;
    machine.vbar.advance(u64::MAX, &machine.ports);
    machine
        .order
        .check(program, config, &machine.groups, &machine.vbar)?;
    Ok(machine.finish())
}

/// No cycle is known.
const NEVER: u64 = u64::MAX;

/// The refusal of an instruction.
type Refusal = (usize, Problem);

struct Machine<'a> {
    config: &'a Config,
    checked: &'a Checked,
    ports: Ports,
    board: Busyboard,
    front_end: FrontEnd,
    queues: [Queue; 3],
    compute: BeatPipe,
    shuffle: BeatPipe,
    vbar: Vbar,
    order: MemoryOrder,
    times: Vec<Times>,
    steps: Vec<Option<Steps>>,
    groups: Vec<Step>,
    stalls: Stalls,
    /// The cycle after the last start of a load or store.
    next_access: u64,
    /// The earliest cycle in which something can happen next.
    next: u64,
}

impl<'a> Machine<'a> {
    fn new(config: &'a Config, checked: &'a Checked) -> Self {
        let (compute, shuffle) = (hple::rhythm(config), sbar::rhythm(config));
        let count = checked.ops.len();
        Machine {
            config,
            checked,
            ports: Ports::new(compute.span().max(shuffle.span())),
            board: Busyboard::new(config.busy_rule),
            front_end: FrontEnd::default(),
            queues: [(); 3].map(|()| Queue::new(config.queue_depth)),
            compute: BeatPipe::new(compute, config),
            shuffle: BeatPipe::new(shuffle, config),
            vbar: Vbar::new(config),
            order: MemoryOrder::new(config),
            times: vec![NOT_STARTED; count],
            steps: vec![None; count],
            groups: Vec::new(),
            stalls: Stalls::default(),
            next_access: 0,
            next: 0,
        }
    }

    fn run(&mut self) -> Result<(), Refusal> {
        let mut now = 0;
        loop {
            self.next = NEVER;
            self.vbar.advance(now, &self.ports);
            self.ports.advance(now);
            self.issue(now);
            self.start_beats(now, Class::Compute)?;
            self.start_beats(now, Class::Shuffle)?;
            self.start_access(now)?;
            if self.next == NEVER {
                return Ok(());
            }
            now = self.next;
        }
    }

    /// Something can happen in this cycle.
    fn wake(&mut self, cycle: u64) {
        self.next = self.next.min(cycle);
    }

    fn issue(&mut self, now: u64) {
        let Some(op) = self.checked.ops.get(self.front_end.pc) else {
            return;
        };
        let queue = index(op.class);
        if let Some((blocker, free)) = self.blocker(now, op) {
            let class = index(self.checked.ops[blocker].class);
            self.front_end.wait(now, Wait::Busy(class));
            // One that waits in its queue frees nothing before it starts, which is an event.
            self.wake(free);
        } else if self.queues[queue].is_full() {
            self.front_end.wait(now, Wait::QueueFull(queue));
        } else {
            let instruction = self.front_end.pc;
            self.times[instruction].issue = now;
            self.board.set(instruction, queue, &op.uses);
            self.queues[queue].push(instruction, now);
            self.front_end.issue(now);
            self.wake(now + 1);
        }
    }

    /// The instruction whose register blocks this one, and when it frees it.
    fn blocker(&self, now: u64, op: &Op) -> Option<(usize, u64)> {
        let written = |i: u32| self.end(i as usize);
        let read = |i: u32| self.read_out(i as usize);
        self.board.blocker(now, &op.uses, written, read)
    }

    /// The cycle after the last write of an instruction, as far as it is known.
    fn end(&self, instruction: usize) -> u64 {
        match &self.steps[instruction] {
            None => self.times[instruction].end,
            Some(steps) => {
                let pipe = self.vbar.pipe(self.checked.ops[instruction].store);
                pipe.cycle(steps.last + self.config.load_store_latency) + 1
            }
        }
    }

    /// The first cycle in which the sources of an instruction are free.
    fn read_out(&self, instruction: usize) -> u64 {
        match self.config.source_release {
            SourceRelease::Completion => self.end(instruction),
            SourceRelease::Readout => self.taken(instruction),
        }
    }

    /// The cycle after the last in which an instruction reads its sources or the banks.
    fn taken(&self, instruction: usize) -> u64 {
        match &self.steps[instruction] {
            None => self.times[instruction].taken,
            Some(steps) => {
                let pipe = self.vbar.pipe(self.checked.ops[instruction].store);
                pipe.cycle(steps.last) + 1
            }
        }
    }

    fn start_beats(&mut self, now: u64, class: Class) -> Result<(), Refusal> {
        let Some((instruction, ready)) = self.queues[index(class)].head() else {
            return Ok(());
        };
        let need = self.checked.ops[instruction].footprint;
        let (pipe, stalls) = match class {
            Class::Shuffle => (&mut self.shuffle, &mut self.stalls.shuffle),
            _ => (&mut self.compute, &mut self.stalls.compute),
        };
        match pipe.entry(now, ready, need, &self.ports) {
            Entry::NotBefore(cycle) => self.wake(cycle),
            Entry::Clash(clash) => {
                let retry = pipe.blocked();
                if self.config.vrf_clash == VrfClash::Error {
                    let (cycle, sram) = (clash.cycle, clash.srams.trailing_zeros() as usize);
                    return Err((instruction, Problem::VrfClash { cycle, sram }));
                }
                self.wake(retry);
            }
            Entry::Now => {
                stalls.vrf_port += now - ready.max(pipe.free());
                let started = pipe.start(now, need, &mut self.ports);
                let times = &mut self.times[instruction];
                times.start = now;
                (times.taken, times.end) = (started.taken, started.end);
                self.queues[index(class)].pop();
                self.wake(now + 1);
            }
        }
        Ok(())
    }

    fn start_access(&mut self, now: u64) -> Result<(), Refusal> {
        let head = self.queues[0].head();
        let Some((instruction, ready)) = head else {
            self.vbar.step(now, false, 0, &self.ports);
            return Ok(());
        };
        let op = &self.checked.ops[instruction];
        let ready = ready.max(self.next_access);
        let reads = op.footprint.reads;
        match self.vbar.pipe(op.store).entry(now, ready, reads) {
            vbar::Entry::NotBefore(cycle) => {
                self.vbar.step(now, op.store, 0, &self.ports);
                self.wake(cycle.max(now + 1));
            }
            vbar::Entry::Now => {
                if self.vbar.step(now, op.store, reads, &self.ports) {
                    self.access(now, instruction, ready);
                }
                self.wake(now + 1);
            }
        }
        Ok(())
    }

    /// A load or store starts.
    fn access(&mut self, now: u64, instruction: usize, ready: u64) {
        let op = &self.checked.ops[instruction];
        let groups = match &op.access {
            Some(access) => self.checked.costs.groups(access.groups),
            None => &[1],
        };
        let rows = match (op.store, op.access) {
            (true, _) => Rows::Read(op.footprint.reads),
            (false, Some(_)) => Rows::Write(op.footprint.writes),
            (false, None) => Rows::None,
        };
        let pipe = self.vbar.pipe_mut(op.store);
        let steps = pipe.start(now, ready, rows, groups, &mut self.groups);
        self.times[instruction].start = now;
        self.steps[instruction] = Some(steps);
        self.next_access = now + 1;
        self.queues[0].pop();
        if let Some(access) = &op.access {
            let started = Started {
                instruction,
                store: op.store,
                pattern: access.pattern,
                steps,
            };
            self.order.start(now, started, &self.vbar);
        }
    }

    fn finish(mut self) -> Simulated {
        for instruction in 0..self.times.len() {
            let (taken, end) = (self.taken(instruction), self.end(instruction));
            let read_out = self.read_out(instruction);
            let times = &mut self.times[instruction];
            (times.taken, times.read_out, times.end) = (taken, read_out, end);
        }
        let cycles = self.times.iter().map(|times| times.end).max().unwrap_or(0);
        let counters = self.counters();
        self.account(cycles, &counters);
        Simulated {
            schedule: Schedule {
                cycles,
                instructions: self.times,
                waits: self.front_end.waits,
                stalls: self.stalls,
                counters,
            },
            steps: self.steps,
            groups: self.groups,
            vbar: self.vbar,
        }
    }

    fn counters(&self) -> Counters {
        let mut counters = Counters::default();
        for op in &self.checked.ops {
            counters.instructions[index(op.class)] += 1;
            match (op.class, op.access.is_some(), op.store) {
                (Class::LoadStore, false, _) => counters.scalar_loads += 1,
                (Class::LoadStore, true, false) => counters.vector_loads += 1,
                (Class::LoadStore, true, true) => counters.vector_stores += 1,
                (Class::Compute, ..) if op.uses.writes.count_ones() == 2 => {
                    counters.butterflies += self.config.vector_length as u64;
                }
                _ => {}
            }
        }
        let stores = self.vbar.stores.iter().flat_map(|pipe| pipe.held());
        counters.holds = self.vbar.loads.held().chain(stores).count() as u64;
        counters
    }

    /// Where the cycles of every unit went.
    fn account(&mut self, cycles: u64, counters: &Counters) {
        let mut front_end = self.front_end.stalls;
        front_end.drained = cycles - front_end.total();
        self.stalls.front_end = front_end;
        let [_, compute, shuffle] = counters.instructions;
        self.stalls.compute = self.beats(cycles, Class::Compute, compute);
        self.stalls.shuffle = self.beats(cycles, Class::Shuffle, shuffle);
        self.stalls.load_store = self.accesses(cycles, false);
        let separate = self.vbar.stores.is_some();
        self.stalls.store = separate.then(|| self.accesses(cycles, true));
    }

    fn beats(&self, cycles: u64, class: Class, count: u64) -> PipeStalls {
        let (pipe, vrf_port) = match class {
            Class::Shuffle => (&self.shuffle, self.stalls.shuffle.vrf_port),
            _ => (&self.compute, self.stalls.compute.vrf_port),
        };
        let rhythm = pipe.rhythm;
        let mut stalls = PipeStalls {
            work: count * rhythm.beats,
            interval: count * (rhythm.occupancy() - rhythm.beats),
            // The gap behind the last instruction may reach beyond the end.
            gap: count * self.config.gap - pipe.free().saturating_sub(cycles),
            vrf_port,
            ..PipeStalls::default()
        };
        stalls.empty = cycles - stalls.total();
        stalls
    }

    fn accesses(&self, cycles: u64, store: bool) -> PipeStalls {
        let pipe = self.vbar.pipe(store);
        let mut stalls = PipeStalls {
            vrf_port: pipe.held().count() as u64,
            ..PipeStalls::default()
        };
        let mut count = 0;
        let both = self.vbar.stores.is_none();
        for (op, steps) in self.checked.ops.iter().zip(&self.steps) {
            let Some(steps) = steps.filter(|_| both || op.store == store) else {
                continue;
            };
            let groups = op.access.map_or(1, |_| self.config.beats() as u64);
            let served = op.access.map_or(1, |access| access.groups.total);
            stalls.work += groups;
            stalls.bank_conflict += served - groups;
            stalls.bubble += steps.bubbles;
            count += 1;
        }
        let beyond = pipe.free_cycle().saturating_sub(cycles);
        stalls.gap = count * self.config.gap - beyond;
        stalls.empty = cycles - stalls.total();
        stalls
    }
}

const NOT_STARTED: Times = Times {
    issue: NEVER,
    start: NEVER,
    taken: NEVER,
    read_out: NEVER,
    end: NEVER,
};
