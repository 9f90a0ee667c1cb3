//! Reconstruction against big integers; rounding against the standard library's decimal parser,
//! which rounds correctly and shares nothing with ours.

use num_bigint::{BigInt, BigUint, Sign};
use proptest::prelude::*;
use ringwright_arith::crt::{self, CrtError, MAX_TOWERS};
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::{Crt, Modulus};

fn primes(bits: u32, count: usize) -> Vec<u64> {
    ntt_primes(bits, 4, count)
        .unwrap()
        .iter()
        .map(|&p| p as u64)
        .collect()
}

/// Bases from one tower to more than any preset has, narrow, wide and mixed.
fn bases() -> Vec<Vec<u64>> {
    let mixed = [primes(60, 2), primes(20, 3), vec![3, 5, 7], primes(62, 1)].concat();
    vec![
        vec![3],
        primes(27, 1),
        primes(30, 2),
        primes(30, 13),
        primes(54, 7),
        primes(60, 16),
        mixed,
    ]
}

fn product(moduli: &[u64]) -> BigInt {
    moduli
        .iter()
        .fold(BigInt::from(1), |product, &q| product * q)
}

fn residues(value: &BigInt, moduli: &[u64]) -> Vec<u64> {
    let residue = |&q: &u64| u64::try_from(((value % q) + q) % q).unwrap();
    moduli.iter().map(residue).collect()
}

fn check(crt: &Crt, moduli: &[u64], value: &BigInt) {
    let words = residues(value, moduli);
    let (negative, limbs) = crt.centred_limbs(&words);
    let digits = limbs
        .iter()
        .flat_map(|l| [*l as u32, (l >> 32) as u32])
        .collect();
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    assert_eq!(&BigInt::from_biguint(sign, BigUint::new(digits)), value);
    let nearest: f64 = value.to_string().parse().unwrap();
    assert_eq!(crt.centred_f64(&words), nearest, "{value}");
}

/// Values whose rounding is hard: ties and their neighbours at every power of two below `bound`.
fn ties(bound: &BigInt) -> Vec<BigInt> {
    let one = BigInt::from(1);
    (0..bound.bits())
        .flat_map(|exponent| {
            let ulp = &one << exponent.saturating_sub(52);
            let power = &one << exponent;
            let ulp_and_half = &ulp + (&ulp >> 1);
            [power.clone(), &power + (&ulp >> 1), power + ulp_and_half]
        })
        .flat_map(|x| [&x - 1, x.clone(), x + 1])
        .flat_map(|x| [-&x, x])
        .filter(|x| x.magnitude() <= bound.magnitude())
        .collect()
}

#[test]
fn every_boundary_is_exact() {
    for moduli in bases() {
        let crt = Crt::new(&moduli).unwrap();
        let half: BigInt = (product(&moduli) - 1) / 2;
        for value in [BigInt::from(0), half.clone(), -&half, &half - 1, 1 - &half] {
            if value.magnitude() <= half.magnitude() {
                check(&crt, &moduli, &value);
            }
        }
        for value in ties(&half) {
            check(&crt, &moduli, &value);
        }
    }
}

/// The integers of f64 next to half the product on either side, and everything between.
#[test]
fn half_of_the_product_is_exact() {
    for moduli in bases() {
        let checked: Vec<_> = moduli.iter().map(|&q| Modulus::new(q).unwrap()).collect();
        let twice_fits = |x: f64| BigInt::from(2) * integer(x.abs()) < product(&moduli);
        let half: BigInt = product(&moduli) / 2;
        let mut x: f64 = half.to_string().parse::<f64>().unwrap() - 2.0;
        let mut seen = [false; 2];
        x = f64::from_bits(x.to_bits() - 4).round();
        for _ in 0..12 {
            for x in [x, -x] {
                assert_eq!(
                    crt::is_centred(x, &checked),
                    twice_fits(x),
                    "{x} {moduli:?}"
                );
            }
            seen[usize::from(twice_fits(x))] = true;
            x = (x + 1.0).max(f64::from_bits(x.to_bits() + 1)).round();
        }
        assert_eq!(seen, [true; 2], "{moduli:?}");
        assert!(crt::is_centred(0.0, &checked));
        assert!(!crt::is_centred(f64::INFINITY, &checked));
        assert!(!crt::is_centred(f64::NAN, &checked));
    }
}

