//! Weighted sums on every body against 128-bit arithmetic.

use crate::support::{on_every_isa, prime, stored, stream, words};
use ringwright_kernels::{Isa, WeightedSum};

/// Not a multiple of any register.
const LENGTH: usize = 77;
const TARGETS: [u32; 10] = [13, 29, 30, 31, 36, 45, 50, 53, 60, 62];
const SOURCES: [u32; 9] = [1, 20, 30, 31, 50, 51, 60, 61, 62];

/// By the definition, one product at a time.
fn expected(q: u64, operands: &[(u32, u64)], plus: u64, sources: &[&[u64]]) -> Vec<u64> {
    let q = u128::from(q);
    let word = |i: usize| {
        let terms = operands.iter().zip(sources);
        let terms =
            terms.map(|(&(_, weight), words)| u128::from(words[i]) * u128::from(weight) % q);
        ((terms.sum::<u128>() + u128::from(plus)) % q) as u64
    };
    (0..sources.first().map_or(LENGTH, |words| words.len()))
        .map(word)
        .collect()
}

fn check(q: u64, operands: &[(u32, u64)], plus: u64, sources: &[Vec<u64>], isa: Isa) {
    let sources: Vec<&[u64]> = sources.iter().map(Vec::as_slice).collect();
    let kernel = WeightedSum::with_isa(q, operands, plus, isa).unwrap();
    assert!(kernel.isa() <= isa);
    let mut out = vec![u64::MAX; LENGTH];
    kernel.sum(&mut out, &sources);
    let name = format!("{isa}, q = {q}, {operands:?}");
    let expected = expected(q, operands, plus, &sources);
    assert_eq!(out, expected, "{name}");
    if u32::try_from(q).is_ok() && operands.iter().all(|&(bits, _)| bits <= u32::BITS) {
        let sources: Vec<Vec<u32>> = sources.iter().map(|words| stored(words)).collect();
        let sources: Vec<&[u32]> = sources.iter().map(Vec::as_slice).collect();
        let mut out = vec![u32::MAX; LENGTH];
        kernel.sum(&mut out, &sources);
        assert_eq!(out, stored::<u32>(&expected), "{name}, words of 32 bits");
    }
}

#[test]
fn words_of_every_width_modulo_moduli_of_every_width() {
    on_every_isa(|isa| {
        for q in TARGETS.map(|bits| prime::<u64>(bits, 4)) {
            for bits in SOURCES {
                for count in [1, 2, 5, 7, 8, 16, 33] {
                    let largest = vec![(1 << bits) - 1; LENGTH];
                    check(
                        q,
                        &vec![(bits, q - 1); count],
                        q - 1,
                        &vec![largest; count],
                        isa,
                    );
                    let word = |i| words(1u64 << bits, LENGTH, i);
                    let sources: Vec<_> = (0..count as u64).map(word).collect();
                    let weights = words(q, count, 99).into_iter().map(|weight| (bits, weight));
                    check(q, &weights.collect::<Vec<_>>(), 1, &sources, isa);
                }
            }
        }
    });
}

#[test]
fn operands_of_different_widths_and_none_at_all() {
    on_every_isa(|isa| {
        for q in TARGETS.map(|bits| prime::<u64>(bits, 4)) {
            let mut next = stream(3);
            let operands = SOURCES.map(|bits| (bits, (next() % u128::from(q)) as u64));
            let sources = SOURCES.map(|bits| words(1 << bits, LENGTH, bits.into()));
            check(q, &operands, 0, &sources, isa);
            check(q, &[], q - 1, &[], isa);
        }
    });
}
