//! List scheduling, register allocation and placement in the register file's memories, all at once.
//!
//! Time goes forward cycle by cycle in a [`Pipeline`]. In each cycle one instruction may issue: that
//! of the pipe which will starve first, and for this pipe the first in the order of the graph whose
//! operands are there, for which there are registers, and whose rows meet no reserved port. So a
//! register is chosen when its instruction issues, with all that is known of the ports by then.
//!
//! Rules that keep the machine from choking:
//! - a pipe is fed only `ahead` instructions beyond the one that runs: what is chosen late is chosen well;
//! - loads run at most `window` instructions before the oldest one that waits, and leave `reserve`
//!   registers to those that already hold operands;
//! - constants live in `constant_memories` memories of their own, so a butterfly's factor never
//!   shares a port with its operands; a constant that is still in its register is not loaded again.

use super::graph::{Kind, Task, TaskGraph};
use super::pipeline::{Entry, Pipeline};
use crate::config::{Config, SRAMS};
use crate::isa::{Class, REGISTERS};
use ringwright_nttx::PatternId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, BinaryHeap};

/// What a search varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Knobs {
    /// Instructions a pipe is fed beyond the one that runs.
    pub ahead: u8,
    /// How far loads run before the oldest instruction that waits.
    pub window: u32,
    /// Registers that loads leave free.
    pub reserve: u8,
    /// Memories of the register file that hold constants only; with unlimited ports it has no effect.
    pub constant_memories: u8,
    /// A constant with at most so many readers may lie elsewhere.
    pub guests: u8,
    /// Cycles for which ports may delay an instruction once it is issued.
    pub wait: u8,
    /// Weight of memories that waiting instructions will read.
    pub hot: u32,
    /// Size of the random part of an instruction's place in the order.
    pub noise: u32,
    /// Seed of the random part.
    pub seed: u64,
}

impl Default for Knobs {
    fn default() -> Self {
        Knobs {
            ahead: 1,
            window: 160,
            reserve: 6,
            constant_memories: 3,
            guests: 2,
            wait: 9,
            hot: 2,
            noise: 0,
            seed: 0,
        }
    }
}

/// An instruction with its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The task.
    pub task: u32,
    /// Registers of the operands, in their order.
    pub sources: [u8; 3],
    /// Registers of the results.
    pub results: [u8; 2],
}

/// A finished order.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The instructions, first to last.
    pub order: Vec<Placed>,
    /// Cycles that the scheduler counted; a replay may differ by what it issues earlier.
    pub cycles: u64,
}

/// Schedules a graph; `None` where the registers do not suffice for these knobs.
pub fn schedule(graph: &TaskGraph, config: &Config, knobs: Knobs) -> Option<Schedule> {
    let mut scheduler = Scheduler::new(graph, config, knobs);
    // A machine that has issued nothing for this long will not issue again.
    let patience = 64 + 8 * (config.beats() as u64 * config.ii + config.compute_latency + 64);
    let mut last = 0;
    while scheduler.left > 0 || !scheduler.pipeline.is_empty() {
        scheduler.wake();
        if scheduler.left > 0 && scheduler.issue_one() {
            last = scheduler.pipeline.now();
        }
        if scheduler.left > 0 && scheduler.pipeline.now() > last + patience {
            return None;
        }
        scheduler.pipeline.advance();
    }
    Some(Schedule {
        cycles: scheduler.pipeline.ended(),
        order: scheduler.order,
    })
}

/// Stands for a task where an instruction only passes time in the load/store pipe.
pub const FILLER: u32 = u32::MAX;

struct Scheduler<'a> {
    graph: &'a TaskGraph,
    config: &'a Config,
    knobs: Knobs,
    pipeline: Pipeline<'a>,
    order: Vec<Placed>,
    left: usize,
    /// Place in the order, random part included.
    key: Vec<u32>,
    issued: Vec<bool>,
    /// Operands that are not there yet.
    missing: Vec<u8>,
    ready: [BTreeSet<(u32, u32)>; 3],
    /// Loads without operands, in order; those before `first_load` are issued.
    loads: Vec<u32>,
    first_load: usize,
    /// Oldest instruction that has not issued.
    oldest: usize,
    waking: BinaryHeap<std::cmp::Reverse<(u64, u32)>>,
    register: Vec<u8>,
    /// Reads of each value that have not issued.
    unread: Vec<u16>,
    /// Live values in each register.
    live: [u16; REGISTERS],
    pattern: [Option<PatternId>; REGISTERS],
    used_at: [u64; REGISTERS],
    /// Load/store work issued before each task, and in all.
    work: Vec<u64>,
    work_done: u64,
    /// How many operands of waiting instructions each memory holds.
    hot: [u32; SRAMS],
}

