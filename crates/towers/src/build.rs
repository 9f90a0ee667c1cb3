//! Builds graphs from functions.
//!
//! `Towers`, `Concat` and `Element` say which towers a value consists of, so they vanish here, and so
//! does the automorphism of X to X. A call of a composite becomes the graph of [`crate::composites`]
//! where the target has every kind in it; any other call stays a call or is looked through.

use crate::graph::{
    Callee, Graph, Kind, Node, Origin, OriginId, Outcome, Sample, Supports, TowerId, Towers, Val,
};
use crate::passes;
use crate::{composites, invalid};
use ringwright_ir::ring::{Basis, Domain, Function, Loc, Module, Op, OpKind, TowerIdx, Type};
use ringwright_ir::RunError;
use std::sync::Arc;

/// One graph per function of a verified module, each after all passes. Calls are kept but those of functions
/// that `is_inlined`.
pub fn functions(
    module: &Module,
    supports: Supports<'_>,
    is_inlined: &dyn Fn(&Graph) -> bool,
) -> Result<Vec<Graph>, RunError> {
    let mut graphs = Vec::with_capacity(module.funcs.len());
    for func in &module.funcs {
        let calls = Calls::Keep {
            graphs: &graphs,
            is_inlined,
        };
        let mut builder = Builder::new(module, supports, calls);
        let args = builder.params(func);
        let returns = builder.function(func, args, None)?;
        graphs.push(builder.finish(returns));
    }
    Ok(graphs)
}

/// What becomes of calls.
#[derive(Clone, Copy)]
pub enum Calls<'a> {
    /// They stay calls of these graphs, by function, but for those that are looked through.
    Keep {
        /// Of the functions so far.
        graphs: &'a [Graph],
        /// Which of them are.
        is_inlined: &'a dyn Fn(&Graph) -> bool,
    },
    /// They are looked through.
    Inline,
}

/// Builds one graph, operation by operation.
pub struct Builder<'a> {
    module: &'a Module,
    supports: Supports<'a>,
    calls: Calls<'a>,
    graph: Graph,
}

impl<'a> Builder<'a> {
    /// An empty graph.
    pub fn new(module: &'a Module, supports: Supports<'a>, calls: Calls<'a>) -> Self {
        Builder {
            module,
            supports,
            calls,
            graph: Graph::default(),
        }
    }

    /// A further parameter. All come before the first operation.
    pub fn param(&mut self, ty: &Type) -> Val {
        let position = self.graph.params.len();
        let param = Val::of(ty, position, |prime| self.graph.define(prime));
        self.graph.param_towers = self.graph.towers();
        self.graph.params.push(param.clone());
        param
    }

    fn params(&mut self, func: &Function) -> Vec<Val> {
        let params = func.params.iter();
        params.map(|param| self.param(&param.ty)).collect()
    }

    /// The graph with these results, after all passes.
    pub fn finish(mut self, returns: Vec<Val>) -> Graph {
        self.graph.returns = returns;
        passes::run(&mut self.graph, self.supports);
        self.graph
    }

    /// Looks through a function.
    pub fn function(
        &mut self,
        func: &Function,
        args: Vec<Val>,
        line: Option<&Loc>,
    ) -> Result<Vec<Val>, RunError> {
        match self.composite(func, &args, line)? {
            Some(returns) => Ok(returns),
            None => self.body(func, args),
        }
    }

    fn body(&mut self, func: &Function, args: Vec<Val>) -> Result<Vec<Val>, RunError> {
        let mut values = args;
        for op in &func.ops {
            let args: Vec<Val> = op.args.iter().map(|v| values[v.index()].clone()).collect();
            values.extend(self.op(func, op, args)?);
        }
        let returned = func.returns.iter();
        Ok(returned.map(|v| values[v.index()].clone()).collect())
    }

