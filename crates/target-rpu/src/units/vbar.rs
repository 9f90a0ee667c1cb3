//! The vector crossbar between data memory and register file, with the pipeline of loads and stores
//! (RPU, section IV-B4).
//!
//! The pipeline counts its own cycles, *steps*: whatever a load or store does lies at a fixed step
//! once it has started. In a cycle in which a register row cannot be read or written, because its
//! memory's port is reserved, the whole pipeline holds: no step is made. So the cycle of a step is
//! the step plus the holds before it, and a hold is known when its cycle is over.
//!
//! Group g of an access takes as many steps as its fullest bank has addresses. Loads read the banks
//! at the front and write the row `load_store_latency` steps after the group's last; stores read
//! the row in the group's first step and write the banks `load_store_latency` later. Where a store
//! would read a memory in which a loaded row is written in the same step, it waits for a step: a
//! bubble. With separate pipelines the store's holds instead.

use super::vrf::Ports;
use crate::config::{Config, LoadStorePipes};
use std::collections::VecDeque;

/// A step of a pipeline.
pub type Step = u64;

/// An access of a register row: its step and the memory's bit.
type RowAccess = (Step, u16);

/// One pipeline.
#[derive(Debug)]
pub struct Pipe {
    latency: u64,
    gap: u64,
    limited: bool,
    /// The step before which each hold took place, in order.
    holds: Vec<Step>,
    /// First step of the next instruction.
    free: Step,
    /// Rows still to be read by stores.
    reads: VecDeque<RowAccess>,
    /// Rows still to be written by loads.
    writes: VecDeque<RowAccess>,
    /// Rows written in a cycle, for the other pipeline: cycle and memory.
    written: VecDeque<(u64, u16)>,
    watched: bool,
}

/// What the oldest load or store can do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Start.
    Now,
    /// Not before this cycle.
    NotBefore(u64),
}

/// The steps of a load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Its first.
    pub start: Step,
    /// Its last group's last at the banks.
    pub last: Step,
    /// Steps in which it, or it before its start, waited for a row that a load wrote.
    pub bubbles: u64,
    /// Where the first steps of its groups begin in their list.
    pub first: usize,
}

/// The register rows of a load or store, by the memory that they lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// A store's.
    Read(u16),
    /// A load's.
    Write(u16),
    /// A scalar load's: none.
    None,
}

impl Pipe {
    /// A pipeline; `watched` when another one looks at the rows that it writes.
    pub fn new(config: &Config, watched: bool) -> Self {
        Pipe {
            latency: config.load_store_latency,
            gap: config.gap,
            limited: config.single_port(),
            holds: Vec::new(),
            free: 0,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            written: VecDeque::new(),
            watched,
        }
    }

    /// The cycle of a step; final once that cycle is over, until then the earliest.
    pub fn cycle(&self, step: Step) -> u64 {
        let holds = match self.holds.last() {
            Some(&last) if last > step => self.holds.partition_point(|&hold| hold <= step),
            _ => self.holds.len(),
        };
        step + holds as u64
    }

    /// The first cycle in which the next instruction can start, as far as the pipeline goes.
    pub fn free_cycle(&self) -> u64 {
        self.free + self.holds.len() as u64
    }

