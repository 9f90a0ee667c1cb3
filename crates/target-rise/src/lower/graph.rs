//! The program as a graph of towers: calls inlined, views of memory looked through.
//!
//! A node is one tower. What the machine can compute is a node that waits to be cut into calls.
//! What it cannot is an event of the host, in program order, whose results are in memory.

use super::host;
use crate::config::{Config, Offload};
use crate::core::Pointwise;
use crate::program::Drawn;
use crate::twiddles::Direction;
use crate::units::sampler::Draw;
use ringwright_ir::ring::{Distribution, Function, Loc, Module, Op, OpKind, TowerIdx, Type};
use std::sync::Arc;

/// A tower of some value.
pub type NodeId = usize;

/// How a tower comes about.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An input.
    Input,
    /// A result of the host.
    Host,
    /// Drawn by the sampler.
    Sample(Arc<Drawn>),
    /// A transform of another tower.
    Transform(Direction, NodeId),
    /// Product, sum or difference (`SubFrom0`: first minus second) of two towers.
    Pointwise(Pointwise, NodeId, NodeId),
}

/// One tower.
#[derive(Clone, Debug)]
pub struct Node {
    /// How it comes about.
    pub kind: Kind,
    /// Its prime.
    pub prime: TowerIdx,
    /// How often other nodes, host functions and results read it; set by [`Graph::count_uses`].
    pub uses: u32,
    /// The line that asked for it.
    pub loc: Option<Loc>,
}

/// The towers of a polynomial; operations that read it share them.
pub type Towers = Arc<[NodeId]>;

/// A value of the program.
#[derive(Clone, Debug)]
pub enum Val {
    /// A polynomial's towers.
    Poly(Towers),
    /// An array's items.
    Array(Arc<[Towers]>),
    /// An input.
    Seed(usize),
}

/// What happens in program order.
pub enum Event {
    /// The host computes an operation.
    Host {
        /// The operation, its arguments and result numbered from 0.
        op: OpKind,
        /// Types of arguments and result.
        types: Vec<Type>,
        /// The arguments.
        args: Vec<Val>,
        /// The result's towers.
        results: Vec<NodeId>,
        /// Who asked.
        loc: Option<Loc>,
    },
    /// A function that the entry called has ended; its results are in memory then. What the entry
    /// does itself runs where it is first needed.
    Boundary {
        /// The function.
        name: String,
        /// Who called it.
        loc: Option<Loc>,
        /// Its results.
        results: Vec<NodeId>,
    },
}

/// The whole program.
pub struct Graph {
    /// All towers.
    pub nodes: Vec<Node>,
    /// In program order.
    pub events: Vec<Event>,
    /// The entry's parameters.
    pub inputs: Vec<Val>,
    /// The entry's results.
    pub outputs: Vec<Val>,
}

impl Graph {
    /// Looks through a verified module.
    pub fn new(config: &Config, module: &Module) -> Self {
        let mut builder = Builder {
            config,
            module,
            nodes: Vec::new(),
            events: Vec::new(),
        };
        let entry = module.entry();
        let inputs: Vec<Val> = (0..entry.params.len())
            .map(|index| builder.input(index, &entry.types[index]))
            .collect();
        let outputs = builder.function(entry, inputs.clone(), true);
        let mut graph = Graph {
            nodes: builder.nodes,
            events: builder.events,
            inputs,
            outputs,
        };
        graph.count_uses();
        graph
    }

    /// Counts the reads of every node by what is needed for the results.
    fn count_uses(&mut self) {
        let mut roots: Vec<NodeId> = self.outputs.iter().flat_map(Val::nodes).collect();
        for &root in &roots {
            self.nodes[root].uses += 1;
        }
        self.count_below(&mut roots);
        for event in (0..self.events.len()).rev() {
            if let Event::Host { args, results, .. } = &self.events[event] {
                if results.iter().any(|&node| self.nodes[node].uses > 0) {
                    let mut args: Vec<NodeId> = args.iter().flat_map(Val::nodes).collect();
                    args.retain(|&node| self.read(node));
                    self.count_below(&mut args);
                }
            }
        }
    }

