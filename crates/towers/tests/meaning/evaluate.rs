//! What graphs compute, node by node, words in the order of their definitions.

use ringwright_arith::Modulus;
use ringwright_ir::interpret::{Definitions, Interpreter};
use ringwright_ir::ring::{Basis, Domain, Module, OpKind, TowerIdx, Type};
use ringwright_ir::Value;
use ringwright_ring::RnsPoly;
use ringwright_towers::{Call, Graph, Kind, Memory, Node, Outcome, Program, Shelf, TowerId, Val};
use std::sync::Arc;

type Words = Vec<u64>;

/// The results of the entry function's graph, its calls being those of the other graphs.
pub fn functions(module: &Module, graphs: &[Graph], inputs: &[Value]) -> Vec<Value> {
    let run = Run::new(module, Some(graphs));
    let graph = &graphs[module.entry.index()];
    let seeds: Vec<Option<Value>> = inputs.iter().map(seed).collect();
    let towers = run.graph(graph, inputs.iter().flat_map(words).collect(), &seeds, None);
    let value = |value: &Val| match value {
        Val::Seed(param) => inputs[*param].clone(),
        value => poly(value, |tower| towers[tower.index()].clone().expect("made")),
    };
    graph.returns.iter().map(value).collect()
}

/// The results of a program of kernels, its towers in one memory.
pub fn program(module: &Module, program: &Program, inputs: &[Value]) -> Vec<Value> {
    let run = Run::new(module, None);
    let mut memory: Vec<Option<Words>> = vec![None; program.towers];
    for (places, input) in program.inputs.iter().zip(inputs) {
        for (place, words) in places.towers().zip(words(input)) {
            memory[place as usize] = Some(words);
        }
    }
    for call in &program.calls {
        let kernel = &program.kernels[call.kernel];
        let operands = call.args.iter().flat_map(Val::towers);
        let operands = operands.map(|place| memory[place as usize].clone().expect("there"));
        let seed = |arg: &Val<u32>| match arg {
            Val::Seed(input) => Some(inputs[*input].clone()),
            _ => None,
        };
        let seeds: Vec<Option<Value>> = call.args.iter().map(seed).collect();
        let constants = Some(program.constants(call));
        let towers = run.graph(&kernel.graph, operands.collect(), &seeds, constants);
        for (tower, outcome) in kernel.graph.returned().zip(kernel.outcomes.iter()) {
            if let Outcome::Made(slot) = *outcome {
                memory[call.results[slot] as usize] = towers[tower.index()].clone();
            }
        }
    }
    let value = |value: &Val<u32>| match value {
        Val::Seed(input) => inputs[*input].clone(),
        value => poly(value, |place| memory[place as usize].clone().expect("made")),
    };
    program.outputs.iter().map(value).collect()
}

/// The same, each kernel run as what it comes from is: a program of its own, by the interpreter.
pub fn meanings(module: &Module, program: &Program, inputs: &[Value]) -> Vec<Value> {
    let pieces = program.pieces.iter();
    let pieces = pieces.map(|piece| Interpreter.prepare(&piece.meaning.module(module)));
    let pieces: Vec<_> = pieces.collect::<Result<_, _>>().expect("valid modules");
    let mut memory = Shelf::new(program.towers);
    memory.load(&program.inputs, inputs);
    for (call, piece) in program.calls.iter().flat_map(Call::pieces) {
        let operands = memory.values(&call.args, inputs).expect("made before");
        let made = pieces[piece].run(&operands).expect("runs");
        let outcomes = program.pieces[piece].outcomes.iter();
        for (words, outcome) in made.iter().flat_map(Value::towers).zip(outcomes) {
            if let Outcome::Made(slot) = *outcome {
                memory.set(call.results[slot], words);
            }
        }
    }
    memory.values(&program.outputs, inputs).expect("made")
}

/// Whether all words are equal.
pub fn same(a: &[Value], b: &[Value]) -> bool {
    let all = |values: &[Value]| -> Vec<Vec<Words>> {
        values.iter().map(|value| words(value).collect()).collect()
    };
    all(a) == all(b)
}

