//! Values in registers: when they live, and which meet at a port.

use super::super::placed::{in_place, Placed, FILLER};
use super::super::task_graph::TaskGraph;
use crate::config::{Config, SourceRelease};
use crate::isa::{Class, REGISTERS};

/// Weight of two operands of one instruction in one memory, which the machine refuses.
pub const REFUSED: u32 = 1 << 12;

/// No web, no instruction.
pub const NOBODY: u32 = u32::MAX;

/// A value in a register, from the instruction that writes it to its last reader.
#[derive(Clone, Copy, Debug)]
pub struct Web {
    /// Issue of the instruction that writes it: from then on the register is its own.
    pub born: u64,
    /// What issues now can write the register again.
    pub release: u64,
    /// The same, had the last reader not read it.
    release_before: u64,
    writer: u32,
    /// The last reader, if its results may take the place of its sources.
    last: u32,
    /// Where it was.
    pub register: u8,
}

impl Web {
    /// Whether two webs need different registers.
    pub fn meets(&self, other: &Web) -> bool {
        let (a, b) = match self.born <= other.born {
            true => (self, other),
            false => (other, self),
        };
        let in_place = a.last == b.writer && a.release_before <= b.born;
        a.born == b.born || a.release > b.born && !in_place
    }
}

/// The webs of an order.
pub struct Webs {
    /// In the order of their births.
    pub list: Vec<Web>,
    /// For each web those that it must not or should not share a memory with, and the weight: the
    /// cycles in which both want the port.
    pub neighbours: Vec<Vec<(u32, u32)>>,
    /// Webs that each instruction reads and writes.
    operands: Vec<[Vec<u32>; 2]>,
}

impl Webs {
    /// Reads them off an order.
    pub fn new(graph: &TaskGraph, order: &[Placed], starts: &[[u64; 2]], config: &Config) -> Self {
        let mut webs = Webs {
            list: Vec::new(),
            neighbours: Vec::new(),
            operands: vec![Default::default(); order.len()],
        };
        let mut held = [NOBODY; REGISTERS];
        // The webs that each cycle reads and writes.
        let mut accesses: Vec<Vec<u32>> = Vec::new();
        for (at, placed) in order.iter().enumerate() {
            if placed.task == FILLER {
                continue;
            }
            let rows = Rows::new(graph, config, placed, starts[at][1]);
            webs.instruction(graph, config, (at, starts[at][0]), placed, &rows, &mut held);
            let [sources, results] = webs.operands[at].clone();
            for (cycles, operands) in [(&rows.reads, &sources), (&rows.writes, &results)] {
                for cycle in cycles.iter().map(|&cycle| cycle as usize) {
                    accesses.resize(accesses.len().max(cycle + 1), Vec::new());
                    accesses[cycle].extend(operands);
                }
            }
            for together in rows.together(&sources, &results) {
                webs.meet(&together, REFUSED);
            }
        }
        for together in &mut accesses {
            together.sort_unstable();
            together.dedup();
            webs.meet(together, 1);
        }
        webs.join();
        webs
    }

    fn instruction(
        &mut self,
        graph: &TaskGraph,
        config: &Config,
        (at, issue): (usize, u64),
        placed: &Placed,
        rows: &Rows,
        held: &mut [u32; REGISTERS],
    ) {
        let task = &graph.tasks[placed.task as usize];
        let [sources, results] = &mut self.operands[at];
        for &register in &placed.sources[..task.sources.len()] {
            let web = held[register as usize];
            if sources.contains(&web) {
                continue;
            }
            sources.push(web);
            let it = &mut self.list[web as usize];
            it.release_before = it.release;
            it.release = it.release.max(rows.read_out);
            it.last = match in_place(task.class(), config) {
                true => at as u32,
                false => NOBODY,
            };
        }
        for &register in &placed.results[..task.results.len()] {
            let web = self.list.len() as u32;
            results.push(web);
            held[register as usize] = web;
            self.list.push(Web {
                born: issue,
                release: rows.end,
                release_before: rows.end,
                writer: at as u32,
                last: NOBODY,
                register,
            });
        }
    }

    /// Each two of them weigh so much more.
    fn meet(&mut self, together: &[u32], weight: u32) {
        self.neighbours.resize(self.list.len(), Vec::new());
        for (i, &a) in together.iter().enumerate() {
            for &b in &together[..i] {
                self.neighbours[a as usize].push((b, weight));
                self.neighbours[b as usize].push((a, weight));
            }
        }
    }

    /// Each neighbour once, with all it weighs.
    fn join(&mut self) {
        self.neighbours.resize(self.list.len(), Vec::new());
        for neighbours in &mut self.neighbours {
            neighbours.sort_unstable();
            neighbours.dedup_by(|more, kept| {
                let same = more.0 == kept.0;
                if same {
                    kept.1 += more.1;
                }
                same
            });
        }
    }

    /// Gives every operand the register of its web.
    pub fn write(&self, graph: &TaskGraph, order: &mut [Placed], registers: &[u8]) {
        let mut held = [NOBODY; REGISTERS];
        for (at, placed) in order.iter_mut().enumerate() {
            if placed.task == FILLER {
                continue;
            }
            let task = &graph.tasks[placed.task as usize];
            for source in &mut placed.sources[..task.sources.len()] {
                *source = registers[held[*source as usize] as usize];
            }
            let results = placed.results[..task.results.len()].iter_mut();
            for (result, &web) in results.zip(&self.operands[at][1]) {
                held[*result as usize] = web;
                *result = registers[web as usize];
            }
        }
    }
}

/// The cycles in which an instruction reads and writes the register file.
struct Rows {
    reads: Vec<u64>,
    writes: Vec<u64>,
    read_out: u64,
    end: u64,
}

impl Rows {
    fn new(graph: &TaskGraph, config: &Config, placed: &Placed, start: u64) -> Self {
        let task = &graph.tasks[placed.task as usize];
        let (step, latency) = match task.class() {
            Class::Compute => (config.ii, config.compute_latency),
            Class::Shuffle => (1, config.shuffle_latency),
            Class::LoadStore => (1, config.load_store_latency),
        };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut cycle = start;
        if task.class() == Class::LoadStore {
            for &group in &graph.groups[task.groups as usize] {
                reads.push(cycle);
                cycle += u64::from(group);
                writes.push(cycle - 1 + latency);
            }
        } else {
            for _ in 0..config.beats() {
                reads.push(cycle);
                writes.push(cycle + latency);
                cycle += step;
            }
        }
        let end = writes.last().map_or(cycle, |write| write + 1);
        let read_out = match config.source_release {
            SourceRelease::Readout => cycle,
            SourceRelease::Completion => end,
        };
        Rows {
            reads,
            writes,
            read_out,
            end,
        }
    }

    /// Operands that the machine wants in different memories: sources, results, and both where the
    /// first results are written while the last sources are read.
    fn together(&self, sources: &[u32], results: &[u32]) -> Vec<Vec<u32>> {
        match self.reads.iter().any(|cycle| self.writes.contains(cycle)) {
            true => vec![[sources, results].concat()],
            false => vec![sources.to_vec(), results.to_vec()],
        }
    }
}
