//! Programs around the composites, at the words where rounding and centring turn.
//!
//! Coefficients go in, so that boundary words are boundary integers; where a composite works on
//! evaluations the program transforms them first.

use super::case::Build;
use ringwright_ir::ring::composites::{
    basis_extension, decompose, key_length, key_switch, mod_down, switch_digits,
};
use ringwright_ir::ring::{
    Basis, Digits, Domain, FuncId, Module, ModuleBuilder, TowerIdx, Type, VerifyError,
};

/// Name and builder of each program.
pub const CASES: &[(&str, Build)] = &[
    ("basis_extension from 1", |n, q| {
        extension(n, q, &[4], &[0, 1, 5])
    }),
    ("basis_extension from 3", |n, q| {
        extension(n, q, &[1, 5, 0], &[2, 3])
    }),
    ("basis_extension with shared primes", |n, q| {
        extension(n, q, &[1, 2], &[2, 0, 1])
    }),
    ("mod_down by 1", |n, q| down(n, q, &[0, 1, 2, 3], &[4])),
    ("mod_down by 2", |n, q| down(n, q, &[3, 0], &[5, 4])),
    ("key_switch, digits of 1", |n, q| {
        switch(n, q, &[0, 1, 2, 3], &[4], Digits::Of(1))
    }),
    ("key_switch, digits of 1, 5 digits", |n, q| {
        switch(n, q, &[0, 1, 2, 3, 4], &[5], Digits::Of(1))
    }),
    ("key_switch, digits of 2", |n, q| {
        switch(n, q, &[0, 1, 2], &[4, 5], Digits::Of(2))
    }),
    ("key_switch, digits of 1, 2 and 1", |n, q| {
        switch(n, q, &[0, 1, 2, 3], &[4, 5], Digits::At(0b1010))
    }),
    ("key_switch at a lower level", lower_level),
    ("two automorphisms of shared digits", shared_digits),
    ("conjugation of shared digits of 2", |n, q| {
        automorphisms(n, q, (&[0, 1, 2], &[4, 5]), 2, &[2 * (1 << n) - 1])
    }),
    ("composite as entry", entry),
    ("multiply, relinearise, rescale", multiply),
];

type Built = Result<Module, VerifyError>;

fn basis(towers: &[u16]) -> Basis {
    Basis(towers.iter().copied().map(TowerIdx).collect())
}

fn extension(log_n: u32, primes: &[u128], from: &[u16], to: &[u16]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let extend = basis_extension(&mut mb, &basis(from), &basis(to))?;
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(&basis(from), Domain::Coeff), false);
    let first = fb.call(extend, &[x])?[0];
    let negated = fb.neg(x)?;
    let second = fb.call(extend, &[negated])?[0];
    let sum = fb.add(first, second)?;
    let main = fb.finish(&[first, sum])?;
    mb.finish(main)
}

fn down(log_n: u32, primes: &[u128], q: &[u16], p: &[u16]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let (q, p) = (basis(q), basis(p));
    let in_coeff = mod_down(&mut mb, &q, &p, Domain::Coeff)?;
    let in_eval = mod_down(&mut mb, &q, &p, Domain::Eval)?;
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(&q.join(&p), Domain::Coeff), false);
    let coefficients = fb.call(in_coeff, &[x])?[0];
    let transformed = fb.ntt(x)?;
    let evaluations = fb.call(in_eval, &[transformed])?[0];
    let product = fb.mul(transformed, transformed)?;
    let rounded = fb.call(in_eval, &[product])?[0];
    let main = fb.finish(&[coefficients, evaluations, rounded])?;
    mb.finish(main)
}

fn switch(log_n: u32, primes: &[u128], q: &[u16], p: &[u16], digits: Digits) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let (q, p) = (basis(q), basis(p));
    let full = q.join(&p);
    let switch = key_switch(&mut mb, &q, &p, &full, digits)?;
    switch_twice(mb, switch, &q, &full, key_length(&full, p.len(), digits))
}