fn seed(value: &Value) -> Option<Value> {
    matches!(value, Value::Seed(_)).then(|| value.clone())
}

fn words(value: &Value) -> impl Iterator<Item = Words> + '_ {
    let polys = match value {
        Value::Poly(poly) => std::slice::from_ref(&**poly),
        Value::Array(items) => items,
        Value::Seed(_) => &[],
    };
    polys.iter().flat_map(RnsPoly::iter).map(<[u64]>::to_vec)
}

fn poly<T: Copy>(value: &Val<T>, words: impl Fn(T) -> Words) -> Value {
    let one = |towers: &Arc<[T]>| {
        let words: Vec<Words> = towers.iter().map(|&tower| words(tower)).collect();
        RnsPoly::from_words(words[0].len(), words.concat()).expect("a shape")
    };
    match value {
        Val::Poly(towers) => Value::Poly(Arc::new(one(towers))),
        Val::Array(items) => Value::Array(Arc::new(items.iter().map(one).collect())),
        Val::Seed(_) => unreachable!("seeds are handed through"),
    }
}

struct Run<'a> {
    module: &'a Module,
    definitions: Definitions<u64>,
    graphs: Option<&'a [Graph]>,
}

impl<'a> Run<'a> {
    fn new(module: &'a Module, graphs: Option<&'a [Graph]>) -> Self {
        Run {
            module,
            definitions: Definitions::new(module.kind, module.log_n, &module.primes)
                .expect("primes fit"),
            graphs,
        }
    }

    fn graph(
        &self,
        graph: &Graph,
        params: Vec<Words>,
        seeds: &[Option<Value>],
        constants: Option<&[u128]>,
    ) -> Vec<Option<Words>> {
        assert_eq!(params.len(), graph.param_towers);
        let constants = constants.unwrap_or(&graph.constants);
        let mut towers: Vec<Option<Words>> = params.into_iter().map(Some).collect();
        towers.resize(graph.towers(), None);
        for node in &graph.nodes {
            let args = node.args.iter();
            let args: Vec<Words> = args
                .map(|arg| towers[arg.index()].clone().expect("made before"))
                .collect();
            let made = match &node.kind {
                Kind::Call(callee) => {
                    let graph = &self.graphs.expect("calls are kept")[callee.function];
                    let mut given = callee.seeds.iter();
                    let seed = |param: &Val| match param {
                        Val::Seed(_) => given.next().and_then(|&seed| seeds[seed].clone()),
                        _ => None,
                    };
                    let seeds: Vec<Option<Value>> = graph.params.iter().map(seed).collect();
                    let inner = self.graph(graph, args, &seeds, None);
                    let (_, made) = graph.outcomes();
                    made.iter()
                        .map(|tower| inner[tower.index()].clone().expect("made"))
                        .collect()
                }
                _ => vec![self.node(graph, node, &args, seeds, constants)],
            };
            for (tower, words) in node.defines().zip(made) {
                towers[tower.index()] = Some(words);
            }
        }
        towers
    }

