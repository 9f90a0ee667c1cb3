//! A sum of products is one operation: products are added where they arise, without a tower in
//! between. Residues are canonical, so the order of a sum has no influence on its bits.
//!
//! A product that is summed once moves to the sum; its operands live until there.

use super::{rewrite, Single};
use crate::graph::{Graph, Kind, Node, Supports, TowerId};

/// Products in one sum; more would keep too many operands alive at once.
const MOST_PAIRS: usize = 8;

/// Products of either summand become part of a sum; where the target does not take both, those of
/// the second one, else those of the first.
pub fn run(graph: &mut Graph, supports: Supports<'_>) {
    rewrite(graph, |node, single| {
        if node.kind != Kind::Add {
            return None;
        }
        let ways = [[true, true], [false, true], [true, false]];
        ways.into_iter()
            .find_map(|moved| sum(node, moved, single, supports))
    });
}

/// The sum with the products of the operands that move to it.
fn sum(
    node: &Node,
    moved: [bool; 2],
    single: &Single<'_>,
    supports: Supports<'_>,
) -> Option<(Kind, Vec<TowerId>)> {
    let mut pairs = Vec::new();
    let mut rest = Vec::new();
    for (&summand, moved) in node.args.iter().zip(moved) {
        match single
            .node(summand)
            .and_then(|node| products(node).zip(Some(node)))
        {
            Some((count, product)) if moved => {
                pairs.extend_from_slice(&product.args[..2 * count]);
                rest.extend_from_slice(&product.args[2 * count..]);
            }
            _ => rest.push(summand),
        }
    }
    let count = pairs.len() / 2;
    if count == 0 || count > MOST_PAIRS || rest.len() > 1 {
        return None;
    }
    let kind = Kind::InnerProduct {
        pairs: count as u8,
        plus: !rest.is_empty(),
    };
    supports(&kind).then(|| (kind, [pairs, rest].concat()))
}

/// How many products a node sums.
fn products(node: &Node) -> Option<usize> {
    match node.kind {
        Kind::Mul => Some(1),
        Kind::InnerProduct { pairs, .. } => Some(usize::from(pairs)),
        _ => None,
    }
}