fn integer(x: f64) -> BigInt {
    format!("{x:.0}").parse().unwrap()
}

#[test]
fn values_beyond_f64_become_infinite() {
    let moduli = primes(60, 20);
    let crt = Crt::new(&moduli).unwrap();
    let largest: BigInt = (product(&moduli) - 1) / 2;
    assert_eq!(crt.centred_f64(&residues(&largest, &moduli)), f64::INFINITY);
    assert_eq!(
        crt.centred_f64(&residues(&-largest, &moduli)),
        f64::NEG_INFINITY
    );
    // The last value that rounds down to f64::MAX, and the first that does not.
    let limit: BigInt = (BigInt::from(1) << 1024) - (BigInt::from(1) << 970);
    check(&crt, &moduli, &(&limit - 1));
    assert_eq!(crt.centred_f64(&residues(&limit, &moduli)), f64::INFINITY);
}

#[test]
fn bad_moduli_are_named() {
    assert_eq!(Crt::new(&[]).unwrap_err(), CrtError::Count(0));
    let many = primes(40, MAX_TOWERS + 1);
    assert_eq!(
        Crt::new(&many).unwrap_err(),
        CrtError::Count(MAX_TOWERS + 1)
    );
    assert!(Crt::new(&many[1..]).is_ok());
    let common = Crt::new(&[15, 7, 21]).unwrap_err();
    assert_eq!(
        common,
        CrtError::NotCoprime {
            first: 0,
            second: 2
        }
    );
    assert!(matches!(
        Crt::new(&[15, 8]),
        Err(CrtError::Modulus { index: 1, .. })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn random_values_are_exact(base in 0..bases().len(), words in prop::collection::vec(any::<u64>(), 16), shift in 0u64..960) {
        let moduli = &bases()[base];
        let crt = Crt::new(moduli).unwrap();
        let product = product(moduli);
        let digits = words.iter().flat_map(|w| [*w as u32, (w >> 32) as u32]).collect();
        let wide = BigInt::from(BigUint::new(digits)) >> shift;
        let half: BigInt = (&product - 1) / 2;
        check(&crt, moduli, &(wide % &product - half));
    }

    #[test]
    fn products_modulo_a_prime(factors in prop::collection::vec(any::<u64>(), 0..6)) {
        let q = Modulus::new(primes(54, 1)[0]).unwrap();
        let expected = product(&factors) % q.value();
        prop_assert_eq!(BigInt::from(crt::mod_of_product(&factors, &q)), expected);
        if let Some(inverse) = crt::inverse_of_product(&factors, &q) {
            prop_assert_eq!(q.mul(inverse, crt::mod_of_product(&factors, &q)), 1);
        }
    }
}

#[test]
fn short_integers_are_those_of_the_first_residue_where_the_others_agree() {
    let moduli = [1_000_003u64, 998_244_353, 2_147_483_647];
    let crt = Crt::new(&moduli).unwrap();
    let towers = |values: &[i64]| {
        let of = |q: u64| values.iter().map(move |&v| v.rem_euclid(q as i64) as u64);
        moduli.map(|q| of(q).collect::<Vec<u64>>())
    };
    let short = |crt: &Crt, towers: &[Vec<u64>]| crt.short(towers.iter().map(Vec::as_slice));
    let values = [0, 1, -1, 500_001, -500_001, 499_999, 77];
    assert_eq!(short(&crt, &towers(&values)), Some(values.to_vec()));
    for beyond in [500_002, -500_002, 1_000_003, 1 << 40] {
        assert_eq!(short(&crt, &towers(&[5, beyond, 5])), None, "{beyond}");
    }
    // One wrong word of the last tower.
    let mut damaged = towers(&values);
    damaged[2][6] ^= 1;
    assert_eq!(short(&crt, &damaged), None);
    // A modulus that a short integer may exceed.
    let narrow = Crt::new(&[1_000_003, 101]).unwrap();
    let of = |v: i64| [1_000_003, 101].map(|q: i64| vec![v.rem_euclid(q) as u64]);
    assert_eq!(short(&narrow, &of(-100)), Some(vec![-100]));
    assert_eq!(short(&narrow, &of(101)), None);
}
