//! Programs of any length, each long in another way: what lowers and runs them must take time and
//! memory in proportion, and recurse over none of it. For tests and benches.

use super::words::word_below;
use crate::ring::{
    Basis, Distribution, Domain, FuncId, FunctionBuilder, Module, ModuleBuilder, Type, ValueId,
    VerifyError,
};
use ringwright_arith::Choices;

/// In which way a program is long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Long {
    /// Each product is a factor of the next one.
    Products,
    /// Each sum is of the last one and any earlier value.
    Sums,
    /// Transforms, one of the other's negated result: a pair of them would cancel.
    Transforms,
    /// A factor and a summand of its own for each.
    Scalars,
    /// Automorphisms of the last value, in either form.
    Automorphisms,
    /// Any of these, each of the last value, two operands with any earlier one.
    Mixed,
    /// All operations read one input, and all results leave: a function of half of them, called
    /// twice.
    FanOut,
    /// As many inputs as operations, added up from the last to the first.
    FanIn,
    /// Items of one array, read in turn.
    Items,
    /// Calls of one function, one of the other's result.
    Calls,
    /// Half of the operations in functions of their own, half their calls.
    Functions,
    /// As many streams as operations, in functions nested as deep as is allowed.
    Streams,
}

impl Long {
    /// Every way.
    pub const ALL: [Long; 12] = [
        Long::Products,
        Long::Sums,
        Long::Transforms,
        Long::Scalars,
        Long::Automorphisms,
        Long::Mixed,
        Long::FanOut,
        Long::FanIn,
        Long::Items,
        Long::Calls,
        Long::Functions,
        Long::Streams,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Long::Products => "products",
            Long::Sums => "sums",
            Long::Transforms => "transforms",
            Long::Scalars => "scalars",
            Long::Automorphisms => "automorphisms",
            Long::Mixed => "mixed",
            Long::FanOut => "fan-out",
            Long::FanIn => "fan-in",
            Long::Items => "items",
            Long::Calls => "calls",
            Long::Functions => "functions",
            Long::Streams => "streams",
        }
    }
}

/// Items of the array that [`Long::Items`] reads.
const ITEMS: u16 = 1000;
/// Automorphisms that are told apart: a machine makes a program for each.
const GALOIS: u64 = 16;

/// A program of about `ops` operations on polynomials of one tower, whose results need them all.
/// The error is that of a degree or prime that no module has.
pub fn long(how: Long, ops: usize, log_n: u32, prime: u128) -> Result<Module, VerifyError> {
    let mut mb = ModuleBuilder::new(log_n, &[prime]);
    let main = match how {
        Long::FanOut => fan_out(&mut mb, ops),
        Long::FanIn => fan_in(&mut mb, ops),
        Long::Items => items(&mut mb, ops),
        Long::Calls => calls(&mut mb, ops),
        Long::Functions => functions(&mut mb, ops),
        Long::Streams => streams(&mut mb, ops),
        _ => chain(&mut mb, how, ops, prime),
    }?;
    mb.finish(main)
}

type Built = Result<FuncId, VerifyError>;
type Step = Result<ValueId, VerifyError>;

fn poly(domain: Domain) -> Type {
    Type::poly(&Basis::range(0..1), domain)
}

/// Every operation reads the one before it.
fn chain(mb: &mut ModuleBuilder, how: Long, ops: usize, prime: u128) -> Built {
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Eval), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    let mut chain = Chain {
        fb,
        random: Choices::new(ops as u64),
        prime,
        values: vec![a, b],
    };
    while chain.values.len() < ops + 2 {
        let next = chain.link(how)?;
        chain.values.push(next);
    }
    let last = chain.last();
    chain.fb.finish(&[last])
}

struct Chain<'m> {
    fb: FunctionBuilder<'m>,
    random: Choices,
    prime: u128,
    values: Vec<ValueId>,
}

