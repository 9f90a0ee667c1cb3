//! A function as a graph of operations on single towers, every tower defined once.
//!
//! `Towers`, `Concat` and `Element` only say which towers a value consists of, so they vanish
//! here. A call of a composite is replaced by the graph of `composites`; any other call stays.

use super::composites;
use crate::plan::{FunctionPlan, Kind, Return, TowerOp};
use crate::tables::Tables;
use ringwright_ir::ring::{
    Basis, Composite, Distribution, Domain, Function, Module, Op, OpKind, Type,
};
use ringwright_ir::RunError;
use std::sync::Arc;

/// A tower, numbered from 0 in order of definition, parameters first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TowerId(pub usize);

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

    /// The same, to be renamed.
    pub fn args_mut(&mut self) -> &mut [TowerId] {
        match self {
            Node::Op(op) => &mut op.args,
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

impl Graph {
    /// Appends an operation and gives its result.
    pub fn push(&mut self, prime: usize, kind: Kind, args: Vec<TowerId>) -> TowerId {
        let dst = self.define();
        self.nodes.push(Node::Op(TowerOp {
            prime,
            kind,
            args,
            dst,
        }));
        dst
    }

    fn define(&mut self) -> TowerId {
        self.towers += 1;
        TowerId(self.towers - 1)
    }
}

/// Builds the graph of one function; `plans` are those of all functions before it.
pub fn build(
    module: &Module,
    func: &Function,
    plans: &[FunctionPlan],
    tables: &Tables,
) -> Result<Graph, RunError> {
    let mut builder = Builder {
        module,
        func,
        plans,
        tables,
        graph: Graph::default(),
        env: vec![],
    };
    builder.bind_params();
    let returned = match func.composite {
        Some(composite) => builder.composite(composite, func, builder.env.clone())?,
        None => {
            for op in &func.ops {
                builder.op(op)?;
            }
            func.returns
                .iter()
                .map(|v| builder.env[v.index()].clone())
                .collect()
        }
    };
    builder.graph.returns = returned
        .iter()
        .flat_map(|b| b.towers().iter().copied())
        .collect();
    Ok(builder.graph)
}

/// What a value of the function is made of.
#[derive(Clone, Debug)]
enum Bound {
    /// Towers of a polynomial, or of all items of an array one after the other; shared by what reads it.
    Towers(Arc<[TowerId]>),
    /// A seed parameter, numbered among the seeds.
    Seed(usize),
}

impl Bound {
    fn towers(&self) -> &[TowerId] {
        match self {
            Bound::Towers(towers) => towers,
            Bound::Seed(_) => &[],
        }
    }
}

struct Builder<'a> {
    module: &'a Module,
    func: &'a Function,
    plans: &'a [FunctionPlan],
    tables: &'a Tables,
    graph: Graph,
    env: Vec<Bound>,
}

impl Builder<'_> {
    fn bind_params(&mut self) {
        let mut seeds = 0;
        for param in &self.func.params {
            let bound = match tower_count(&param.ty) {
                None => {
                    seeds += 1;
                    Bound::Seed(seeds - 1)
                }
                Some(count) => Bound::Towers((0..count).map(|_| self.graph.define()).collect()),
            };
            self.env.push(bound);
        }
        self.graph.params = self.graph.towers;
    }

    fn op(&mut self, op: &Op) -> Result<(), RunError> {
        let args: Vec<Bound> = op
            .args
            .iter()
            .map(|v| self.env[v.index()].clone())
            .collect();
        let results = match &op.kind {
            OpKind::Call { func } => self.call(func.index(), args)?,
            kind => {
                let ty = &self.func.types[op.results[0].0 as usize];
                let source = op.args.first().map(|v| &self.func.types[v.index()]);
                vec![Bound::Towers(
                    self.towers_of(kind, &args, source, ty)?.into(),
                )]
            }
        };
        self.env.extend(results);
        Ok(())
    }

    fn towers_of(
        &mut self,
        kind: &OpKind,
        args: &[Bound],
        source: Option<&Type>,
        ty: &Type,
    ) -> Result<Vec<TowerId>, RunError> {
        let (basis, domain) = shape(Some(ty))?;
        let operand = |i: usize| args.get(i).map_or(&[][..], Bound::towers);
        let (a, b) = (operand(0), operand(1));
        let both = |i: usize| vec![a[i], b[i]];
        let one = |i: usize| vec![a[i]];
        Ok(match kind {
            OpKind::Zero => self.each(basis, |_| Kind::Zero, |_| vec![]),
            OpKind::Ntt => self.each(basis, |_| Kind::Ntt, one),
            OpKind::Intt => self.each(basis, |_| Kind::Intt, one),
            OpKind::Add => self.each(basis, |_| Kind::Add, both),
            OpKind::Sub => self.each(basis, |_| Kind::Sub, both),
            OpKind::Neg => self.each(basis, |_| Kind::Neg, one),
            OpKind::Mul => self.each(basis, |_| Kind::Mul, both),
            OpKind::MulScalar { residues } => {
                self.each(basis, |i| Kind::MulScalar(residues[i] as u64), one)
            }
            OpKind::AddScalar { residues } => {
                self.each(basis, |i| Kind::AddScalar(residues[i] as u64), one)
            }
            OpKind::Automorphism { galois } => {
                let kind = self.automorphism(*galois, domain)?;
                self.each(basis, |_| kind.clone(), one)
            }
            OpKind::Towers => select(a, shape(source)?.0, basis)?,
            OpKind::Concat => [a, b].concat(),
            OpKind::SwitchModulus => self.each(basis, |_| Kind::SwitchModulus, |_| one(0)),
            OpKind::Element { index } => {
                let count = basis.len();
                a[*index as usize * count..][..count].to_vec()
            }
            OpKind::Sample { dist, stream } => self.sample(*dist, stream, basis, &args[0])?,
            OpKind::Call { .. } => return Err(invalid("a call has no type of its own")),
        })
    }

    fn each(
        &mut self,
        basis: &Basis,
        kind: impl Fn(usize) -> Kind,
        args: impl Fn(usize) -> Vec<TowerId>,
    ) -> Vec<TowerId> {
        let primes = basis.iter().map(|t| t.index()).enumerate();
        primes
            .map(|(i, prime)| self.graph.push(prime, kind(i), args(i)))
            .collect()
    }

    fn automorphism(&self, galois: u64, domain: Domain) -> Result<Kind, RunError> {
        Ok(match domain {
            Domain::Coeff => Kind::AutomorphismCoeff(galois),
            Domain::Eval => {
                Kind::AutomorphismEval(self.tables.permutation(self.module.log_n, galois)?)
            }
        })
    }

    fn sample(
        &mut self,
        dist: Distribution,
        stream: &str,
        basis: &Basis,
        seed: &Bound,
    ) -> Result<Vec<TowerId>, RunError> {
        let Bound::Seed(seed) = *seed else {
            return Err(invalid("a sample takes a seed"));
        };
        let stream = stream.to_owned();
        if dist == Distribution::Uniform {
            let kind = Kind::SampleUniform { stream, seed };
            return Ok(self.each(basis, |_| kind.clone(), |_| vec![]));
        }
        let read = match dist {
            Distribution::Flood { .. } => Kind::FromSigned,
            _ => Kind::FromBiased,
        };
        let first = basis.iter().next().map_or(0, |t| t.index());
        let drawn = self
            .graph
            .push(first, Kind::SampleSmall { dist, stream, seed }, vec![]);
        Ok(self.each(basis, |_| read.clone(), |_| vec![drawn]))
    }

    fn call(&mut self, func: usize, args: Vec<Bound>) -> Result<Vec<Bound>, RunError> {
        let callee = &self.module.funcs[func];
        if let Some(composite) = callee.composite {
            return self.composite(composite, callee, args);
        }
        let plan = &self.plans[func];
        let towers: Vec<TowerId> = args
            .iter()
            .flat_map(|b| b.towers().iter().copied())
            .collect();
        let seeds = args.iter().filter_map(|b| match b {
            Bound::Seed(seed) => Some(*seed),
            Bound::Towers(_) => None,
        });
        let seeds = seeds.collect();
        let results: Vec<TowerId> = (0..plan.results).map(|_| self.graph.define()).collect();
        let mut returned = plan.returns.iter().map(|r| match *r {
            Return::Slot(slot) => results[slot],
            Return::Param(param) => towers[param],
        });
        let types = callee.returns.iter().map(|v| &callee.types[v.index()]);
        let bound = types
            .map(|ty| {
                Bound::Towers(
                    returned
                        .by_ref()
                        .take(tower_count(ty).unwrap_or(0))
                        .collect(),
                )
            })
            .collect();
        drop(returned);
        self.graph.nodes.push(Node::Call {
            func,
            args: towers,
            seeds,
            results,
        });
        Ok(bound)
    }

    fn composite(
        &mut self,
        composite: Composite,
        callee: &Function,
        args: Vec<Bound>,
    ) -> Result<Vec<Bound>, RunError> {
        let args: Vec<&[TowerId]> = args.iter().map(Bound::towers).collect();
        let returned = composites::expand(&mut self.graph, self.module, callee, composite, &args)?;
        let bound = |towers: Vec<TowerId>| Bound::Towers(towers.into());
        Ok(returned.into_iter().map(bound).collect())
    }
}

