//! Calls of kernels one behind the other, as one kernel: a **region**.
//!
//! Between two kernels every tower goes to the larger memory and comes back. In a region what one call
//! makes and another reads may stay, transforms there and back cancel, and what is read twice is
//! brought once. A call of a region has several [sources](Call::sources), and the
//! [origins](crate::graph::Origin) of its graph say which of them a node is for.
//!
//! A region is made of the kernels' graphs, after their passes; the passes run again over all of it.

mod quickest;

use crate::graph::{
    ConstantId, Graph, Kind, Node, Origin, OriginId, Outcome, Sample, Supports, TowerId, Val,
};
use crate::passes;
use crate::program::{Call, Kernel, Means, Place, Program};
use ringwright_ir::ring::TowerIdx;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

pub use quickest::{quickest, Device, Lower, Region};

/// What calls one behind the other read and leave.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// What they read that none of them makes, each tower once: the region's parameters.
    pub args: Vec<Val<Place>>,
    /// What they make for others, in order: what the region returns.
    pub results: Vec<Place>,
}

/// How calls hang together, whatever places they work on. Calls with the same pattern are the same
/// region.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    words: Vec<u32>,
    constants: Vec<Arc<[u128]>>,
}

/// By place, the call after the last one that reads it; the program's outputs are read at the end.
pub fn last_reads(program: &Program) -> Vec<usize> {
    let mut last = vec![0; program.towers];
    for (index, call) in program.calls.iter().enumerate() {
        let read = call.args.iter().flat_map(Val::towers);
        read.for_each(|place| last[place as usize] = index + 1);
    }
    let outputs = program.outputs.iter().flat_map(Val::towers);
    outputs.for_each(|place| last[place as usize] = usize::MAX);
    last
}

impl Wiring {
    /// Of these calls. `last`: [`last_reads`].
    pub fn of(program: &Program, calls: Range<usize>, last: &[usize]) -> Self {
        let end = calls.end;
        let (mut args, mut results) = (Vec::new(), Vec::new());
        let mut known: HashSet<Place> = HashSet::new();
        for call in &program.calls[calls] {
            for arg in &call.args {
                let new: Vec<Place> = arg.towers().filter(|&place| known.insert(place)).collect();
                match arg {
                    Val::Seed(_) if !args.contains(arg) => args.push(arg.clone()),
                    // A key stays one.
                    _ if new.len() == arg.towers().count() && !new.is_empty() => {
                        args.push(arg.clone());
                    }
                    _ if !new.is_empty() => args.push(Val::Poly(new.into())),
                    _ => {}
                }
            }
            known.extend(&call.results);
            let leaves = |place: &&Place| last[**place as usize] > end;
            results.extend(call.results.iter().filter(leaves));
        }
        Wiring { args, results }
    }
}

impl Pattern {
    /// Of these calls, which leave `results`.
    pub fn of(program: &Program, calls: Range<usize>, results: &[Place]) -> Self {
        let results: HashSet<Place> = results.iter().copied().collect();
        let mut numbers: HashMap<Place, u32> = HashMap::new();
        let mut number = |place: Place| {
            let next = numbers.len() as u32;
            *numbers.entry(place).or_insert(next)
        };
        let (mut words, mut constants) = (Vec::new(), Vec::new());
        for call in &program.calls[calls] {
            words.push(call.kernel as u32);
            for arg in &call.args {
                words.extend(arg.towers().map(&mut number));
                if let Val::Seed(seed) = arg {
                    words.push(*seed as u32);
                }
            }
            for &place in &call.results {
                words.extend([number(place), u32::from(results.contains(&place))]);
            }
            constants.push(program.constants(call).into());
        }
        Pattern { words, constants }
    }
}

/// The graph of these calls as one kernel; `None` where what leaves is an operand or leaves twice, so
/// that they would have to be told apart, and where nobody reads what they make.
pub fn graph(
    program: &Program,
    calls: Range<usize>,
    wiring: &Wiring,
    supports: Supports<'_>,
) -> Option<Graph> {
    let mut joining = Joining::new(program, calls.clone(), wiring);
    for call in calls {
        joining.call(call);
    }
    let returned = wiring.results.iter().map(|place| joining.towers[place]);
    let mut graph = joining.graph;
    graph.returns = vec![Val::Poly(returned.collect())];
    passes::run(&mut graph, supports);
    let (_, made) = graph.outcomes();
    let told_apart = made.len() == wiring.results.len();
    (told_apart && !graph.nodes.is_empty()).then_some(graph)
}

/// Calls one behind the other, and what stands for them.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The calls.
    pub calls: Range<usize>,
    /// The region of this number, with these operands and results; `None` where the calls stay.
    pub region: Option<(usize, Wiring)>,
}

/// The program in these stretches, which are all its calls in order; regions are kernels behind those
/// that it has.
pub fn joined(mut program: Program, stretches: Vec<Stretch>, regions: &[Arc<Graph>]) -> Program {
    let own = program.kernels.len();
    let mut calls = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let all = &program.calls[stretch.calls];
        let Some((number, Wiring { args, results })) = stretch.region else {
            calls.extend_from_slice(all);
            continue;
        };
        let sources = all.iter().flat_map(|call| call.sources.iter().cloned());
        calls.push(Call {
            kernel: own + number,
            sources: sources.collect(),
            list: all.first().map_or(0, |call| call.list),
            args,
            results,
            means: Means::Calls(all.into()),
            constants: regions[number].constants.as_slice().into(),
        });
    }
    program.calls = calls;
    program.kernels.extend(regions.iter().map(kernel));
    program
}