    fn node(
        &self,
        graph: &Graph,
        node: &Node,
        args: &[Words],
        seeds: &[Option<Value>],
        constants: &[u128],
    ) -> Words {
        let prime = graph.prime(node.result);
        let modulus = Modulus::<u64>::new(self.q(graph, prime)).expect("odd");
        let residue = |id: ringwright_towers::ConstantId| constants[id.0 as usize];
        let own = |kind: OpKind| self.own(kind, graph, node, prime, args, None);
        match &node.kind {
            Kind::Zero => own(OpKind::Zero),
            Kind::Ntt => own(OpKind::Ntt),
            Kind::Intt => own(OpKind::Intt),
            Kind::Add => own(OpKind::Add),
            Kind::Sub => own(OpKind::Sub),
            Kind::Neg => own(OpKind::Neg),
            Kind::Mul => own(OpKind::Mul),
            Kind::MulScalar(factor) => own(OpKind::MulScalar {
                residues: vec![residue(*factor)],
            }),
            Kind::AddScalar(summand) => own(OpKind::AddScalar {
                residues: vec![residue(*summand)],
            }),
            Kind::SubMulScalar(factor) => {
                let factor = residue(*factor) as u64;
                let words = args[0].iter().zip(&args[1]);
                words
                    .map(|(&a, &b)| modulus.mul(modulus.sub(a, b), factor))
                    .collect()
            }
            Kind::InnerProduct { pairs, plus } => {
                assert_eq!(args.len(), 2 * usize::from(*pairs) + usize::from(*plus));
                inner_product(&modulus, args)
            }
            Kind::PermutedInnerProduct { pairs, galois, .. } => {
                let mut args = args.to_vec();
                for pair in args[..2 * usize::from(*pairs)].chunks_exact_mut(2) {
                    let moved = OpKind::Automorphism { galois: *galois };
                    let domain = Some(Domain::Eval);
                    pair[0] = self.own(moved, graph, node, prime, &pair[..1], domain);
                }
                inner_product(&modulus, &args)
            }
            Kind::Automorphism { galois, domain } => {
                let kind = OpKind::Automorphism { galois: *galois };
                self.own(kind, graph, node, prime, args, Some(*domain))
            }
            Kind::SwitchModulus { from } => {
                assert_eq!(*from, graph.prime(node.args[0]));
                match graph.factors(*from).len() {
                    1 => own(OpKind::SwitchModulus),
                    _ => args[0].iter().map(|&word| modulus.reduce(word)).collect(),
                }
            }
            Kind::SwitchCentred { from } => {
                assert_eq!(*from, graph.prime(node.args[0]));
                self.extend(&[*from], prime, args)
            }
            Kind::Extend { from } => self.extend(from, prime, args),
            Kind::AddMulScalar { from, factor } => {
                assert_eq!(*from, graph.prime(node.args[1]));
                let factor = residue(*factor);
                let q = u128::from(self.q(graph, prime));
                let words = args[0].iter().zip(&args[1]);
                words
                    .map(|(&a, &b)| ((u128::from(a) + u128::from(b) * factor) % q) as u64)
                    .collect()
            }
            Kind::WeightedSum {
                from,
                constants: first,
            } => {
                assert!(node
                    .args
                    .iter()
                    .map(|&arg| graph.prime(arg))
                    .eq(from.iter().copied()));
                let weight = |i: usize| residue(ringwright_towers::ConstantId(first.0 + i as u32));
                let word = |index: usize| {
                    let terms = args.iter().enumerate();
                    let terms = terms.map(|(i, words)| u128::from(words[index]) * weight(i));
                    let q = u128::from(self.q(graph, prime));
                    ((terms.map(|term| term % q).sum::<u128>() + weight(args.len())) % q) as u64
                };
                (0..self.module.n()).map(word).collect()
            }
            Kind::Join { from, .. } => {
                assert_eq!(graph.factors(prime), *from);
                let primes: Vec<u64> = from.iter().map(|&p| self.q(graph, p)).collect();
                joined(&primes, args)
            }
            Kind::Sample(sample) => {
                let kind = OpKind::Sample {
                    dist: sample.dist,
                    stream: sample.stream.clone(),
                };
                let seed = seeds[sample.seed].clone().expect("a seed");
                let result = ty(prime, Domain::Coeff);
                let drawn = self
                    .definitions
                    .run(&kind, Some(&Type::Seed), &result, &[seed]);
                words(&drawn.expect("drawn")).next().expect("a tower")
            }
            Kind::Call(_) => unreachable!("handled above"),
        }
    }