/// Towers of a value of this type; `None` for a seed.
fn tower_count(ty: &Type) -> Option<usize> {
    match ty {
        Type::Poly { basis, .. } => Some(basis.len()),
        Type::Array { basis, len, .. } => Some(basis.len() * *len as usize),
        Type::Seed => None,
    }
}

fn shape(ty: Option<&Type>) -> Result<(&Basis, Domain), RunError> {
    match ty {
        Some(Type::Poly { basis, domain } | Type::Array { basis, domain, .. }) => {
            Ok((basis, *domain))
        }
        _ => Err(invalid("an operand without towers")),
    }
}

/// The towers of `wanted`, from values (one or more polynomials in a row) under `from`.
pub(super) fn select(
    towers: &[TowerId],
    from: &Basis,
    wanted: &Basis,
) -> Result<Vec<TowerId>, RunError> {
    let positions: Option<Vec<usize>> = wanted.iter().map(|t| from.position(t)).collect();
    let positions = positions.ok_or_else(|| invalid("a tower that the operand does not have"))?;
    let items = towers.chunks_exact(from.len());
    Ok(items
        .flat_map(|item| positions.iter().map(|&p| item[p]))
        .collect())
}

/// An error that a verified module cannot cause.
pub(super) fn invalid(message: &str) -> RunError {
    RunError::Invalid(message.to_owned())
}
