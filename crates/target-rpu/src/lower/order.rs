//! The order of operations in which few towers wait.
//!
//! A program's order is that of its user's lines: all towers of a rotation, then all of the sum behind
//! it. Where a memory holds few towers, each of the first would leave it before the second reads it.
//! Here what works word by word is done when what wants a tower whole needs it, or when it leaves; or
//! at once, where it is the last to read a tower that was made, so that it takes no more room than
//! that. What wants its tower whole keeps its order.

use super::kinds::is_whole;
use ringwright_towers::{Graph, TowerId};

/// The same graph in that order.
pub fn ordered(graph: &Graph) -> Graph {
    let mut ordering = Ordering::new(graph);
    for (index, node) in graph.nodes.iter().enumerate() {
        if is_whole(&node.kind) || ordering.is_returned[node.result.index()] {
            ordering.need(index);
        }
    }
    let nodes = ordering.order.iter();
    Graph {
        nodes: nodes.map(|&index| graph.nodes[index].clone()).collect(),
        ..graph.clone()
    }
}

struct Ordering<'g> {
    graph: &'g Graph,
    /// The node that makes each tower.
    maker: Vec<Option<usize>>,
    /// The nodes that read each tower, each once.
    readers: Vec<Vec<usize>>,
    /// How many of them are to come.
    left: Vec<usize>,
    is_returned: Vec<bool>,
    is_done: Vec<bool>,
    order: Vec<usize>,
}

impl<'g> Ordering<'g> {
    fn new(graph: &'g Graph) -> Self {
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); graph.towers()];
        for (index, node) in graph.nodes.iter().enumerate() {
            for arg in operands(&node.args) {
                readers[arg.index()].push(index);
            }
        }
        let mut is_returned = vec![false; graph.towers()];
        graph
            .returned()
            .for_each(|tower| is_returned[tower.index()] = true);
        Ordering {
            graph,
            maker: graph.makers(),
            left: readers.iter().map(Vec::len).collect(),
            readers,
            is_returned,
            is_done: vec![false; graph.nodes.len()],
            order: Vec::with_capacity(graph.nodes.len()),
        }
    }

    /// Does a node, and before it what makes its operands.
    fn need(&mut self, node: usize) {
        let mut stack = vec![node];
        while let Some(&next) = stack.last() {
            let before = stack.len();
            if !self.is_done[next] {
                let args = self.graph.nodes[next].args.iter().rev();
                let makers = args.filter_map(|arg| self.maker[arg.index()]);
                stack.extend(makers.filter(|&maker| !self.is_done[maker]));
            }
            if stack.len() == before {
                stack.pop();
                self.now(next);
            }
        }
    }

    /// Does a node whose operands are there, and what then frees a tower.
    fn now(&mut self, node: usize) {
        let mut ready = vec![node];
        while let Some(next) = ready.pop() {
            if std::mem::replace(&mut self.is_done[next], true) {
                continue;
            }
            self.order.push(next);
            let node = &self.graph.nodes[next];
            let args = operands(&node.args);
            args.iter().for_each(|arg| self.left[arg.index()] -= 1);
            let last = args.iter().filter(|arg| self.left[arg.index()] == 1);
            let changed = last.chain([&node.result]);
            let readers = changed.flat_map(|tower| &self.readers[tower.index()]);
            ready.extend(readers.filter(|&&reader| self.frees(reader)));
        }
    }

    /// Whether a node that works word by word can be done and is the last to read what was made.
    fn frees(&self, node: usize) -> bool {
        let args = &self.graph.nodes[node].args;
        let is_there = |arg: &TowerId| {
            let maker = self.maker[arg.index()];
            maker.is_none_or(|maker| self.is_done[maker])
        };
        let dies = |arg: &TowerId| {
            let arg = arg.index();
            self.maker[arg].is_some() && self.left[arg] == 1 && !self.is_returned[arg]
        };
        !self.is_done[node]
            && !is_whole(&self.graph.nodes[node].kind)
            && args.iter().all(is_there)
            && args.iter().any(dies)
    }
}

/// What a node reads, each once.
fn operands(args: &[TowerId]) -> Vec<TowerId> {
    let mut args = args.to_vec();
    args.sort_unstable();
    args.dedup();
    args
}