fn kernel(graph: &Arc<Graph>) -> Kernel {
    let (_, made) = graph.outcomes();
    Kernel {
        outcomes: (0..made.len()).map(Outcome::Made).collect(),
        made: made.len(),
        graph: graph.clone(),
    }
}

struct Joining<'a> {
    program: &'a Program,
    wiring: &'a Wiring,
    graph: Graph,
    /// Where the graph has what lies in memory.
    towers: HashMap<Place, TowerId>,
    /// Sources of the calls so far.
    sources: u32,
}

impl<'a> Joining<'a> {
    fn new(program: &'a Program, calls: Range<usize>, wiring: &'a Wiring) -> Self {
        let mut primes: HashMap<Place, TowerIdx> = HashMap::new();
        for call in &program.calls[calls] {
            let graph = &program.kernels[call.kernel].graph;
            let operands = call.args.iter().flat_map(Val::towers);
            primes.extend(operands.zip(graph.primes.iter().copied()));
        }
        let mut joining = Joining {
            program,
            wiring,
            graph: Graph::default(),
            towers: HashMap::new(),
            sources: 0,
        };
        for (position, arg) in wiring.args.iter().enumerate() {
            let param = match arg {
                Val::Seed(_) => Val::Seed(position),
                arg => arg.map(|place| {
                    let tower = joining.graph.define(primes[&place]);
                    joining.towers.insert(place, tower);
                    tower
                }),
            };
            joining.graph.params.push(param);
        }
        joining.graph.param_towers = joining.graph.towers();
        joining
    }

    /// Appends what a call does.
    fn call(&mut self, call: usize) {
        let call = &self.program.calls[call];
        let kernel = &self.program.kernels[call.kernel];
        let from = &*kernel.graph;
        let operands = call.args.iter().flat_map(Val::towers);
        let mut towers: Vec<TowerId> = operands.map(|place| self.towers[&place]).collect();
        towers.resize(from.towers(), TowerId(0));
        let first_origin = self.graph.origins.len() as u32;
        let origins = from.origins.iter().map(|origin| Origin {
            line: origin.line.clone(),
            source: origin.source + self.sources,
        });
        self.graph.origins.extend(origins);
        let first_constant = self.graph.constants.len() as u32;
        let constants = self.program.constants(call);
        self.graph.constants.extend_from_slice(constants);
        for node in &from.nodes {
            let result = self.graph.define(TowerIdx(0));
            let prime = from.prime(node.result);
            self.graph.primes[result.index()] = self.prime(from, prime);
            towers[node.result.index()] = result;
            let node = Node {
                kind: self.kind(from, &node.kind, first_constant, &call.args),
                args: node.args.iter().map(|arg| towers[arg.index()]).collect(),
                result,
                results: 1,
                origin: OriginId(node.origin.0 + first_origin),
            };
            self.graph.nodes.push(node);
        }
        let (_, made) = from.outcomes();
        let results = call.results.iter().zip(made);
        let results = results.map(|(&place, tower)| (place, towers[tower.index()]));
        self.towers.extend(results);
        self.sources += call.sources.len() as u32;
    }

    /// A prime of another graph, or primes joined there.
    fn prime(&mut self, from: &Graph, prime: TowerIdx) -> TowerIdx {
        self.graph.join(&from.factors(prime))
    }

    /// What a node of another graph does, whose constants begin here at `first`. `args`: those of its
    /// call.
    fn kind(&mut self, from: &Graph, kind: &Kind, first: u32, args: &[Val<Place>]) -> Kind {
        let moved = |constant: ConstantId| ConstantId(constant.0 + first);
        let mut primes = |given: &Arc<[TowerIdx]>| -> Arc<[TowerIdx]> {
            given.iter().map(|&prime| self.prime(from, prime)).collect()
        };
        match kind {
            Kind::MulScalar(constant) => Kind::MulScalar(moved(*constant)),
            Kind::AddScalar(constant) => Kind::AddScalar(moved(*constant)),
            Kind::SubMulScalar(constant) => Kind::SubMulScalar(moved(*constant)),
            Kind::SwitchModulus { from: prime } => Kind::SwitchModulus {
                from: self.prime(from, *prime),
            },
            Kind::SwitchCentred { from: prime } => Kind::SwitchCentred {
                from: self.prime(from, *prime),
            },
            Kind::AddMulScalar {
                from: prime,
                factor,
            } => Kind::AddMulScalar {
                from: self.prime(from, *prime),
                factor: moved(*factor),
            },
            Kind::Extend { from } => Kind::Extend { from: primes(from) },
            Kind::WeightedSum { from, constants } => Kind::WeightedSum {
                from: primes(from),
                constants: moved(*constants),
            },
            Kind::Join { from, constants } => Kind::Join {
                from: primes(from),
                constants: moved(*constants),
            },
            Kind::Sample(sample) => {
                let seed = &args[sample.seed];
                let seed = self.wiring.args.iter().position(|arg| arg == seed);
                Kind::Sample(Arc::new(Sample {
                    seed: seed.unwrap_or(sample.seed),
                    ..(**sample).clone()
                }))
            }
            Kind::Zero
            | Kind::Ntt
            | Kind::Intt
            | Kind::Add
            | Kind::Sub
            | Kind::Neg
            | Kind::Mul
            | Kind::InnerProduct { .. }
            | Kind::PermutedInnerProduct { .. }
            | Kind::Automorphism { .. }
            | Kind::Call(_) => kind.clone(),
        }
    }
}
