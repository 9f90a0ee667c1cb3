//! Each operation alone, as a function, against its written definition.
//!
//! The other cases compare with the interpreter. These compare with [`crate::definition`], which
//! shares nothing with interpreter, plans or lowerings, so that they cannot all be wrong alike.
//!
//! Modulo a prime q a result word is a polynomial in the operands' words: of degree 1 where the
//! operation is linear, 2 where it multiplies operands. Another polynomial of degree at most d agrees
//! with it on a random point with probability at most d/q (Schwartz 1980, Zippel 1979), on two
//! points with (d/q)^2; a case carries that bound, for its smallest prime. That a device computes
//! some polynomial of that degree is an assumption here; where a program of the device can be looked
//! at, a target's own checker does without it. Reducing is no polynomial: `switch_modulus` runs on
//! the words at which it turns.

use super::{Case, Outcome};
use crate::definition as define;
use crate::Device;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::{Choices, Modulus};
use ringwright_ir::ring::{
    Basis, Domain, FunctionBuilder, Module, ModuleBuilder, TowerIdx, Type, ValueId, VerifyError,
};
use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;
use std::sync::Arc;

/// Random points on which a function is compared.
pub const POINTS: u64 = 2;

/// The scalar operand, modulo each prime.
const SCALAR: u128 = 0x9e37_79b9_7f4a_7c15;

/// An operation, how a program asks for it, and what it means for one tower.
struct Function {
    name: &'static str,
    operands: usize,
    domain: Domain,
    degree: u32,
    build: Build,
    define: Definition,
}

