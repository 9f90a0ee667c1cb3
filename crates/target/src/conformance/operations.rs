//! One program per operation, in both forms where it has two.

use super::case::Build;
use ringwright_arith::primes::next_ntt_prime_below;
use ringwright_ir::ring::{
    Basis, Distribution, Domain, FunctionBuilder, Module, ModuleBuilder, TowerIdx, Type, ValueId,
    VerifyError,
};

/// Name and builder of each program.
pub const CASES: &[(&str, Build)] = &[
    ("zero", zero),
    ("ntt and intt", transforms),
    ("add", |n, q| binary(n, q, |fb, a, b| fb.add(a, b))),
    ("sub", |n, q| binary(n, q, |fb, a, b| fb.sub(a, b))),
    ("neg", negation),
    ("mul", product),
    ("mul_scalar and add_scalar", scalars),
    ("automorphism", automorphisms),
    ("towers, concat and element", views),
    ("switch_modulus", switch_modulus),
    ("sample", samples),
    ("sample under the smallest primes", smallest_primes),
];

type Built = Result<Module, VerifyError>;
type Binary = fn(&mut FunctionBuilder<'_>, ValueId, ValueId) -> Result<ValueId, VerifyError>;

/// Towers out of order, so that position and index of a prime differ.
pub fn shuffled() -> Basis {
    Basis([2, 0, 5, 3].map(TowerIdx).to_vec())
}

fn poly(domain: Domain) -> Type {
    Type::poly(&shuffled(), domain)
}

fn residues(mb: &ModuleBuilder, towers: &Basis) -> Vec<u128> {
    let values = towers.values(mb.primes());
    values
        .iter()
        .enumerate()
        .map(|(i, q)| (q - 1) / (i as u128 + 1))
        .collect()
}

fn zero(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Coeff), false);
    let zero = fb.zero(&shuffled(), Domain::Coeff)?;
    let below = fb.sub(zero, a)?;
    let main = fb.finish(&[zero, below])?;
    mb.finish(main)
}

fn transforms(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Coeff), false);
    let b = fb.param("b", poly(Domain::Eval), true);
    let forward = fb.ntt(a)?;
    let inverse = fb.intt(b)?;
    let there = fb.add(a, inverse)?;
    let there = fb.ntt(there)?;
    let back = fb.intt(forward)?;
    let main = fb.finish(&[forward, inverse, there, back])?;
    mb.finish(main)
}

fn binary(log_n: u32, primes: &[u128], apply: Binary) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let mut returns = Vec::new();
    for domain in [Domain::Coeff, Domain::Eval] {
        let a = fb.param(&format!("a_{domain}"), poly(domain), false);
        let b = fb.param(&format!("b_{domain}"), poly(domain), false);
        returns.push((a, b));
    }
    let mut results = Vec::new();
    for (a, b) in returns {
        let once = apply(&mut fb, a, b)?;
        let with_itself = apply(&mut fb, once, once)?;
        let other_way = apply(&mut fb, b, once)?;
        results.extend([once, with_itself, other_way]);
    }
    let main = fb.finish(&results)?;
    mb.finish(main)
}

fn negation(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Eval), false);
    let once = fb.neg(a)?;
    let b = fb.add(once, once)?;
    let twice = fb.neg(b)?;
    let main = fb.finish(&[once, twice])?;
    mb.finish(main)
}

/// Sums of products of every length up to five, with and without a plain summand.
fn product(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Eval), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    let square = fb.mul(a, a)?;
    let mut sums = vec![fb.mul(a, b)?, fb.add(square, b)?];
    let mut sum = b;
    for _ in 0..5 {
        let term = fb.mul(a, b)?;
        sum = fb.add(term, sum)?;
        sums.push(sum);
    }
    let (left, right) = (fb.mul(a, sum)?, fb.mul(b, b)?);
    sums.push(fb.add(left, right)?);
    let main = fb.finish(&sums)?;
    mb.finish(main)
}

fn scalars(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let factors = residues(&mb, &shuffled());
    let mut fb = mb.function("main");
    let mut results = Vec::new();
    let a = fb.param("a", poly(Domain::Coeff), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    for x in [a, b] {
        let scaled = fb.mul_scalar(x, &factors)?;
        let moved = fb.add_scalar(scaled, &factors)?;
        let difference = fb.sub(moved, x)?;
        results.extend([scaled, fb.mul_scalar(difference, &factors)?]);
    }
    let main = fb.finish(&results)?;
    mb.finish(main)
}

fn automorphisms(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Coeff), false);
    let b = fb.param("b", poly(Domain::Eval), false);
    let conjugation = (2 << log_n) - 1;
    let mut results = Vec::new();
    for galois in [1, 5, 25 % (conjugation + 1), conjugation] {
        let image = fb.automorphism(a, galois)?;
        let permuted = fb.automorphism(b, galois)?;
        let transformed = fb.ntt(image)?;
        results.extend([image, permuted, transformed]);
    }
    let main = fb.finish(&results)?;
    mb.finish(main)
}

fn views(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let a = fb.param("a", poly(Domain::Eval), false);
    let key = fb.param("key", Type::array(&shuffled(), Domain::Eval, 3), false);
    let few = Basis([3, 2].map(TowerIdx).to_vec());
    let some = fb.towers(a, &few)?;
    let smaller_key = fb.towers(key, &few)?;
    let last = fb.element(smaller_key, 2)?;
    let product = fb.mul(some, last)?;
    let rest = fb.towers(a, &shuffled().without(&few))?;
    let joined = fb.concat(product, rest)?;
    let main = fb.finish(&[joined, smaller_key, some, joined])?;
    mb.finish(main)
}

fn switch_modulus(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let mut results = Vec::new();
    for tower in [0, 5] {
        let one = Basis(vec![TowerIdx(tower)]);
        let a = fb.param(&format!("a{tower}"), Type::poly(&one, Domain::Coeff), false);
        results.push(a);
    }
    for result in &mut results {
        *result = fb.switch_modulus(*result, &shuffled())?;
    }
    let main = fb.finish(&results)?;
    mb.finish(main)
}

fn samples(log_n: u32, primes: &[u128]) -> Built {
    sampled(log_n, primes, &shuffled())
}

/// All primes below 2^8 that serve N = 2^4: small integers may exceed them.
fn smallest_primes(_: u32, _: &[u128]) -> Built {
    const LOG_N: u32 = 4;
    let mut primes = Vec::new();
    let mut bound = 1 << 8;
    while let Some(prime) = next_ntt_prime_below(bound, LOG_N) {
        primes.push(prime);
        bound = prime;
    }
    sampled(LOG_N, &primes, &Basis::range(0..primes.len() as u16))
}

fn sampled(log_n: u32, primes: &[u128], basis: &Basis) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let seed = fb.param("seed", Type::Seed, true);
    let distributions = [
        (Distribution::Uniform, Domain::Coeff),
        (Distribution::Uniform, Domain::Eval),
        (Distribution::Ternary, Domain::Coeff),
        (Distribution::Binomial21, Domain::Coeff),
        (Distribution::Flood { bits: 5 }, Domain::Coeff),
        (Distribution::Flood { bits: 62 }, Domain::Coeff),
    ];
    let mut results = Vec::new();
    for (i, (dist, domain)) in distributions.into_iter().enumerate() {
        results.push(fb.sample(dist, &format!("stream {i}"), basis, domain, seed)?);
    }
    let main = fb.finish(&results)?;
    mb.finish(main)
}
