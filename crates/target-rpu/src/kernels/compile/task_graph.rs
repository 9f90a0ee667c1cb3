//! What a scheduler orders: instructions without registers, and the values between them.

use crate::config::Config;
use crate::isa::{Class, Mode};
use ringwright_nttx::{PatternId, Shuffle};
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

/// How long a constant may wait in a register for its next use, in instructions.
const PATIENCE: usize = 200;

/// A task graph while it is written, operands before what reads them.
#[derive(Default)]
pub struct Writer {
    tasks: Vec<Task>,
    readers: Vec<Vec<u32>>,
    groups: Groups,
    /// Constants by node: the value, and how many tasks there were when it was last read.
    constants: HashMap<usize, (u32, usize)>,
}

impl Writer {
    /// Appends an instruction that makes so many values; its number.
    pub fn push(&mut self, kind: Kind, sources: Vec<u32>, results: usize, groups: u16) -> u32 {
        let task = self.tasks.len() as u32;
        for &source in &sources {
            let readers = &mut self.readers[source as usize];
            if readers.last() != Some(&task) {
                readers.push(task);
            }
        }
        let first = self.readers.len() as u32;
        let results: Vec<u32> = (first..).take(results).collect();
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

    /// Appends a load of the constant that is this node, which is read at once; its value.
    pub fn load(&mut self, node: usize, kind: Kind, groups: u16, pattern: PatternId) -> u32 {
        let task = self.push(kind, Vec::new(), 1, groups);
        self.tasks[task as usize].pattern = Some(pattern);
        let value = self.results(task)[0];
        self.constants.insert(node, (value, self.tasks.len()));
        value
    }

    /// The value of a constant that was read so lately that it is still in its register; now it is
    /// read again.
    pub fn constant(&mut self, node: usize) -> Option<u32> {
        let now = self.tasks.len();
        let (value, read) = self.constants.get_mut(&node)?;
        if now - *read > PATIENCE {
            return None;
        }
        *read = now;
        Some(*value)
    }

    /// The values that an instruction makes.
    pub fn results(&self, task: u32) -> &[u32] {
        &self.tasks[task as usize].results
    }

    /// Says what an instruction must not overtake.
    pub fn wait(&mut self, task: u32, mut others: Vec<u32>) {
        others.sort_unstable();
        self.tasks[task as usize].memory = others;
    }

    /// The number of a list of group cycles.
    pub fn group(&mut self, cycles: Vec<u32>) -> u16 {
        self.groups.intern(cycles)
    }

    /// All that was written.
    pub fn finish(self) -> TaskGraph {
        TaskGraph {
            tasks: self.tasks,
            readers: self.readers,
            groups: self.groups.list,
        }
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

/// What the roots need and they themselves, of `count` nodes: every node right after what it needs,
/// in that order.
pub fn depth_first(
    count: usize,
    roots: impl Iterator<Item = usize>,
    needs: impl Fn(usize) -> Vec<usize>,
) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
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
            stack.extend(needs(node).into_iter().rev().map(|node| (node, false)));
        }
    }
    order
}