    /// One operation of a function, on these values.
    pub fn op(&mut self, func: &Function, op: &Op, args: Vec<Val>) -> Result<Vec<Val>, RunError> {
        if let OpKind::Call { func } = op.kind {
            let callee = self.module.func(func);
            return match self.calls {
                Calls::Keep { graphs, is_inlined } if !is_inlined(&graphs[func.index()]) => {
                    self.call(callee, func.index(), graphs, args, op)
                }
                _ => self.function(callee, args, op.loc.as_ref()),
            };
        }
        let result = func.ty(op.results[0]);
        let operand = op.args.first().map(|&v| func.ty(v));
        if let Some(view) = view(&op.kind, &args, operand, result)? {
            return Ok(vec![view]);
        }
        let origin = self.graph.add_origin(Origin::of(op.loc.as_ref()));
        let (basis, domain) = shape(result)?;
        if let (&OpKind::Automorphism { galois }, [Val::Poly(x)]) = (&op.kind, args.as_slice()) {
            let joined = composites::automorphism(
                &mut self.graph,
                self.module,
                self.supports,
                (x, basis),
                (galois, domain),
                origin,
            )?;
            if let Some(towers) = joined {
                return Ok(vec![Val::Poly(towers.into())]);
            }
        }
        let towers = self.towers(&op.kind, &args, operand, basis, domain, origin)?;
        Ok(vec![Val::Poly(towers)])
    }

    /// A node for each tower of the result.
    fn towers(
        &mut self,
        kind: &OpKind,
        args: &[Val],
        operand: Option<&Type>,
        basis: &Basis,
        domain: Domain,
        origin: OriginId,
    ) -> Result<Towers, RunError> {
        let mut given: Vec<Towers> = Vec::with_capacity(args.len());
        for arg in args {
            match arg {
                Val::Poly(towers) => given.push(towers.clone()),
                Val::Seed(_) => {}
                Val::Array(_) => return Err(invalid("an operation on an array")),
            }
        }
        let sample = sample(kind, args);
        let mut made = Vec::with_capacity(basis.len());
        for (i, prime) in basis.iter().enumerate() {
            let mut constant = |residues: &[u128]| self.graph.add_constant(residues[i]);
            let kind = match kind {
                OpKind::Zero => Kind::Zero,
                OpKind::Ntt => Kind::Ntt,
                OpKind::Intt => Kind::Intt,
                OpKind::Add => Kind::Add,
                OpKind::Sub => Kind::Sub,
                OpKind::Neg => Kind::Neg,
                OpKind::Mul => Kind::Mul,
                OpKind::MulScalar { residues } => Kind::MulScalar(constant(residues)),
                OpKind::AddScalar { residues } => Kind::AddScalar(constant(residues)),
                OpKind::Automorphism { galois } => Kind::Automorphism {
                    galois: *galois,
                    domain,
                },
                OpKind::SwitchModulus => Kind::SwitchModulus {
                    from: only(operand)?,
                },
                OpKind::Sample { .. } => match &sample {
                    Some(sample) => Kind::Sample(sample.clone()),
                    None => return Err(invalid("a sample takes a seed")),
                },
                OpKind::Towers | OpKind::Concat | OpKind::Element { .. } | OpKind::Call { .. } => {
                    return Err(invalid("an operation that computes no tower"))
                }
            };
            // Switching a modulus reads one tower for all results.
            let one = |towers: &Towers| towers[if towers.len() == 1 { 0 } else { i }];
            let args = given.iter().map(one).collect();
            made.push(self.graph.push(prime, kind, args, origin));
        }
        Ok(made.into())
    }

    /// The graph of a composite, if the target has every kind in it.
    fn composite(
        &mut self,
        func: &Function,
        args: &[Val],
        line: Option<&Loc>,
    ) -> Result<Option<Vec<Val>>, RunError> {
        let Some(composite) = func.composite else {
            return Ok(None);
        };
        let before = (
            self.graph.nodes.len(),
            self.graph.primes.len(),
            self.graph.constants.len(),
            self.graph.joined.len(),
        );
        let origin = self.graph.add_origin(Origin::of(line));
        let towers: Vec<Vec<TowerId>> = args.iter().map(|arg| arg.towers().collect()).collect();
        let returns = composites::expand(
            &mut self.graph,
            self.module,
            self.supports,
            (func, composite),
            &towers,
            origin,
        )?;
        let new = &self.graph.nodes[before.0..];
        if new
            .iter()
            .all(|node| is_own(&node.kind) || (self.supports)(&node.kind))
        {
            let returns = returns.into_iter().map(|towers| Val::Poly(towers.into()));
            return Ok(Some(returns.collect()));
        }
        self.graph.nodes.truncate(before.0);
        self.graph.primes.truncate(before.1);
        self.graph.constants.truncate(before.2);
        self.graph.joined.truncate(before.3);
        Ok(None)
    }

