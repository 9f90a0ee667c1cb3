//! Rewrites of a graph that keep every bit: fewer operations, fewer passes over memory, nothing
//! computed in vain.
//!
//! They run in the order of [`run`], each once. A pass that makes a kind asks whether the target has
//! it.

mod cancel_transforms;
mod drop_unread;
mod fuse_automorphisms;
mod fuse_differences;
mod fuse_products;

use crate::graph::{Graph, Kind, Node, Supports, TowerId};

/// All passes.
pub fn run(graph: &mut Graph, supports: Supports<'_>) {
    cancel_transforms::run(graph);
    drop_unread::run(graph);
    fuse_differences::run(graph, supports);
    fuse_products::run(graph, supports);
    fuse_automorphisms::run(graph, supports);
    drop_unread::run(graph);
}

/// The node of a tower that is read once and by nobody outside: what a pass may move to its reader.
struct Single<'g> {
    reads: &'g [u32],
    defined: &'g [Option<u32>],
    nodes: &'g [Node],
}

impl<'g> Single<'g> {
    fn node(&self, tower: TowerId) -> Option<&'g Node> {
        match self.defined[tower.index()] {
            Some(node) if self.reads[tower.index()] == 1 => {
                Some(&self.nodes[node as usize]).filter(|node| !node.is_call())
            }
            _ => None,
        }
    }
}

/// Replaces nodes by what `rewrite` makes of them and of what they alone read.
fn rewrite(
    graph: &mut Graph,
    rewrite: impl Fn(&Node, &Single<'_>) -> Option<(Kind, Vec<TowerId>)>,
) {
    let reads = graph.reads();
    let mut defined: Vec<Option<u32>> = vec![None; graph.towers()];
    for index in 0..graph.nodes.len() {
        let single = Single {
            reads: &reads,
            defined: &defined,
            nodes: &graph.nodes,
        };
        let node = &graph.nodes[index];
        if let Some((kind, args)) = rewrite(node, &single) {
            let node = &mut graph.nodes[index];
            (node.kind, node.args) = (kind, args);
        }
        for tower in graph.nodes[index].defines() {
            defined[tower.index()] = Some(index as u32);
        }
    }
}
