//! Bodies for sums of products of 64-bit words: what `sums` needs of each instruction set.
//!
//! Bound, in instructions per product of a register, with two operands to load: 12 by halves, 2
//! below 2^30. Zen 3 starts four of them a cycle, so at 2^14 words a product takes 12,300 cycles by
//! halves and 2,000 below 2^30, where loads (two a cycle) take 4,100.

use super::scalar::Scalar;
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, block};
use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::sums::{Halves, Narrow, Split};
use crate::sums::{Reorder, SumKernel, Sums, MOST_PRODUCTS};
use ringwright_arith::Modulus;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// A body and the proof that it may run.
#[derive(Clone, Copy, Debug)]
pub enum SumBody {
    /// Any modulus below 2^62.
    Scalar(Scalar<u64>),
    /// Moduli below 2^61.
    #[cfg(target_arch = "x86_64")]
    Avx2(Split<Avx2<u64>>),
    /// Moduli below 2^30.
    #[cfg(target_arch = "x86_64")]
    Avx2Narrow(Narrow<Avx2<u64>>),
}

impl SumBody {
    /// The fastest body of `isa` or below for moduli of that many bits.
    #[cfg(target_arch = "x86_64")]
    pub fn choose(isa: Isa, bits: u32) -> Self {
        if let Some(token) = Avx2::<u64>::new().filter(|_| isa >= Isa::Avx2) {
            if bits <= Narrow::BITS {
                return SumBody::Avx2Narrow(Narrow(token));
            }
            if bits <= Split::BITS {
                return SumBody::Avx2(Split(token));
            }
        }
        SumBody::Scalar(Scalar::default())
    }

    /// The fastest body of `isa` or below for moduli of that many bits.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn choose(_: Isa, _: u32) -> Self {
        SumBody::Scalar(Scalar::default())
    }

    /// Its instruction set.
    pub fn isa(self) -> Isa {
        match self {
            SumBody::Scalar(_) => Isa::Scalar,
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2(_) | SumBody::Avx2Narrow(_) => Isa::Avx2,
        }
    }

    /// [`Sums::most_products`].
    pub fn most_products(self, bits: u32) -> usize {
        fn of<V: Sums>(_: V, bits: u32) -> usize {
            V::most_products(bits)
        }
        match self {
            SumBody::Scalar(token) => of(token, bits),
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2(token) => of(token, bits),
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2Narrow(token) => of(token, bits),
        }
    }

    /// Runs a kernel.
    pub fn enter<K: SumKernel>(self, kernel: K) {
        match self {
            SumBody::Scalar(token) => enter_scalar(token, kernel),
            // SAFETY: the token proves that the machine has AVX2.
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2(token) => unsafe { enter_avx2(token, kernel) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2Narrow(token) => unsafe { enter_avx2(token, kernel) },
        }
    }
}

#[inline(never)]
fn enter_scalar<K: SumKernel>(token: Scalar<u64>, kernel: K) {
    kernel.run(token);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn enter_avx2<V: Sums, K: SumKernel>(v: V, kernel: K) {
    kernel.run(v);
}

/// The definition: 128-bit sums, fifteen products below 2^124.
impl Sums for Scalar<u64> {
    type Lanes = Self;
    type Sum = u128;
    type Constants = Modulus<u64>;

    fn most_products(_: u32) -> usize {
        MOST_PRODUCTS
    }
    #[inline(always)]
    fn lanes(self) -> Self {
        self
    }
    #[inline(always)]
    fn constants(self, q: &Modulus<u64>) -> Modulus<u64> {
        *q
    }
    #[inline(always)]
    fn start(self, first: u64) -> u128 {
        first.into()
    }
    #[inline(always)]
    fn add_product(self, sum: u128, x: u64, y: u64, _: &Modulus<u64>) -> u128 {
        sum + u128::from(x) * u128::from(y)
    }
    #[inline(always)]
    fn total(self, sum: u128, q: &Modulus<u64>) -> u64 {
        q.reduce_u128(sum)
    }
}

impl Reorder for Scalar<u64> {
    type Order = ();

    #[inline(always)]
    fn order(self, _: &[u32]) {}
    #[inline(always)]
    fn reorder(self, x: u64, _: ()) -> u64 {
        x
    }
    #[inline(always)]
    fn prefetch(self, _: &[u64], _: usize) {}
}

#[cfg(target_arch = "x86_64")]
impl Reorder for Avx2<u64> {
    /// Both halves of every word, for a permutation of 32-bit lanes.
    type Order = __m256i;

    #[inline(always)]
    fn order(self, positions: &[u32]) -> __m256i {
        with_token!({
            let positions = _mm_loadu_si128(block::<u32, 4>(positions).as_ptr().cast());
            let words = _mm256_and_si256(_mm256_cvtepu32_epi64(positions), _mm256_set1_epi64x(3));
            let lower = _mm256_slli_epi64::<1>(words);
            let upper = _mm256_add_epi64(lower, _mm256_set1_epi64x(1));
            _mm256_or_si256(lower, _mm256_slli_epi64::<32>(upper))
        })
    }
    #[inline(always)]
    fn reorder(self, x: __m256i, order: __m256i) -> __m256i {
        with_token!(_mm256_permutevar8x32_epi32(x, order))
    }
    #[inline(always)]
    fn prefetch(self, blocks: &[[u64; 4]], index: usize) {
        with_token!(_mm_prefetch::<_MM_HINT_T0>(
            blocks.as_ptr().wrapping_add(index).cast()
        ))
    }
}

#[cfg(target_arch = "x86_64")]
impl Halves for Avx2<u64> {
    /// As many for all lanes: a count in each would be checked against the width of a lane.
    type Count = __m128i;

    #[inline(always)]
    fn mul_halves(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_mul_epu32(x, y))
    }
    #[inline(always)]
    fn and(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_and_si256(x, y))
    }
    #[inline(always)]
    fn count(self, bits: u32) -> __m128i {
        with_token!(_mm_cvtsi64_si128(bits.into()))
    }
    #[inline(always)]
    fn shift_right(self, x: __m256i, bits: __m128i) -> __m256i {
        with_token!(_mm256_srl_epi64(x, bits))
    }
    #[inline(always)]
    fn shift_left(self, x: __m256i, bits: __m128i) -> __m256i {
        with_token!(_mm256_sll_epi64(x, bits))
    }
}
