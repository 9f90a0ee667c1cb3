//! Signed integers as residues, against big integers.

use num_bigint::BigInt;
use proptest::prelude::*;
use ringwright_arith::{Modulus, Word};
use ringwright_ring::sampler::{to_tower, SmallInteger};

fn check<T: SmallInteger, W: Word>(values: &[T], q: u128) {
    let q = Modulus::new(W::from_u128(q)).unwrap();
    let mut words = vec![W::ZERO; values.len()];
    to_tower(values, &q, &mut words);
    let modulus = BigInt::from(q.value().to_u128());
    for (&value, word) in values.iter().zip(&words) {
        let value: i64 = value.into();
        let expected = ((BigInt::from(value) % &modulus) + &modulus) % &modulus;
        assert_eq!(
            BigInt::from(word.to_u128()),
            expected,
            "{value} mod {modulus}"
        );
    }
}

fn check_all<T: SmallInteger>(values: &[T]) {
    for q in [3, 97, 127, 129, (1 << 30) - 35] {
        check::<T, u32>(values, q);
        check::<T, u64>(values, q);
        check::<T, u128>(values, q);
    }
    check::<T, u64>(values, (1 << 62) - 57);
    check::<T, u128>(values, (1 << 63) + 29);
    check::<T, u128>(values, (1 << 127) - 1);
}

#[test]
fn every_byte() {
    check_all(&(i8::MIN..=i8::MAX).collect::<Vec<_>>());
}

#[test]
fn boundaries_of_wide_integers() {
    let powers = (0..63).map(|bit| 1i64 << bit);
    let near = powers.flat_map(|x| [x - 1, x, -x, 1 - x]);
    check_all(
        &near
            .chain([i64::MIN, i64::MIN + 1, i64::MAX])
            .collect::<Vec<_>>(),
    );
}

proptest! {
    #[test]
    fn random_integers(values in prop::collection::vec(any::<i64>(), 32)) {
        check_all(&values);
    }
}