fn lower_level(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let (q, p, full) = (
        basis(&[0, 1, 2]),
        basis(&[4, 5]),
        basis(&[0, 1, 2, 3, 4, 5]),
    );
    let switch = key_switch(&mut mb, &q, &p, &full, 2)?;
    switch_twice(mb, switch, &q, &full, key_length(&full, p.len(), 2))
}

fn shared_digits(log_n: u32, primes: &[u128]) -> Built {
    automorphisms(log_n, primes, (&[0, 1, 2], &[5]), 1, &[5, 25])
}

/// Automorphisms of one polynomial, its digits raised once, each switched with the same key.
fn automorphisms(
    log_n: u32,
    primes: &[u128],
    (q, p): (&[u16], &[u16]),
    digit: u16,
    galois: &[u64],
) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let (q, p) = (basis(q), basis(p));
    let full = q.join(&p);
    let raise = decompose(&mut mb, &q, &p, digit)?;
    let switches = galois
        .iter()
        .map(|&g| switch_digits(&mut mb, &q, &p, &full, digit, g))
        .collect::<Result<Vec<_>, _>>()?;
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(&q, Domain::Coeff), false);
    let items = key_length(&full, p.len(), digit) as u16;
    let key = fb.param("key", Type::array(&full, Domain::Eval, items), false);
    let x = fb.ntt(x)?;
    let mut args = fb.call(raise, &[x])?;
    args.push(key);
    let mut returns = Vec::new();
    for switch in switches {
        returns.extend(fb.call(switch, &args)?);
    }
    let main = fb.finish(&returns)?;
    mb.finish(main)
}

fn switch_twice(
    mut mb: ModuleBuilder,
    switch: FuncId,
    q: &Basis,
    full: &Basis,
    key: usize,
) -> Built {
    let mut fb = mb.function("main");
    let x = fb.param("x", Type::poly(q, Domain::Coeff), false);
    let key = fb.param("key", Type::array(full, Domain::Eval, key as u16), false);
    let x = fb.ntt(x)?;
    let first = fb.call(switch, &[x, key])?;
    let second = fb.call(switch, &[first[1], key])?;
    let sum = fb.add(first[0], second[0])?;
    let main = fb.finish(&[first[0], first[1], sum, second[1]])?;
    mb.finish(main)
}

fn entry(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let main = key_switch(
        &mut mb,
        &basis(&[0, 1]),
        &basis(&[2]),
        &basis(&[0, 1, 2]),
        1,
    )?;
    mb.finish(main)
}

/// The core of a CKKS multiplication at three levels.
fn multiply(log_n: u32, primes: &[u128]) -> Built {
    let mut mb = ModuleBuilder::new(log_n, primes);
    let (q, p, dropped) = (basis(&[0, 1, 2]), basis(&[5]), basis(&[2]));
    let full = q.join(&p);
    let switch = key_switch(&mut mb, &q, &p, &full, 1)?;
    let rescale = mod_down(&mut mb, &basis(&[0, 1]), &dropped, Domain::Eval)?;
    let ty = Type::poly(&q, Domain::Eval);
    let mut fb = mb.function("mul_relin");
    let names = ["a0", "a1", "b0", "b1"];
    let [a0, a1, b0, b1] = names.map(|name| fb.param(name, ty.clone(), false));
    let key = Type::array(&full, Domain::Eval, key_length(&full, 1, 1) as u16);
    let key = fb.param("key", key, false);
    let (d0, left, right, d2) = (
        fb.mul(a0, b0)?,
        fb.mul(a0, b1)?,
        fb.mul(a1, b0)?,
        fb.mul(a1, b1)?,
    );
    let d1 = fb.add(left, right)?;
    let switched = fb.call(switch, &[d2, key])?;
    let (c0, c1) = (fb.add(d0, switched[0])?, fb.add(d1, switched[1])?);
    let (c0, c1) = (fb.call(rescale, &[c0])?[0], fb.call(rescale, &[c1])?[0]);
    let main = fb.finish(&[c0, c1])?;
    mb.finish(main)
}
