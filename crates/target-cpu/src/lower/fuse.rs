//! Rewrites of a graph that keep every bit: fewer passes over memory, nothing computed in vain.
//!
//! * `ntt(intt x)` and `intt(ntt x)` are x.
//! * `(a - b) * s` is one pass, and a sum of products is one operation whose products are added
//!   where they arise, without a tower in between. Residues are canonical, so the order of a sum
//!   has no influence on its bits.
//! * A sum of products whose first operands are images under one automorphism reads their words
//!   where they are: the images are not written.
//! * What nothing reads is dropped: towers that a later `Towers` leaves out, results of calls.
//!
//! A product that is summed once moves to the sum; its operands live until there.

use super::graph::{Graph, Node, TowerId};
use crate::plan::{Kind, TowerOp};
use ringwright_kernels::Permutation;
use std::sync::Arc;

/// Products in one sum; more would keep too many operands alive at once.
const MOST_PAIRS: usize = 8;

/// Rewrites the graph.
pub fn fuse(graph: &mut Graph) {
    cancel_transforms(graph);
    drop_unread(graph);
    fuse_passes(graph);
    fuse_automorphisms(graph);
    drop_unread(graph);
}

fn cancel_transforms(graph: &mut Graph) {
    let mut alias: Vec<TowerId> = (0..graph.towers).map(TowerId).collect();
    let mut transformed: Vec<Option<(bool, TowerId)>> = vec![None; graph.towers];
    for node in &mut graph.nodes {
        for arg in node.args_mut() {
            *arg = alias[arg.0];
        }
        let Node::Op(op) = node else { continue };
        let forward = match op.kind {
            Kind::Ntt => true,
            Kind::Intt => false,
            _ => continue,
        };
        transformed[op.dst.0] = Some((forward, op.args[0]));
        match transformed[op.args[0].0] {
            Some((before, source)) if before != forward => alias[op.dst.0] = source,
            _ => {}
        }
    }
    for returned in &mut graph.returns {
        *returned = alias[returned.0];
    }
}

fn drop_unread(graph: &mut Graph) {
    let mut read = vec![false; graph.towers];
    for returned in &graph.returns {
        read[returned.0] = true;
    }
    let mut keep: Vec<bool> = graph
        .nodes
        .iter()
        .rev()
        .map(|node| {
            let needed = node.results().iter().any(|r| read[r.0]);
            if needed {
                node.args().iter().for_each(|a| read[a.0] = true);
            }
            needed
        })
        .collect();
    keep.reverse();
    let mut keep = keep.into_iter();
    graph.nodes.retain(|_| keep.next().unwrap_or(true));
}

fn fuse_passes(graph: &mut Graph) {
    let reads = count_reads(graph);
    let mut defined: Vec<Option<usize>> = vec![None; graph.towers];
    for index in 0..graph.nodes.len() {
        let single = |tower: TowerId| match defined[tower.0] {
            Some(node) if reads[tower.0] == 1 => match &graph.nodes[node] {
                Node::Op(op) => Some(op),
                Node::Call { .. } => None,
            },
            _ => None,
        };
        let Node::Op(op) = &graph.nodes[index] else {
            continue;
        };
        let fused = match op.kind {
            Kind::MulScalar(factor) => scaled_difference(op, factor, single),
            Kind::Add => sum_of_products(op, single),
            _ => None,
        };
        defined[op.dst.0] = Some(index);
        if let Some((kind, args)) = fused {
            let (prime, dst) = (op.prime, op.dst);
            graph.nodes[index] = Node::Op(TowerOp {
                prime,
                kind,
                args,
                dst,
            });
        }
    }
}

