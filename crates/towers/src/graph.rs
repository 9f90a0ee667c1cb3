//! A function as operations on single towers, every tower defined once.

use ringwright_ir::ring::{Distribution, Domain, Loc, TowerIdx, Type};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A tower of one graph, numbered in order of definition, parameters first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TowerId(pub u32);

impl TowerId {
    /// As an index of lists that have an item for each tower.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The towers of a polynomial, shared by what reads them.
pub type Towers<T = TowerId> = Arc<[T]>;

/// A ring value whose towers are known by `T`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Val<T = TowerId> {
    /// A polynomial.
    Poly(Towers<T>),
    /// An array, item by item.
    Array(Arc<[Towers<T>]>),
    /// The seed among the parameters that has this position.
    Seed(usize),
}

impl<T: Copy> Val<T> {
    /// A value of this type, each tower named by its prime, in memory order; `seed`: its name where
    /// it is one.
    pub fn of(ty: &Type, seed: usize, mut name: impl FnMut(TowerIdx) -> T) -> Self {
        let mut poly = || -> Towers<T> {
            let primes = ty.basis().into_iter().flat_map(|basis| basis.iter());
            primes.map(&mut name).collect()
        };
        match ty {
            Type::Poly { .. } => Val::Poly(poly()),
            Type::Array { len, .. } => Val::Array((0..*len).map(|_| poly()).collect()),
            Type::Seed => Val::Seed(seed),
        }
    }

    /// Every tower, in memory order.
    pub fn towers(&self) -> impl Iterator<Item = T> + '_ {
        let items = match self {
            Val::Poly(towers) => std::slice::from_ref(towers),
            Val::Array(items) => items,
            Val::Seed(_) => &[],
        };
        items.iter().flat_map(|item| item.iter().copied())
    }

    /// The same value with other names for its towers.
    pub fn map<U>(&self, mut name: impl FnMut(T) -> U) -> Val<U> {
        let mut each = |towers: &Towers<T>| towers.iter().map(|&tower| name(tower)).collect();
        match self {
            Val::Poly(towers) => Val::Poly(each(towers)),
            Val::Array(items) => Val::Array(items.iter().map(each).collect()),
            Val::Seed(seed) => Val::Seed(*seed),
        }
    }
}

/// The first index of joined primes; those below are a module's ([`Graph::join`]).
const FIRST_JOINED: u16 = 1 << 15;

/// A constant of one graph, by its place in [`Graph::constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantId(pub u32);

/// What is drawn, by which stream, from which seed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// The distribution.
    pub dist: Distribution,
    /// Name of the stream.
    pub stream: String,
    /// Position of the seed among the parameters.
    pub seed: usize,
}

/// A function that is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Callee {
    /// Index of its graph.
    pub function: usize,
    /// For each seed among its parameters, the position of the caller's.
    pub seeds: Vec<usize>,
}

/// How a tower comes about. Every word of it is reduced modulo the tower's prime.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Zero words.
    Zero,
    /// Forward transform of `a`.
    Ntt,
    /// Inverse transform of `a`, 1/N included.
    Intt,
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// -a.
    Neg,
    /// a * b, word by word.
    Mul,
    /// a times a constant.
    MulScalar(ConstantId),
    /// A constant added to every word of a.
    AddScalar(ConstantId),
    /// (a - b) times a constant.
    SubMulScalar(ConstantId),
    /// a0*b0 + a1*b1 + … (+ c): operands in pairs, c behind them where there is one.
    InnerProduct {
        /// How many products.
        pairs: u8,
        /// Whether c is there.
        plus: bool,
    },
    /// The same of the automorphism of each first factor, in evaluation form.
    PermutedInnerProduct {
        /// How many products.
        pairs: u8,
        /// Whether c is there.
        plus: bool,
        /// X becomes X to this power.
        galois: u64,
    },
    /// X -> X^galois.
    Automorphism {
        /// Odd, below 2N, not 1.
        galois: u64,
        /// Form of the words.
        domain: Domain,
    },
    /// Words of a tower under another prime, or this one, read as integers.
    SwitchModulus {
        /// The operand's prime.
        from: TowerIdx,
    },
    /// The same, read as integers around 0.
    SwitchCentred {
        /// The operand's prime.
        from: TowerIdx,
    },
    /// The integer around 0 that all operands hold together.
    Extend {
        /// The operands' primes.
        from: Arc<[TowerIdx]>,
    },
    /// a + b times a constant: b, which may be under another prime, read as integers.
    AddMulScalar {
        /// The prime of b.
        from: TowerIdx,
        /// The constant.
        factor: ConstantId,
    },
    /// w0*a0 + w1*a1 + … + c: the operands, which may be under other primes, read as integers.
    WeightedSum {
        /// The operands' primes.
        from: Arc<[TowerIdx]>,
        /// w0; the other w and c follow it.
        constants: ConstantId,
    },
    /// The number below the product of the primes that agrees with each operand modulo its prime: the
    /// sum of the operands, read as integers, times constants. The tower is under the primes joined.
    Join {
        /// One for each operand.
        from: Arc<[TowerIdx]>,
        /// The first operand's factor, 1 modulo its prime and 0 modulo the others; the other factors
        /// follow.
        constants: ConstantId,
    },
    /// The tower's part of what a stream draws.
    Sample(Arc<Sample>),
    /// Towers that a function makes: those that it returns and were not its parameters.
    Call(Arc<Callee>),
}

