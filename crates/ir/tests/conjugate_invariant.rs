//! The conjugate-invariant ring of the interpreter against Laurent polynomials with X^2N = -1.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, RingKind, Type};
use ringwright_ir::{interpret, Value};

const LOG_N: u32 = 4;
const N: i64 = 1 << LOG_N;

/// The coefficient of each power from X^0 to X^(2N-1).
type Laurent = Vec<u128>;

fn prime() -> u128 {
    ntt_primes(40, LOG_N + 1, 1).unwrap()[0]
}

/// Adds `coefficient` X^power, with X^2N = -1.
fn add(to: &mut Laurent, q: u128, power: i64, coefficient: u128) {
    let power = power.rem_euclid(4 * N);
    let term = if power < 2 * N {
        coefficient
    } else {
        q - coefficient
    };
    let place = &mut to[(power % (2 * N)) as usize];
    *place = (*place + term) % q;
}

/// The sum of a_0 and a_i (X^(i g) + X^-(i g)).
fn laurent(words: &[u64], q: u128, g: i64) -> Laurent {
    let mut sum = vec![0; 2 * N as usize];
    for (i, &word) in (0..).zip(words) {
        add(&mut sum, q, i * g, word.into());
        if i > 0 {
            add(&mut sum, q, -i * g, word.into());
        }
    }
    sum
}

fn product(a: &Laurent, b: &Laurent, q: u128) -> Laurent {
    let mut sum = vec![0; a.len()];
    for (i, &a) in (0..).zip(a) {
        for (j, &b) in (0..).zip(b) {
            add(&mut sum, q, i + j, a * b % q);
        }
    }
    sum
}

/// The words of a polynomial under one prime.
fn words(value: &Value) -> &[u64] {
    match value {
        Value::Poly(poly) => poly.words(),
        _ => panic!("not a polynomial"),
    }
}

fn module(galois: u64) -> Module {
    let mut mb = ModuleBuilder::over(RingKind::ConjugateInvariant, LOG_N, &[prime()]);
    let mut fb = mb.function("main");
    let ty = Type::poly(&Basis::range(0..1), Domain::Coeff);
    let [a, b] = ["a", "b"].map(|name| fb.param(name, ty.clone(), false));
    let build = || {
        let [x, y] = [fb.ntt(a)?, fb.ntt(b)?];
        let product = fb.mul(x, y)?;
        let moved = fb.automorphism(x, galois)?;
        let results = [
            fb.intt(product)?,
            fb.intt(moved)?,
            fb.automorphism(a, galois)?,
        ];
        fb.finish(&results)
    };
    let main = build().unwrap();
    mb.finish(main).unwrap()
}

#[test]
fn products_and_automorphisms_are_those_of_laurent_polynomials() {
    for galois in [1, 5, 25, 29, 61] {
        let (module, q) = (module(galois), prime());
        let inputs = generate::inputs(galois, &module);
        let [a, b] = [0, 1].map(|i| words(&inputs[i]));
        let outputs = interpret::run::<u64>(&module, &inputs).unwrap();
        let expected = [
            product(&laurent(a, q, 1), &laurent(b, q, 1), q),
            laurent(a, q, galois as i64),
            laurent(a, q, galois as i64),
        ];
        for (output, expected) in outputs.iter().zip(&expected) {
            assert_eq!(laurent(words(output), q, 1), *expected, "g = {galois}");
        }
    }
}
