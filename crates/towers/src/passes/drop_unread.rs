//! Drops what nothing reads: towers that a later `Towers` leaves out, results of calls.

use crate::graph::Graph;

/// Keeps the nodes that a returned tower depends on.
pub fn run(graph: &mut Graph) {
    let mut read = vec![false; graph.towers()];
    for tower in graph.returned() {
        read[tower.index()] = true;
    }
    let mut keep: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter().rev() {
        let needed = node.defines().any(|tower| read[tower.index()]);
        if needed {
            node.args.iter().for_each(|arg| read[arg.index()] = true);
        }
        keep.push(needed);
    }
    let mut keep = keep.into_iter().rev();
    graph.nodes.retain(|_| keep.next().unwrap_or(true));
}
