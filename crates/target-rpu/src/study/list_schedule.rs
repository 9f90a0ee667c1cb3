//! An order of a program's instructions that keeps the pipelines busy.
//!
//! A greedy list scheduler, as the paper says of its compiler (section V): cycle by cycle it issues,
//! of the instructions that would not stall the front end, the one with the longest way to the end.
//! Registers stay as they are. It knows pipelines, latencies and the busyboard of a machine with
//! free register ports and banks without conflicts; what else the machine does, it pays for.

use crate::config::Config;
use crate::isa::{Class, Instruction, Program};
use crate::schedule::index;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The same instructions in another order, right on every machine whose latencies are not longer
/// than this one's. Stores and loads of one address keep their order, a cycle and the latency apart.
pub fn list_schedule(program: &Program, config: &Config) -> Program {
    let graph = Graph::new(program, config);
    let order = issue_all(program, config, &graph);
    let pick = |i: &usize| program.instructions[*i];
    let mut scheduled = Program::new(
        format!("{} scheduled", program.name),
        order.iter().map(pick).collect(),
    );
    scheduled.data = program.data.clone();
    scheduled
}

/// When one instruction may issue after another has started.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    /// Cycles from the start of the one to the issue of the other.
    delay: u64,
}

struct Graph {
    edges: Vec<Vec<Edge>>,
    waits_for: Vec<usize>,
    /// Cycles to the end of the program over the longest chain.
    height: Vec<u64>,
}

impl Graph {
    fn new(program: &Program, config: &Config) -> Self {
        let count = program.instructions.len();
        let mut graph = Graph {
            edges: vec![Vec::new(); count],
            waits_for: vec![0; count],
            height: vec![0; count],
        };
        graph.registers(program, config);
        graph.memory(program, config);
        for i in (0..count).rev() {
            let below = graph.edges[i].iter();
            let longest = below.map(|e| e.delay + 1 + graph.height[e.to]).max();
            graph.height[i] = longest.unwrap_or(0).max(end(program, config, i));
        }
        graph
    }

    fn edge(&mut self, from: usize, to: usize, delay: u64) {
        self.edges[from].push(Edge { to, delay });
        self.waits_for[to] += 1;
    }

    fn registers(&mut self, program: &Program, config: &Config) {
        let mut writer: [Option<usize>; 64] = [None; 64];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); 64];
        let mut scalar: [Option<usize>; 192] = [None; 192];
        for (i, instruction) in program.instructions.iter().enumerate() {
            for source in instruction.vector_sources() {
                if let Some(from) = writer[source.index()] {
                    self.edge(from, i, end(program, config, from));
                }
                readers[source.index()].push(i);
            }
            for file in scalar_reads(instruction) {
                if let Some(from) = scalar[file] {
                    self.edge(from, i, end(program, config, from));
                }
            }
            if let Some(file) = scalar_write(instruction) {
                scalar[file] = Some(i);
            }
            for result in instruction.vector_destinations() {
                let register = result.index();
                if let Some(from) = writer[register].filter(|&from| from != i) {
                    self.edge(from, i, end(program, config, from));
                }
                for from in std::mem::take(&mut readers[register]) {
                    if from != i {
                        self.edge(from, i, occupancy(program, config, from));
                    }
                }
                writer[register] = Some(i);
            }
        }
    }

    /// Vectors are taken to overlap where their first and last addresses do.
    fn memory(&mut self, program: &Program, config: &Config) {
        let mut accesses: Vec<(usize, u64, u64, bool)> = Vec::new();
        for (i, instruction) in program.instructions.iter().enumerate() {
            let (first, last, store) = match *instruction {
                Instruction::VLoad { offset, mode, .. } => {
                    (offset, mode.offset(config.vector_length as u64 - 1), false)
                }
                Instruction::VStore { offset, mode, .. } => {
                    (offset, mode.offset(config.vector_length as u64 - 1), true)
                }
                _ => continue,
            };
            let (first, last) = (u64::from(first), u64::from(first) + last);
            for &(from, f, l, earlier_store) in &accesses {
                if (store || earlier_store) && first <= l && f <= last {
                    self.edge(from, i, end(program, config, from));
                }
            }
            accesses.push((i, first, last, store));
        }
    }
}