    /// A call that stays one.
    fn call(
        &mut self,
        callee: &Function,
        function: usize,
        graphs: &[Graph],
        args: Vec<Val>,
        op: &Op,
    ) -> Result<Vec<Val>, RunError> {
        if let Some(returns) = self.composite(callee, &args, op.loc.as_ref())? {
            return Ok(returns);
        }
        let graph = &graphs[function];
        let operands: Vec<TowerId> = args.iter().flat_map(Val::towers).collect();
        let seeds = args.iter().filter_map(|arg| match arg {
            Val::Seed(seed) => Some(*seed),
            _ => None,
        });
        let seeds = seeds.collect();
        let (outcomes, made) = graph.outcomes();
        let result = TowerId(self.graph.towers() as u32);
        let primes = made.iter().map(|&tower| graph.prime(tower));
        let results: Vec<TowerId> = primes.map(|prime| self.graph.define(prime)).collect();
        let mut returned = outcomes.iter().map(|outcome| match *outcome {
            Outcome::Param(param) => operands[param],
            Outcome::Made(slot) => results[slot],
        });
        let bound = graph.returns.iter().map(|value| match value {
            Val::Seed(param) => args[*param].clone(),
            value => value.map(|_| returned.next().unwrap_or(TowerId(0))),
        });
        let bound = bound.collect();
        let origin = self.graph.add_origin(Origin::of(op.loc.as_ref()));
        self.graph.nodes.push(Node {
            kind: Kind::Call(Arc::new(Callee { function, seeds })),
            args: operands,
            result,
            results: results.len() as u32,
            origin,
        });
        Ok(bound)
    }
}

/// Whether a kind is an operation of the dialect itself, which passes need not ask for.
fn is_own(kind: &Kind) -> bool {
    !matches!(
        kind,
        Kind::SubMulScalar(_)
            | Kind::InnerProduct { .. }
            | Kind::PermutedInnerProduct { .. }
            | Kind::SwitchCentred { .. }
            | Kind::Extend { .. }
            | Kind::AddMulScalar { .. }
            | Kind::WeightedSum { .. }
            | Kind::Join { .. }
    )
}

/// What an operation draws; its towers share it.
fn sample(kind: &OpKind, args: &[Val]) -> Option<Arc<Sample>> {
    match (kind, args) {
        (OpKind::Sample { dist, stream }, [Val::Seed(seed)]) => Some(Arc::new(Sample {
            dist: *dist,
            stream: stream.clone(),
            seed: *seed,
        })),
        _ => None,
    }
}

/// The towers of an operation that computes none.
fn view(
    kind: &OpKind,
    args: &[Val],
    operand: Option<&Type>,
    result: &Type,
) -> Result<Option<Val>, RunError> {
    Ok(Some(match (kind, args) {
        (OpKind::Towers, [value]) => {
            let from = operand.and_then(Type::basis);
            let from = from.ok_or_else(|| invalid("towers of a seed"))?;
            let (to, _) = shape(result)?;
            let positions: Option<Vec<usize>> = to.iter().map(|t| from.position(t)).collect();
            let positions =
                positions.ok_or_else(|| invalid("a tower that the operand does not have"))?;
            let select = |towers: &Towers| positions.iter().map(|&p| towers[p]).collect();
            match value {
                Val::Poly(towers) => Val::Poly(select(towers)),
                Val::Array(items) => Val::Array(items.iter().map(select).collect()),
                Val::Seed(seed) => Val::Seed(*seed),
            }
        }
        (OpKind::Concat, [Val::Poly(a), Val::Poly(b)]) => {
            Val::Poly(a.iter().chain(b.iter()).copied().collect())
        }
        (OpKind::Element { index }, [Val::Array(items)]) => {
            Val::Poly(items[usize::from(*index)].clone())
        }
        (OpKind::Automorphism { galois: 1 }, [value]) => value.clone(),
        _ => return Ok(None),
    }))
}

fn shape(ty: &Type) -> Result<(&Basis, Domain), RunError> {
    match ty {
        Type::Poly { basis, domain } | Type::Array { basis, domain, .. } => Ok((basis, *domain)),
        Type::Seed => Err(invalid("an operation that makes a seed")),
    }
}

fn only(operand: Option<&Type>) -> Result<TowerIdx, RunError> {
    let basis = operand.and_then(Type::basis);
    let first = basis.and_then(|basis| basis.iter().next());
    first.ok_or_else(|| invalid("switching the modulus of no tower"))
}
