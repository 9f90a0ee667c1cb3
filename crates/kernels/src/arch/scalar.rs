//! One lane, portable code: the definition every other body is compared with.
//!
//! Ranges: products are below 2q for `u32` (q < 2^30) and `u64` (q < 2^62), so the forward
//! window 4q fits the word. A `u128` modulus may have 127 bits, the window is then only 2q: its
//! products are reduced fully.

use crate::vector::{
    twiddle_factors, Kernel, Lanes, Modular, Multiples, Real, RealKernel, Twiddle,
};
use ringwright_arith::{Modulus, Word};
use std::marker::PhantomData;

/// The token of portable code; every machine has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar<W>(PhantomData<W>);

impl<W: Copy> Scalar<W> {
    /// Runs a kernel.
    #[inline(never)]
    pub fn enter<K: Kernel<W>>(self, kernel: K)
    where
        Self: Modular<Word = W>,
    {
        kernel.run(self);
    }
}

impl Scalar<f64> {
    /// Runs a kernel.
    #[inline(never)]
    pub fn enter_real<K: RealKernel>(self, kernel: K) {
        kernel.run(self);
    }
}

/// Plain addition: wrapping for integers.
trait Sum: Copy {
    fn sum(self, other: Self) -> Self;
    fn difference(self, other: Self) -> Self;
}

macro_rules! wrapping_sum {
    ($($t:ty),*) => {$(
        impl Sum for $t {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn difference(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    )*};
}
wrapping_sum!(u32, u64, u128);

impl Sum for f64 {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        self - other
    }
}

impl<W: Sum> Lanes for Scalar<W> {
    type Word = W;
    type Reg = W;
    type Block = W;
    const LANES: usize = 1;

    #[inline(always)]
    fn blocks(words: &[W]) -> (&[W], &[W]) {
        (words, &[])
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [W]) -> (&mut [W], &mut [W]) {
        (words, &mut [])
    }
    #[inline(always)]
    fn words(blocks: &[W]) -> &[W] {
        blocks
    }
    #[inline(always)]
    fn load(self, block: &W) -> W {
        *block
    }
    #[inline(always)]
    fn store(self, reg: W, block: &mut W) {
        *block = reg;
    }
    #[inline(always)]
    fn splat(self, word: W) -> W {
        word
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[W]) -> W {
        words[0]
    }
    #[inline(always)]
    fn add(self, x: W, y: W) -> W {
        x.sum(y)
    }
    #[inline(always)]
    fn sub(self, x: W, y: W) -> W {
        x.difference(y)
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: W, y: W) -> (W, W) {
        (x, y)
    }
    #[inline(always)]
    fn interleave(self, x: W, y: W) -> (W, W) {
        (x, y)
    }
    #[inline(always)]
    fn deinterleave(self, a: W, b: W) -> (W, W) {
        (a, b)
    }
}

macro_rules! lazy_modular {
    ($t:ty) => {
        impl Modular for Scalar<$t> {
            const QUOTIENT_BITS: u32 = <$t>::BITS;
            const PRODUCT_BOUND: u32 = 2;
            type Barrett = Modulus<$t>;
            twiddle_factors!();

            #[inline(always)]
            fn at_least(self, x: $t, bound: $t, value: $t) -> $t {
                let (_, below) = x.overflowing_sub(bound);
                value & <$t>::mask(!below)
            }
            #[inline(always)]
            fn barrett(self, q: &Modulus<$t>) -> Modulus<$t> {
                *q
            }
            #[inline(always)]
            fn mul_lazy(self, x: $t, y: $t, b: &Modulus<$t>, _: &Multiples<$t>) -> $t {
                b.mul(x, y)
            }

            #[inline(always)]
            fn reduce_once(self, x: $t, m: $t) -> $t {
                x.subtract_once(m)
            }
            #[inline(always)]
            fn mul_shoup_lazy(self, y: $t, w: Twiddle<$t>, m: &Multiples<$t>) -> $t {
                let quotient = y.mul_high(w.quotient);
                y.wrapping_mul(w.value)
                    .wrapping_sub(quotient.wrapping_mul(m.q))
            }
        }
    };
}
lazy_modular!(u32);
lazy_modular!(u64);

impl Modular for Scalar<u128> {
    const QUOTIENT_BITS: u32 = u128::BITS;
    const PRODUCT_BOUND: u32 = 1;
    type Barrett = Modulus<u128>;
    twiddle_factors!();

    #[inline(always)]
    fn at_least(self, x: u128, bound: u128, value: u128) -> u128 {
        let (_, below) = x.overflowing_sub(bound);
        value & <u128>::mask(!below)
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u128>) -> Modulus<u128> {
        *q
    }
    #[inline(always)]
    fn mul_lazy(self, x: u128, y: u128, b: &Modulus<u128>, _: &Multiples<u128>) -> u128 {
        b.mul(x, y)
    }

    #[inline(always)]
    fn reduce_once(self, x: u128, m: u128) -> u128 {
        x.subtract_once(m)
    }
    #[inline(always)]
    fn mul_shoup_lazy(self, y: u128, w: Twiddle<u128>, m: &Multiples<u128>) -> u128 {
        let quotient = y.mul_high(w.quotient);
        y.wrapping_mul(w.value)
            .wrapping_sub(quotient.wrapping_mul(m.q))
            .subtract_once(m.q)
    }
}

impl Real for Scalar<f64> {
    #[inline(always)]
    fn mul(self, x: f64, y: f64) -> f64 {
        x * y
    }
}
