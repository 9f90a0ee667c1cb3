//! Parameters of small rings, as different in primes and digits as there can be.

use crate::client::{literal, Client};
use ringwright_schemes::ckks::Parameters;
use ringwright_schemes::rlwe::RingKind::{self, ConjugateInvariant, Standard};
use std::sync::LazyLock;

/// Kind of ring, log2 of the degree, bits of the ciphertext and of the special primes, towers of a digit, log2 of
/// the scale.
type Shape = (RingKind, u32, &'static [u32], &'static [u32], usize, u32);

const SHAPES: [Shape; 10] = [
    (Standard, 5, &[30; 7], &[30], 1, 26),
    (Standard, 6, &[50; 5], &[50], 1, 42),
    (Standard, 5, &[54; 6], &[60], 1, 40),
    (Standard, 4, &[60; 5], &[60], 1, 50),
    (Standard, 5, &[30; 6], &[30, 30, 30], 2, 26),
    (Standard, 5, &[30; 7], &[45, 45], 3, 26),
    (Standard, 6, &[54; 6], &[60, 60], 2, 40),
    (Standard, 5, &[60, 40, 50, 46, 52], &[61], 1, 38),
    (ConjugateInvariant, 5, &[30; 7], &[30], 1, 26),
    (ConjugateInvariant, 4, &[54; 6], &[60, 60], 2, 40),
];

static CLIENTS: LazyLock<Vec<Client>> = LazyLock::new(|| {
    let client = |&(kind, log_n, q, p, digit, log_scale): &Shape| {
        let literal = literal(log_n, q, p, log_scale);
        let parameters = Parameters::new(ringwright_schemes::ckks::ParametersLiteral {
            name: format!("{q:?} and {p:?} in digits of {digit}, {kind}"),
            kind,
            digit,
            ..literal
        });
        Client::new(&parameters.expect("a sound shape"))
    };
    SHAPES.iter().map(client).collect()
});

/// A key holder for each shape.
pub fn clients() -> &'static [Client] {
    &CLIENTS
}
