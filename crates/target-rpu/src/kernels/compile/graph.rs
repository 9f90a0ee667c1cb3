//! A dataflow graph as a [`TaskGraph`]: its instructions in a first order, and what memory asks for.

use super::memory_map::{groups, mode, MemoryMap};
use super::task_graph::{depth_first, Kind, TaskGraph, Writer};
use crate::config::Config;
use crate::isa::Mode;
use ringwright_nttx::{Dataflow, Node, Operation, Value};
use std::collections::HashMap;

/// Orders and translates a dataflow graph.
pub fn task_graph(graph: &Dataflow, map: &MemoryMap, config: &Config, overlap: u32) -> TaskGraph {
    let mut order = stores_backwards(graph);
    let memory = memory_edges(graph, &order);
    interleave(graph, &mut order, overlap);
    let mut translation = Translation {
        graph,
        map,
        config,
        tasks: Writer::default(),
        values: HashMap::new(),
        tasks_of: HashMap::new(),
    };
    translation.scalars();
    for node in order {
        translation.node(node, &graph.nodes[node as usize]);
    }
    let Translation {
        mut tasks,
        tasks_of,
        ..
    } = translation;
    for (node, others) in &memory {
        let others = others.iter().map(|other| tasks_of[other]).collect();
        tasks.wait(tasks_of[node], others);
    }
    tasks.finish()
}

/// Nodes from the stores backwards: every node right after what it needs.
fn stores_backwards(graph: &Dataflow) -> Vec<u32> {
    let operation = |node: usize| graph.nodes[node].operation;
    let stores =
        (0..graph.nodes.len()).filter(|&node| matches!(operation(node), Operation::Store { .. }));
    let needs = |node: usize| {
        let operands = operation(node).operands();
        operands.iter().map(|value| value.node as usize).collect()
    };
    let order = depth_first(graph.nodes.len(), stores, needs);
    order.into_iter().map(|node| node as u32).collect()
}

/// Lets each block begin before the one ahead of it has ended: its nodes spread over a span that is
/// `overlap` percent longer than its share.
fn interleave(graph: &Dataflow, order: &mut [u32], overlap: u32) {
    let block = |&node: &u32| {
        (
            graph.nodes[node as usize].pass,
            graph.nodes[node as usize].block,
        )
    };
    let mut keys = vec![0u64; graph.nodes.len()];
    let mut begin = 0;
    for nodes in order.chunk_by(|a, b| block(a) == block(b)) {
        let (middle, stretch) = (nodes.len() as u64, u64::from(100 + overlap));
        for (i, &node) in nodes.iter().enumerate() {
            // In half percents, kept positive.
            let from_middle = 2 * i as u64 * stretch;
            keys[node as usize] =
                (1 << 40) + 200 * begin + 100 * middle + from_middle - middle * stretch;
        }
        begin += middle;
    }
    order.sort_by_key(|&node| keys[node as usize]);
}

/// For each load and store the nodes that it must not overtake.
fn memory_edges(graph: &Dataflow, order: &[u32]) -> Vec<(u32, Vec<u32>)> {
    let mut memory = MemoryOrder::new(graph);
    let edges = |&node: &u32| {
        let operation = &graph.nodes[node as usize].operation;
        let others = memory.edges(operation, node);
        (!others.is_empty()).then_some((node, others))
    };
    order.iter().filter_map(edges).collect()
}

struct Translation<'a> {
    graph: &'a Dataflow,
    map: &'a MemoryMap,
    config: &'a Config,
    tasks: Writer,
    values: HashMap<Value, u32>,
    tasks_of: HashMap<u32, u32>,
}

