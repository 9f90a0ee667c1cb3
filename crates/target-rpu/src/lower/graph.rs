//! What a part of a ring program computes, tower by tower.
//!
//! Calls are looked through, views only rename towers, and a product that is used once, by a sum,
//! becomes part of it. What nothing needs is left out.

use crate::kernels::Operation;
use ringwright_ir::ring::{Function, Loc, Module, Op, OpKind, TowerIdx, Type, ValueId};
use ringwright_ir::RunError;
use std::collections::BTreeMap;

/// Position of a node.
pub type NodeId = usize;

/// A ring value whose towers are known by `T`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Val<T> {
    /// A polynomial.
    Poly(Vec<T>),
    /// An array.
    Array(Vec<Vec<T>>),
    /// The program's input of this number.
    Seed(usize),
}

impl<T: Copy> Val<T> {
    /// Every tower, in order.
    pub fn towers(&self) -> Vec<T> {
        match self {
            Val::Poly(towers) => towers.clone(),
            Val::Array(items) => items.concat(),
            Val::Seed(_) => Vec::new(),
        }
    }

    /// The same value with other names for its towers.
    pub fn map<U>(&self, mut name: impl FnMut(T) -> U) -> Val<U> {
        let mut each = |towers: &Vec<T>| towers.iter().map(|&tower| name(tower)).collect();
        match self {
            Val::Poly(towers) => Val::Poly(each(towers)),
            Val::Array(items) => Val::Array(items.iter().map(each).collect()),
            Val::Seed(seed) => Val::Seed(*seed),
        }
    }
}

/// Towers of every tower of a type, in memory order, named by `name`.
pub fn towers_of<T>(ty: &Type, seed: usize, mut name: impl FnMut(TowerIdx) -> T) -> Val<T> {
    let mut poly = || {
        ty.basis()
            .into_iter()
            .flat_map(|basis| basis.iter())
            .map(&mut name)
            .collect()
    };
    match ty {
        Type::Poly { .. } => Val::Poly(poly()),
        Type::Array { len, .. } => Val::Array((0..*len).map(|_| poly()).collect()),
        Type::Seed => Val::Seed(seed),
    }
}

/// Where a tower comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// From outside: the operand of this number.
    Operand(usize),
    /// An operation.
    Computed {
        /// Which.
        operation: Operation,
        /// On these.
        args: Vec<NodeId>,
        /// With this constant, where the operation has one.
        given: u128,
    },
}

/// One tower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it comes from.
    pub source: Source,
    /// The prime that it is held under.
    pub prime: TowerIdx,
    /// The line of the user's program.
    pub loc: Option<Loc>,
}

/// Towers in order of computation.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// All towers; operations read earlier ones.
    pub nodes: Vec<Node>,
    /// Nodes that leave the graph.
    pub results: Vec<NodeId>,
}

impl Graph {
    /// How often each node is read, results included; 0 for what nothing needs.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.nodes.len()];
        for &result in &self.results {
            uses[result] += 1;
        }
        for id in (0..self.nodes.len()).rev() {
            if let (true, Source::Computed { args, .. }) = (uses[id] > 0, &self.nodes[id].source) {
                for &arg in args {
                    uses[arg] += 1;
                }
            }
        }
        uses
    }

    /// Makes a + b * c one operation where nothing else needs the product.
    pub fn fuse(&mut self) {
        let uses = self.uses();
        for id in 0..self.nodes.len() {
            let Source::Computed {
                operation: Operation::Add,
                args,
                ..
            } = &self.nodes[id].source
            else {
                continue;
            };
            let (a, b) = (args[0], args[1]);
            let product = |x: NodeId| match &self.nodes[x].source {
                Source::Computed {
                    operation: Operation::Mul,
                    args,
                    ..
                } if uses[x] == 1 => Some(args.clone()),
                _ => None,
            };
            let fused = match (product(b), product(a)) {
                (Some(factors), _) => [vec![a], factors].concat(),
                (None, Some(factors)) => [vec![b], factors].concat(),
                (None, None) => continue,
            };
            self.nodes[id].source = Source::Computed {
                operation: Operation::MulAdd,
                args: fused,
                given: 0,
            };
        }
    }
}

/// Builds a graph from operations.
pub struct Builder<'a> {
    module: &'a Module,
    machine: &'a str,
    graph: Graph,
    operands: usize,
}

impl<'a> Builder<'a> {
    /// An empty graph.
    pub fn new(module: &'a Module, machine: &'a str) -> Self {
        Builder {
            module,
            machine,
            graph: Graph::default(),
            operands: 0,
        }
    }

    /// A value from outside.
    pub fn operand(&mut self, ty: &Type, seed: usize) -> Val<NodeId> {
        towers_of(ty, seed, |prime| {
            self.operands += 1;
            self.node(Source::Operand(self.operands - 1), prime, &None)
        })
    }

    /// The graph with these results.
    pub fn finish(mut self, results: Vec<NodeId>) -> Graph {
        self.graph.results = results;
        self.graph.fuse();
        self.graph
    }

