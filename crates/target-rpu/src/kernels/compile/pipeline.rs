//! The machine's time, cut down to what a scheduler asks: when does an instruction that issues now
//! start, and which registers does it keep. Ports of the register file count as free ([`super::ports`]).
//!
//! One call of [`Pipeline::advance`] is one cycle: pipes start and hold exactly as in the simulator
//! (`crate::machine`), with nothing but register numbers and row counts inside. A scheduler issues
//! into it what it likes, a replay issues a finished list in order.

use crate::config::{BusyRule, Config, SourceRelease};
use crate::isa::{Class, REGISTERS};
use std::collections::VecDeque;

/// Not known yet.
const NEVER: u64 = u64::MAX;

/// What the pipeline needs to know of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its queue.
    pub class: Class,
    /// Vector registers read; a register is named once.
    pub sources: [Option<u8>; 3],
    /// Vector registers written.
    pub destinations: [Option<u8>; 2],
    /// Load/store: cycles of each group, as an index into the table given to [`Pipeline::new`].
    pub groups: u16,
    /// Who issued it; comes back in [`Started`].
    pub tag: u32,
}

/// Load/store instructions as the memory sees them: cycles of each group of rows.
pub type Groups = Vec<Vec<u32>>;

/// An instruction that has left its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// The entry's tag.
    pub tag: u32,
    /// First cycle in which its results can be used by an instruction that issues; a load's comes
    /// in [`Pipeline::loaded`].
    pub end: Option<u64>,
}

/// The pipes, queues and busy bits of one machine.
pub struct Pipeline<'a> {
    config: &'a Config,
    groups: &'a Groups,
    beats: u64,
    now: u64,
    queues: [VecDeque<(Entry, u64)>; 3],
    free_at: [u64; 2],
    ended: u64,
    write_end: [u64; REGISTERS],
    readers: [u16; REGISTERS],
    read_end: [u64; REGISTERS],
    memory: Memory,
    /// Instructions that have started in the cycle before `now`.
    pub started: Vec<Started>,
    /// Tags of loads whose register is complete at `now`.
    pub loaded: Vec<u32>,
}

/// The load/store pipe.
#[derive(Default)]
struct Memory {
    free_at: u64,
    active: Option<Active>,
    tail: VecDeque<Row>,
}

struct Active {
    entry: Entry,
    group: usize,
    cycle: u32,
}

struct Row {
    time: u64,
    entry: Entry,
    last: bool,
}

impl<'a> Pipeline<'a> {
    /// An empty machine.
    pub fn new(config: &'a Config, groups: &'a Groups) -> Self {
        let beats = config.beats() as u64;
        Pipeline {
            config,
            groups,
            beats,
            now: 0,
            queues: Default::default(),
            free_at: [0; 2],
            ended: 0,
            write_end: [0; REGISTERS],
            readers: [0; REGISTERS],
            read_end: [0; REGISTERS],
            memory: Memory::default(),
            started: Vec::new(),
            loaded: Vec::new(),
        }
    }

    /// The cycle in which the next instruction would issue.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Instructions of a class that have not started.
    pub fn queued(&self, class: Class) -> usize {
        self.queues[class as usize].len()
    }

    /// Whether the queue takes another.
    pub fn has_room(&self, class: Class) -> bool {
        self.queued(class) < self.config.queue_depth
    }

    /// Earliest start of a compute or shuffle instruction issued now, the queue's others first.
    pub fn earliest(&self, class: Class) -> u64 {
        let pipe = pipe(class);
        let queued = self.queued(class) as u64 * self.occupancy(class);
        self.free_at[pipe].max(self.now + 1) + queued
    }

    /// Cycles from a start to the next in a compute or shuffle pipe.
    pub fn occupancy(&self, class: Class) -> u64 {
        let ii = if class == Class::Compute {
            self.config.ii
        } else {
            1
        };
        self.beats * ii + self.config.gap
    }

    /// Whether a register may be read by an instruction that issues now.
    pub fn readable(&self, register: u8) -> bool {
        let r = register as usize;
        self.write_end[r] <= self.now
            && (self.config.busy_rule == BusyRule::SharedReads || self.read(r) <= self.now)
    }

    /// Whether a register may be written by an instruction that issues now.
    pub fn writable(&self, register: u8) -> bool {
        let r = register as usize;
        self.write_end[r] <= self.now && self.read(r) <= self.now
    }

    fn read(&self, register: usize) -> u64 {
        match self.readers[register] {
            0 => self.read_end[register],
            _ => NEVER,
        }
    }

