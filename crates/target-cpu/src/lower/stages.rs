//! When each operation runs: stages, and in each stage strands, each modulo one prime.
//!
//! An operation runs as early as its operands allow: in the stage of its operands if they come
//! from the same prime, else in the next one. So a key switch has two barriers, whatever its
//! number of towers: after the transforms of the argument and after those of the special towers.
//! A call is a stage of its own, in program order.
//!
//! What has no tower in common has a strand of its own: the halves of a ciphertext that is divided
//! share nothing, and two threads then have 14 strands for 7 primes. Work without a transform is
//! too short for that and stays with the first strand of its prime. Sums of products with the
//! same first operands, as both halves of a key switch have, stay together too: these are read
//! once. Strands of one prime follow each other: of 2^16 words under 29 primes, the tables of all
//! transforms exceed the third-level cache.
//!
//! Streams are drawn together where the processor permutes as many states as one, and what is
//! drawn and needed by several strands has a stage of its own for several threads (`noise`).

use super::graph::{Graph, Node, TowerId};
use super::noise::Noise;
use crate::plan::Kind;
use std::collections::BTreeMap;

/// Steps in order of execution; the numbers are indices of nodes.
#[derive(Clone, Debug)]
pub enum Scheduled {
    /// Strands, each in order of execution.
    Stage(Vec<Vec<usize>>),
    /// A call.
    Call(usize),
}

/// What may run in sequence with each other inside a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strand {
    /// The draw of a stream by this node, and those that are drawn with it.
    Draw(usize),
    /// Operations modulo this prime on what was drawn, for several strands.
    Shared(usize),
    /// Operations modulo this prime.
    Prime(usize),
}

/// Stage and strand of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    stage: usize,
    strand: Option<Strand>,
}

/// Orders the nodes of a graph, for several threads or one. So many streams are drawn `together`.
pub fn schedule(graph: &Graph, together: usize, is_parallel: bool) -> Vec<Scheduled> {
    let noise = Noise::of(graph, is_parallel);
    let mut slots = place(graph, &noise, together);
    delay(graph, &noise, &mut slots);
    let leaders = leaders(graph, &slots);
    let stages = slots.iter().map(|s| s.stage + 1).max().unwrap_or(0);
    let mut steps: Vec<Vec<(Strand, usize, usize)>> = vec![Vec::new(); stages];
    let mut calls: Vec<Option<usize>> = vec![None; stages];
    for (index, slot) in slots.iter().enumerate() {
        match slot.strand {
            Some(strand) => steps[slot.stage].push((strand, leaders[index], index)),
            None => calls[slot.stage] = Some(index),
        }
    }
    let step = |(mut ops, call): (Vec<(Strand, usize, usize)>, Option<usize>)| match call {
        Some(index) => Scheduled::Call(index),
        None => {
            ops.sort();
            let strands = ops.chunk_by(|a, b| a.1 == b.1);
            Scheduled::Stage(
                strands
                    .map(|s| s.iter().map(|&(_, _, i)| i).collect())
                    .collect(),
            )
        }
    };
    steps.into_iter().zip(calls).map(step).collect()
}