    /// The cycles in which the pipeline was held.
    pub fn held(&self) -> impl Iterator<Item = u64> + '_ {
        let holds = self.holds.iter().enumerate();
        holds.map(|(before, step)| step + before as u64)
    }

    /// Decides all cycles before `now`.
    pub fn advance(&mut self, now: u64, ports: &Ports, other: &mut VecDeque<(u64, u16)>) {
        loop {
            let next = match (self.reads.front(), self.writes.front()) {
                (None, None) => return,
                (Some(read), None) => read.0,
                (None, Some(write)) => write.0,
                (Some(read), Some(write)) => read.0.min(write.0),
            };
            let cycle = next + self.holds.len() as u64;
            if cycle >= now {
                return;
            }
            self.step(cycle, 0, ports, other);
        }
    }

    /// Makes a step in this cycle, in which a store may start that reads `head`; whether it could.
    pub fn step(
        &mut self,
        cycle: u64,
        head: u16,
        ports: &Ports,
        other: &mut VecDeque<(u64, u16)>,
    ) -> bool {
        let step = cycle - self.holds.len() as u64;
        let due = |rows: &VecDeque<RowAccess>| match rows.front() {
            Some(&(at, sram)) if at == step => sram,
            _ => 0,
        };
        let (read, write) = (due(&self.reads), due(&self.writes));
        while other.front().is_some_and(|&(written, _)| written < cycle) {
            other.pop_front();
        }
        let elsewhere = match other.front() {
            Some(&(written, sram)) if written == cycle => sram,
            _ => 0,
        };
        let taken = ports.reserved(cycle) | elsewhere;
        if self.limited && (read | write | head) & taken != 0 {
            self.holds.push(step);
            return false;
        }
        if read != 0 {
            self.reads.pop_front();
        }
        if write != 0 {
            self.writes.pop_front();
            if self.watched {
                self.written.push_back((cycle, write));
            }
        }
        true
    }

    /// Whether an instruction that is ready in cycle `ready` can start in cycle `now`, if the
    /// pipeline makes a step; a store reads the memory `head` first.
    pub fn entry(&self, now: u64, ready: u64, head: u16) -> Entry {
        let soonest = ready.max(self.free + self.holds.len() as u64);
        if soonest > now {
            return Entry::NotBefore(soonest);
        }
        match self.writes_row(now - self.holds.len() as u64, head) {
            true => Entry::NotBefore(now + 1),
            false => Entry::Now,
        }
    }

    /// Whether a load writes a row of these memories in a step.
    fn writes_row(&self, step: Step, srams: u16) -> bool {
        let at = self.writes.partition_point(|&(write, _)| write < step);
        let write = self.writes.get(at);
        self.limited && write.is_some_and(|&(write, sram)| write == step && sram & srams != 0)
    }

    /// Starts a load or store that could have started in cycle `ready`; it writes, or reads, rows
    /// of the memory `sram`. Every group's first step goes to the end of `firsts`.
    pub fn start(
        &mut self,
        now: u64,
        ready: u64,
        rows: Rows,
        groups: &[u32],
        firsts: &mut Vec<Step>,
    ) -> Steps {
        let start = now - self.holds.len() as u64;
        let ready = ready - self.holds_before(ready);
        // Between the step in which it could have started and that in which it did, rows clashed.
        let mut bubbles = start - self.free.max(ready).min(start);
        let first = firsts.len();
        let mut step = start;
        for (group, &cycles) in groups.iter().enumerate() {
            if let Rows::Read(sram) = rows {
                while self.writes_row(step, sram) {
                    step += 1;
                    bubbles += 1;
                }
                // The first row is read in the very cycle of the start, which has been decided.
                if self.limited && group > 0 {
                    self.reads.push_back((step, sram));
                }
            }
            firsts.push(step);
            step += u64::from(cycles);
            match rows {
                Rows::Write(sram) if self.limited => {
                    self.writes.push_back((step - 1 + self.latency, sram));
                }
                _ => {}
            }
        }
        self.free = step + self.gap;
        Steps {
            start,
            last: step - 1,
            bubbles,
            first,
        }
    }

    /// Holds in cycles before this one.
    fn holds_before(&self, cycle: u64) -> u64 {
        let held = |(before, step): (usize, &Step)| step + before as u64;
        let holds = self.holds.iter().enumerate().rev();
        let later = holds.take_while(|&hold| held(hold) >= cycle).count();
        (self.holds.len() - later) as u64
    }
}

/// Pipelines behind the load/store queue: one, or one for loads and one for stores.
#[derive(Debug)]
pub struct Vbar {
    /// Loads, or both.
    pub loads: Pipe,
    /// Stores, where they have their own.
    pub stores: Option<Pipe>,
}

impl Vbar {
    /// The pipelines of a machine.
    pub fn new(config: &Config) -> Self {
        let separate = config.load_store_pipes == LoadStorePipes::Separate;
        Vbar {
            loads: Pipe::new(config, separate),
            stores: separate.then(|| Pipe::new(config, false)),
        }
    }

    /// The pipeline of a load, or of a store.
    pub fn pipe(&self, store: bool) -> &Pipe {
        match (&self.stores, store) {
            (Some(stores), true) => stores,
            _ => &self.loads,
        }
    }

    /// The same, to change it.
    pub fn pipe_mut(&mut self, store: bool) -> &mut Pipe {
        match (&mut self.stores, store) {
            (Some(stores), true) => stores,
            _ => &mut self.loads,
        }
    }

    /// Decides all cycles before `now`.
    pub fn advance(&mut self, now: u64, ports: &Ports) {
        self.loads.advance(now, ports, &mut VecDeque::new());
        if let Some(stores) = &mut self.stores {
            stores.advance(now, ports, &mut self.loads.written);
        }
    }

    /// Decides this cycle, in which a store may start that reads `head`; whether the pipeline of
    /// `store` made a step.
    pub fn step(&mut self, now: u64, store: bool, head: u16, ports: &Ports) -> bool {
        match &mut self.stores {
            None => self.loads.step(now, head, ports, &mut VecDeque::new()),
            Some(stores) => {
                let loads = self.loads.step(now, 0, ports, &mut VecDeque::new());
                let stores = stores.step(now, head, ports, &mut self.loads.written);
                match store {
                    true => stores,
                    false => loads,
                }
            }
        }
    }
}