    /// Looks through a function.
    pub fn function(
        &mut self,
        func: &Function,
        args: Vec<Val<NodeId>>,
    ) -> Result<Vec<Val<NodeId>>, RunError> {
        let mut values: BTreeMap<ValueId, Val<NodeId>> = BTreeMap::new();
        values.extend((0..).map(ValueId).zip(args));
        for op in &func.ops {
            let args: Vec<&Val<NodeId>> = op.args.iter().map(|id| &values[id]).collect();
            let results = self.op(func, op, &args)?;
            values.extend(op.results.iter().copied().zip(results));
        }
        Ok(func.returns.iter().map(|id| values[id].clone()).collect())
    }

    /// One operation.
    pub fn op(
        &mut self,
        func: &Function,
        op: &Op,
        args: &[&Val<NodeId>],
    ) -> Result<Vec<Val<NodeId>>, RunError> {
        if let OpKind::Call { func } = op.kind {
            let args = args.iter().map(|&arg| arg.clone()).collect();
            return self.function(self.module.func(func), args);
        }
        let result = func.ty(op.results[0]);
        let operand = op.args.first().map(|&id| func.ty(id));
        if let Some(view) = view(&op.kind, args, operand, result) {
            return Ok(vec![view]);
        }
        let Some(operation) = self.operation(&op.kind, operand)? else {
            return Ok(args.iter().map(|&arg| arg.clone()).collect());
        };
        let primes = result.basis().into_iter().flat_map(|basis| basis.iter());
        let towers = primes.enumerate().map(|(i, prime)| {
            let one = |&arg: &&Val<NodeId>| match arg {
                // Switching a modulus reads one tower for all results.
                Val::Poly(towers) => towers[if towers.len() == 1 { 0 } else { i }],
                _ => unreachable!("verified: operations take polynomials"),
            };
            let source = Source::Computed {
                operation,
                args: args.iter().map(one).collect(),
                given: constant(&op.kind, i),
            };
            self.node(source, prime, &op.loc)
        });
        Ok(vec![Val::Poly(towers.collect())])
    }

    fn node(&mut self, source: Source, prime: TowerIdx, loc: &Option<Loc>) -> NodeId {
        self.graph.nodes.push(Node {
            source,
            prime,
            loc: loc.clone(),
        });
        self.graph.nodes.len() - 1
    }

    /// What computes each tower; `None` for X to X.
    fn operation(
        &self,
        kind: &OpKind,
        operand: Option<&Type>,
    ) -> Result<Option<Operation>, RunError> {
        Ok(Some(match kind {
            OpKind::Zero => Operation::Zero,
            OpKind::Ntt => Operation::Ntt,
            OpKind::Intt => Operation::Intt,
            OpKind::Add => Operation::Add,
            OpKind::Sub => Operation::Sub,
            OpKind::Neg => Operation::Neg,
            OpKind::Mul => Operation::Mul,
            OpKind::MulScalar { .. } => Operation::MulScalar,
            OpKind::AddScalar { .. } => Operation::AddScalar,
            OpKind::SwitchModulus => Operation::Reduce,
            OpKind::Automorphism { galois: 1 } => return Ok(None),
            OpKind::Automorphism { galois } => {
                let domain = operand.and_then(Type::domain);
                let domain =
                    domain.ok_or_else(|| self.unsupported("an automorphism of no polynomial"))?;
                Operation::Automorphism {
                    galois: *galois,
                    domain,
                }
            }
            other => {
                let reason = format!(
                    "{}: B512 has no instruction that draws random words",
                    other.name()
                );
                return Err(self.unsupported(&reason));
            }
        }))
    }

    fn unsupported(&self, reason: &str) -> RunError {
        RunError::Unsupported {
            machine: self.machine.to_owned(),
            reason: reason.to_owned(),
        }
    }
}

/// The constant of tower `i`.
fn constant(kind: &OpKind, i: usize) -> u128 {
    match kind {
        OpKind::MulScalar { residues } | OpKind::AddScalar { residues } => residues[i],
        _ => 0,
    }
}

/// The towers of an operation that only selects towers.
fn view(
    kind: &OpKind,
    args: &[&Val<NodeId>],
    operand: Option<&Type>,
    result: &Type,
) -> Option<Val<NodeId>> {
    match (kind, args) {
        (OpKind::Towers, [value]) => {
            let (from, to) = (operand?.basis()?, result.basis()?);
            let select = |towers: &Vec<NodeId>| -> Vec<NodeId> {
                let positions = to.iter().filter_map(|tower| from.position(tower));
                positions.map(|position| towers[position]).collect()
            };
            Some(match *value {
                Val::Poly(towers) => Val::Poly(select(towers)),
                Val::Array(items) => Val::Array(items.iter().map(select).collect()),
                Val::Seed(seed) => Val::Seed(*seed),
            })
        }
        (OpKind::Concat, [Val::Poly(a), Val::Poly(b)]) => Some(Val::Poly([&a[..], b].concat())),
        (OpKind::Element { index }, [Val::Array(items)]) => {
            Some(Val::Poly(items[usize::from(*index)].clone()))
        }
        _ => None,
    }
}
