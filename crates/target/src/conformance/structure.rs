//! Programs whose shape, rather than whose arithmetic, is hard: calls, aliases, long lives.

use super::case::Build;
use super::operations::shuffled;
use ringwright_ir::ring::{
    Basis, Distribution, Domain, FuncId, Module, ModuleBuilder, Type, VerifyError,
};

/// Name and builder of each program.
pub const CASES: &[(&str, Build)] = &[
    ("parameters and repeated values returned", passed_through),
    ("nested calls", nested_calls),
    ("seeds and arrays through calls", call_arguments),
    ("values that live long", long_lives),
    ("a sum of products that begins late", late_sum),
    ("unused results", unused),
];

type Built = Result<Module, VerifyError>;

fn eval() -> Type {
    Type::poly(&shuffled(), Domain::Eval)
}

fn passed_through(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("swap");
    let a = fb.param("a", eval(), false);
    let b = fb.param("b", eval(), false);
    let sum = fb.add(a, b)?;
    let swap = fb.finish(&[b, a, sum, sum, a])?;
    let mut fb = mb.function("main");
    let x = fb.param("x", eval(), false);
    let y = fb.param("y", eval(), false);
    let first = fb.call(swap, &[x, y])?;
    let second = fb.call(swap, &[first[2], first[0]])?;
    let mut returns = vec![x, first[1], first[3], x];
    returns.extend(second);
    let main = fb.finish(&returns)?;
    mb.finish(main)
}

/// square(square(square x)), each level calling the one below twice.
fn nested_calls(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut inner: Option<FuncId> = None;
    for depth in 0..3 {
        let mut fb = mb.function(&format!("level{depth}"));
        let x = fb.param("x", eval(), false);
        let once = match inner {
            Some(inner) => fb.call(inner, &[x])?[0],
            None => fb.neg(x)?,
        };
        let twice = match inner {
            Some(inner) => fb.call(inner, &[once])?[0],
            None => fb.add(once, x)?,
        };
        let coefficients = fb.intt(once)?;
        let there = fb.ntt(coefficients)?;
        let product = fb.mul(twice, there)?;
        let result = fb.sub(product, x)?;
        inner = Some(fb.finish(&[result])?);
    }
    let mut fb = mb.function("main");
    let x = fb.param("x", eval(), true);
    let level = inner.unwrap_or(FuncId(0));
    let first = fb.call(level, &[x])?;
    let second = fb.call(level, &[first[0]])?;
    let main = fb.finish(&[second[0], first[0]])?;
    mb.finish(main)
}

fn call_arguments(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("mask");
    let key = fb.param("key", Type::array(&shuffled(), Domain::Eval, 2), false);
    let first = fb.param("first", Type::Seed, true);
    let x = fb.param("x", eval(), false);
    let second = fb.param("second", Type::Seed, true);
    let uniform = fb.sample(Distribution::Uniform, "a", &shuffled(), Domain::Eval, first)?;
    let small = fb.sample(
        Distribution::Ternary,
        "u",
        &shuffled(),
        Domain::Coeff,
        second,
    )?;
    let small = fb.ntt(small)?;
    let item = fb.element(key, 1)?;
    let masked = fb.mul(uniform, item)?;
    let noisy = fb.add(masked, small)?;
    let result = fb.add(noisy, x)?;
    let mask = fb.finish(&[result, key])?;
    let mut fb = mb.function("main");
    let s = fb.param("s", Type::Seed, true);
    let t = fb.param("t", Type::Seed, true);
    let key = fb.param("key", Type::array(&shuffled(), Domain::Eval, 2), false);
    let x = fb.param("x", eval(), false);
    let masked = fb.call(mask, &[key, t, x, s])?;
    let main = fb.finish(&masked)?;
    mb.finish(main)
}

/// Every value is read once more at the very end, in the order of definition.
fn long_lives(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", Type::poly(&shuffled(), Domain::Coeff), false);
    let mut values = vec![a];
    for i in 0..4 {
        let last = values[values.len() - 1];
        let one = Basis(vec![shuffled().0[i]]);
        let tower = fb.towers(last, &one)?;
        let spread = fb.switch_modulus(tower, &shuffled())?;
        values.push(fb.sub(spread, last)?);
    }
    let mut sum = fb.zero(&shuffled(), Domain::Coeff)?;
    for value in values {
        sum = fb.add(sum, value)?;
    }
    let main = fb.finish(&[sum])?;
    mb.finish(main)
}

/// x and all products of one of a with one of b, more than one operation sums; x is a transform, the
/// products could begin at once.
fn late_sum(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(&shuffled(), Domain::Coeff), false);
    let a = ["a0", "a1", "a2", "a3"].map(|name| fb.param(name, eval(), false));
    let b = ["b0", "b1", "b2"].map(|name| fb.param(name, eval(), false));
    let mut sum = fb.ntt(x)?;
    for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b))) {
        let product = fb.mul(a, b)?;
        sum = fb.add(sum, product)?;
    }
    let main = fb.finish(&[sum])?;
    mb.finish(main)
}

fn unused(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("both");
    let a = fb.param("a", eval(), false);
    let (square, double) = (fb.mul(a, a)?, fb.add(a, a)?);
    let both = fb.finish(&[square, double])?;
    let mut fb = mb.function("main");
    let a = fb.param("a", eval(), false);
    fb.param("ignored", eval(), false);
    fb.mul(a, a)?;
    fb.call(both, &[a])?;
    let pair = fb.call(both, &[a])?;
    let result = fb.sub(pair[1], a)?;
    let main = fb.finish(&[result])?;
    mb.finish(main)
}
