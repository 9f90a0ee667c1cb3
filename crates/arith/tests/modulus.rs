//! Every operation of `Modulus` and `Montgomery` against big integers, for every word, on random
//! moduli of every width and on the boundaries of ranges.

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use ringwright_arith::{Modulus, ModulusError, Montgomery, Word};

fn big<W: Word>(x: W) -> BigUint {
    BigUint::from(x.to_u128())
}

/// 2^BITS.
fn radix<W: Word>() -> BigUint {
    BigUint::from(1u8) << W::BITS
}

/// Zero, one, the neighbours of q/2, and the largest residues.
fn edges<W: Word>(q: W) -> Vec<W> {
    let half = q >> 1;
    let below = |x: W, by: W| x.wrapping_sub(by);
    vec![
        W::ZERO,
        W::ONE,
        half,
        half.wrapping_add(W::ONE),
        below(q, W::ONE),
        below(q, W::ONE.wrapping_add(W::ONE)),
    ]
}

/// The smallest and largest modulus of each width.
fn edge_moduli<W: Word>() -> Vec<W> {
    (2..=W::MAX_MODULUS_BITS)
        .flat_map(|bits| [(1u128 << (bits - 1)) | 1, u128::MAX >> (u128::BITS - bits)])
        .map(W::from_u128)
        .collect()
}

fn check_products<W: Word>(q: W, a: W, b: W) {
    let (m, n) = (Modulus::new(q).unwrap(), big(q));
    let product = big(a) * big(b) % &n;
    assert_eq!(big(m.mul(a, b)), product, "{a} * {b} mod {q}");
    let shoup = m.shoup(b);
    assert_eq!(
        big(shoup.quotient),
        big(b) * radix::<W>() / &n,
        "quotient of {b} mod {q}"
    );
    assert_eq!(big(m.mul_shoup(a, &shoup)), product);
    let form = Montgomery::new(q).unwrap();
    let montgomery = form.mul(form.to_form(a), form.to_form(b));
    assert_eq!(big(form.from_form(montgomery)), product);
    assert_eq!(big(form.to_form(a)), big(a) * radix::<W>() % &n);
}

fn check_sums<W: Word>(q: W, a: W, b: W) {
    let (m, n) = (Modulus::new(q).unwrap(), big(q));
    let form = Montgomery::new(q).unwrap();
    let (sum, difference) = ((big(a) + big(b)) % &n, (big(a) + &n - big(b)) % &n);
    assert_eq!(
        (big(m.add(a, b)), big(m.sub(a, b))),
        (sum.clone(), difference.clone())
    );
    assert_eq!(
        (big(form.add(a, b)), big(form.sub(a, b))),
        (sum, difference)
    );
    assert_eq!(big(m.neg(a)), (&n - big(a)) % &n);
    assert_eq!(big(m.double(a)), big(a) * 2u8 % &n);
    let centred = m.centred(a);
    assert_eq!(big(m.from_i128(centred)), big(a));
    assert!(BigInt::from(centred) * 2 < BigInt::from(n.clone()));
    assert!(BigInt::from(centred) * 2 > -BigInt::from(n));
}

fn check_any_word<W: Word>(q: W, x: W, factor: W) {
    let (m, n) = (Modulus::new(q).unwrap(), big(q));
    assert_eq!(big(m.reduce(x)), big(x) % &n);
    let lazy = m.mul_shoup_lazy(x, &m.shoup(factor));
    assert!(big(lazy) < &n * 2u8);
    assert_eq!(big(lazy) % &n, big(x) * big(factor) % &n);
}

fn check_wide<W: Word>(q: W, x: u128) {
    let (m, n) = (Modulus::new(q).unwrap(), big(q));
    assert_eq!(big(m.reduce_u128(x)), BigUint::from(x) % &n);
    let signed = x as i128;
    let modulus = BigInt::from(n);
    let expected = ((BigInt::from(signed) % &modulus) + &modulus) % &modulus;
    assert_eq!(BigInt::from(big(m.from_i128(signed))), expected);
}

