//! A dataflow graph as a scheduler sees it: instructions, the values between them, the order that
//! memory wants, and a first order to start from.

use super::memory_map::{groups, mode, MemoryMap};
use crate::config::Config;
use crate::isa::{Class, Mode};
use ringwright_nttx::{Dataflow, Node, Operation, PatternId, Shuffle, Value};
use std::collections::HashMap;

/// What an instruction does, registers left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the fields are the operands of the instruction
pub enum Kind {
    LoadModulus,
    LoadScale,
    Load { address: u32, mode: Mode },
    Store { address: u32, mode: Mode },
    Butterfly { gentleman_sande: bool },
    Multiply,
    Scale,
    Shuffle(Shuffle),
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Task {
    /// What it does.
    pub kind: Kind,
    /// Values read, in the order of the operands.
    pub sources: Vec<u32>,
    /// Values written.
    pub results: Vec<u32>,
    /// Load/store: index into [`TaskGraph::groups`].
    pub groups: u16,
    /// Stores whose words a load reads; loads and stores that a store must not overtake.
    pub memory: Vec<u32>,
    /// The constant that it loads.
    pub pattern: Option<PatternId>,
}

impl Task {
    /// Its queue.
    pub fn class(&self) -> Class {
        match self.kind {
            Kind::LoadModulus | Kind::LoadScale | Kind::Load { .. } | Kind::Store { .. } => {
                Class::LoadStore
            }
            Kind::Shuffle(_) => Class::Shuffle,
            _ => Class::Compute,
        }
    }
}

/// Instructions in the order of their numbers: operands first, and each as late as its first use
/// allows, outputs in program order. That is how deep a part goes before the next begins.
#[derive(Clone, Debug)]
pub struct TaskGraph {
    /// The instructions.
    pub tasks: Vec<Task>,
    /// The readers of each value, ascending.
    pub readers: Vec<Vec<u32>>,
    /// Cycles of the groups of load/store instructions.
    pub groups: Vec<Vec<u32>>,
}

impl TaskGraph {
    /// Orders and translates a dataflow graph. A constant that is not read for `patience` nodes is
    /// loaded again.
    pub fn new(
        graph: &Dataflow,
        map: &MemoryMap,
        config: &Config,
        patience: usize,
        overlap: u32,
    ) -> Self {
        let mut order = depth_first(graph);
        let memory = memory_edges(graph, &order);
        interleave(graph, &mut order, overlap);
        let mut builder = Builder {
            graph,
            map,
            config,
            tasks: Vec::new(),
            readers: Vec::new(),
            groups: Groups::default(),
            values: HashMap::new(),
            constants: HashMap::new(),
            tasks_of: HashMap::new(),
            patience,
        };
        builder.scalars();
        for node in order {
            builder.node(node, &graph.nodes[node as usize]);
        }
        for (node, others) in &memory {
            let task = builder.tasks_of[node] as usize;
            let mut others: Vec<u32> = others.iter().map(|o| builder.tasks_of[o]).collect();
            others.sort_unstable();
            builder.tasks[task].memory = others;
        }
        TaskGraph {
            tasks: builder.tasks,
            readers: builder.readers,
            groups: builder.groups.list,
        }
    }