/// By node, the first node of the strand that it is part of: of those modulo its prime that it is
/// connected with in its stage, or of the first of these strands where none of them transforms.
fn leaders(graph: &Graph, slots: &[Slot]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..slots.len()).collect();
    let mut definition: Vec<Option<usize>> = vec![None; graph.towers];
    let mut last_sum: Vec<Option<usize>> = vec![None; graph.towers];
    for (index, node) in graph.nodes.iter().enumerate() {
        let begins = node.args().first().map(|tower| tower.index());
        let sum = begins.and_then(|tower| last_sum[tower]);
        let twin = sum.filter(|&sum| shares_firsts(&graph.nodes[sum], node));
        let drawn_with = match slots[index].strand {
            Some(Strand::Draw(first)) => Some(first),
            _ => None,
        };
        let definitions = node.args().iter().filter_map(|arg| definition[arg.index()]);
        for neighbour in definitions.chain(twin).chain(drawn_with) {
            if slots[neighbour] == slots[index] {
                let (a, b) = (root(&mut first, neighbour), root(&mut first, index));
                first[a.max(b)] = a.min(b);
            }
        }
        if let (Some(tower), true) = (begins, shares_firsts(node, node)) {
            last_sum[tower] = Some(index);
        }
        for result in node.results() {
            definition[result.index()] = Some(index);
        }
    }
    let roots: Vec<usize> = (0..slots.len())
        .map(|index| root(&mut first, index))
        .collect();
    let mut transforms = vec![false; slots.len()];
    for (node, &root) in graph.nodes.iter().zip(&roots) {
        transforms[root] |= matches!(node, Node::Op(op) if !op.kind.is_elementwise());
    }
    let mut leader = BTreeMap::new();
    let whole = roots.iter().copied().filter(|&root| transforms[root]);
    for root in whole.chain(roots.iter().copied()) {
        leader.entry(slots[root]).or_insert(root);
    }
    let strand = |&root: &usize| match transforms[root] {
        true => root,
        false => leader[&slots[root]],
    };
    roots.iter().map(strand).collect()
}

/// Whether both are sums of products with the same first operands.
fn shares_firsts(a: &Node, b: &Node) -> bool {
    matches!((a, b), (Node::Op(a), Node::Op(b)) if a.shares_firsts(b))
}

/// Shortens the way as it goes, so that all searches together take next to no longer than one step
/// each (Tarjan and van Leeuwen, 1984: path halving).
fn root(first: &mut [usize], mut node: usize) -> usize {
    while first[node] != node {
        first[node] = first[first[node]];
        node = first[node];
    }
    node
}

/// Where each node runs.
fn place(graph: &Graph, noise: &Noise, together: usize) -> Vec<Slot> {
    let mut defined: Vec<Option<Slot>> = vec![None; graph.towers];
    let mut slots = Vec::with_capacity(graph.nodes.len());
    let (mut earliest, mut next) = (0, 0);
    let mut pass = Pass::default();
    for (index, node) in graph.nodes.iter().enumerate() {
        let slot = match node {
            Node::Call { .. } => {
                earliest = next + 1;
                Slot {
                    stage: next,
                    strand: None,
                }
            }
            Node::Op(op) => {
                let earliest = earliest + usize::from(noise.is_drawn_meanwhile(index));
                let strand = match &op.kind {
                    Kind::SampleUniform { .. } if together == 1 => Strand::Prime(op.prime),
                    kind if kind.is_drawn_together() => {
                        Strand::Draw(pass.first(index, earliest, together))
                    }
                    Kind::SampleSmall { .. } => Strand::Draw(index),
                    _ if noise.is_shared(index) => Strand::Shared(op.prime),
                    _ => Strand::Prime(op.prime),
                };
                Slot {
                    stage: ready(&op.args, &defined, strand, earliest),
                    strand: Some(strand),
                }
            }
        };
        next = next.max(slot.stage + 1);
        for result in node.results() {
            defined[result.index()] = Some(slot);
        }
        slots.push(slot);
    }
    slots
}

/// Streams that are drawn in one pass.
#[derive(Default)]
struct Pass {
    /// The node of the first.
    first: usize,
    stage: usize,
    /// For how many more there is room.
    room: usize,
}

impl Pass {
    /// The first of those that a node of this stage is drawn with.
    fn first(&mut self, node: usize, stage: usize, together: usize) -> usize {
        if self.stage != stage || self.room == 0 {
            *self = Pass {
                first: node,
                stage,
                room: together,
            };
        }
        self.room -= 1;
        self.first
    }
}