fn check_powers<W: Word>(q: W, a: W, exponent: u128) {
    let (m, n) = (Modulus::new(q).unwrap(), big(q));
    let expected = big(a).modpow(&BigUint::from(exponent), &n);
    assert_eq!(big(m.pow(a, exponent)), expected);
    let form = Montgomery::new(q).unwrap();
    assert_eq!(
        big(form.from_form(form.pow(form.to_form(a), exponent))),
        expected
    );
    assert_eq!(
        m.inv(a).map(big),
        big(a).modinv(&n),
        "inverse of {a} mod {q}"
    );
}

/// An odd modulus of a random width, from random bits.
fn modulus_of<W: Word>(bits: u32, word: u128) -> W {
    let width = 2 + bits % (W::MAX_MODULUS_BITS - 1);
    let top = 1u128 << (width - 1);
    W::from_u128(top | (word & (top - 1)) | 1)
}

fn truncate<W: Word>(x: u128) -> W {
    W::from_u128(x & W::MAX.to_u128())
}

macro_rules! suite {
    ($word:ident) => {
        mod $word {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(512))]

                #[test]
                fn agrees_with_big_integers(
                    (bits, word) in any::<(u32, u128)>(),
                    (a, b, x) in any::<(u128, u128, u128)>(),
                ) {
                    let q = modulus_of::<$word>(bits, word);
                    let residue = |x: u128| $word::from_u128(x % q.to_u128());
                    check_products(q, residue(a), residue(b));
                    check_sums(q, residue(a), residue(b));
                    check_any_word(q, truncate(x), residue(a));
                    check_wide(q, x);
                    check_powers(q, residue(a), x);
                }
            }

            #[test]
            fn agrees_at_the_boundaries() {
                for q in edge_moduli::<$word>() {
                    for &a in &edges(q) {
                        for &b in &edges(q) {
                            check_products(q, a, b);
                            check_sums(q, a, b);
                        }
                        for x in [a, q, $word::MAX, $word::MAX - 1] {
                            check_any_word(q, x, a);
                        }
                        for x in [a.to_u128(), u128::MAX, 1 << 127, (1 << 127) - 1, 1 << 64] {
                            check_wide(q, x);
                        }
                        check_powers(q, a, u128::from(u32::MAX));
                    }
                }
            }

            #[test]
            fn refuses_even_small_and_wide_numbers() {
                for q in [0, 1, 2, $word::MAX - 1] {
                    assert_eq!(Modulus::new(q), Err(ModulusError::NotOdd(q.to_u128())));
                    assert!(Montgomery::new(q).is_err());
                }
                let (bits, max) = ($word::MAX_MODULUS_BITS + 1, $word::MAX_MODULUS_BITS);
                let value = (1u128 << max) | 1;
                let error = ModulusError::TooWide {
                    value,
                    bits,
                    word: $word::BITS,
                    max,
                };
                assert_eq!(Modulus::new($word::from_u128(value)), Err(error));
            }
        }
    };
}

suite!(u32);
suite!(u64);
suite!(u128);

/// Montgomery form allows every odd modulus of the word.
#[test]
fn montgomery_uses_all_bits_of_the_word() {
    for q in [u64::MAX, (1 << 63) | 1] {
        let form = Montgomery::new(q).unwrap();
        for &a in &edges(q) {
            for &b in &edges(q) {
                let product = form.from_form(form.mul(form.to_form(a), form.to_form(b)));
                assert_eq!(big(product), big(a) * big(b) % big(q));
                assert_eq!(big(form.add(a, b)), (big(a) + big(b)) % big(q));
                assert_eq!(big(form.sub(a, b)), (big(a) + big(q) - big(b)) % big(q));
            }
        }
    }
}

proptest! {
    #[test]
    fn wide_products_agree_with_big_integers((a, b) in any::<(u128, u128)>()) {
        for (a, b) in [(a, b), (u128::MAX, b), (u128::MAX, u128::MAX), (a, u128::from(u64::MAX))] {
            let (low, high) = a.wide_mul(b);
            prop_assert_eq!((big(high) << 128) + big(low), big(a) * big(b));
        }
    }
}
