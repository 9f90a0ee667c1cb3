//! The table of kinds: what this machine does for each operation on a tower.
//!
//! The graph is that of [`ringwright_towers`], which has every fused kind for a machine that supports
//! them all. What is this machine's own: small integers are drawn once, not once a prime; tables of
//! permutations and extensions are made here.

use crate::plan::{Kind, TowerOp};
use crate::tables::Tables;
use ringwright_ir::ring::{Distribution, Domain, Module, TowerIdx};
use ringwright_ir::RunError;
use ringwright_kernels::Permutation;
use ringwright_ring::BasisExtension;
use ringwright_towers::{self as towers, Callee, ConstantId, OriginId, Sample};
use std::sync::Arc;

pub use towers::TowerId;

/// The towers of one function.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Number of parameter towers.
    pub params: usize,
    /// Number of towers, parameters included.
    pub towers: usize,
    /// Definitions before uses.
    pub nodes: Vec<Node>,
    /// Towers of all returned values, in order.
    pub returns: Vec<TowerId>,
}

/// What defines towers.
#[derive(Clone, Debug)]
pub enum Node {
    /// One tower.
    Op(TowerOp<TowerId>),
    /// The result slots of a callee.
    Call {
        func: usize,
        args: Vec<TowerId>,
        seeds: Vec<usize>,
        results: Vec<TowerId>,
    },
}

impl Node {
    /// The towers that it reads.
    pub fn args(&self) -> &[TowerId] {
        match self {
            Node::Op(op) => &op.args,
            Node::Call { args, .. } => args,
        }
    }

    /// The towers that it defines.
    pub fn results(&self) -> &[TowerId] {
        match self {
            Node::Op(op) => std::slice::from_ref(&op.dst),
            Node::Call { results, .. } => results,
        }
    }
}

/// Every kind on towers under single primes: a word is as wide as one.
pub fn supports(kind: &towers::Kind) -> bool {
    !matches!(kind, towers::Kind::Join { .. })
}

/// Operations for each tower that it makes, of a function that becomes part of its callers.
const MOST_INLINED: usize = 2;

/// Whether a function becomes part of its callers: it goes word by word over towers, with few operations for
/// each that it makes, so that programs stay in proportion to their calls. Lists of towers, which may lie in
/// files, are fetched for a call.
pub fn is_inlined(function: &towers::Graph) -> bool {
    use towers::Kind;
    let is_plain = |node: &towers::Node| {
        matches!(
            node.kind,
            Kind::Add
                | Kind::Sub
                | Kind::Neg
                | Kind::Mul
                | Kind::MulScalar(_)
                | Kind::AddScalar(_)
                | Kind::SubMulScalar(_)
                | Kind::InnerProduct { .. }
        )
    };
    let is_value = |param: &towers::Val| matches!(param, towers::Val::Poly(_));
    let made = function.outcomes().1.len();
    (1..=MOST_INLINED * made).contains(&function.nodes.len())
        && function.nodes.iter().all(is_plain)
        && function.params.iter().all(is_value)
}

/// This machine's operations for those of a function.
pub fn build(
    module: &Module,
    function: &towers::Graph,
    tables: &Tables,
) -> Result<Graph, RunError> {
    let seeds = function.params.iter().scan(0, |seeds, param| {
        let before = *seeds;
        *seeds += usize::from(matches!(param, towers::Val::Seed(_)));
        Some(before)
    });
    let mut builder = Builder {
        module,
        tables,
        function,
        seeds: seeds.collect(),
        drawn: None,
        graph: Graph {
            params: function.param_towers,
            towers: function.towers(),
            nodes: Vec::with_capacity(function.nodes.len()),
            returns: function.returned().collect(),
        },
    };
    for node in &function.nodes {
        builder.node(node)?;
    }
    Ok(builder.graph)
}

struct Builder<'a> {
    module: &'a Module,
    tables: &'a Tables,
    function: &'a towers::Graph,
    /// By parameter, how many seeds stand before it: what a run numbers seeds by.
    seeds: Vec<usize>,
    /// The small integers that were drawn last, for the towers of one operation.
    drawn: Option<(OriginId, TowerId)>,
    graph: Graph,
}