impl<'a> Scheduler<'a> {
    fn new(graph: &'a TaskGraph, config: &'a Config, knobs: Knobs) -> Self {
        let count = graph.tasks.len();
        let mut random = knobs.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut noise = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            match knobs.noise {
                0 => 0,
                noise => (random >> 33) as u32 % noise,
            }
        };
        let mut scheduler = Scheduler {
            graph,
            config,
            knobs,
            pipeline: Pipeline::new(config, &graph.groups),
            order: Vec::with_capacity(count),
            left: count,
            key: (0..count as u32).map(|i| i + noise()).collect(),
            issued: vec![false; count],
            missing: graph
                .tasks
                .iter()
                .map(|task| task.sources.len() as u8)
                .collect(),
            ready: Default::default(),
            loads: Vec::new(),
            first_load: 0,
            oldest: 0,
            waking: BinaryHeap::new(),
            register: vec![u8::MAX; graph.readers.len()],
            unread: graph
                .readers
                .iter()
                .map(|readers| readers.len() as u16)
                .collect(),
            live: [0; REGISTERS],
            pattern: [None; REGISTERS],
            used_at: [0; REGISTERS],
            work: vec![u64::MAX; count],
            work_done: 0,
            hot: [0; SRAMS],
        };
        let free = |i: &u32| graph.tasks[*i as usize].sources.is_empty();
        scheduler.loads = (0..count as u32).filter(free).collect();
        scheduler
    }

    /// Takes note of what has started and of operands that are there.
    fn wake(&mut self) {
        let started = std::mem::take(&mut self.pipeline.started);
        for start in &started {
            if let Some(end) = start.end {
                self.results_at(start.tag, end);
            }
        }
        self.pipeline.started = started;
        let loaded = std::mem::take(&mut self.pipeline.loaded);
        for &tag in loaded.iter().filter(|&&tag| tag != FILLER) {
            self.results_at(tag, self.pipeline.now());
        }
        self.pipeline.loaded = loaded;
        while let Some(&std::cmp::Reverse((at, task))) = self.waking.peek() {
            if at > self.pipeline.now() {
                break;
            }
            self.waking.pop();
            let class = self.graph.tasks[task as usize].class();
            self.ready[class as usize].insert((self.key[task as usize], task));
        }
        while self.oldest < self.issued.len() && self.issued[self.oldest] {
            self.oldest += 1;
        }
        if self.config.single_port() {
            self.hot = [0; SRAMS];
            for (class, weight, count) in [
                (Class::Compute, self.knobs.hot, 6),
                (Class::Shuffle, self.knobs.hot / 2, 4),
            ] {
                for &(_, task) in self.ready[class as usize].iter().take(count) {
                    for &value in &self.graph.tasks[task as usize].sources {
                        let r = self.register[value as usize] as usize;
                        self.hot[self.config.vrf_map.sram(r)] += weight;
                    }
                }
            }
        }
    }

    fn results_at(&mut self, task: u32, at: u64) {
        let graph = self.graph;
        for &value in &graph.tasks[task as usize].results {
            for &reader in &graph.readers[value as usize] {
                let sources = &graph.tasks[reader as usize].sources;
                let uses = sources.iter().filter(|&&v| v == value).count() as u8;
                self.missing[reader as usize] -= uses;
                if self.missing[reader as usize] == 0 {
                    // Operands end in order of time or later: the last to be counted may not be the
                    // last to end, so readiness is checked again by the busy bits.
                    self.waking.push(std::cmp::Reverse((at, reader)));
                }
            }
        }
    }

    /// Issues the best instruction, if there is one.
    fn issue_one(&mut self) -> bool {
        let mut classes = [
            (self.slack(Class::Compute), Class::Compute),
            (self.slack(Class::Shuffle), Class::Shuffle),
            (self.slack(Class::LoadStore), Class::LoadStore),
        ];
        classes.sort_by_key(|&(slack, _)| slack);
        classes.into_iter().any(|(_, class)| {
            self.pipeline.queued(class) <= self.knobs.ahead as usize
                && match class {
                    Class::LoadStore => self.issue_memory(),
                    class => self.issue_ready(class),
                }
        })
    }

    /// Cycles until a pipe starves.
    fn slack(&self, class: Class) -> u64 {
        match class {
            Class::LoadStore => self.pipeline.queued(class) as u64 * self.config.beats() as u64,
            class => self.pipeline.earliest(class) - self.pipeline.now() - 1,
        }
    }

    fn issue_ready(&mut self, class: Class) -> bool {
        let candidates: Vec<u32> = self.ready[class as usize]
            .iter()
            .map(|&(_, t)| t)
            .take(24)
            .collect();
        let mut best: Option<((u64, u32), u32, [u8; 2])> = None;
        for task in candidates {
            let Some((delay, results)) = self.place(task) else {
                continue;
            };
            if best.is_none_or(|(least, ..)| delay < least) {
                best = Some((delay, task, results));
            }
            if delay == (0, 0) {
                break;
            }
        }
        let Some(((delay, _), task, results)) = best else {
            return false;
        };
        // Another may come that meets no port, as long as the pipe is busy anyway.
        if delay > 0
            && (self.pipeline.earliest(class) > self.pipeline.now() + 1
                || delay > self.knobs.wait.into())
        {
            return false;
        }
        self.ready[class as usize].remove(&(self.key[task as usize], task));
        self.issue(task, results);
        true
    }

    /// Registers for the results, and by how many cycles ports delay the start.
    fn place(&self, task: u32) -> Option<((u64, u32), [u8; 2])> {
        let graph = self.graph;
        let it = &graph.tasks[task as usize];
        let class = it.class();
        let sources = self.sources(it);
        if !sources.iter().flatten().all(|&r| self.pipeline.readable(r)) {
            return None;
        }
        let start = self.pipeline.earliest(class);
        let reads = self.pipeline.memories(&sources);
        let in_place =
            class == Class::Compute || self.config.beats() as u64 <= self.config.shuffle_latency;
        let mut results = [u8::MAX; 2];
        let mut delay = self.read_delay(class, reads, start);
        let mut taken = 0u16;
        for (i, &value) in it.results.iter().enumerate() {
            let dying = it
                .sources
                .iter()
                .filter(|&&v| in_place && self.dies(v, task));
            let dying = dying.map(|&v| self.register[v as usize]);
            let dying: Vec<u8> = dying
                .filter(|&r| !results.contains(&r) && self.pipeline.writable(r))
                .collect();
            let clash = if self.clashes_with_itself(class) {
                reads
            } else {
                0
            };
            let (r, late) =
                self.choose(class, value, start + delay, taken | clash, &dying, results)?;
            results[i] = r;
            taken |= self.port_mask(r);
            delay += late;
        }
        let held = match self.config.single_port() {
            true => self.pipeline.held_up(class, reads, taken, start + delay),
            false => 0,
        };
        Some(((delay, held), results))
    }

    fn port_mask(&self, register: u8) -> u16 {
        match self.config.single_port() {
            true => 1 << self.config.vrf_map.sram(register as usize),
            false => 0,
        }
    }

    fn clashes_with_itself(&self, class: Class) -> bool {
        let beats = self.config.beats() as u64;
        match class {
            Class::Compute => {
                self.config.compute_latency.is_multiple_of(self.config.ii)
                    && self.config.compute_latency / self.config.ii < beats
            }
            _ => self.config.shuffle_latency < beats,
        }
    }

    fn read_delay(&self, class: Class, reads: u16, start: u64) -> u64 {
        if !self.config.single_port() {
            return 0;
        }
        let limit = 2 * self.config.beats() as u64 + 16;
        let free = (0..limit).find(|d| self.pipeline.ports_free(class, reads, 0, start + d));
        free.unwrap_or(limit)
    }

    /// Whether `task` is the last to read a value, and its register holds nothing else.
    fn dies(&self, value: u32, task: u32) -> bool {
        let r = self.register[value as usize] as usize;
        self.unread[value as usize] == 1
            && self.live[r] == 1
            && self.graph.readers[value as usize].contains(&task)
            && self.pattern[r].is_none()
    }

    /// The register for a result: in place of a source that dies, or the one that was free longest.
    fn choose(
        &self,
        class: Class,
        value: u32,
        start: u64,
        taken: u16,
        dying: &[u8],
        results: [u8; 2],
    ) -> Option<(u8, u64)> {
        let avoid = taken | self.partners(value);
        let constant = false;
        let mut best: Option<((u64, u32, bool, u64), u8)> = None;
        for r in 0..REGISTERS as u8 {
            let in_place = dying.contains(&r);
            let free = self.live[r as usize] == 0 && self.pipeline.writable(r);
            if !(in_place || free) || results.contains(&r) || !self.region(r, constant) {
                continue;
            }
            let mask = self.port_mask(r);
            if mask & avoid != 0 {
                continue;
            }
            let late = u64::from(mask != 0 && !self.pipeline.ports_free(class, 0, mask, start));
            let cached = self.pattern[r as usize].is_some();
            let held = match mask {
                0 => 0,
                _ => {
                    self.pipeline.held_up(class, 0, mask, start)
                        + self.hot[self.config.vrf_map.sram(r as usize)]
                }
            };
            let score = (
                late,
                held,
                cached && !in_place,
                if in_place {
                    0
                } else {
                    1 + self.used_at[r as usize]
                },
            );
            if best.is_none_or(|(least, _)| score < least) {
                best = Some((score, r));
            }
        }
        best.map(|((late, ..), r)| (r, late))
    }

    /// Whether a register is of the kind that holds constants, or of the other.
    fn region(&self, register: u8, constant: bool) -> bool {
        if !self.config.single_port() {
            return true;
        }
        let first = SRAMS - self.knobs.constant_memories as usize;
        (self.config.vrf_map.sram(register as usize) >= first) == constant
    }

    /// Memories that hold what a value will be read together with.
    fn partners(&self, value: u32) -> u16 {
        if !self.config.single_port() {
            return 0;
        }
        let mut mask = 0;
        for &reader in &self.graph.readers[value as usize] {
            for &other in &self.graph.tasks[reader as usize].sources {
                let r = self.register[other as usize];
                if other != value && r != u8::MAX && !self.issued[reader as usize] {
                    mask |= self.port_mask(r);
                }
            }
        }
        mask
    }

    /// A store that is ready, or the next load.
    fn issue_memory(&mut self) -> bool {
        let ready = self.ready[0].iter().map(|&(_, t)| t).take(12);
        let mut best: Option<(u32, u32)> = None;
        for task in ready {
            let it = &self.graph.tasks[task as usize];
            let sources = self.sources(it);
            let there = sources.iter().flatten().all(|&r| self.pipeline.readable(r));
            if !there || self.missing_work(task) != Some(0) {
                continue;
            }
            let clashes = match self.config.single_port() {
                true => {
                    let memory = self.pipeline.memories(&sources);
                    self.pipeline.move_clashes(it.groups, memory, true)
                }
                false => 0,
            };
            if best.is_none_or(|(least, _)| clashes < least) {
                best = Some((clashes, task));
            }
            if clashes == 0 {
                break;
            }
        }
        if let Some((_, task)) = best {
            self.ready[0].remove(&(self.key[task as usize], task));
            self.issue(task, [u8::MAX; 2]);
            return true;
        }
        self.issue_load()
    }

    fn issue_load(&mut self) -> bool {
        let free = self.live.iter().filter(|&&live| live == 0).count();
        let limit = self.oldest as u32 + self.knobs.window;
        while self
            .loads
            .get(self.first_load)
            .is_some_and(|&task| self.issued[task as usize])
        {
            self.first_load += 1;
        }
        let waiting = self.loads[self.first_load..].iter().copied();
        let waiting = waiting.filter(|&task| !self.issued[task as usize]);
        let candidates: Vec<u32> = waiting.take_while(|&task| task <= limit).collect();
        let mut tried = 0;
        let mut fill = false;
        for task in candidates {
            let spare = if self.is_urgent(task) {
                1
            } else {
                self.knobs.reserve as usize
            };
            if self.cached(task) {
                return false;
            }
            if free <= spare && !self.graph.tasks[task as usize].results.is_empty() {
                break;
            }
            match self.missing_work(task) {
                Some(0) => {}
                missing => {
                    fill |= missing.is_some();
                    continue;
                }
            }
            tried += 1;
            if tried > 8 {
                break;
            }
            if let Some(results) = self.place_load(task) {
                self.issue(task, results);
                return true;
            }
        }
        if fill {
            self.issue_filler();
        }
        fill
    }

    /// Whether the oldest instruction that waits needs this load.
    fn is_urgent(&self, task: u32) -> bool {
        task as usize <= self.oldest + 4
    }

    /// Takes a constant that is in a register already.
    fn cached(&mut self, task: u32) -> bool {
        let Some(pattern) = self.graph.tasks[task as usize].pattern else {
            return false;
        };
        let found = (0..REGISTERS)
            .find(|&r| self.pattern[r] == Some(pattern) && self.pipeline.readable(r as u8));
        let Some(r) = found else {
            return false;
        };
        let value = self.graph.tasks[task as usize].results[0];
        self.register[value as usize] = r as u8;
        self.live[r] += 1;
        self.issued[task as usize] = true;
        self.left -= 1;
        self.results_at(task, self.pipeline.now());
        true
    }

    fn place_load(&self, task: u32) -> Option<[u8; 2]> {
        let it = &self.graph.tasks[task as usize];
        let Some(&value) = it.results.first() else {
            return Some([u8::MAX; 2]);
        };
        let avoid = self.partners(value);
        let mut best: Option<((u32, bool, u64), u8)> = None;
        for r in 0..REGISTERS as u8 {
            let free = self.live[r as usize] == 0 && self.pipeline.writable(r);
            let home = self.region(r, it.pattern.is_some());
            let guest = it.pattern.is_some()
                && self.graph.readers[value as usize].len() <= self.knobs.guests as usize;
            if !free || !(home || guest) || self.port_mask(r) & avoid != 0 {
                continue;
            }
            let mask = self.port_mask(r);
            let clashes = match mask {
                0 => 0,
                _ => self.pipeline.move_clashes(it.groups, mask, false),
            };
            let clashes = clashes + u32::from(!home);
            let score = (
                clashes,
                self.pattern[r as usize].is_some(),
                self.used_at[r as usize],
            );
            if best.is_none_or(|(least, _)| score < least) {
                best = Some((score, r));
            }
        }
        best.map(|(_, r)| [r, u8::MAX])
    }

    /// Work that the load/store pipe must still be given before `task` may follow what it must not
    /// overtake in memory; `None` if that has not even issued.
    ///
    /// Nothing in the machine watches memory, and what a scheduler held back a replay issues at once:
    /// only other work in the same pipe keeps a load behind a store's last write.
    fn missing_work(&self, task: u32) -> Option<u64> {
        let load = matches!(self.graph.tasks[task as usize].kind, Kind::Load { .. });
        let memory = &self.graph.tasks[task as usize].memory;
        if !memory.iter().all(|&other| self.issued[other as usize]) {
            return None;
        }
        let missing = |&other: &u32| {
            let between = self.graph.length(other, self.config) + self.config.load_store_latency;
            between.saturating_sub(self.work_done - self.work[other as usize])
        };
        match load {
            true => Some(memory.iter().map(missing).max().unwrap_or(0)),
            false => Some(0),
        }
    }

    /// Keeps the load/store pipe busy for a cycle.
    fn issue_filler(&mut self) {
        self.work_done += 1 + self.config.gap;
        self.pipeline.issue(Entry {
            class: Class::LoadStore,
            sources: [None; 3],
            destinations: [None; 2],
            groups: 0,
            tag: FILLER,
        });
        self.order.push(Placed {
            task: FILLER,
            sources: [0; 3],
            results: [0; 2],
        });
    }

    fn sources(&self, task: &Task) -> [Option<u8>; 3] {
        let mut sources = [None; 3];
        for (i, &value) in task.sources.iter().enumerate() {
            let r = self.register[value as usize];
            if !sources.contains(&Some(r)) {
                sources[i] = Some(r);
            }
        }
        sources
    }

    fn issue(&mut self, task: u32, results: [u8; 2]) {
        let graph = self.graph;
        let it = &graph.tasks[task as usize];
        let now = self.pipeline.now();
        let sources = self.sources(it);
        let mut registers = [0; 3];
        for (i, &value) in it.sources.iter().enumerate() {
            registers[i] = self.register[value as usize];
        }
        for (i, &value) in it.sources.iter().enumerate() {
            if it.sources[..i].contains(&value) {
                continue;
            }
            let r = registers[i] as usize;
            self.unread[value as usize] -= 1;
            self.used_at[r] = now;
            if self.unread[value as usize] == 0 {
                self.live[r] -= 1;
            }
        }
        let mut destinations = [None; 2];
        for (i, &value) in it.results.iter().enumerate() {
            let r = results[i];
            destinations[i] = Some(r);
            self.register[value as usize] = r;
            self.live[r as usize] += u16::from(self.unread[value as usize] > 0);
            self.pattern[r as usize] = it.pattern;
            self.used_at[r as usize] = now;
        }
        let class = it.class();
        if class == Class::LoadStore {
            self.work[task as usize] = self.work_done;
            self.work_done += graph.length(task, self.config);
        }
        self.pipeline.issue(Entry {
            class,
            sources,
            destinations,
            groups: it.groups,
            tag: task,
        });
        self.issued[task as usize] = true;
        self.left -= 1;
        self.order.push(Placed {
            task,
            sources: registers,
            results,
        });
    }
}