/// Whether a target computes this kind as one operation. Asked of what passes and composites would
/// make beyond the dialect's own operations.
pub type Supports<'a> = &'a dyn Fn(&Kind) -> bool;

/// Which operation of the program nodes come from; nodes of one operation share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(pub u32);

/// What asked for nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The user's line, where the function itself says it.
    pub line: Option<Loc>,
    /// Of a kernel that several calls are, which of them; else 0.
    pub source: u32,
}

impl Origin {
    /// A line.
    pub fn of(line: Option<&Loc>) -> Self {
        Origin {
            line: line.cloned(),
            source: 0,
        }
    }
}

/// What defines towers.
#[derive(Clone, Debug)]
pub struct Node {
    /// How.
    pub kind: Kind,
    /// Of these, as `kind` says.
    pub args: Vec<TowerId>,
    /// The first tower that it defines; a call's others follow.
    pub result: TowerId,
    /// How many it defines; 1 but for calls.
    pub results: u32,
    /// Where it comes from.
    pub origin: OriginId,
}

impl Node {
    /// The towers that it defines.
    pub fn defines(&self) -> impl Iterator<Item = TowerId> {
        (self.result.0..self.result.0 + self.results).map(TowerId)
    }

    /// Whether it is a call.
    pub fn is_call(&self) -> bool {
        matches!(self.kind, Kind::Call(_))
    }
}

/// Where a returned tower comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It is this parameter tower, unchanged.
    Param(usize),
    /// It is made; the towers that are made and returned are numbered in order of first return.
    Made(usize),
}

/// The towers of one function.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// One for each parameter; their towers come first.
    pub params: Vec<Val>,
    /// Number of parameter towers.
    pub param_towers: usize,
    /// The prime of every tower, or primes joined.
    pub primes: Vec<TowerIdx>,
    /// Primes whose product is one modulus ([`Graph::join`]).
    pub joined: Vec<Arc<[TowerIdx]>>,
    /// Definitions before uses.
    pub nodes: Vec<Node>,
    /// The returned values.
    pub returns: Vec<Val>,
    /// What kinds name by [`ConstantId`], reduced modulo their tower's prime.
    pub constants: Vec<u128>,
    /// What asked for nodes, by [`OriginId`].
    pub origins: Vec<Origin>,
}

impl Graph {
    /// Number of towers, parameters included.
    pub fn towers(&self) -> usize {
        self.primes.len()
    }

    /// The prime of a tower.
    pub fn prime(&self, tower: TowerId) -> TowerIdx {
        self.primes[tower.index()]
    }

    /// The index under which towers modulo the product of these primes stand. Such a tower holds as
    /// many as it has primes: sums, products and transforms of it are theirs, for the residues modulo
    /// a product are those modulo each prime (the Chinese remainder theorem).
    pub fn join(&mut self, primes: &[TowerIdx]) -> TowerIdx {
        if let [only] = primes {
            return *only;
        }
        let known = self.joined.iter().position(|each| **each == *primes);
        let position = known.unwrap_or_else(|| {
            self.joined.push(primes.into());
            self.joined.len() - 1
        });
        TowerIdx(FIRST_JOINED + position as u16)
    }

    /// The primes that an index stands for.
    pub fn factors(&self, prime: TowerIdx) -> Arc<[TowerIdx]> {
        match prime.0.checked_sub(FIRST_JOINED) {
            Some(position) => self.joined[usize::from(position)].clone(),
            None => [prime].into(),
        }
    }

