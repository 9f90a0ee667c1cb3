//! Distributions, by chi-square on fixed seeds: the tests are deterministic.
//!
//! The bound is that of Laurent and Massart (Ann. Statist. 28, 2000): a chi-square variable with
//! d degrees of freedom exceeds d + 2 sqrt(d t) + 2 t with probability below e^-t. Each test also
//! feeds the sampler's usual mistake to the same bound and sees it fail.

use ringwright_arith::Modulus;
use ringwright_ring::sampler::{binomial21, flood, ternary, uniform, Xof};
use ringwright_ring::Seed;

const LOG_RARITY: f64 = 25.0;
const N: usize = 1 << 16;
const STREAMS: u16 = 64;

fn stream(tower: u16) -> Xof {
    Xof::new(&Seed::from_bytes([0x2b; 32]), "distribution", tower).unwrap()
}

/// Samples of many streams, one after another.
fn samples<T: Default + Copy>(streams: u16, fill: impl Fn(Xof, &mut [T])) -> Vec<T> {
    let mut all = vec![T::default(); N * usize::from(streams)];
    for (chunk, tower) in all.chunks_mut(N).zip(0..) {
        fill(stream(tower), chunk);
    }
    all
}

fn counts(bins: usize, values: impl Iterator<Item = usize>) -> Vec<f64> {
    let mut counts = vec![0.0; bins];
    values.for_each(|bin| counts[bin] += 1.0);
    counts
}

/// Whether counts agree with probabilities; bins that expect fewer than 16 are pooled.
fn fits(counts: &[f64], probabilities: &[f64]) -> bool {
    let total: f64 = counts.iter().sum();
    let mut rare = (0.0, 0.0);
    let mut terms = Vec::new();
    for (&count, &probability) in counts.iter().zip(probabilities) {
        match probability * total < 16.0 {
            true => rare = (rare.0 + count, rare.1 + probability * total),
            false => terms.push((count, probability * total)),
        }
    }
    if rare.1 >= 16.0 {
        terms.push(rare);
    }
    let chi_square: f64 = terms
        .iter()
        .map(|(count, mean)| (count - mean).powi(2) / mean)
        .sum();
    let freedom = terms.len() as f64 - 1.0;
    chi_square < freedom + 2.0 * (freedom * LOG_RARITY).sqrt() + 2.0 * LOG_RARITY
}

/// Whether neighbours are uncorrelated: the normalised sum of products is near a unit normal.
fn is_uncorrelated(values: &[f64], distance: usize) -> bool {
    let variance: f64 = values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64;
    let products: f64 = values
        .iter()
        .zip(&values[distance..])
        .map(|(a, b)| a * b)
        .sum();
    let deviations = products / variance / ((values.len() - distance) as f64).sqrt();
    deviations.abs() < (2.0 * LOG_RARITY).sqrt()
}

fn uniform_bins(bins: usize) -> Vec<f64> {
    vec![1.0 / bins as f64; bins]
}

#[test]
fn ternary_is_uniform() {
    let bin = |value: i8| (value + 1) as usize;
    let values = samples(STREAMS, ternary);
    assert!(fits(
        &counts(3, values.iter().map(|&v| bin(v))),
        &uniform_bins(3)
    ));
    let reals: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
    assert!((1..=64).all(|distance| is_uncorrelated(&reals, distance)));

    let without_rejection = samples(STREAMS, |mut xof, out: &mut [u8]| {
        for chunk in out.chunks_mut(136) {
            let bytes = xof.next_block().iter().flat_map(|word| word.to_le_bytes());
            chunk
                .iter_mut()
                .zip(bytes)
                .for_each(|(slot, byte)| *slot = byte);
        }
    });
    let biased = counts(
        3,
        without_rejection.iter().map(|&byte| usize::from(byte % 3)),
    );
    assert!(
        !fits(&biased, &uniform_bins(3)),
        "a forgotten rejection is seen"
    );
}

/// Probability of each difference of two weights of k bits: C(2k, k + difference) / 4^k.
fn binomial_probabilities(k: i32) -> Vec<f64> {
    let choose = |n: i32, r: i32| {
        (0..r)
            .map(|i| f64::from(n - i) / f64::from(r - i))
            .product::<f64>()
    };
    (-21..=21)
        .map(|difference: i32| match difference.abs() <= k {
            true => choose(2 * k, k + difference) / 4f64.powi(k),
            false => 0.0,
        })
        .collect()
}

#[test]
fn binomial_has_its_distribution() {
    let values = samples(STREAMS / 2, binomial21);
    let observed = counts(43, values.iter().map(|&value| (value + 21) as usize));
    assert!(fits(&observed, &binomial_probabilities(21)));
    assert!(
        !fits(&observed, &binomial_probabilities(20)),
        "20 bits are told from 21"
    );
    let reals: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
    assert!((1..=64).all(|distance| is_uncorrelated(&reals, distance)));
    let overlapping: Vec<f64> = reals.windows(50).map(|w| 50.0 * w[0] + w[49]).collect();
    assert!(!is_uncorrelated(&overlapping, 49), "a shared bit is seen");
}

#[test]
fn binomial_has_variance_21_over_2() {
    let values = samples(STREAMS / 2, binomial21);
    let square = |&v: &i8| f64::from(v).powi(2);
    let variance = values.iter().map(square).sum::<f64>() / values.len() as f64;
    // The fourth moment is 3 sigma^4 - sigma^2, so the mean square deviates by about
    // sqrt(2/n) sigma^2.
    let sigma_squared = 10.5;
    let deviation = (2.0 / values.len() as f64).sqrt() * sigma_squared;
    assert!((variance - sigma_squared).abs() < (2.0 * LOG_RARITY).sqrt() * deviation);
}

#[test]
fn uniform_fills_its_range_evenly() {
    // 3 * 2^18 + 1: three quarters of the masked words are accepted.
    let q = Modulus::new(786_433u64).unwrap();
    let values = samples(8, |xof, out: &mut [u64]| uniform(xof, &q, out));
    assert!(values.iter().all(|&value| value < q.value()));
    let bin = |value: u64| (value * 96 / q.value()) as usize;
    assert!(fits(
        &counts(96, values.iter().map(|&v| bin(v))),
        &uniform_bins(96)
    ));

    let full = Modulus::new((1u64 << 20) - 1).unwrap();
    let masked = samples(8, |xof, out: &mut [u64]| uniform(xof, &full, out));
    let folded = counts(96, masked.iter().map(|&value| bin(value % q.value())));
    assert!(
        !fits(&folded, &uniform_bins(96)),
        "a reduction instead of a rejection is seen"
    );
}

#[test]
fn flood_fills_its_range_evenly() {
    for bits in [5, 40, 62] {
        let values = samples(8, |xof, out: &mut [i64]| flood(xof, bits, out).unwrap());
        let bin = |value: i64| (((i128::from(value) + (1 << bits)) * 64) >> (bits + 1)) as usize;
        assert!(
            fits(
                &counts(64, values.iter().map(|&v| bin(v))),
                &uniform_bins(64)
            ),
            "{bits}"
        );
    }
}
