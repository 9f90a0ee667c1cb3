//! List scheduling and register allocation at once.
//!
//! Time goes forward cycle by cycle in a [`Pipeline`]. In each cycle one instruction may issue: that
//! of the pipe which will starve first, and for this pipe the first in the order whose operands are
//! there and for which there are registers ([`choice`], [`memory`], [`registers`]). So a register is
//! chosen when its instruction issues. Single ports are left to [`super::ports`], which finds other
//! registers for the finished order.
//!
//! Rules that keep the machine from choking:
//! - a pipe is fed only `ahead` instructions beyond the one that runs: what is chosen late is chosen well;
//! - loads run at most `window` instructions before the oldest one that waits, and leave `reserve`
//!   registers to those that already hold operands;
//! - a constant that is still in its register is not loaded again.

mod choice;
mod memory;
mod order;
mod registers;
mod replay;

use super::knobs::Knobs;
use super::pipeline::{Entry, Pipeline};
use super::placed::{Placed, FILLER};
use super::ports;
use super::task_graph::TaskGraph;
use crate::config::Config;
use crate::isa::{Class, REGISTERS};
use ringwright_ir::interrupt;
use ringwright_nttx::PatternId;
use std::collections::{BTreeSet, BinaryHeap};

/// A finished order.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The instructions, first to last.
    pub order: Vec<Placed>,
    /// Cycles that the scheduler counted; a replay may differ by what it issues earlier.
    pub cycles: u64,
}

/// Cycles between two looks for an interrupt: some milliseconds.
const BETWEEN_LOOKS: u64 = 1 << 12;

/// Schedules a graph; `None` where the registers do not suffice for these knobs, and for who wants it no more.
pub fn schedule(graph: &TaskGraph, config: &Config, knobs: Knobs) -> Option<Schedule> {
    let mut schedule = with_free_ports(graph, config, knobs)?;
    if config.single_port() {
        let starts = replay::starts(graph, config, &schedule.order)?;
        let search = ports::Search {
            moves: knobs.moves,
            chain: knobs.chain,
            seed: knobs.seed,
        };
        ports::recolour(graph, &mut schedule.order, &starts, config, search)?;
    }
    Some(schedule)
}

/// The same, ports of the register file left aside.
pub fn with_free_ports(graph: &TaskGraph, config: &Config, knobs: Knobs) -> Option<Schedule> {
    let mut scheduler = Scheduler::new(graph, config, knobs);
    // A machine that has issued nothing for this long will not issue again.
    let patience = 64 + 8 * (config.beats() as u64 * config.ii + config.compute_latency + 64);
    let mut last = 0;
    while scheduler.left > 0 || !scheduler.pipeline.is_empty() {
        scheduler.wake();
        if scheduler.left > 0 && scheduler.issue_one() {
            last = scheduler.pipeline.now();
        }
        let now = scheduler.pipeline.now();
        if scheduler.left > 0 && now > last + patience {
            return None;
        }
        if now.is_multiple_of(BETWEEN_LOOKS) {
            interrupt::check().ok()?;
        }
        scheduler.pipeline.advance();
    }
    Some(Schedule {
        cycles: scheduler.pipeline.ended(),
        order: scheduler.order,
    })
}

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
}

impl<'a> Scheduler<'a> {
    fn new(graph: &'a TaskGraph, config: &'a Config, knobs: Knobs) -> Self {
        let count = graph.tasks.len();
        let mut scheduler = Scheduler {
            graph,
            config,
            knobs,
            pipeline: Pipeline::new(config, &graph.groups),
            order: Vec::with_capacity(count),
            left: count,
            key: order::keys(graph, config, knobs),
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