    /// Adds one read; whether it is the first.
    fn read(&mut self, node: NodeId) -> bool {
        self.nodes[node].uses += 1;
        self.nodes[node].uses == 1
    }

    /// Counts the reads of operands of nodes that are needed from now on.
    fn count_below(&mut self, needed: &mut Vec<NodeId>) {
        needed.sort_unstable();
        needed.dedup();
        while let Some(node) = needed.pop() {
            let operands = match self.nodes[node].kind {
                Kind::Transform(_, x) => vec![x],
                Kind::Pointwise(_, a, b) => vec![a, b],
                _ => vec![],
            };
            needed.extend(operands.into_iter().filter(|&x| self.read(x)));
        }
    }
}

impl Val {
    /// Every tower of the value.
    pub fn nodes(&self) -> Vec<NodeId> {
        match self {
            Val::Poly(towers) => towers.to_vec(),
            Val::Array(items) => items.iter().flat_map(|item| item.iter().copied()).collect(),
            Val::Seed(_) => vec![],
        }
    }
}

struct Builder<'a> {
    config: &'a Config,
    module: &'a Module,
    nodes: Vec<Node>,
    events: Vec<Event>,
}

impl Builder<'_> {
    fn node(&mut self, kind: Kind, prime: TowerIdx, loc: &Option<Loc>) -> NodeId {
        self.nodes.push(Node {
            kind,
            prime,
            uses: 0,
            loc: loc.clone(),
        });
        self.nodes.len() - 1
    }

    fn input(&mut self, index: usize, ty: &Type) -> Val {
        let mut poly = |ty: &Type| -> Towers {
            let primes = ty.basis().into_iter().flat_map(|basis| basis.iter());
            primes
                .map(|prime| self.node(Kind::Input, prime, &None))
                .collect()
        };
        match ty {
            Type::Poly { .. } => Val::Poly(poly(ty)),
            Type::Array { len, .. } => Val::Array((0..*len).map(|_| poly(ty)).collect()),
            Type::Seed => Val::Seed(index),
        }
    }

    /// Looks through one function; the entry's own calls are boundaries.
    fn function(&mut self, func: &Function, args: Vec<Val>, entry: bool) -> Vec<Val> {
        let mut values = args;
        for op in &func.ops {
            let args: Vec<Val> = op.args.iter().map(|v| values[v.index()].clone()).collect();
            if let OpKind::Call { func: callee } = op.kind {
                let callee = self.module.func(callee);
                let results = self.function(callee, args, false);
                if entry {
                    self.events.push(Event::Boundary {
                        name: callee.name.clone(),
                        loc: op.loc.clone(),
                        results: results.iter().flat_map(Val::nodes).collect(),
                    });
                }
                values.extend(results);
                continue;
            }
            values.push(self.op(func, op, args));
        }
        func.returns
            .iter()
            .map(|v| values[v.index()].clone())
            .collect()
    }

    fn op(&mut self, func: &Function, op: &Op, args: Vec<Val>) -> Val {
        let result = func.ty(op.results[0]);
        let operand = op.args.first().map(|&v| func.ty(v));
        if let Some(view) = view(&op.kind, &args, operand, result) {
            return view;
        }
        let primes: Vec<TowerIdx> = result.basis().into_iter().flat_map(|b| b.iter()).collect();
        match self.device_kinds(&op.kind, &args, primes.len()) {
            Some(kinds) => Val::Poly(
                kinds
                    .into_iter()
                    .zip(primes)
                    .map(|(kind, prime)| self.node(kind, prime, &op.loc))
                    .collect(),
            ),
            None => self.host(func, op, args, primes),
        }
    }

    fn host(&mut self, func: &Function, op: &Op, args: Vec<Val>, primes: Vec<TowerIdx>) -> Val {
        let make = |prime| self.node(Kind::Host, prime, &op.loc);
        let results: Vec<NodeId> = primes.into_iter().map(make).collect();
        let types = op
            .args
            .iter()
            .chain(&op.results)
            .map(|&v| func.ty(v).clone());
        self.events.push(Event::Host {
            op: op.kind.clone(),
            types: types.collect(),
            args,
            results: results.clone(),
            loc: op.loc.clone(),
        });
        Val::Poly(results.into())
    }

    /// How the device computes each tower of the result; `None` where the host does.
    fn device_kinds(&self, op: &OpKind, args: &[Val], towers: usize) -> Option<Vec<Kind>> {
        let pointwise = |operation| match args {
            [Val::Poly(a), Val::Poly(b)] if self.adds_on_device(operation, a, b) => {
                let pair = |(&a, &b)| Kind::Pointwise(operation, a, b);
                Some(a.iter().zip(b.iter()).map(pair).collect())
            }
            _ => None,
        };
        let transform = |direction| match args {
            [Val::Poly(x)] => Some(x.iter().map(|&x| Kind::Transform(direction, x)).collect()),
            _ => None,
        };
        match op {
            OpKind::Ntt => transform(Direction::Forward),
            OpKind::Intt => transform(Direction::Inverse),
            _ if self.config.offload == Offload::Transforms => None,
            OpKind::Mul => pointwise(Pointwise::Mul),
            OpKind::Add => pointwise(Pointwise::Add),
            OpKind::Sub => pointwise(Pointwise::SubFrom0),
            OpKind::Sample { dist, stream } => match args {
                [Val::Seed(seed)] => {
                    let drawn = Drawn {
                        draw: self.draw(*dist)?,
                        stream: stream.clone(),
                        seed: *seed,
                    };
                    Some(vec![Kind::Sample(Arc::new(drawn)); towers])
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A sum of two polynomials in memory, one just made by the host, is the host's as well: RACE
    /// takes m + e0 as one input (section IV-A).
    fn adds_on_device(&self, operation: Pointwise, a: &[NodeId], b: &[NodeId]) -> bool {
        let host = |x: &[NodeId]| x.iter().all(|&x| matches!(self.nodes[x].kind, Kind::Host));
        let input = |x: &[NodeId]| x.iter().all(|&x| matches!(self.nodes[x].kind, Kind::Input));
        let in_memory = |x: &[NodeId]| host(x) || input(x);
        operation == Pointwise::Mul || !(in_memory(a) && in_memory(b) && (host(a) || host(b)))
    }

    fn draw(&self, dist: Distribution) -> Option<Draw> {
        self.config.permutation_cycles?;
        match dist {
            Distribution::Ternary => Some(Draw::Ternary),
            Distribution::Binomial21 => Some(Draw::Binomial),
            Distribution::Uniform | Distribution::Flood { .. } => None,
        }
    }
}

/// The towers of an operation that only selects towers.
fn view(op: &OpKind, args: &[Val], operand: Option<&Type>, result: &Type) -> Option<Val> {
    match (op, args) {
        (OpKind::Towers, [value]) => {
            let (from, to) = (operand?.basis()?, result.basis()?);
            let select = |towers: &Towers| -> Towers {
                to.iter()
                    .filter_map(|t| Some(towers[from.position(t)?]))
                    .collect()
            };
            Some(match value {
                Val::Poly(towers) => Val::Poly(select(towers)),
                Val::Array(items) => Val::Array(items.iter().map(select).collect()),
                Val::Seed(seed) => Val::Seed(*seed),
            })
        }
        (OpKind::Concat, [Val::Poly(a), Val::Poly(b)]) => {
            Some(Val::Poly(a.iter().chain(b.iter()).copied().collect()))
        }
        (OpKind::Element { index }, [Val::Array(items)]) => {
            Some(Val::Poly(items[usize::from(*index)].clone()))
        }
        _ => {
            debug_assert!(!host::is_view(op));
            None
        }
    }
}
