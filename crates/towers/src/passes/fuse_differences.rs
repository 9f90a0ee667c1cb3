//! `(a - b) * s` is one operation.

use super::rewrite;
use crate::graph::{Graph, Kind, Supports};

/// A difference that is read once, by a product with a constant, becomes part of it.
pub fn run(graph: &mut Graph, supports: Supports<'_>) {
    rewrite(graph, |node, single| {
        let Kind::MulScalar(factor) = node.kind else {
            return None;
        };
        let difference = single.node(node.args[0])?;
        let kind = Kind::SubMulScalar(factor);
        let fits = difference.kind == Kind::Sub && supports(&kind);
        fits.then(|| (kind, difference.args.clone()))
    });
}