/// Puts off what is made of drawn integers until the first operation of its own strand reads it, so
/// that nothing of it waits in memory, and no argument is read before it is needed.
fn delay(graph: &Graph, noise: &Noise, slots: &mut [Slot]) {
    // By tower, the last stage in which it may be made.
    let mut latest = vec![usize::MAX; graph.towers];
    let mut strand = vec![None; graph.towers];
    for (node, slot) in graph.nodes.iter().zip(&*slots) {
        node.results()
            .iter()
            .for_each(|tower| strand[tower.index()] = slot.strand);
    }
    // The first stage in which its own strand reads it.
    let mut wanted = vec![usize::MAX; graph.towers];
    for (index, node) in graph.nodes.iter().enumerate().rev() {
        if let (Node::Op(op), true) = (node, noise.is_made_of_it(index)) {
            let result = op.dst.index();
            if wanted[result] <= latest[result] && wanted[result] < usize::MAX {
                slots[index].stage = wanted[result];
            }
        }
        let reader = slots[index];
        for arg in node.args().iter().map(|arg| arg.index()) {
            match reader.strand == strand[arg] {
                true => wanted[arg] = wanted[arg].min(reader.stage),
                false => latest[arg] = latest[arg].min(reader.stage.saturating_sub(1)),
            }
        }
    }
}

/// The first stage from `earliest` on in which a strand can read these towers.
fn ready(args: &[TowerId], defined: &[Option<Slot>], strand: Strand, earliest: usize) -> usize {
    let after = |slot: &Slot| slot.stage + usize::from(slot.strand != Some(strand));
    let operands = args.iter().filter_map(|a| defined[a.index()].as_ref());
    operands.map(after).fold(earliest, usize::max)
}

#[cfg(test)]
mod tests {
    use super::super::graph;
    use super::*;
    use crate::tables::Tables;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::ring::composites::{mod_down, switch_digits};
    use ringwright_ir::ring::{Basis, Domain, ModuleBuilder, Type};
    use ringwright_kernels::Isa;

    #[test]
    fn halves_that_are_divided_have_strands_of_their_own() {
        const LOG_N: u32 = 4;
        let primes = ntt_primes(30, LOG_N, 4).expect("enough primes");
        let (kept, dropped) = (Basis::range(0..3), Basis::range(3..4));
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let down = mod_down(&mut mb, &kept, &dropped, Domain::Eval).expect("valid");
        let mut fb = mb.function("main");
        let ty = Type::poly(&kept.join(&dropped), Domain::Eval);
        let halves = [fb.param("c0", ty.clone(), false), fb.param("c1", ty, false)];
        let divided = halves.map(|half| fb.call(down, &[half]).expect("valid")[0]);
        let main = fb.finish(&divided).expect("valid");
        let module = mb.finish(main).expect("valid");
        let tables = Tables::new("test", Isa::Scalar);
        let functions =
            ringwright_towers::functions(&module, &crate::lower::graph::supports, &|_| false)
                .expect("builds");
        let entry = &functions[module.entry.index()];
        let graph = graph::build(&module, entry, &tables).expect("builds");
        let strands = schedule(&graph, 1, true)
            .into_iter()
            .map(|step| match step {
                Scheduled::Stage(strands) => strands.len(),
                Scheduled::Call(_) => 0,
            });
        let of_each_half = [dropped.len(), kept.len()];
        assert_eq!(strands.collect::<Vec<_>>(), of_each_half.map(|n| 2 * n));
    }

    #[test]
    fn both_sums_of_shared_digits_are_in_one_strand() {
        const LOG_N: u32 = 4;
        let primes = ntt_primes(30, LOG_N, 4).expect("enough primes");
        let (q, p, full) = (Basis::range(0..3), Basis::range(3..4), Basis::range(0..4));
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let main = switch_digits(&mut mb, &q, &p, &full, 1, 5).expect("valid");
        let module = mb.finish(main).expect("valid");
        let tables = Tables::new("test", Isa::Scalar);
        let functions =
            ringwright_towers::functions(&module, &crate::lower::graph::supports, &|_| false)
                .expect("builds");
        let entry = &functions[module.entry.index()];
        let graph = graph::build(&module, entry, &tables).expect("builds");
        let Some(Scheduled::Stage(strands)) = schedule(&graph, 1, true).into_iter().next() else {
            panic!("a stage")
        };
        assert_eq!(strands.len(), full.len());
        for strand in strands {
            let nodes: Vec<&Node> = strand.iter().map(|&node| &graph.nodes[node]).collect();
            assert!(nodes.len() >= 2 && shares_firsts(nodes[0], nodes[1]));
        }
    }
}
