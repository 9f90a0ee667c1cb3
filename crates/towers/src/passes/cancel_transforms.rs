//! `ntt(intt x)` and `intt(ntt x)` are x.

use crate::graph::{Graph, Kind, TowerId};

/// Reads x where the pair's result was read.
pub fn run(graph: &mut Graph) {
    let mut alias: Vec<TowerId> = (0..graph.towers() as u32).map(TowerId).collect();
    let mut transformed: Vec<Option<(bool, TowerId)>> = vec![None; graph.towers()];
    for node in &mut graph.nodes {
        for arg in &mut node.args {
            *arg = alias[arg.index()];
        }
        let forward = match node.kind {
            Kind::Ntt => true,
            Kind::Intt => false,
            _ => continue,
        };
        let (result, source) = (node.result.index(), node.args[0]);
        transformed[result] = Some((forward, source));
        match transformed[source.index()] {
            Some((before, source)) if before != forward => alias[result] = source,
            _ => {}
        }
    }
    let renamed = graph.returns.iter();
    graph.returns = renamed
        .map(|value| value.map(|tower| alias[tower.index()]))
        .collect();
}
