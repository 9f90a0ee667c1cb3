//! A graph as the list scheduler wants it: an order to start from, and what memory asks for.

use super::graph::{Graph, Place, Role, Value};
use crate::config::Config;
use crate::isa::{Class, Instruction};
use crate::kernels::compile::memory_map::groups;
use crate::kernels::compile::task_graph::{depth_first, Kind, TaskGraph, Writer};
use ringwright_nttx::{PatternId, Shuffle};
use std::collections::HashMap;

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
        let mut translation = Translation {
            graph,
            config,
            tasks: Writer::default(),
            instructions: Vec::new(),
            group_of: HashMap::new(),
            values: HashMap::new(),
            patterns: HashMap::new(),
            task_of: vec![None; graph.nodes.len()],
        };
        // What only passes time takes group 0.
        translation.tasks.group(vec![1]);
        for node in stores_backwards(graph, &needed, &memory) {
            translation.node(node, &memory[node]);
        }
        Tasks {
            graph: translation.tasks.finish(),
            instructions: translation.instructions,
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

/// From the stores backwards: every node right after what it waits for.
fn stores_backwards(graph: &Graph, needed: &[bool], memory: &[Vec<usize>]) -> Vec<usize> {
    let stores =
        (0..graph.nodes.len()).filter(|&node| needed[node] && graph.nodes[node].is_store());
    depth_first(graph.nodes.len(), stores, |node| {
        let sources = graph.nodes[node].sources.iter().map(|value| value.node);
        memory[node].iter().copied().chain(sources).collect()
    })
}

struct Translation<'a> {
    graph: &'a Graph,
    config: &'a Config,
    tasks: Writer,
    instructions: Vec<(Instruction, Option<Place>)>,
    group_of: HashMap<Place, u16>,
    values: HashMap<Value, u32>,
    patterns: HashMap<Place, PatternId>,
    task_of: Vec<Option<u32>>,
}

impl Translation<'_> {
    fn node(&mut self, node: usize, memory: &[usize]) {
        if self.constant(node).is_some() {
            return;
        }
        let graph = self.graph;
        let (instruction, place) = (graph.nodes[node].instruction, graph.nodes[node].place);
        let sources = graph.nodes[node].sources.iter();
        let sources = sources.map(|&value| self.source(value)).collect();
        let groups = place.map_or(0, |place| self.group(place));
        let results = instruction.vector_destinations().count();
        let kind = self.kind(instruction, place);
        let task = self.tasks.push(kind, sources, results, groups);
        self.instructions.push((instruction, place));
        self.task_of[node] = Some(task);
        for (port, &value) in self.tasks.results(task).iter().enumerate() {
            self.values.insert(Value { node, port }, value);
        }
        let before = memory.iter().filter_map(|&other| self.task_of[other]);
        self.tasks.wait(task, before.collect());
    }

    /// The place of a node that loads a constant.
    fn constant(&self, node: usize) -> Option<Place> {
        let place = self.graph.nodes[node].place?;
        (self.graph.roles[place.slot] == Role::Table).then_some(place)
    }

    /// The value that stands for an operand; a constant's is loaded here.
    fn source(&mut self, value: Value) -> u32 {
        let Some(place) = self.constant(value.node) else {
            return self.values[&value];
        };
        self.tasks.constant(value.node).unwrap_or_else(|| {
            let instruction = self.graph.nodes[value.node].instruction;
            let (kind, groups) = (self.kind(instruction, Some(place)), self.group(place));
            let next = PatternId(self.patterns.len() as u32);
            let pattern = *self.patterns.entry(place).or_insert(next);
            self.instructions.push((instruction, Some(place)));
            self.tasks.load(value.node, kind, groups, pattern)
        })
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
        let group = self.tasks.group(cycles);
        self.group_of.insert(anywhere, group);
        group
    }
}
