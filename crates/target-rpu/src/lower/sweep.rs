//! Operations word by word as one program on blocks of towers.
//!
//! [`SweepBuilder`] writes nodes of a graph as a [`Formula`]: towers that are read become operands,
//! primes and constants become numbered moduli and scalars, so that sweeps under other primes with
//! the same operations are one program.

use crate::kernels::word_by_word::{Step, Value};
use crate::kernels::{Formula, WordKernel};
use crate::lower::start::{Given, Span};
use crate::Config;
use ringwright_ir::ring::TowerIdx;
use ringwright_ir::RunError;
use ringwright_towers::residency::Content;
use ringwright_towers::{ConstantId, Graph, Kind, Node, OriginId, TowerId};
use std::collections::HashMap;
use std::sync::Arc;

/// Runs of one program over blocks of towers.
pub struct Sweep {
    /// What runs on each block.
    pub kernel: Arc<WordKernel>,
    /// How many blocks a tower has.
    pub count: usize,
    /// Blocks that the memory holds beside each other: one is moved while another runs.
    pub copies: usize,
    /// The formula's moduli.
    pub moduli: Vec<u128>,
    /// Its scalar operands.
    pub scalars: Vec<Given>,
    /// The towers read.
    pub loaded: Vec<TowerId>,
    /// The towers made.
    pub stored: Vec<TowerId>,
    /// Which operation of the program it comes from: the last.
    pub origin: OriginId,
}

impl Sweep {
    /// The words of scalar data memory for one of the copies, for a caller with these constants.
    pub fn arguments(
        &self,
        config: &Config,
        constants: &[u128],
        copy: usize,
    ) -> Result<Vec<u128>, RunError> {
        let scalars = self.scalars.iter().map(|given| given.value(constants));
        let scalars: Vec<u128> = scalars.collect();
        let formula = &self.kernel.formula;
        let places = [0, formula.operands].map(|tower| self.place(copy, tower));
        formula.arguments(config, places, &self.moduli, &scalars)
    }

    /// Words of scalar data memory that one copy reads.
    pub fn argument_words(&self) -> usize {
        self.kernel.formula.argument_words(self.kernel.layout)
    }

    /// What is brought for a block, or leaves behind it.
    pub fn spans(&self, block: usize, leaves: bool) -> impl Iterator<Item = Span> + '_ {
        let (first, towers) = match leaves {
            false => (0, &self.loaded),
            true => (self.loaded.len(), &self.stored),
        };
        let words = self.kernel.words;
        (first..).zip(towers).map(move |(tower, &of)| Span {
            content: Content::Tower(of),
            first: block * words,
            words,
            place: self.place(block % self.copies, tower),
        })
    }

    /// Where in the vector data memory the block of an operand lies, or behind those of a result.
    pub fn place(&self, copy: usize, tower: usize) -> usize {
        (copy * self.kernel.formula.towers() + tower) * self.kernel.words
    }
}

/// Nodes written as a formula.
#[derive(Clone, Default)]
pub struct SweepBuilder {
    operands: HashMap<TowerId, usize>,
    /// In order.
    pub loaded: Vec<TowerId>,
    steps: Vec<(Step, usize)>,
    /// The step that makes each tower.
    made: HashMap<TowerId, usize>,
    /// In order.
    pub stored: Vec<TowerId>,
    moduli: HashMap<TowerIdx, usize>,
    /// In order.
    pub primes: Vec<TowerIdx>,
    numbers: HashMap<Given, usize>,
    /// In order.
    pub scalars: Vec<Given>,
    /// Of the last node.
    pub origin: Option<OriginId>,
}

/// A value before it is known how many operands there are.
#[derive(Clone, Copy)]
enum Source {
    Operand(usize),
    Step(usize),
}

/// Steps name operands by even numbers and steps by odd ones until all are known.
impl Source {
    fn value(self) -> Value {
        match self {
            Source::Operand(number) => 2 * number,
            Source::Step(number) => 2 * number + 1,
        }
    }
}

impl SweepBuilder {
    /// Whether a tower is made here.
    pub fn makes(&self, tower: TowerId) -> bool {
        self.made.contains_key(&tower)
    }

    /// Whether any of these is read or made here.
    pub fn shares(&self, towers: &[TowerId]) -> bool {
        let known = |tower: &TowerId| self.operands.contains_key(tower) || self.makes(*tower);
        towers.iter().any(known)
    }

    /// The formula and, in its order, towers, primes and scalars.
    pub fn formula(&self) -> Formula {
        let operands = self.loaded.len();
        let value = |value: Value| match value % 2 {
            0 => value / 2,
            _ => operands + value / 2,
        };
        let step = |step| match step {
            Step::Add(a, b) => Step::Add(value(a), value(b)),
            Step::Sub(a, b) => Step::Sub(value(a), value(b)),
            Step::Mul(a, b) => Step::Mul(value(a), value(b)),
            Step::MulAdd(a, b, c) => Step::MulAdd(value(a), value(b), value(c)),
            Step::Scale(a, scalar) => Step::Scale(value(a), scalar),
            Step::Shift(a, scalar) => Step::Shift(value(a), scalar),
            Step::Fill(scalar) => Step::Fill(scalar),
        };
        Formula {
            operands,
            steps: self
                .steps
                .iter()
                .map(|&(each, q)| (step(each), q))
                .collect(),
            results: self
                .stored
                .iter()
                .map(|tower| operands + self.made[tower])
                .collect(),
            moduli: self.primes.len(),
            scalars: self.scalars.len(),
        }
    }