fn scalar_reads(instruction: &Instruction) -> impl Iterator<Item = usize> {
    let files = [
        instruction.scalar().map(|r| r.index()),
        instruction.modulus().map(|r| 64 + r.index()),
        instruction.address_register().map(|r| 128 + r.index()),
    ];
    files.into_iter().flatten()
}

fn scalar_write(instruction: &Instruction) -> Option<usize> {
    match *instruction {
        Instruction::SLoad { rt, .. } => Some(rt.index()),
        Instruction::MLoad { rt, .. } => Some(64 + rt.index()),
        Instruction::ALoad { rt, .. } => Some(128 + rt.index()),
        _ => None,
    }
}

/// Cycles of the pipeline that an instruction takes.
fn occupancy(program: &Program, config: &Config, i: usize) -> u64 {
    let beats = config.beats() as u64;
    match program.instructions[i] {
        Instruction::VLoad { .. } | Instruction::VStore { .. } => {
            beats * (config.hples as u64).div_ceil(config.banks as u64)
        }
        ref other => match other.class() {
            Class::LoadStore => 1,
            Class::Compute => beats * config.ii,
            Class::Shuffle => beats,
        },
    }
}

/// Cycles from the start of an instruction to its end.
fn end(program: &Program, config: &Config, i: usize) -> u64 {
    let latency = match program.instructions[i].class() {
        Class::LoadStore => config.load_store_latency,
        Class::Compute => config.compute_latency,
        Class::Shuffle => config.shuffle_latency,
    };
    occupancy(program, config, i) + latency
}

/// What the scheduler keeps of the machine.
struct Issue<'a> {
    graph: &'a Graph,
    /// Instructions that wait for nothing, by the cycle from which on they can issue.
    soon: BinaryHeap<Reverse<(u64, usize)>>,
    /// Instructions that can issue, by the class of their queue and their height.
    ready: [BinaryHeap<(u64, Reverse<usize>)>; 3],
    waits_for: Vec<usize>,
    earliest: Vec<u64>,
    order: Vec<usize>,
}

fn issue_all(program: &Program, config: &Config, graph: &Graph) -> Vec<usize> {
    let count = program.instructions.len();
    let mut state = Issue {
        graph,
        soon: BinaryHeap::new(),
        ready: [(); 3].map(|()| BinaryHeap::new()),
        waits_for: graph.waits_for.clone(),
        earliest: vec![0; count],
        order: Vec::with_capacity(count),
    };
    let roots = (0..count).filter(|&i| graph.waits_for[i] == 0);
    state.soon.extend(roots.map(|i| Reverse((0, i))));
    let (mut now, mut free) = (0, [0_u64; 3]);
    while state.order.len() < count {
        while let Some(&Reverse((cycle, i))) = state.soon.peek() {
            if cycle > now {
                break;
            }
            state.soon.pop();
            let class = index(program.instructions[i].class());
            state.ready[class].push((graph.height[i], Reverse(i)));
        }
        // The pipeline with the least work before it comes first; a queue holds what waits.
        let longest = config.beats() as u64 * config.queue_depth as u64 / 2;
        let open = (0..3).filter(|&c| !state.ready[c].is_empty() && free[c] < now + longest);
        let class = open.min_by_key(|&c| (free[c].max(now + 1), Reverse(top(&state.ready[c]))));
        if let Some((_, Reverse(i))) = class.and_then(|class| state.ready[class].pop()) {
            let class = index(program.instructions[i].class());
            let start = free[class].max(now + 1);
            free[class] = start + occupancy(program, config, i) + config.gap;
            state.issued(i, start);
        }
        now += 1;
    }
    state.order
}

fn top(ready: &BinaryHeap<(u64, Reverse<usize>)>) -> u64 {
    ready.peek().map_or(0, |&(height, _)| height)
}

impl Issue<'_> {
    fn issued(&mut self, i: usize, start: u64) {
        self.order.push(i);
        for edge in &self.graph.edges[i] {
            let earliest = &mut self.earliest[edge.to];
            *earliest = (*earliest).max(start + edge.delay);
            self.waits_for[edge.to] -= 1;
            if self.waits_for[edge.to] == 0 {
                self.soon.push(Reverse((*earliest, edge.to)));
            }
        }
    }
}