    /// An operation of the dialect on polynomials of one tower.
    fn own(
        &self,
        kind: OpKind,
        graph: &Graph,
        node: &Node,
        prime: TowerIdx,
        args: &[Words],
        domain: Option<Domain>,
    ) -> Words {
        let primes = graph.factors(prime);
        if primes.len() > 1 {
            let moduli: Vec<u64> = primes.iter().map(|&p| self.q(graph, p)).collect();
            let under = moduli.iter().zip(primes.iter()).map(|(q, &prime)| {
                let reduced = |words: &Words| words.iter().map(|word| word % q).collect();
                let args: Vec<Words> = args.iter().map(reduced).collect();
                let mut alone = graph.clone();
                node.args
                    .iter()
                    .for_each(|arg| alone.primes[arg.index()] = prime);
                self.own(kind.clone(), &alone, node, prime, &args, domain)
            });
            return joined(&moduli, &under.collect::<Vec<_>>());
        }
        let domain = domain.unwrap_or(Domain::Eval);
        let operand = node
            .args
            .first()
            .map(|&arg: &TowerId| ty(graph.prime(arg), domain));
        let n = self.module.n();
        let value = |words: &Words| {
            Value::Poly(Arc::new(
                RnsPoly::from_words(n, words.clone()).expect("a shape"),
            ))
        };
        let args: Vec<Value> = args.iter().map(value).collect();
        let made = self
            .definitions
            .run(&kind, operand.as_ref(), &ty(prime, domain), &args);
        words(&made.expect("defined")).next().expect("a tower")
    }

    /// The integers around 0 that the towers hold, by mixed radix.
    fn extend(&self, from: &[TowerIdx], to: TowerIdx, args: &[Words]) -> Words {
        let primes: Vec<u64> = from
            .iter()
            .map(|&tower| self.module.prime(tower) as u64)
            .collect();
        let all: u128 = primes.iter().map(|&q| u128::from(q)).product();
        let q = self.module.prime(to);
        let word = |index: usize| {
            let (mut x, mut radix) = (0_u128, 1_u128);
            for (&prime, words) in primes.iter().zip(args) {
                let modulus = Modulus::<u64>::new(prime).expect("a prime");
                let below = |value: u128| (value % u128::from(prime)) as u64;
                let missing = modulus.sub(words[index], below(x));
                let inverse = modulus.inv(below(radix)).expect("distinct primes");
                x += radix * u128::from(modulus.mul(missing, inverse));
                radix *= u128::from(prime);
            }
            match x > all / 2 {
                true => ((q - (all - x) % q) % q) as u64,
                false => (x % q) as u64,
            }
        };
        (0..self.module.n()).map(word).collect()
    }

    /// A prime, or the product of the primes joined.
    fn q(&self, graph: &Graph, tower: TowerIdx) -> u64 {
        let primes = graph.factors(tower);
        let factors = primes.iter().map(|&prime| self.module.prime(prime) as u64);
        factors.product()
    }
}

fn ty(prime: TowerIdx, domain: Domain) -> Type {
    Type::poly(&Basis(vec![prime]), domain)
}

/// The numbers below the product that agree with each operand modulo its prime, one prime after the
/// other.
fn joined(primes: &[u64], args: &[Words]) -> Words {
    let word = |index: usize| {
        let (mut x, mut radix) = (0_u64, 1_u64);
        for (&prime, words) in primes.iter().zip(args) {
            let modulus = Modulus::<u64>::new(prime).expect("a prime");
            let missing = modulus.sub(modulus.reduce(words[index]), modulus.reduce(x));
            let inverse = modulus.inv(modulus.reduce(radix)).expect("distinct primes");
            x += radix * modulus.mul(missing, inverse);
            radix *= prime;
        }
        x
    };
    (0..args[0].len()).map(word).collect()
}

fn inner_product(modulus: &Modulus<u64>, args: &[Words]) -> Words {
    let mut sum = vec![0; args[0].len()];
    for pair in args.chunks(2) {
        for (i, sum) in sum.iter_mut().enumerate() {
            let product = match pair {
                [a, b] => modulus.mul(a[i], b[i]),
                rest => rest[0][i],
            };
            *sum = modulus.add(*sum, product);
        }
    }
    sum
}
