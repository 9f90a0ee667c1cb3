//! A sum of products whose first factors are images under one automorphism reads their words where
//! they are: the images are not written.

use crate::graph::{Graph, Kind, Node, Supports, TowerId};
use ringwright_ir::ring::Domain;

/// Reads through the images.
pub fn run(graph: &mut Graph, supports: Supports<'_>) {
    let mut images: Vec<Option<(u64, TowerId)>> = vec![None; graph.towers()];
    for node in &mut graph.nodes {
        match node.kind {
            Kind::Automorphism {
                galois,
                domain: Domain::Eval,
            } => images[node.result.index()] = Some((galois, node.args[0])),
            Kind::InnerProduct { pairs, plus } => {
                if let Some((galois, args)) = product_of_images(node, pairs, &images) {
                    let kind = Kind::PermutedInnerProduct {
                        pairs,
                        plus,
                        galois,
                    };
                    if supports(&kind) {
                        (node.kind, node.args) = (kind, args);
                    }
                }
            }
            _ => {}
        }
    }
}

fn product_of_images(
    node: &Node,
    pairs: u8,
    images: &[Option<(u64, TowerId)>],
) -> Option<(u64, Vec<TowerId>)> {
    let (galois, _) = images[node.args[0].index()]?;
    let mut args = node.args.clone();
    for pair in args[..2 * usize::from(pairs)].chunks_exact_mut(2) {
        let (other, source) = images[pair[0].index()]?;
        pair[0] = (other == galois).then_some(source)?;
    }
    Some((galois, args))
}