impl Chain<'_> {
    fn last(&self) -> ValueId {
        self.values[self.values.len() - 1]
    }

    fn link(&mut self, how: Long) -> Step {
        let (x, b) = (self.last(), self.values[1]);
        match how {
            Long::Products => self.fb.mul(x, b),
            Long::Sums => self.sum(x),
            Long::Transforms if self.values.len().is_multiple_of(2) => self.transform(x),
            Long::Transforms => self.fb.neg(x),
            Long::Scalars => self.scalar(x),
            Long::Automorphisms => self.automorphism(x),
            _ => self.any(x),
        }
    }

    fn any(&mut self, x: ValueId) -> Step {
        match self.random.below(8) {
            0 | 1 => self.transform(x),
            2 => self.scalar(x),
            3 => self.automorphism(x),
            4 => self.fb.neg(x),
            5 => self.sum(x),
            6 => {
                let y = self.earlier(x);
                self.fb.sub(x, y)
            }
            _ if self.domain(x) == Some(Domain::Eval) => {
                let y = self.earlier(x);
                self.fb.mul(x, y)
            }
            _ => self.transform(x),
        }
    }

    fn domain(&self, x: ValueId) -> Option<Domain> {
        self.fb.ty(x).domain()
    }

    /// Any value in the form of `x`, found in a few tries, else `x`.
    fn earlier(&mut self, x: ValueId) -> ValueId {
        let wanted = self.domain(x);
        let tries = (0..8).map(|_| self.values[self.random.below(self.values.len())]);
        let mut tries = tries.collect::<Vec<_>>().into_iter();
        tries.find(|&y| self.domain(y) == wanted).unwrap_or(x)
    }

    fn sum(&mut self, x: ValueId) -> Step {
        let y = self.earlier(x);
        self.fb.add(x, y)
    }

    fn transform(&mut self, x: ValueId) -> Step {
        match self.domain(x) {
            Some(Domain::Eval) => self.fb.intt(x),
            _ => self.fb.ntt(x),
        }
    }

    fn scalar(&mut self, x: ValueId) -> Step {
        let residue = [word_below(&mut self.random, self.prime)];
        match self.random.one_in(2) {
            true => self.fb.mul_scalar(x, &residue),
            false => self.fb.add_scalar(x, &residue),
        }
    }

    fn automorphism(&mut self, x: ValueId) -> Step {
        let n = 1 << self.fb.module().log_n();
        let galois = 2 * self.random.below(GALOIS.min(n) as usize) as u64 + 1;
        match self.random.one_in(4) {
            true => self.transform(x),
            false => self.fb.automorphism(x, galois),
        }
    }
}

fn fan_out(mb: &mut ModuleBuilder, ops: usize) -> Built {
    let mut fb = mb.function("many");
    let a = fb.param("a", poly(Domain::Eval), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    let products: Result<Vec<ValueId>, _> = (0..ops.div_ceil(2)).map(|_| fb.mul(a, b)).collect();
    let many = fb.finish(&products?)?;
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Eval), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    let first = fb.call(many, &[a, b])?;
    let second = fb.call(many, &[first[0], b])?;
    fb.finish(&[first, second].concat())
}

fn fan_in(mb: &mut ModuleBuilder, ops: usize) -> Built {
    let mut fb = mb.function("main");
    let ty = poly(Domain::Eval);
    let mut params = Vec::with_capacity(ops + 1);
    for i in 0..=ops / 2 {
        params.push(fb.param(&format!("x{i}"), ty.clone(), false));
    }
    let doubled: Result<Vec<ValueId>, _> = params.iter().map(|&x| fb.add(x, x)).collect();
    let mut doubled = doubled?.into_iter().rev();
    let last = doubled.next().unwrap_or(params[0]);
    let sum = doubled.try_fold(last, |sum, x| fb.add(sum, x))?;
    fb.finish(&[sum])
}

fn items(mb: &mut ModuleBuilder, ops: usize) -> Built {
    let mut fb = mb.function("main");
    let ty = Type::array(&Basis::range(0..1), Domain::Eval, ITEMS);
    let array = fb.param("items", ty, false);
    let mut sum = fb.element(array, 0)?;
    for i in 0..ops / 2 {
        let item = fb.element(array, (i % usize::from(ITEMS)) as u16)?;
        sum = fb.add(sum, item)?;
    }
    fb.finish(&[sum])
}

fn calls(mb: &mut ModuleBuilder, ops: usize) -> Built {
    let step = step(mb, "step")?;
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Eval), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    let mut x = a;
    for _ in 0..ops {
        x = fb.call(step, &[x, b])?[0];
    }
    fb.finish(&[x])
}

fn step(mb: &mut ModuleBuilder, name: &str) -> Built {
    let mut fb = mb.function(name);
    let x = fb.param("x", poly(Domain::Eval), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    let product = fb.mul(x, b)?;
    fb.finish(&[product])
}

fn functions(mb: &mut ModuleBuilder, ops: usize) -> Built {
    let steps = (0..ops / 2).map(|i| step(mb, &format!("step{i}")));
    let steps: Result<Vec<FuncId>, _> = steps.collect();
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Eval), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    let mut x = a;
    for step in steps? {
        x = fb.call(step, &[x, b])?[0];
    }
    fb.finish(&[x])
}

/// Each function draws its share and calls the one before.
fn streams(mb: &mut ModuleBuilder, ops: usize) -> Built {
    let depth = crate::ring::MAX_CALL_DEPTH;
    let mut below: Option<FuncId> = None;
    for level in 0..=depth {
        let mut fb = mb.function(&format!("level{level}"));
        let seed = fb.param("seed", Type::Seed, true);
        let mut sum = fb.zero(&Basis::range(0..1), Domain::Coeff)?;
        if let Some(below) = below {
            sum = fb.call(below, &[seed])?[0];
        }
        for i in (level * ops / 2 / (depth + 1))..((level + 1) * ops / 2 / (depth + 1)) {
            let (dist, basis) = (Distribution::Ternary, Basis::range(0..1));
            let drawn = fb.sample(dist, &format!("s{i}"), &basis, Domain::Coeff, seed)?;
            sum = fb.add(sum, drawn)?;
        }
        below = Some(fb.finish(&[sum])?);
    }
    Ok(below.unwrap_or(FuncId(0)))
}