    /// Whether an instruction can issue now.
    pub fn can_issue(&self, entry: &Entry) -> bool {
        self.has_room(entry.class)
            && entry.sources.iter().flatten().all(|&r| self.readable(r))
            && entry
                .destinations
                .iter()
                .flatten()
                .all(|&r| self.writable(r))
    }

    /// Issues an instruction in this cycle.
    pub fn issue(&mut self, entry: Entry) {
        for &r in entry.sources.iter().flatten() {
            self.readers[r as usize] += 1;
        }
        for &r in entry.destinations.iter().flatten() {
            self.write_end[r as usize] = NEVER;
        }
        self.queues[entry.class as usize].push_back((entry, self.now));
    }

    fn latency(&self, class: Class) -> u64 {
        match class {
            Class::Compute => self.config.compute_latency,
            Class::Shuffle => self.config.shuffle_latency,
            Class::LoadStore => self.config.load_store_latency,
        }
    }

    /// One cycle passes: pipes start, rows move.
    pub fn advance(&mut self) {
        self.started.clear();
        self.loaded.clear();
        self.start(Class::Compute);
        self.start(Class::Shuffle);
        self.load_store();
        self.now += 1;
    }

    fn start(&mut self, class: Class) {
        let now = self.now;
        let Some(&(entry, issued)) = self.queues[class as usize].front() else {
            return;
        };
        if issued >= now || self.free_at[pipe(class)] > now {
            return;
        }
        self.queues[class as usize].pop_front();
        let step = if class == Class::Compute {
            self.config.ii
        } else {
            1
        };
        let end = now + (self.beats - 1) * step + self.latency(class) + 1;
        let read = match self.config.source_release {
            SourceRelease::Readout => now + self.beats * step,
            SourceRelease::Completion => end,
        };
        self.release_sources(&entry, read);
        for &r in entry.destinations.iter().flatten() {
            self.write_end[r as usize] = end;
        }
        self.free_at[pipe(class)] = now + self.beats * step + self.config.gap;
        self.ended = self.ended.max(end);
        self.started.push(Started {
            tag: entry.tag,
            end: Some(end),
        });
    }

    fn release_sources(&mut self, entry: &Entry, at: u64) {
        for &r in entry.sources.iter().flatten() {
            let r = r as usize;
            self.readers[r] -= 1;
            self.read_end[r] = self.read_end[r].max(at);
        }
    }

    fn load_store(&mut self) {
        if self
            .memory
            .tail
            .front()
            .is_some_and(|row| row.time == self.now)
        {
            self.write_row();
        }
        self.front();
    }

    fn startable(&self) -> Option<Entry> {
        let &(entry, issued) = self.queues[Class::LoadStore as usize].front()?;
        (issued < self.now && self.now >= self.memory.free_at).then_some(entry)
    }

    fn write_row(&mut self) {
        let Some(row) = self.memory.tail.pop_front() else {
            return;
        };
        let end = self.now + 1;
        self.ended = self.ended.max(end);
        if row.last {
            if let Some(r) = row.entry.destinations[0] {
                self.write_end[r as usize] = end;
            }
            self.loaded.push(row.entry.tag);
        }
    }

    /// The next cycle of the instruction at the memory, or the start of another.
    fn front(&mut self) {
        if self.memory.active.is_none() {
            let Some(entry) = self.startable() else {
                return;
            };
            self.queues[Class::LoadStore as usize].pop_front();
            self.started.push(Started {
                tag: entry.tag,
                end: None,
            });
            self.memory.active = Some(Active {
                entry,
                group: 0,
                cycle: 0,
            });
        }
        let latency = self.config.load_store_latency;
        let Some(active) = &mut self.memory.active else {
            return;
        };
        let groups = &self.groups[active.entry.groups as usize];
        active.cycle += 1;
        if active.cycle < groups[active.group] {
            return;
        }
        active.cycle = 0;
        active.group += 1;
        let entry = active.entry;
        let last = active.group == groups.len();
        let time = self.now + latency;
        self.memory.tail.push_back(Row { time, entry, last });
        if last {
            self.memory.active = None;
            self.memory.free_at = self.now + 1 + self.config.gap;
            let release = match self.config.source_release {
                SourceRelease::Readout => self.now + 1,
                SourceRelease::Completion => self.now + 1 + latency,
            };
            self.release_sources(&entry, release);
        }
    }

    /// Whether everything issued has ended.
    pub fn is_empty(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty)
            && self.memory.active.is_none()
            && self.memory.tail.is_empty()
    }

    /// The largest end so far: the cycles of the program once the pipeline is empty.
    pub fn ended(&self) -> u64 {
        self.ended
    }
}

fn pipe(class: Class) -> usize {
    match class {
        Class::Compute => 0,
        _ => 1,
    }
}
