//! What is made of drawn integers.
//!
//! An encryption's u is transformed once and read by both halves of the ciphertext. In their stage it
//! would tie them together: a strand per prime, with three transforms each, and seven strands on
//! two threads are twelve transforms against nine. So it is transformed in a stage of its own,
//! and the halves have strands of their own. That stage needs no argument but the seed. The errors are
//! drawn in it, and u before it: a draw is serial, and has much more to do for an error than for u, so
//! the other threads transform meanwhile. One thread gains nothing by it and would write and read u's
//! towers once more: 25 MB under 24 primes of 2^16 words.

use super::graph::{Graph, Node};
use crate::plan::{Kind, TowerOp};
use ringwright_towers::TowerId;

/// Nodes by what they have to do with drawn integers.
pub(super) struct Noise {
    shared: Vec<bool>,
    /// Where anything is shared: draws of what is not.
    drawn_meanwhile: Vec<bool>,
    made_of_it: Vec<bool>,
}

impl Noise {
    /// Nothing is shared on one thread.
    pub(super) fn of(graph: &Graph, is_parallel: bool) -> Self {
        let shared = match is_parallel {
            true => shared(graph),
            false => vec![false; graph.nodes.len()],
        };
        Self {
            drawn_meanwhile: drawn_meanwhile(graph, &shared),
            shared,
            made_of_it: made_of_it(graph),
        }
    }

    /// Whether integers are drawn while others, which are shared, are transformed.
    pub(super) fn is_drawn_meanwhile(&self, node: usize) -> bool {
        self.drawn_meanwhile[node]
    }

    /// Whether a node transforms drawn integers for several readers, or makes what is transformed.
    pub(super) fn is_shared(&self, node: usize) -> bool {
        self.shared[node]
    }

    /// Whether drawn integers go into a node, by operations that are not shared.
    pub(super) fn is_made_of_it(&self, node: usize) -> bool {
        self.made_of_it[node]
    }
}

fn shared(graph: &Graph) -> Vec<bool> {
    let mut readers = vec![0; graph.towers];
    let args = graph.nodes.iter().flat_map(Node::args);
    args.for_each(|arg| readers[arg.index()] += 1);
    let mut reduced_by = vec![None; graph.towers];
    let mut shared = vec![false; graph.nodes.len()];
    for (index, op) in ops(graph) {
        match (&op.kind, op.args.first()) {
            (Kind::FromBiased | Kind::FromSigned, _) => reduced_by[op.dst.index()] = Some(index),
            (Kind::Ntt, Some(arg)) if readers[op.dst.index()] > 1 => {
                if let Some(reduction) = reduced_by[arg.index()] {
                    shared[index] = true;
                    shared[reduction] = true;
                }
            }
            _ => {}
        }
    }
    shared
}

/// The draws of integers that none of the shared nodes reads; none where nothing is shared.
fn drawn_meanwhile(graph: &Graph, shared: &[bool]) -> Vec<bool> {
    let mut is_wanted = vec![false; graph.towers];
    for (_, op) in ops(graph).filter(|&(index, _)| shared[index]) {
        op.args.iter().for_each(|arg| is_wanted[arg.index()] = true);
    }
    let mut drawn = vec![false; graph.nodes.len()];
    if is_wanted.contains(&true) {
        for (index, op) in ops(graph) {
            let is_draw = matches!(op.kind, Kind::SampleSmall { .. });
            drawn[index] = is_draw && !is_wanted[op.dst.index()];
        }
    }
    drawn
}

fn made_of_it(graph: &Graph) -> Vec<bool> {
    let mut is_noise = vec![false; graph.towers];
    let mut made = vec![false; graph.nodes.len()];
    for (index, op) in ops(graph) {
        let reduces = matches!(op.kind, Kind::FromBiased | Kind::FromSigned);
        made[index] = reduces || op.args.iter().any(|arg: &TowerId| is_noise[arg.index()]);
        is_noise[op.dst.index()] = made[index];
    }
    made
}

/// The operations on towers, by their nodes.
fn ops(graph: &Graph) -> impl Iterator<Item = (usize, &TowerOp<TowerId>)> {
    let nodes = graph.nodes.iter().enumerate();
    nodes.filter_map(|(index, node)| match node {
        Node::Op(op) => Some((index, op)),
        Node::Call { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::graph;
    use super::super::stages::{schedule, Scheduled};
    use crate::tables::Tables;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::ring::{
        Basis, Distribution, Domain, Module, ModuleBuilder, Type, VerifyError,
    };
    use ringwright_kernels::Isa;

    const LOG_N: u32 = 4;
    const PRIMES: u16 = 3;

    /// (b u + e0 + m, a u + e1).
    fn encryption() -> Result<Module, VerifyError> {
        let primes = ntt_primes(30, LOG_N, PRIMES.into()).unwrap_or_default();
        let q = Basis::range(0..PRIMES);
        let mut mb = ModuleBuilder::new(LOG_N, &primes);
        let mut fb = mb.function("encrypt");
        let m = fb.param("m", Type::poly(&q, Domain::Coeff), true);
        let key = ["b", "a"].map(|name| fb.param(name, Type::poly(&q, Domain::Eval), false));
        let seed = fb.param("seed", Type::Seed, true);
        let mut draw = |dist, name: &str| fb.sample(dist, name, &q, Domain::Coeff, seed);
        let u = draw(Distribution::Ternary, "u")?;
        let e = [
            draw(Distribution::Binomial21, "e0")?,
            draw(Distribution::Binomial21, "e1")?,
        ];
        let u = fb.ntt(u)?;
        let addends = [fb.add(e[0], m)?, e[1]];
        let mut parts = Vec::new();
        for (key, addend) in key.into_iter().zip(addends) {
            let product = fb.mul(key, u)?;
            let addend = fb.ntt(addend)?;
            parts.push(fb.add(product, addend)?);
        }
        let main = fb.finish(&parts)?;
        mb.finish(main)
    }

    #[test]
    fn errors_are_drawn_while_u_is_transformed_before_an_argument_is_read() {
        let module = encryption().expect("valid");
        let tables = Tables::new("test", Isa::Scalar);
        let functions =
            ringwright_towers::functions(&module, &graph::supports, &|_| false).expect("builds");
        let graph = graph::build(&module, &functions[0], &tables).expect("builds");
        for (together, draws) in [(1, 2), (2, 1), (4, 1)] {
            let stages = schedule(&graph, together, true)
                .into_iter()
                .map(|step| match step {
                    Scheduled::Stage(strands) => strands,
                    Scheduled::Call(_) => panic!("a call"),
                });
            let stages: Vec<_> = stages.collect();
            let primes = usize::from(PRIMES);
            let strands: Vec<usize> = stages.iter().map(Vec::len).collect();
            assert_eq!(strands, [1, primes + draws, 2 * primes]);
            let early = stages[..2].iter().flatten().flatten();
            let mut read = early.flat_map(|&node| graph.nodes[node].args());
            assert!(read.all(|tower| tower.index() >= graph.params));
            assert_eq!(schedule(&graph, together, false).len(), 2);
        }
    }
}