impl Translation<'_> {
    fn scalars(&mut self) {
        let groups = self.tasks.group(vec![1]);
        self.tasks.push(Kind::LoadModulus, vec![], 0, groups);
        if self.graph.count(|op| matches!(op, Operation::Scale { .. })) > 0 {
            self.tasks.push(Kind::LoadScale, vec![], 0, groups);
        }
    }

    fn node(&mut self, id: u32, node: &Node) {
        let sources: Vec<u32> = match node.operation {
            Operation::Constant { .. } => return,
            operation => operation
                .operands()
                .iter()
                .map(|&value| self.source(value))
                .collect(),
        };
        let (kind, results, groups) = self.kind(&node.operation);
        let task = self.tasks.push(kind, sources, results, groups);
        self.tasks_of.insert(id, task);
        for (port, &value) in (0..).zip(self.tasks.results(task)) {
            self.values.insert(Value { node: id, port }, value);
        }
    }

    /// What an operation is, how many values it makes, and its groups.
    fn kind(&mut self, operation: &Operation) -> (Kind, usize, u16) {
        let at = |buffer: u8, address: u32| self.map.buffers[buffer as usize] + address;
        match *operation {
            Operation::Load {
                buffer,
                address,
                access,
            } => {
                let (address, mode) = (at(buffer, address), mode(access));
                (Kind::Load { address, mode }, 1, self.groups(address, mode))
            }
            Operation::Store {
                buffer,
                address,
                access,
                ..
            } => {
                let (address, mode) = (at(buffer, address), mode(access));
                (Kind::Store { address, mode }, 0, self.groups(address, mode))
            }
            Operation::Constant { pattern } => {
                let (address, mode) = self.map.constant(self.graph, pattern);
                (Kind::Load { address, mode }, 1, self.groups(address, mode))
            }
            Operation::Butterfly { form, .. } => {
                let gentleman_sande = form == ringwright_nttx::Form::GentlemanSande;
                (Kind::Butterfly { gentleman_sande }, 2, 0)
            }
            Operation::Multiply { .. } => (Kind::Multiply, 1, 0),
            Operation::Scale { .. } => (Kind::Scale, 1, 0),
            Operation::Shuffle { kind, .. } => (Kind::Shuffle(kind), 1, 0),
        }
    }

    fn groups(&mut self, address: u32, mode: Mode) -> u16 {
        self.tasks.group(groups(self.config, address, mode))
    }

    /// The value that stands for an operand; a constant's is loaded here.
    fn source(&mut self, value: Value) -> u32 {
        let node = value.node as usize;
        let operation = self.graph.nodes[node].operation;
        let Operation::Constant { pattern } = operation else {
            return self.values[&value];
        };
        self.tasks.constant(node).unwrap_or_else(|| {
            let (kind, _, groups) = self.kind(&operation);
            self.tasks.load(node, kind, groups, pattern)
        })
    }
}

/// The last instruction that wrote, and those that have since read, each word of the buffers.
struct MemoryOrder {
    length: usize,
    writer: [Vec<u32>; 2],
    reader: [Vec<u32>; 2],
}

const NOBODY: u32 = u32::MAX;

impl MemoryOrder {
    fn new(graph: &Dataflow) -> Self {
        let words = 1usize << graph.log_words;
        MemoryOrder {
            length: 1 << graph.log_vector,
            writer: [vec![NOBODY; words], vec![NOBODY; words]],
            reader: [vec![NOBODY; words], vec![NOBODY; words]],
        }
    }

    /// What must be done before, and remembers the access. Every word is loaded once in a pass, so
    /// one reader a word is enough.
    fn edges(&mut self, operation: &Operation, task: u32) -> Vec<u32> {
        let (buffer, address, access, store) = match *operation {
            Operation::Load {
                buffer,
                address,
                access,
            } => (buffer, address, access, false),
            Operation::Store {
                buffer,
                address,
                access,
                ..
            } => (buffer, address, access, true),
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        let (writer, reader) = (
            &mut self.writer[buffer as usize],
            &mut self.reader[buffer as usize],
        );
        for i in 0..self.length {
            let word = address as usize + access.offset(i);
            found.push(writer[word]);
            if store {
                found.push(std::mem::replace(&mut reader[word], NOBODY));
                writer[word] = task;
            } else {
                reader[word] = task;
            }
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&other| other != NOBODY);
        found
    }
}