type Build = fn(&mut FunctionBuilder<'_>, &[ValueId], &[u128]) -> Result<ValueId, VerifyError>;
type Definition = fn(&Modulus<u128>, &[Vec<u128>]) -> Option<Vec<u128>>;

const FUNCTIONS: [Function; 12] = [
    linear(
        "add",
        2,
        Domain::Coeff,
        |fb, x, _| fb.add(x[0], x[1]),
        |q, x| pairs(x, |a, b| q.add(a, b)),
    ),
    linear(
        "sub",
        2,
        Domain::Eval,
        |fb, x, _| fb.sub(x[0], x[1]),
        |q, x| pairs(x, |a, b| q.sub(a, b)),
    ),
    linear(
        "neg",
        1,
        Domain::Coeff,
        |fb, x, _| fb.neg(x[0]),
        |q, x| each(x, |a| q.sub(0, a)),
    ),
    linear(
        "mul_scalar",
        1,
        Domain::Eval,
        |fb, x, s| fb.mul_scalar(x[0], s),
        |q, x| each(x, |a| q.mul(a, q.reduce(SCALAR))),
    ),
    linear(
        "add_scalar",
        1,
        Domain::Eval,
        |fb, x, s| fb.add_scalar(x[0], s),
        |q, x| each(x, |a| q.add(a, q.reduce(SCALAR))),
    ),
    linear(
        "ntt",
        1,
        Domain::Coeff,
        |fb, x, _| fb.ntt(x[0]),
        |q, x| Some(define::ntt(q, root(q, x)?, &x[0])),
    ),
    linear(
        "intt",
        1,
        Domain::Eval,
        |fb, x, _| fb.intt(x[0]),
        |q, x| define::intt(q, root(q, x)?, &x[0]),
    ),
    linear(
        "automorphism of coefficients",
        1,
        Domain::Coeff,
        |fb, x, _| fb.automorphism(x[0], 5),
        |q, x| Some(define::automorphism_of_coefficients(q, 5, &x[0])),
    ),
    linear(
        "automorphism of evaluations",
        1,
        Domain::Eval,
        |fb, x, _| fb.automorphism(x[0], 5),
        |_, x| Some(define::automorphism_of_evaluations(5, &x[0])),
    ),
    product(
        "mul",
        2,
        |fb, x, _| fb.mul(x[0], x[1]),
        |q, x| pairs(x, |a, b| q.mul(a, b)),
    ),
    product(
        "square",
        1,
        |fb, x, _| fb.mul(x[0], x[0]),
        |q, x| each(x, |a| q.mul(a, a)),
    ),
    product("mul and add", 3, multiply_add, |q, x| {
        let product = pairs(x, |a, b| q.mul(a, b))?;
        Some(
            product
                .iter()
                .zip(&x[2])
                .map(|(&p, &c)| q.add(p, c))
                .collect(),
        )
    }),
];

const fn linear(
    name: &'static str,
    operands: usize,
    domain: Domain,
    build: Build,
    define: Definition,
) -> Function {
    Function {
        name,
        operands,
        domain,
        degree: 1,
        build,
        define,
    }
}

const fn product(
    name: &'static str,
    operands: usize,
    build: Build,
    define: Definition,
) -> Function {
    Function {
        name,
        operands,
        domain: Domain::Eval,
        degree: 2,
        build,
        define,
    }
}

fn multiply_add(
    fb: &mut FunctionBuilder<'_>,
    x: &[ValueId],
    _: &[u128],
) -> Result<ValueId, VerifyError> {
    let product = fb.mul(x[0], x[1])?;
    fb.add(product, x[2])
}

fn each(x: &[Vec<u128>], of: impl Fn(u128) -> u128) -> Option<Vec<u128>> {
    Some(x[0].iter().map(|&a| of(a)).collect())
}

fn pairs(x: &[Vec<u128>], of: impl Fn(u128, u128) -> u128) -> Option<Vec<u128>> {
    Some(x[0].iter().zip(&x[1]).map(|(&a, &b)| of(a, b)).collect())
}

fn root(q: &Modulus<u128>, x: &[Vec<u128>]) -> Option<u128> {
    define::smallest_root(q, x[0].len().ilog2())
}

/// Every function at one degree and size of primes.
pub fn run(device: &dyn Device, log_n: u32, bits: u32) -> Vec<Case> {
    let name = |what: &str| format!("{what} as a function, N = 2^{log_n}, {bits}-bit primes");
    let Ok(primes) = ntt_primes(bits, log_n, 3) else {
        // The other cases of this size say so.
        return Vec::new();
    };
    let least = primes.iter().min().copied().unwrap_or(1) as f64;
    let function = |function: &Function| Case {
        name: name(function.name),
        outcome: outcome(|| compare(device, log_n, &primes, function)),
        chance_log2: Some(POINTS as f64 * (f64::from(function.degree) / least).log2()),
    };
    let mut cases: Vec<Case> = FUNCTIONS.iter().map(function).collect();
    cases.push(Case {
        name: name("switch_modulus on boundary words"),
        outcome: outcome(|| switch_modulus(device, log_n, &primes)),
        chance_log2: None,
    });
    cases
}

fn outcome(attempt: impl FnOnce() -> Result<(), RunError>) -> Outcome {
    Outcome::of(|| attempt().map(|()| Outcome::Passed))
}

fn compare(
    device: &dyn Device,
    log_n: u32,
    primes: &[u128],
    function: &Function,
) -> Result<(), RunError> {
    let executable = device.lower(&module(log_n, primes, function)?)?;
    let mut random = Choices::new(function.name.len() as u64 + bits_of(primes));
    for _ in 0..POINTS {
        let operand = |random: &mut Choices| -> Vec<Vec<u128>> {
            let tower = |&q: &u128| (0..1usize << log_n).map(|_| random.wide() % q).collect();
            primes.iter().map(tower).collect()
        };
        let operands: Vec<_> = (0..function.operands)
            .map(|_| operand(&mut random))
            .collect();
        let inputs: Vec<Value> = operands.iter().map(|towers| poly(towers)).collect();
        let found = executable.run(&inputs)?;
        for (tower, &q) in primes.iter().enumerate() {
            let q = Modulus::new(q).map_err(|error| RunError::Invalid(error.to_string()))?;
            let x: Vec<Vec<u128>> = operands
                .iter()
                .map(|towers| towers[tower].clone())
                .collect();
            same((function.define)(&q, &x), &found, tower)?;
        }
    }
    Ok(())
}

fn module(log_n: u32, primes: &[u128], function: &Function) -> Result<Module, VerifyError> {
    let basis = Basis::range(0..primes.len() as u16);
    let mut mb = ModuleBuilder::new(log_n, primes);
    let scalars: Vec<u128> = primes.iter().map(|q| SCALAR % q).collect();
    let mut fb = mb.function("main");
    let ty = Type::poly(&basis, function.domain);
    let operands: Vec<ValueId> = (0..function.operands)
        .map(|i| fb.param(&format!("x{i}"), ty.clone(), false))
        .collect();
    let result = (function.build)(&mut fb, &operands, &scalars)?;
    let main = fb.finish(&[result])?;
    mb.finish(main)
}

/// The words of one tower, modulo every prime: those around every multiple of each, too.
fn switch_modulus(device: &dyn Device, log_n: u32, primes: &[u128]) -> Result<(), RunError> {
    let Some((&q, &least)) = primes.first().zip(primes.iter().min()) else {
        return Ok(());
    };
    let all = Basis::range(0..primes.len() as u16);
    let mut mb = ModuleBuilder::new(log_n, primes);
    let mut fb = mb.function("main");
    let first = Basis(vec![TowerIdx(0)]);
    let x = fb.param("x", Type::poly(&first, Domain::Coeff), false);
    let result = fb.switch_modulus(x, &all)?;
    let main = fb.finish(&[result])?;
    let executable = device.lower(&mb.finish(main)?)?;
    let mut edges = vec![0, 1, q / 2, q / 2 + 1, q - 1, least - 1, least, least + 1];
    edges.extend(primes.iter().flat_map(|&p| [p - 1, p, p + 1]));
    edges.retain(|&edge| edge < q);
    let words: Vec<u128> = edges.iter().copied().cycle().take(1 << log_n).collect();
    let found = executable.run(&[poly(std::slice::from_ref(&words))])?;
    for (tower, &p) in primes.iter().enumerate() {
        let expected = words.iter().map(|word| word % p).collect();
        same(Some(expected), &found, tower)?;
    }
    Ok(())
}

fn poly(towers: &[Vec<u128>]) -> Value {
    let n = towers.first().map_or(1, Vec::len);
    let mut poly = RnsPoly::zero(n, towers.len());
    for (to, from) in poly.iter_mut().zip(towers) {
        to.iter_mut()
            .zip(from)
            .for_each(|(to, &from)| *to = from as u64);
    }
    Value::Poly(Arc::new(poly))
}

fn same(expected: Option<Vec<u128>>, found: &[Value], tower: usize) -> Result<(), RunError> {
    let wrong = |what: String| Err(RunError::Invalid(what));
    let Some(expected) = expected else {
        return wrong("the suite's own prime has no root of unity".into());
    };
    let [Value::Poly(found)] = found else {
        return wrong(format!("{} results instead of a polynomial", found.len()));
    };
    let words = expected.iter().zip(found.tower(tower));
    match words.enumerate().find(|(_, (&e, &f))| e != u128::from(f)) {
        Some((word, (expected, found))) => wrong(format!(
            "tower {tower}, word {word}: {found}, by definition {expected}"
        )),
        None => Ok(()),
    }
}

fn bits_of(primes: &[u128]) -> u64 {
    primes.iter().fold(0, |sum, &q| sum ^ q as u64)
}
