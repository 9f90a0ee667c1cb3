//! Swaps that a stride makes: what two shuffles would do to two vectors in registers, two loads or
//! stores of every other word do on the way.
//!
//! Unpacking a and b and storing the results one behind the other leaves a0 b0 a1 b1 ... in memory;
//! so do a store of a and one of b with a stride of two words, the second a word behind the first.
//! Packing what two loads brought is the same backwards. Shuffles spare bank conflicts, strides spare
//! shuffles: banks that take addresses modulo their number serve a stride of two in twice the cycles.
//! What balances a machine's pipelines lies in between, so a share of the pairs is asked for.

use crate::dataflow::{Dataflow, Node, NodeId, Operation, Shuffle, Value};
use crate::Access;

/// The stride of two words.
const STRIDE: Access = Access::Strided(1);

impl Dataflow {
    /// Leaves `percent` of the pairs of shuffles that stand next to their loads or stores to these,
    /// evenly in the order of the program; 100 and more are all.
    pub fn with_strides(mut self, percent: u8) -> Self {
        let share = |pairs: u64| pairs * u64::from(percent.min(100)) / 100;
        let mut renamed: Vec<NodeId> = (0..self.nodes.len() as NodeId).collect();
        for (number, pair) in (0..).zip(self.pairs_at_memory()) {
            if share(number + 1) > share(number) {
                self.stride(pair, &mut renamed);
            }
        }
        self.without_unread(&renamed);
        self
    }

    /// The pairs of shuffles that a stride can take the place of.
    fn pairs_at_memory(&self) -> Vec<Pair> {
        let mut readers = vec![Vec::new(); self.nodes.len()];
        for (id, node) in (0..).zip(&self.nodes) {
            for value in node.operation.operands() {
                readers[value.node as usize].push(id);
            }
        }
        let first = 0..self.nodes.len() as NodeId;
        first.filter_map(|low| self.pair(low, &readers)).collect()
    }

    /// The pair that begins with this node: a swap's two shuffles follow each other.
    fn pair(&self, low: NodeId, readers: &[Vec<NodeId>]) -> Option<Pair> {
        let [first, second] = [low, low + 1].map(|id| self.nodes.get(id as usize));
        let (kind, a, b) = shuffle(first?)?;
        let other = match kind {
            Shuffle::UnpackLow => Shuffle::UnpackHigh,
            Shuffle::PackLow => Shuffle::PackHigh,
            _ => return None,
        };
        if shuffle(second?)? != (other, a, b) {
            return None;
        }
        let read = |id: NodeId| readers[id as usize].as_slice();
        let accesses = match (kind, read(low), read(low + 1)) {
            (Shuffle::UnpackLow, &[first], &[second]) => [first, second],
            (Shuffle::PackLow, ..) if [a, b].iter().all(|v| *read(v.node) == [low, low + 1]) => {
                [a.node, b.node]
            }
            _ => return None,
        };
        let [first, second] = accesses.map(|id| self.linear(id));
        let (buffer, address) = first?;
        let follows = second? == (buffer, address + (1 << self.log_vector));
        follows.then_some(Pair {
            low,
            values: [a, b],
            accesses,
        })
    }

    /// Buffer and address of a load or store of consecutive words.
    fn linear(&self, id: NodeId) -> Option<(u8, u32)> {
        match self.nodes[id as usize].operation {
            Operation::Load {
                buffer,
                address,
                access: Access::Linear,
            }
            | Operation::Store {
                buffer,
                address,
                access: Access::Linear,
                ..
            } => Some((buffer, address)),
            _ => None,
        }
    }

    fn stride(&mut self, pair: Pair, renamed: &mut [NodeId]) {
        let Some((_, first)) = self.linear(pair.accesses[0]) else {
            return;
        };
        for (i, at) in (0..2).zip(first..) {
            let id = pair.accesses[i as usize] as usize;
            match &mut self.nodes[id].operation {
                Operation::Store {
                    value,
                    address,
                    access,
                    ..
                } => (*value, *address, *access) = (pair.values[i as usize], at, STRIDE),
                Operation::Load {
                    address, access, ..
                } => {
                    (*address, *access) = (at, STRIDE);
                    renamed[(pair.low + i) as usize] = pair.values[i as usize].node;
                }
                _ => {}
            }
        }
    }

    /// Drops what nothing reads; values get their new names.
    fn without_unread(&mut self, renamed: &[NodeId]) {
        let mut kept = vec![false; self.nodes.len()];
        for (id, node) in self.nodes.iter_mut().enumerate().rev() {
            kept[id] |= matches!(node.operation, Operation::Store { .. });
            node.operation.rename(|id| renamed[id as usize]);
            if kept[id] {
                for value in node.operation.operands() {
                    kept[value.node as usize] = true;
                }
            }
        }
        let mut next = 0;
        let number = |&kept: &bool| {
            next += NodeId::from(kept);
            next - NodeId::from(kept)
        };
        let numbers: Vec<NodeId> = kept.iter().map(number).collect();
        let nodes = std::mem::take(&mut self.nodes).into_iter().zip(kept);
        self.nodes = nodes
            .filter_map(|(node, kept)| kept.then_some(node))
            .collect();
        for node in &mut self.nodes {
            node.operation.rename(|id| numbers[id as usize]);
        }
    }
}

/// Two shuffles of the same two vectors, and the loads or stores next to them, lower address first.
struct Pair {
    low: NodeId,
    values: [Value; 2],
    accesses: [NodeId; 2],
}

fn shuffle(node: &Node) -> Option<(Shuffle, Value, Value)> {
    match node.operation {
        Operation::Shuffle { kind, a, b } => Some((kind, a, b)),
        _ => None,
    }
}