    /// Keeps a tower that is made here.
    pub fn keep(&mut self, tower: TowerId) {
        if !self.stored.contains(&tower) {
            self.stored.push(tower);
        }
    }

    /// Appends a node; what it is not the like of, in words.
    pub fn push(&mut self, graph: &Graph, node: &Node) -> Result<(), String> {
        let q = self.modulus(graph.prime(node.result));
        let args: Vec<Value> = node.args.iter().map(|&tower| self.value(tower)).collect();
        match (&node.kind, args.as_slice()) {
            (Kind::Zero, []) => {
                let zero = self.scalar(Given::Value(0));
                self.step(Step::Fill(zero), q);
            }
            (Kind::Add, &[a, b]) => self.step_of(Step::Add(a, b), q),
            (Kind::Sub, &[a, b]) => self.step_of(Step::Sub(a, b), q),
            (Kind::Mul, &[a, b]) => self.step_of(Step::Mul(a, b), q),
            (Kind::Neg, &[a]) => {
                let zero = self.scalar(Given::Value(0));
                let zero = self.step(Step::Fill(zero), q);
                self.step(Step::Sub(zero, a), q);
            }
            (Kind::MulScalar(constant), &[a]) => {
                let factor = self.scalar(Given::Constant(*constant));
                self.step(Step::Scale(a, factor), q);
            }
            (Kind::AddScalar(constant), &[a]) => {
                let summand = self.scalar(Given::Constant(*constant));
                self.step(Step::Shift(a, summand), q);
            }
            (Kind::SwitchModulus { .. }, &[a]) => {
                let one = self.scalar(Given::Value(1));
                self.step(Step::Scale(a, one), q);
            }
            (Kind::AddMulScalar { factor, .. }, &[a, b]) => {
                let factor = self.scalar(Given::Constant(*factor));
                let product = self.step(Step::Scale(b, factor), q);
                self.step(Step::Add(a, product), q);
            }
            (Kind::InnerProduct { plus, .. }, args) => self.inner_product(args, *plus, q),
            (Kind::WeightedSum { constants, .. }, args) => {
                let sum = self.weighted(args, *constants, q);
                let plus = ConstantId(constants.0 + args.len() as u32);
                let plus = self.scalar(Given::Constant(plus));
                self.step(Step::Shift(sum, plus), q);
            }
            (Kind::Join { constants, .. }, args) => {
                self.weighted(args, *constants, q);
            }
            (kind, _) => return Err(format!("{kind:?}: it is not computed word by word")),
        }
        self.made.insert(node.result, self.steps.len() - 1);
        self.origin = Some(node.origin);
        Ok(())
    }

    fn inner_product(&mut self, args: &[Value], plus: bool, q: usize) {
        let (pairs, rest) = args.split_at(args.len() - usize::from(plus));
        let mut sum = rest.first().copied();
        for pair in pairs.chunks_exact(2) {
            let step = match sum {
                Some(sum) => Step::MulAdd(pair[0], pair[1], sum),
                None => Step::Mul(pair[0], pair[1]),
            };
            sum = Some(self.step(step, q));
        }
    }

    /// Operands times the constants from `first` on, added up.
    fn weighted(&mut self, args: &[Value], first: ConstantId, q: usize) -> Value {
        let mut sum = None;
        for (position, &arg) in (0..).zip(args) {
            let weight = self.scalar(Given::Constant(ConstantId(first.0 + position)));
            let term = self.step(Step::Scale(arg, weight), q);
            sum = Some(match sum {
                Some(sum) => self.step(Step::Add(sum, term), q),
                None => term,
            });
        }
        sum.unwrap_or_default()
    }

    fn value(&mut self, tower: TowerId) -> Value {
        if let Some(&step) = self.made.get(&tower) {
            return Source::Step(step).value();
        }
        let next = self.loaded.len();
        let operand = *self.operands.entry(tower).or_insert(next);
        if operand == next {
            self.loaded.push(tower);
        }
        Source::Operand(operand).value()
    }

    fn step_of(&mut self, step: Step, q: usize) {
        self.step(step, q);
    }

    fn step(&mut self, step: Step, q: usize) -> Value {
        self.steps.push((step, q));
        Source::Step(self.steps.len() - 1).value()
    }

    fn modulus(&mut self, prime: TowerIdx) -> usize {
        let next = self.primes.len();
        let number = *self.moduli.entry(prime).or_insert(next);
        if number == next {
            self.primes.push(prime);
        }
        number
    }

    fn scalar(&mut self, given: Given) -> usize {
        let next = self.scalars.len();
        let number = *self.numbers.entry(given).or_insert(next);
        if number == next {
            self.scalars.push(given);
        }
        number
    }
}