impl Builder<'_> {
    fn node(&mut self, node: &towers::Node) -> Result<(), RunError> {
        use towers::Kind as From;
        let constant = |id: &ConstantId| self.function.constant(*id) as u64;
        let mut args = node.args.clone();
        let kind = match &node.kind {
            From::Zero => Kind::Zero,
            From::Ntt => Kind::Ntt,
            From::Intt => Kind::Intt,
            From::Add => Kind::Add,
            From::Sub => Kind::Sub,
            From::Neg => Kind::Neg,
            From::Mul => Kind::Mul,
            From::MulScalar(factor) => Kind::MulScalar(constant(factor)),
            From::AddScalar(summand) => Kind::AddScalar(constant(summand)),
            From::SubMulScalar(factor) => Kind::SubMulScalar(constant(factor)),
            From::InnerProduct { .. } => Kind::InnerProduct,
            From::PermutedInnerProduct { galois, .. } => {
                Kind::PermutedInnerProduct(self.permutation(*galois)?)
            }
            From::Automorphism { galois, domain } => match domain {
                Domain::Coeff => Kind::AutomorphismCoeff(self.module.kind, *galois),
                Domain::Eval => Kind::AutomorphismEval(self.permutation(*galois)?),
            },
            From::SwitchModulus { .. } => Kind::SwitchModulus,
            From::SwitchCentred { from } => Kind::SwitchCentred { from: from.index() },
            From::Extend { from } => self.extend(from, self.function.prime(node.result))?,
            From::AddMulScalar { from, factor } => {
                let to = self.function.prime(node.result);
                let operands = [(to, 1), (*from, self.function.constant(*factor))];
                self.weighted_sum(&operands, 0, to)?
            }
            From::WeightedSum { from, constants } => {
                let (weights, plus) = self.function.weights(*constants, from.len());
                let operands = from.iter().copied().zip(weights.iter().copied());
                let operands: Vec<_> = operands.collect();
                self.weighted_sum(&operands, plus, self.function.prime(node.result))?
            }
            From::Join { .. } => {
                let what = "towers joined in words of a single prime".to_owned();
                return Err(RunError::Invalid(what));
            }
            From::Sample(sample) => match self.sample(sample, node) {
                (kind, Some(drawn)) => {
                    args = vec![drawn];
                    kind
                }
                (kind, None) => kind,
            },
            From::Call(callee) => {
                self.call(callee, node);
                return Ok(());
            }
        };
        self.push(self.function.prime(node.result), kind, args, node.result);
        Ok(())
    }

    fn push(&mut self, prime: TowerIdx, kind: Kind, args: Vec<TowerId>, dst: TowerId) {
        self.graph.nodes.push(Node::Op(TowerOp {
            prime: prime.index(),
            kind,
            args,
            dst,
        }));
    }

    fn call(&mut self, callee: &Callee, node: &towers::Node) {
        self.graph.nodes.push(Node::Call {
            func: callee.function,
            args: node.args.clone(),
            seeds: callee.seeds.iter().map(|&seed| self.seeds[seed]).collect(),
            results: node.defines().collect(),
        });
    }

    fn extend(&self, from: &[TowerIdx], to: TowerIdx) -> Result<Kind, RunError> {
        let word = |&tower: &TowerIdx| self.module.prime(tower) as u64;
        let from: Vec<u64> = from.iter().map(word).collect();
        let table = BasisExtension::new(&from, &[word(&to)]);
        let table = table.map_err(|error| RunError::Invalid(error.to_string()))?;
        Ok(Kind::Extend(Arc::new(table)))
    }

    /// Operands under their primes, each with its weight.
    fn weighted_sum(
        &self,
        operands: &[(TowerIdx, u128)],
        plus: u128,
        to: TowerIdx,
    ) -> Result<Kind, RunError> {
        let bits = |tower| u128::BITS - self.module.prime(tower).leading_zeros();
        let operands = operands.iter();
        let operands: Vec<(u32, u64)> = operands
            .map(|&(from, weight)| (bits(from), weight as u64))
            .collect();
        let q = self.module.prime(to);
        let sum = self.tables.weighted_sum(q, &operands, plus as u64)?;
        Ok(Kind::WeightedSum(Arc::new(sum)))
    }

    fn permutation(&self, galois: u64) -> Result<Arc<Permutation>, RunError> {
        let Module { kind, log_n, .. } = *self.module;
        self.tables.permutation(kind, log_n, galois)
    }

    /// How a tower of a sample is made, and of what; small integers are drawn by the first.
    fn sample(&mut self, sample: &Sample, node: &towers::Node) -> (Kind, Option<TowerId>) {
        let (dist, stream) = (sample.dist, sample.stream.clone());
        let seed = self.seeds[sample.seed];
        let read = match dist {
            Distribution::Uniform => return (Kind::SampleUniform { stream, seed }, None),
            Distribution::Flood { .. } => Kind::FromSigned,
            Distribution::Ternary | Distribution::Binomial21 => Kind::FromBiased,
        };
        let drawn = match self.drawn {
            Some((origin, drawn)) if origin == node.origin => drawn,
            _ => {
                let drawn = TowerId(self.graph.towers as u32);
                self.graph.towers += 1;
                let kind = Kind::SampleSmall { dist, stream, seed };
                self.push(self.function.prime(node.result), kind, vec![], drawn);
                self.drawn = Some((node.origin, drawn));
                drawn
            }
        };
        (read, Some(drawn))
    }
}