    /// Cycles that an instruction keeps its pipe.
    pub fn length(&self, task: u32, config: &Config) -> u64 {
        let task = &self.tasks[task as usize];
        let beats = config.beats() as u64;
        let cycles = match task.class() {
            Class::LoadStore => self.groups[task.groups as usize]
                .iter()
                .map(|&c| u64::from(c))
                .sum(),
            Class::Compute => beats * config.ii,
            Class::Shuffle => beats,
        };
        cycles + config.gap
    }
}

/// Nodes from the stores backwards: every node right after what it needs.
fn depth_first(graph: &Dataflow) -> Vec<u32> {
    let mut order = Vec::with_capacity(graph.nodes.len());
    let mut seen = vec![false; graph.nodes.len()];
    let is_store = |node: &Node| matches!(node.operation, Operation::Store { .. });
    for root in (0..graph.nodes.len()).filter(|&i| is_store(&graph.nodes[i])) {
        let mut stack = vec![(root as u32, false)];
        while let Some((node, done)) = stack.pop() {
            if done {
                order.push(node);
                continue;
            }
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            stack.push((node, true));
            let operands = graph.nodes[node as usize].operation.operands();
            stack.extend(operands.iter().rev().map(|value| (value.node, false)));
        }
    }
    order
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

struct Builder<'a> {
    graph: &'a Dataflow,
    map: &'a MemoryMap,
    config: &'a Config,
    tasks: Vec<Task>,
    readers: Vec<Vec<u32>>,
    groups: Groups,
    values: HashMap<Value, u32>,
    /// Constants by node: the value and where it was last read.
    constants: HashMap<u32, (u32, usize)>,
    tasks_of: HashMap<u32, u32>,
    patience: usize,
}

impl Builder<'_> {
    fn scalars(&mut self) {
        let groups = self.groups.intern(vec![1]);
        self.push(Kind::LoadModulus, vec![], 0, groups);
        if self.graph.count(|op| matches!(op, Operation::Scale { .. })) > 0 {
            self.push(Kind::LoadScale, vec![], 0, groups);
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
        let task = self.push(kind, sources, results, groups);
        self.tasks_of.insert(id, task as u32);
        for port in 0..results {
            let value = self.tasks[task].results[port as usize];
            self.values.insert(Value { node: id, port }, value);
        }
    }

    fn kind(&mut self, operation: &Operation) -> (Kind, u8, u16) {
        let at = |buffer: u8, address: u32| self.map.buffers[buffer as usize] + address;
        match *operation {
            Operation::Load {
                buffer,
                address,
                access,
            } => {
                let (address, mode) = (at(buffer, address), mode(access));
                let groups = self.groups.intern(groups(self.config, address, mode));
                (Kind::Load { address, mode }, 1, groups)
            }
            Operation::Store {
                buffer,
                address,
                access,
                ..
            } => {
                let (address, mode) = (at(buffer, address), mode(access));
                let groups = self.groups.intern(groups(self.config, address, mode));
                (Kind::Store { address, mode }, 0, groups)
            }
            Operation::Constant { pattern } => {
                let (address, mode) = self.map.constant(self.graph, pattern);
                let groups = self.groups.intern(groups(self.config, address, mode));
                (Kind::Load { address, mode }, 1, groups)
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

    /// The value that stands for an operand; a constant's is loaded here.
    fn source(&mut self, value: Value) -> u32 {
        let node = self.graph.nodes[value.node as usize];
        let Operation::Constant { pattern } = node.operation else {
            return self.values[&value];
        };
        let now = self.tasks.len();
        let known = self.constants.get(&value.node);
        let loaded = match known {
            Some(&(loaded, read)) if now - read <= self.patience => loaded,
            _ => {
                let (kind, _, groups) = self.kind(&node.operation);
                let task = self.push(kind, vec![], 1, groups);
                self.tasks[task].pattern = Some(pattern);
                self.tasks[task].results[0]
            }
        };
        self.constants
            .insert(value.node, (loaded, self.tasks.len()));
        loaded
    }

    fn push(&mut self, kind: Kind, sources: Vec<u32>, results: u8, groups: u16) -> usize {
        let task = self.tasks.len();
        for &source in &sources {
            let readers = &mut self.readers[source as usize];
            if readers.last() != Some(&(task as u32)) {
                readers.push(task as u32);
            }
        }
        let first = self.readers.len() as u32;
        let results: Vec<u32> = (first..first + u32::from(results)).collect();
        self.readers.extend(results.iter().map(|_| Vec::new()));
        self.tasks.push(Task {
            kind,
            sources,
            results,
            groups,
            memory: Vec::new(),
            pattern: None,
        });
        task
    }
}

/// Distinct lists of group cycles.
#[derive(Default)]
struct Groups {
    list: Vec<Vec<u32>>,
    index: HashMap<Vec<u32>, u16>,
}

impl Groups {
    fn intern(&mut self, groups: Vec<u32>) -> u16 {
        if let Some(&known) = self.index.get(&groups) {
            return known;
        }
        let id = self.list.len() as u16;
        self.index.insert(groups.clone(), id);
        self.list.push(groups);
        id
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
