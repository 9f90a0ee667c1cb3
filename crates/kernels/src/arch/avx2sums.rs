//! Sums of products on AVX2.

use super::{avx2::Avx2, block};
use crate::sums::{Bits, Halves, Reorder, Stored, SumKernel, WeightedSums};
use std::arch::x86_64::*;

/// Runs a kernel with AVX2 enabled.
#[target_feature(enable = "avx2")]
pub fn enter_avx2<V: WeightedSums, K: SumKernel>(v: V, kernel: K) {
    kernel.run(v);
}

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
}

impl Stored for Avx2<u64> {
    type Short = [u32; 4];

    #[inline(always)]
    fn shorts(words: &[u32]) -> &[[u32; 4]] {
        words.as_chunks().0
    }
    #[inline(always)]
    fn shorts_mut(words: &mut [u32]) -> &mut [[u32; 4]] {
        words.as_chunks_mut().0
    }
    #[inline(always)]
    fn load_short(self, block: &[u32; 4]) -> __m256i {
        with_token!(_mm256_cvtepu32_epi64(_mm_loadu_si128(
            block.as_ptr().cast()
        )))
    }
    #[inline(always)]
    fn store_short(self, reg: __m256i, block: &mut [u32; 4]) {
        with_token!({
            let lower = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
            let words = _mm256_permutevar8x32_epi32(reg, lower);
            _mm_storeu_si128(block.as_mut_ptr().cast(), _mm256_castsi256_si128(words))
        })
    }
}

impl Bits for Avx2<u64> {
    /// As many for all lanes: a count in each would be checked against the width of a lane.
    type Count = __m128i;

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
}

impl Halves for Avx2<u64> {
    #[inline(always)]
    fn mul_halves(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_mul_epu32(x, y))
    }
    #[inline(always)]
    fn shift_left(self, x: __m256i, bits: __m128i) -> __m256i {
        with_token!(_mm256_sll_epi64(x, bits))
    }
}