    /// The value of a constant.
    pub fn constant(&self, id: ConstantId) -> u128 {
        self.constants[id.0 as usize]
    }

    /// What asked for nodes.
    pub fn origin(&self, id: OriginId) -> &Origin {
        &self.origins[id.0 as usize]
    }

    /// The user's line that asked for a node.
    pub fn line(&self, node: &Node) -> Option<&Loc> {
        self.origin(node.origin).line.as_ref()
    }

    /// A new tower.
    pub fn define(&mut self, prime: TowerIdx) -> TowerId {
        self.primes.push(prime);
        TowerId(self.primes.len() as u32 - 1)
    }

    /// A new constant.
    pub fn add_constant(&mut self, value: u128) -> ConstantId {
        self.constants.push(value);
        ConstantId(self.constants.len() as u32 - 1)
    }

    /// The weights of a [`Kind::WeightedSum`] of so many operands, and its constant.
    pub fn weights(&self, first: ConstantId, operands: usize) -> (&[u128], u128) {
        let (weights, rest) = self.constants[first.0 as usize..].split_at(operands);
        (weights, rest[0])
    }

    /// A new origin of nodes.
    pub fn add_origin(&mut self, origin: Origin) -> OriginId {
        self.origins.push(origin);
        OriginId(self.origins.len() as u32 - 1)
    }

    /// Appends an operation and gives its tower.
    pub fn push(
        &mut self,
        prime: TowerIdx,
        kind: Kind,
        args: Vec<TowerId>,
        origin: OriginId,
    ) -> TowerId {
        let result = self.define(prime);
        self.nodes.push(Node {
            kind,
            args,
            result,
            results: 1,
            origin,
        });
        result
    }

    /// Every returned tower, in order.
    pub fn returned(&self) -> impl Iterator<Item = TowerId> + '_ {
        self.returns.iter().flat_map(Val::towers)
    }

    /// Where each returned tower comes from, and the towers that are made for the caller, each once.
    pub fn outcomes(&self) -> (Vec<Outcome>, Vec<TowerId>) {
        let mut made = Vec::new();
        let mut slot: Vec<Option<usize>> = vec![None; self.towers()];
        let returned = self.returned().map(|tower| match tower.index() {
            param if param < self.param_towers => Outcome::Param(param),
            tower => Outcome::Made(*slot[tower].get_or_insert_with(|| {
                made.push(TowerId(tower as u32));
                made.len() - 1
            })),
        });
        let outcomes = returned.collect();
        (outcomes, made)
    }

    /// By tower, whether a node makes it; the others lie in memory.
    pub fn made(&self) -> Vec<bool> {
        let mut made = vec![false; self.towers()];
        let defined = self.nodes.iter().flat_map(Node::defines);
        defined.for_each(|tower| made[tower.index()] = true);
        made
    }

    /// By tower, the position of the node that makes it; `None` for those in memory.
    pub fn makers(&self) -> Vec<Option<usize>> {
        let mut makers = vec![None; self.towers()];
        for (index, node) in self.nodes.iter().enumerate() {
            node.defines()
                .for_each(|tower| makers[tower.index()] = Some(index));
        }
        makers
    }

    /// How often each tower is read, returns included.
    pub fn reads(&self) -> Vec<u32> {
        let mut reads = vec![0; self.towers()];
        let args = self.nodes.iter().flat_map(|node| node.args.iter().copied());
        for tower in args.chain(self.returned()) {
            reads[tower.index()] += 1;
        }
        reads
    }

    /// Whether two graphs do the same, constants aside, for users on the same lines.
    fn same(&self, other: &Self) -> bool {
        let origin = |graph: &Graph, node: &Node| graph.origin(node.origin).clone();
        let nodes = || self.nodes.iter().zip(&other.nodes);
        self.nodes.len() == other.nodes.len()
            && self.params == other.params
            && self.returns == other.returns
            && self.primes == other.primes
            && self.joined == other.joined
            && nodes().all(|(a, b)| a.kind == b.kind && a.args == b.args && a.result == b.result)
            && nodes().all(|(a, b)| origin(self, a) == origin(other, b))
    }
}

/// A graph as a key: equal to those that do the same with constants of their own.
#[derive(Clone, Debug)]
pub struct Shape(pub Arc<Graph>);

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.same(&other.0)
    }
}

impl Eq for Shape {}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let graph = &self.0;
        graph.nodes.len().hash(state);
        graph.returns.hash(state);
        for node in &graph.nodes {
            node.kind.hash(state);
            node.args.hash(state);
        }
    }
}
