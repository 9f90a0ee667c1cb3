//! A graph as the list scheduler wants it: an order to start from, and what memory asks for.

use super::graph::{Graph, Place, Role, Value};
use crate::config::Config;
use crate::isa::{Class, Instruction};
use crate::kernels::compile::graph::{Kind, Task, TaskGraph};
use crate::kernels::compile::memory_map::groups;
use ringwright_nttx::{PatternId, Shuffle};
use std::collections::HashMap;

/// How long a constant may wait in a register for its next use, in instructions.
const PATIENCE: usize = 200;

/// The scheduler's graph and, for each of its tasks, the instruction and its words in memory.
pub struct Tasks {
    /// What is scheduled.
    pub graph: TaskGraph,
    /// What is emitted.
    pub instructions: Vec<(Instruction, Option<Place>)>,
}

impl Tasks {
    /// Of all that the results need.
    pub fn new(graph: &Graph, config: &Config) -> Self {
        let needed = graph.needed();
        let memory = graph.memory_order(&needed);
        let mut builder = Builder {
            graph,
            config,
            tasks: Vec::new(),
            instructions: Vec::new(),
            readers: Vec::new(),
            // Fillers take group 0.
            groups: vec![vec![1]],
            group_of: HashMap::new(),
            values: HashMap::new(),
            constants: HashMap::new(),
            patterns: HashMap::new(),
            task_of: vec![None; graph.nodes.len()],
        };
        for node in depth_first(graph, &needed, &memory) {
            builder.node(node, &memory[node]);
        }
        Tasks {
            graph: TaskGraph {
                tasks: builder.tasks,
                readers: builder.readers,
                groups: builder.groups,
            },
            instructions: builder.instructions,
        }
    }

    /// Cycles in which load/store, compute and shuffle pipe work: no order takes fewer.
    pub fn occupied(&self, config: &Config) -> [u64; 3] {
        let mut sum = [0; 3];
        let mut loaded = Vec::new();
        for (number, task) in self.graph.tasks.iter().enumerate() {
            // A constant is loaded again only for want of registers.
            if let Some(pattern) = task.pattern {
                if loaded.contains(&pattern) {
                    continue;
                }
                loaded.push(pattern);
            }
            sum[task.class() as usize] += self.graph.length(number as u32, config);
        }
        sum
    }
}

/// From the last stores backwards: every node right after what it waits for.
fn depth_first(graph: &Graph, needed: &[bool], memory: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; graph.nodes.len()];
    let roots = (0..graph.nodes.len()).filter(|&node| needed[node] && graph.nodes[node].is_store());
    for root in roots {
        let mut stack = vec![(root, false)];
        while let Some((node, done)) = stack.pop() {
            if done {
                order.push(node);
                continue;
            }
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            stack.push((node, true));
            let memory = memory[node].iter().copied();
            let sources = graph.nodes[node].sources.iter().map(|value| value.node);
            let before: Vec<usize> = memory.chain(sources).collect();
            stack.extend(before.into_iter().rev().map(|node| (node, false)));
        }
    }
    order
}

struct Builder<'a> {
    graph: &'a Graph,
    config: &'a Config,
    tasks: Vec<Task>,
    instructions: Vec<(Instruction, Option<Place>)>,
    readers: Vec<Vec<u32>>,
    groups: Vec<Vec<u32>>,
    group_of: HashMap<Place, u16>,
    values: HashMap<Value, u32>,
    /// Constants by node: the value and where it was last read.
    constants: HashMap<usize, (u32, usize)>,
    patterns: HashMap<Place, PatternId>,
    task_of: Vec<Option<u32>>,
}

impl Builder<'_> {
    fn node(&mut self, node: usize, memory: &[usize]) {
        if self.constant(node).is_some() {
            return;
        }
        let graph = self.graph;
        let sources = graph.nodes[node].sources.iter();
        let sources: Vec<u32> = sources.map(|&value| self.source(value)).collect();
        let task = self.push(node, sources);
        self.task_of[node] = Some(task as u32);
        for (port, &value) in self.tasks[task].results.iter().enumerate() {
            self.values.insert(Value { node, port }, value);
        }
        let before = memory.iter();
        let mut before: Vec<u32> = before.filter_map(|&other| self.task_of[other]).collect();
        before.sort_unstable();
        self.tasks[task].memory = before;
    }

    /// The place of a node that loads a constant.
    fn constant(&self, node: usize) -> Option<Place> {
        let place = self.graph.nodes[node].place?;
        (self.graph.roles[place.slot] == Role::Table).then_some(place)
    }

    fn source(&mut self, value: Value) -> u32 {
        let Some(place) = self.constant(value.node) else {
            return self.values[&value];
        };
        let now = self.tasks.len();
        let loaded = match self.constants.get(&value.node) {
            Some(&(loaded, read)) if now - read <= PATIENCE => loaded,
            _ => {
                let task = self.push(value.node, vec![]);
                let next = PatternId(self.patterns.len() as u32);
                self.tasks[task].pattern = Some(*self.patterns.entry(place).or_insert(next));
                self.tasks[task].results[0]
            }
        };
        self.constants
            .insert(value.node, (loaded, self.tasks.len()));
        loaded
    }

    fn push(&mut self, node: usize, sources: Vec<u32>) -> usize {
        let (instruction, place) = {
            let node = &self.graph.nodes[node];
            (node.instruction, node.place)
        };
        let task = self.tasks.len();
        for &source in &sources {
            let readers = &mut self.readers[source as usize];
            if readers.last() != Some(&(task as u32)) {
                readers.push(task as u32);
            }
        }
        let first = self.readers.len() as u32;
        let results = first..first + instruction.vector_destinations().count() as u32;
        self.readers.extend(results.clone().map(|_| Vec::new()));
        let groups = place.map_or(0, |place| self.group(place));
        self.tasks.push(Task {
            kind: self.kind(instruction, place),
            sources,
            results: results.collect(),
            groups,
            memory: Vec::new(),
            pattern: None,
        });
        self.instructions.push((instruction, place));
        task
    }

    /// What matters to the scheduler: the pipe, and whether it loads.
    fn kind(&self, instruction: Instruction, place: Option<Place>) -> Kind {
        let address = |place: Place| (place.slot * self.graph.shape.slot()) as u32 + place.offset;
        match (instruction.class(), place) {
            (Class::LoadStore, Some(place)) => {
                let (address, mode) = (address(place), place.mode);
                match instruction {
                    Instruction::VStore { .. } => Kind::Store { address, mode },
                    _ => Kind::Load { address, mode },
                }
            }
            (Class::Shuffle, _) => Kind::Shuffle(Shuffle::UnpackLow),
            _ => Kind::Multiply,
        }
    }

    /// Slots are aligned to their length, so which one it is does not matter to the banks.
    fn group(&mut self, place: Place) -> u16 {
        let anywhere = Place { slot: 0, ..place };
        if let Some(&known) = self.group_of.get(&anywhere) {
            return known;
        }
        let cycles = groups(self.config, place.offset, place.mode);
        let same = self.groups.iter().position(|known| *known == cycles);
        let group = same.unwrap_or_else(|| {
            self.groups.push(cycles);
            self.groups.len() - 1
        });
        self.group_of.insert(anywhere, group as u16);
        group as u16
    }
}
