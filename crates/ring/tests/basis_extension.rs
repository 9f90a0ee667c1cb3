//! Basis extension against big integers: random values, the boundaries of the centred range, and
//! values so near a tie that the fixed-point sum cannot tell.

use num_bigint::BigInt;
use proptest::prelude::*;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Word;
use ringwright_ring::basis_extension::BasisError;
use ringwright_ring::{BasisExtension, ShapeError};

fn primes(bits: u32, count: usize) -> Vec<u64> {
    ntt_primes(bits, 4, count)
        .unwrap()
        .iter()
        .map(|&p| p as u64)
        .collect()
}

/// From and to: one tower, presets' shapes, more towers than one accumulator, overlap, no target.
fn bases() -> Vec<(Vec<u64>, Vec<u64>)> {
    let thirty = primes(30, 14);
    let wide = primes(62, 48);
    let mixed = [vec![3, 5, 7], primes(20, 2), primes(61, 2)].concat();
    vec![
        (vec![3], vec![3, 5, 7]),
        (thirty[..1].to_vec(), thirty.clone()),
        (thirty[..2].to_vec(), thirty.clone()),
        (thirty.clone(), primes(54, 7)),
        (primes(54, 7), primes(60, 1)),
        (primes(60, 16), vec![3, 97]),
        (wide[..40].to_vec(), wide[38..].to_vec()),
        (mixed, primes(30, 3)),
        (thirty, vec![]),
    ]
}

fn product(moduli: &[u64]) -> BigInt {
    moduli
        .iter()
        .fold(BigInt::from(1), |product, &q| product * q)
}

/// One tower per modulus.
fn towers(values: &[BigInt], moduli: &[u64]) -> Vec<Vec<u64>> {
    let residue = |x: &BigInt, q: u64| u64::try_from(((x % q) + q) % q).unwrap();
    moduli
        .iter()
        .map(|&q| values.iter().map(|x| residue(x, q)).collect())
        .collect()
}

fn extended<W: Word>(from: &[u64], to: &[u64], src: &[Vec<W>]) -> Vec<Vec<W>> {
    let mut dst = vec![vec![W::MAX; src[0].len()]; to.len()];
    let src: Vec<&[W]> = src.iter().map(Vec::as_slice).collect();
    let mut views: Vec<&mut [W]> = dst.iter_mut().map(Vec::as_mut_slice).collect();
    BasisExtension::new(from, to)
        .unwrap()
        .extend(&src, &mut views)
        .unwrap();
    dst
}

/// `values` are centred; in words of 64 bits and, where all moduli fit, of 32.
fn check(from: &[u64], to: &[u64], values: &[BigInt]) {
    let (expected, given) = (towers(values, to), towers(values, from));
    assert!(extended(from, to, &given) == expected, "{from:?} to {to:?}");
    if from.iter().chain(to).all(|&q| u32::try_from(q).is_ok()) {
        let found = extended(from, to, &short(&given));
        assert!(found == short(&expected), "{from:?} to {to:?}, 32 bits");
    }
}

fn short(towers: &[Vec<u64>]) -> Vec<Vec<u32>> {
    let tower = |words: &Vec<u64>| words.iter().map(|&word| word as u32).collect();
    towers.iter().map(tower).collect()
}

#[test]
fn boundaries_and_near_ties_are_exact() {
    for (from, to) in bases() {
        let half: BigInt = (product(&from) - 1) / 2;
        let near = (0..half.bits()).map(|bit| BigInt::from(1) << bit);
        let offsets = near.chain([BigInt::from(0), half.clone()]);
        let values: Vec<BigInt> = offsets
            .flat_map(|x| [x.clone(), -&x, &half - &x, &x - &half])
            .filter(|x| x.magnitude() <= half.magnitude())
            .collect();
        check(&from, &to, &values);
    }
}

/// Every residue of a small product.
#[test]
fn all_values_of_a_small_basis() {
    let (from, to) = ([3, 5, 7, 97], [3, 11, 13]);
    let half = (3 * 5 * 7 * 97 - 1) / 2;
    check(
        &from,
        &to,
        &(-half..=half).map(BigInt::from).collect::<Vec<_>>(),
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_values_are_exact(
        base in 0..bases().len(),
        length in 1usize..600,
        seed in any::<u64>(),
    ) {
        let (from, to) = &bases()[base];
        let (modulus, half) = (product(from), (product(from) - 1) / 2);
        // Powers of a random integer are random enough and cover the whole range.
        let step = BigInt::from(seed | 1).pow(40) % &modulus;
        let next = |x: &BigInt| Some((x * &step + seed) % &modulus);
        let values = std::iter::successors(Some(BigInt::from(seed) % &modulus), next);
        let values: Vec<BigInt> = values.take(length).map(|x| x - &half).collect();
        check(from, to, &values);
    }
}

#[test]
fn shapes_and_bases_are_checked() {
    let (from, to) = (primes(30, 2), primes(40, 1));
    let extension = BasisExtension::new(&from, &to).unwrap();
    let (tower, mut out, mut short) = ([1_u64; 16], [0; 16], [0; 15]);
    let wrong = |what, given, expected| {
        Err(ShapeError::Length {
            what,
            given,
            expected,
        })
    };
    assert_eq!(
        extension.extend(&[&tower], &mut [&mut out]),
        wrong("source towers", 1, 2)
    );
    assert_eq!(
        extension.extend(&[&tower, &tower], &mut []),
        wrong("target towers", 0, 1)
    );
    let towers = [tower.as_slice(), &tower];
    assert_eq!(
        extension.extend(&towers, &mut [&mut short]),
        wrong("words of a tower", 15, 16)
    );
    assert!(matches!(
        BasisExtension::new(&[15, 21], &to),
        Err(BasisError::Source(_))
    ));
    let even = BasisExtension::new(&from, &[97, 8]).unwrap_err();
    assert_eq!(
        even.to_string(),
        "target basis, modulus 1: modulus 8: must be odd and at least 3"
    );
}