fn fuse_automorphisms(graph: &mut Graph) {
    let mut images: Vec<Option<(Arc<Permutation>, TowerId)>> = vec![None; graph.towers];
    for node in &mut graph.nodes {
        let Node::Op(op) = node else { continue };
        match &op.kind {
            Kind::AutomorphismEval(permutation) => {
                images[op.dst.0] = Some((permutation.clone(), op.args[0]));
            }
            Kind::InnerProduct => {
                if let Some((kind, args)) = product_of_images(op, &images) {
                    (op.kind, op.args) = (kind, args);
                }
            }
            _ => {}
        }
    }
}

fn product_of_images(
    op: &Op,
    images: &[Option<(Arc<Permutation>, TowerId)>],
) -> Option<(Kind, Vec<TowerId>)> {
    let (permutation, _) = images[op.args[0].0].as_ref()?;
    let mut args = op.args.clone();
    for pair in args.chunks_exact_mut(2) {
        let (other, source) = images[pair[0].0].as_ref()?;
        pair[0] = Arc::ptr_eq(permutation, other).then_some(*source)?;
    }
    Some((Kind::PermutedInnerProduct(permutation.clone()), args))
}

fn count_reads(graph: &Graph) -> Vec<usize> {
    let mut reads = vec![0; graph.towers];
    let args = graph.nodes.iter().flat_map(|node| node.args());
    for tower in args.chain(&graph.returns) {
        reads[tower.0] += 1;
    }
    reads
}

type Op = TowerOp<TowerId>;

fn scaled_difference<'g>(
    op: &Op,
    factor: u64,
    single: impl Fn(TowerId) -> Option<&'g Op>,
) -> Option<(Kind, Vec<TowerId>)> {
    let difference = single(op.args[0]).filter(|d| matches!(d.kind, Kind::Sub))?;
    Some((Kind::SubMulScalar(factor), difference.args.clone()))
}

fn sum_of_products<'g>(
    op: &Op,
    single: impl Fn(TowerId) -> Option<&'g Op>,
) -> Option<(Kind, Vec<TowerId>)> {
    let mut pairs = Vec::new();
    let mut rest = Vec::new();
    for &summand in &op.args {
        match single(summand) {
            Some(p) if matches!(p.kind, Kind::Mul | Kind::InnerProduct) => {
                let products = p.args.len() / 2 * 2;
                pairs.extend_from_slice(&p.args[..products]);
                rest.extend_from_slice(&p.args[products..]);
            }
            _ => rest.push(summand),
        }
    }
    let fits = !pairs.is_empty() && pairs.len() / 2 <= MOST_PAIRS && rest.len() <= 1;
    fits.then(|| (Kind::InnerProduct, [pairs, rest].concat()))
}

#[cfg(test)]
mod tests {
    use super::super::graph;
    use super::*;
    use crate::tables::Tables;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::ring::composites::switch_digits;
    use ringwright_ir::ring::{Basis, ModuleBuilder};
    use ringwright_kernels::Isa;

    #[test]
    fn a_hoisted_rotation_moves_no_digit() {
        const LOG_N: u32 = 4;
        let primes = ntt_primes(30, LOG_N, 4).expect("enough primes");
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let (q, p) = (Basis::range(0..3), Basis::range(3..4));
        let full = q.join(&p);
        let switch = switch_digits(&mut mb, &q, &p, &full, 1, 5).expect("valid");
        let module = mb.finish(switch).expect("valid");
        let tables = Tables::new("test", Isa::Scalar);
        let mut graph = graph::build(&module, module.entry(), &[], &tables).expect("builds");
        fuse(&mut graph);
        let count = |wanted: fn(&Kind) -> bool| {
            let ops = graph.nodes.iter().filter_map(|node| match node {
                Node::Op(op) => Some(&op.kind),
                Node::Call { .. } => None,
            });
            ops.filter(|kind| wanted(kind)).count()
        };
        assert_eq!(count(|kind| matches!(kind, Kind::AutomorphismEval(_))), 0);
        let sums = count(|kind| matches!(kind, Kind::PermutedInnerProduct(_)));
        assert_eq!(sums, 2 * full.len());
    }
}
