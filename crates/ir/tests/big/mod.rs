//! Runs on the interpreter, and polynomials with big integers, the yardstick of what comes out.

use num_bigint::BigInt;
use ringwright_ir::ring::{Basis, Module};
use ringwright_ir::{interpret, Value};
use ringwright_ring::RnsPoly;

/// What the interpreter makes of a module whose results are polynomials.
pub fn run(module: &Module, inputs: &[Value]) -> Vec<RnsPoly<u64>> {
    let outputs = interpret::run::<u64>(module, inputs).unwrap();
    outputs.iter().map(|value| in_poly(value).clone()).collect()
}

/// The polynomial that a value is.
pub fn in_poly(value: &Value) -> &RnsPoly<u64> {
    match value {
        Value::Poly(poly) => poly,
        _ => panic!("not a polynomial"),
    }
}

/// The product of the basis' primes.
pub fn product(basis: &Basis, primes: &[u128]) -> BigInt {
    basis.values(primes).into_iter().map(BigInt::from).product()
}

/// `x` modulo `m`, in [0, m).
pub fn reduced(x: &BigInt, m: &BigInt) -> BigInt {
    ((x % m) + m) % m
}

/// The integer in [0, product) of every coefficient.
pub fn integers(poly: &RnsPoly<u64>, basis: &Basis, primes: &[u128]) -> Vec<BigInt> {
    let modulus = product(basis, primes);
    let units: Vec<BigInt> = basis
        .values(primes)
        .into_iter()
        .map(|q| unit(&modulus, &BigInt::from(q)))
        .collect();
    let coefficient = |k: usize| {
        let sum: BigInt = units
            .iter()
            .enumerate()
            .map(|(i, unit)| unit * poly.tower(i)[k])
            .sum();
        reduced(&sum, &modulus)
    };
    (0..poly.n()).map(coefficient).collect()
}

/// The polynomial of these integers under the basis.
pub fn polynomial(integers: &[BigInt], basis: &Basis, primes: &[u128]) -> RnsPoly<u64> {
    let words = basis.values(primes).into_iter().flat_map(|q| {
        let word = move |x: &BigInt| u64::try_from(reduced(x, &BigInt::from(q))).unwrap();
        integers.iter().map(word)
    });
    RnsPoly::from_words(integers.len(), words.collect()).unwrap()
}

/// The product in Z[X]/(X^N + 1).
pub fn negacyclic(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
    let n = a.len();
    let mut out = vec![BigInt::from(0); n];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            match i + j < n {
                true => out[i + j] += x * y,
                false => out[i + j - n] -= x * y,
            }
        }
    }
    out
}

/// The integer below the modulus that is 1 modulo q and 0 modulo the other primes.
fn unit(modulus: &BigInt, q: &BigInt) -> BigInt {
    let others = modulus / q;
    let inverse = others.modpow(&(q - 2), q);
    others * inverse
}
