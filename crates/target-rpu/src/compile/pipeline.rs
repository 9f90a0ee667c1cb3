//! The machine's time, cut down to what a scheduler asks: when does an instruction that issues now
//! start, and which registers and memories of the register file does it keep.
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
    /// First cycle in which its results can be used by an instruction that issues; not known for a
    /// load, which may be held.
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
    /// Start of an instruction that joins the queue now, its own ports left aside.
    next: [u64; 2],
    ended: u64,
    write_end: [u64; REGISTERS],
    readers: [u16; REGISTERS],
    read_end: [u64; REGISTERS],
    reserved: Vec<u16>,
    /// What queued instructions will reserve if they start as early as they can.
    planned: Vec<u16>,
    /// Rows that the load/store pipe will read or write if it is not held.
    moves: Vec<u16>,
    /// Start of a load or store that joins the queue now, if the pipe is not held.
    next_move: u64,
    memory: Memory,
    /// Instructions that have started in the cycle before `now`.
    pub started: Vec<Started>,
    /// Tags of loads whose register is complete at `now`.
    pub loaded: Vec<u32>,
}

/// The load/store pipe, in cycles that are not held.
#[derive(Default)]
struct Memory {
    time: u64,
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
        let span = 4 * (beats * config.ii + config.compute_latency + config.shuffle_latency) + 64;
        Pipeline {
            config,
            groups,
            beats,
            now: 0,
            queues: Default::default(),
            free_at: [0; 2],
            next: [0; 2],
            ended: 0,
            write_end: [0; REGISTERS],
            readers: [0; REGISTERS],
            read_end: [0; REGISTERS],
            reserved: vec![0; span.next_power_of_two() as usize],
            planned: vec![0; span.next_power_of_two() as usize],
            moves: vec![0; span.next_power_of_two() as usize],
            next_move: 0,
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

    /// Earliest start of a compute or shuffle instruction issued now, ports left aside.
    pub fn earliest(&self, class: Class) -> u64 {
        let pipe = pipe(class);
        if self.config.single_port() {
            return self.next[pipe].max(self.now + 1);
        }
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

    /// Whether ports of the register file leave room for a compute or shuffle instruction with these
    /// rows from cycle `start` on.
    pub fn ports_free(&self, class: Class, reads: u16, writes: u16, start: u64) -> bool {
        let step = if class == Class::Compute {
            self.config.ii
        } else {
            1
        };
        let latency = self.latency(class);
        let mask = self.reserved.len() as u64 - 1;
        let at = |cycle: u64| {
            self.reserved[(cycle & mask) as usize] | self.planned[(cycle & mask) as usize]
        };
        (0..self.beats).all(|b| {
            let read = start + b * step;
            at(read) & reads == 0 && at(read + latency) & writes == 0
        })
    }

    /// Works out again when queued instructions will start.
    fn plan(&mut self) {
        self.planned.fill(0);
        for class in [Class::Compute, Class::Shuffle] {
            let mut start = self.free_at[pipe(class)].max(self.now);
            let entries: Vec<Entry> = self.queues[class as usize]
                .iter()
                .map(|&(entry, _)| entry)
                .collect();
            for entry in entries {
                let reads = self.memories(&entry.sources);
                let writes = self.memories(&entry.destinations);
                while !self.ports_free(class, reads, writes, start) {
                    start += 1;
                }
                reserve(
                    &mut self.planned,
                    self.config,
                    class,
                    [reads, writes],
                    start,
                );
                start += self.occupancy(class);
            }
            self.next[pipe(class)] = start;
        }
    }

    fn latency(&self, class: Class) -> u64 {
        match class {
            Class::Compute => self.config.compute_latency,
            Class::Shuffle => self.config.shuffle_latency,
            Class::LoadStore => self.config.load_store_latency,
        }
    }

    /// Mask of the memories of some registers.
    pub fn memories(&self, registers: &[Option<u8>]) -> u16 {
        let sram = |&r: &u8| 1u16 << self.config.vrf_map.sram(r as usize);
        registers.iter().flatten().map(sram).fold(0, |a, b| a | b)
    }

    /// One cycle passes: pipes start, rows move.
    pub fn advance(&mut self) {
        self.started.clear();
        self.loaded.clear();
        let now = self.now;
        let mask = self.reserved.len() as u64 - 1;
        self.start(Class::Compute);
        self.start(Class::Shuffle);
        self.load_store();
        self.reserved[(now & mask) as usize] = 0;
        self.now += 1;
        if self.config.single_port() {
            self.plan();
            self.plan_moves();
        }
    }

    fn start(&mut self, class: Class) {
        let now = self.now;
        let Some(&(entry, issued)) = self.queues[class as usize].front() else {
            return;
        };
        if issued >= now || self.free_at[pipe(class)] > now {
            return;
        }
        if self.config.single_port() {
            let reads = self.memories(&entry.sources);
            let writes = self.memories(&entry.destinations);
            if !self.ports_free_now(class, reads, writes) {
                return;
            }
            reserve(&mut self.reserved, self.config, class, [reads, writes], now);
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

    fn plan_moves(&mut self) {
        self.moves.fill(0);
        let latency = self.config.load_store_latency;
        let span = self.moves.len() as u64;
        let mut rows: Vec<(u64, u16)> = Vec::new();
        for row in &self.memory.tail {
            let at = self.now + row.time - self.memory.time;
            rows.push((at, self.memories(&[row.entry.destinations[0]])));
        }
        let mut at = self.now + self.memory.free_at.saturating_sub(self.memory.time);
        if let Some(active) = &self.memory.active {
            at = self.rows_of(
                &active.entry,
                active.group,
                active.cycle,
                self.now,
                &mut rows,
            );
        }
        for (entry, _) in &self.queues[Class::LoadStore as usize] {
            at = self.rows_of(entry, 0, 0, at, &mut rows);
        }
        self.next_move = at;
        for (cycle, memories) in rows {
            // Beyond the ring nothing is reserved yet.
            if cycle < self.now + span - latency {
                self.moves[(cycle & (span - 1)) as usize] |= memories;
            }
        }
    }

    /// Adds the rows that an instruction moves from cycle `at` on; when the pipe is free again.
    fn rows_of(
        &self,
        entry: &Entry,
        group: usize,
        cycle: u32,
        mut at: u64,
        rows: &mut Vec<(u64, u16)>,
    ) -> u64 {
        let read = self.memories(&[entry.sources[0]]);
        let written = self.memories(&[entry.destinations[0]]);
        let groups = &self.groups[entry.groups as usize];
        for (g, &cycles) in groups.iter().enumerate().skip(group) {
            let done = if g == group { cycle } else { 0 };
            if done == 0 && read != 0 {
                rows.push((at, read));
            }
            at += u64::from(cycles - done);
            if written != 0 {
                rows.push((at - 1 + self.config.load_store_latency, written));
            }
        }
        at + self.config.gap
    }

    /// Rows of a load or store with these groups, issued now, that would meet a reserved port.
    pub fn move_clashes(&self, groups: u16, memory: u16, store: bool) -> u32 {
        let mask = self.reserved.len() as u64 - 1;
        let mut at = self.next_move.max(self.now + 1);
        let mut clashes = 0;
        for &cycles in &self.groups[groups as usize] {
            let row = match store {
                true => at,
                false => at + u64::from(cycles) - 1 + self.config.load_store_latency,
            };
            let slot = (row & mask) as usize;
            clashes += u32::from((self.reserved[slot] | self.planned[slot]) & memory != 0);
            at += u64::from(cycles);
        }
        clashes
    }

    /// Rows of loads and stores under way that a compute or shuffle instruction would hold up.
    pub fn held_up(&self, class: Class, reads: u16, writes: u16, start: u64) -> u32 {
        let step = if class == Class::Compute {
            self.config.ii
        } else {
            1
        };
        let latency = self.latency(class);
        let mask = self.moves.len() as u64 - 1;
        let at = |cycle: u64, memories: u16| {
            u32::from(self.moves[(cycle & mask) as usize] & memories != 0)
        };
        (0..self.beats)
            .map(|b| at(start + b * step, reads) + at(start + b * step + latency, writes))
            .sum()
    }

    fn ports_free_now(&self, class: Class, reads: u16, writes: u16) -> bool {
        let step = if class == Class::Compute {
            self.config.ii
        } else {
            1
        };
        let latency = self.latency(class);
        let mask = self.reserved.len() as u64 - 1;
        let at = |cycle: u64| self.reserved[(cycle & mask) as usize];
        (0..self.beats).all(|b| {
            let read = self.now + b * step;
            at(read) & reads == 0 && at(read + latency) & writes == 0
        })
    }

    fn release_sources(&mut self, entry: &Entry, at: u64) {
        for &r in entry.sources.iter().flatten() {
            let r = r as usize;
            self.readers[r] -= 1;
            self.read_end[r] = self.read_end[r].max(at);
        }
    }

    fn load_store(&mut self) {
        let now = self.now;
        let taken = match self.config.single_port() {
            true => self.reserved[(now & (self.reserved.len() as u64 - 1)) as usize],
            false => 0,
        };
        let memory_of = |r: Option<u8>| self.memories(&[r]);
        let due = self
            .memory
            .tail
            .front()
            .filter(|row| row.time == self.memory.time);
        let writes = due.map_or(0, |row| memory_of(row.entry.destinations[0]));
        let reads = self.wanted_read();
        if taken & (writes | memory_of(reads)) != 0 {
            return;
        }
        if due.is_some() {
            self.write_row();
        }
        let bubble = self.config.single_port() && writes & self.memories(&[reads]) != 0;
        if !bubble {
            self.front();
        }
        self.memory.time += 1;
    }

    /// The register of which a store would read a row in this cycle.
    fn wanted_read(&self) -> Option<u8> {
        match &self.memory.active {
            Some(active) if active.cycle == 0 => active.entry.sources[0],
            Some(_) => None,
            None => self.startable().and_then(|entry| entry.sources[0]),
        }
    }

    fn startable(&self) -> Option<Entry> {
        let &(entry, issued) = self.queues[Class::LoadStore as usize].front()?;
        (issued < self.now && self.memory.time >= self.memory.free_at).then_some(entry)
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
        let time = self.memory.time + latency;
        self.memory.tail.push_back(Row { time, entry, last });
        if last {
            self.memory.active = None;
            self.memory.free_at = self.memory.time + 1 + self.config.gap;
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

fn reserve(slots: &mut [u16], config: &Config, class: Class, masks: [u16; 2], start: u64) {
    let (step, latency) = match class {
        Class::Compute => (config.ii, config.compute_latency),
        _ => (1, config.shuffle_latency),
    };
    let mask = slots.len() as u64 - 1;
    for b in 0..config.beats() as u64 {
        let read = start + b * step;
        slots[(read & mask) as usize] |= masks[0];
        slots[((read + latency) & mask) as usize] |= masks[1];
    }
}

fn pipe(class: Class) -> usize {
    match class {
        Class::Compute => 0,
        _ => 1,
    }
}
