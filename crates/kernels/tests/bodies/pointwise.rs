//! Every pointwise kernel on every body against scalar arithmetic.

use crate::support::{on_every_isa, prime, words};
use ringwright_arith::{Modulus, Word};
use ringwright_kernels::{KernelWord, Pointwise};

/// Not a multiple of any register, so that remainders are met too.
const LENGTH: usize = 77;

/// Boundary words first, then arbitrary ones.
fn operand<W: Word>(q: W, seed: u64) -> Vec<W> {
    let mut a = words(q, LENGTH, seed);
    let last = q.wrapping_sub(W::ONE);
    for (i, word) in [W::ZERO, W::ONE, last, last, q >> 1]
        .into_iter()
        .enumerate()
    {
        a[i] = word;
        a[LENGTH - 1 - i] = word;
    }
    a
}

fn map<W: Word>(a: &[W], b: &[W], f: impl Fn(W, W) -> W) -> Vec<W> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn two_operand_kernels<W: KernelWord>(k: &Pointwise<W>, name: &str) {
    let m = *k.modulus();
    let q = m.value();
    let (a, b) = (operand(q, 1), operand(q, 2));
    type InPlace<W> = fn(&Pointwise<W>, &mut [W], &[W]);
    type Into<W> = fn(&Pointwise<W>, &mut [W], &[W], &[W]);
    type Scalar<W> = fn(&Modulus<W>, W, W) -> W;
    let cases: [(InPlace<W>, Into<W>, Scalar<W>); 3] = [
        (Pointwise::add_in_place, Pointwise::add_into, Modulus::add),
        (Pointwise::sub_in_place, Pointwise::sub_into, Modulus::sub),
        (Pointwise::mul_in_place, Pointwise::mul_into, Modulus::mul),
    ];
    for (i, (in_place, into, scalar)) in cases.into_iter().enumerate() {
        let expected = map(&a, &b, |a, b| scalar(&m, a, b));
        let mut x = a.clone();
        in_place(k, &mut x, &b);
        assert_eq!(x, expected, "{name}: in place {i}");
        let mut out = vec![W::MAX; LENGTH];
        into(k, &mut out, &a, &b);
        assert_eq!(out, expected, "{name}: into {i}");
    }
}

fn other_kernels<W: KernelWord>(k: &Pointwise<W>, name: &str) {
    let m = *k.modulus();
    let q = m.value();
    let (a, b, c) = (operand(q, 3), operand(q, 4), operand(q, 5));
    let mut x = a.clone();
    k.neg_in_place(&mut x);
    assert_eq!(x, map(&a, &a, |a, _| m.neg(a)), "{name}: neg");
    let mut x = c.clone();
    k.mul_add_in_place(&mut x, &a, &b);
    let products = map(&a, &b, |a, b| m.mul(a, b));
    assert_eq!(x, map(&c, &products, |c, p| m.add(c, p)), "{name}: mul_add");
    for s in [W::ZERO, W::ONE, q.wrapping_sub(W::ONE), c[LENGTH / 2]] {
        let mut x = a.clone();
        k.mul_scalar_in_place(&mut x, s);
        assert_eq!(x, map(&a, &a, |a, _| m.mul(a, s)), "{name}: mul_scalar");
        let mut out = vec![W::MAX; LENGTH];
        k.mul_scalar_into(&mut out, &a, s);
        assert_eq!(out, x, "{name}: mul_scalar_into");
        let mut x = a.clone();
        k.add_scalar_in_place(&mut x, s);
        assert_eq!(x, map(&a, &a, |a, _| m.add(a, s)), "{name}: add_scalar");
        k.add_scalar_into(&mut out, &a, s);
        assert_eq!(out, x, "{name}: add_scalar_into");
        k.sub_mul_scalar_into(&mut out, &a, &b, s);
        let expected = map(&a, &b, |a, b| m.mul(m.sub(a, b), s));
        assert_eq!(out, expected, "{name}: sub_mul_scalar");
    }
}

fn reductions<W: KernelWord>(k: &Pointwise<W>, name: &str) {
    let m = *k.modulus();
    let widest = W::MAX >> (W::BITS - W::MAX_MODULUS_BITS);
    let mut out = vec![W::MAX; LENGTH];
    for q_src in [
        W::from_u128(3),
        m.value(),
        widest,
        ((m.value() >> 1) | W::ONE).max(W::from_u128(3)),
    ] {
        let a = operand(q_src, 6);
        k.reduce_into(&mut out, &a);
        let expected = map(&a, &a, |a, _| m.reduce(a));
        assert_eq!(out, expected, "{name}: reduce from {q_src}");
        k.reduce_centred_into(&mut out, &a, q_src);
        let source = Modulus::new(q_src).unwrap();
        let expected = map(&a, &a, |a, _| m.from_i128(source.centred(a)));
        assert_eq!(out, expected, "{name}: centred from {q_src}");
    }
}

fn all_kernels<W: KernelWord>(q: W) {
    on_every_isa(|isa| {
        let k = Pointwise::with_isa(q, isa).unwrap();
        let name = format!("{isa}, q = {q}");
        two_operand_kernels(&k, &name);
        other_kernels(&k, &name);
        reductions(&k, &name);
    });
}

#[test]
fn kernels_on_u64() {
    all_kernels(3_u64);
    for bits in [
        13, 20, 30, 31, 32, 45, 46, 47, 48, 49, 50, 51, 54, 60, 61, 62,
    ] {
        all_kernels::<u64>(prime(bits, 4));
    }
}

#[test]
fn kernels_on_u32() {
    all_kernels(3_u32);
    for bits in [13, 27, 30] {
        all_kernels::<u32>(prime(bits, 4));
    }
}

#[test]
fn kernels_on_u128() {
    for bits in [65, 127] {
        all_kernels::<u128>(prime(bits, 4));
    }
}

#[test]
#[should_panic(expected = "slices of different lengths")]
fn slices_must_have_one_length() {
    let k = Pointwise::new(prime::<u64>(30, 4)).unwrap();
    k.add_in_place(&mut [0; 4], &[0; 5]);
}
