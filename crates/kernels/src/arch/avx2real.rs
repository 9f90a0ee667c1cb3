//! AVX2 for `f64`: four lanes.

use super::avx2::Avx2;
use super::block;
use crate::vector::{Lanes, Real};
use std::arch::x86_64::*;
use std::marker::PhantomData;

impl Avx2<f64> {
    /// The lanes of `f64` move like those of `u64`.
    #[inline(always)]
    fn moves(self) -> Avx2<u64> {
        Avx2(PhantomData)
    }
    #[inline(always)]
    fn bits(self, x: __m256d) -> __m256i {
        with_token!(_mm256_castpd_si256(x))
    }
    #[inline(always)]
    fn reals(self, (x, y): (__m256i, __m256i)) -> (__m256d, __m256d) {
        with_token!((_mm256_castsi256_pd(x), _mm256_castsi256_pd(y)))
    }
}

impl Lanes for Avx2<f64> {
    type Word = f64;
    type Reg = __m256d;
    type Block = [f64; 4];
    const LANES: usize = 4;

    #[inline(always)]
    fn blocks(words: &[f64]) -> (&[[f64; 4]], &[f64]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [f64]) -> (&mut [[f64; 4]], &mut [f64]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[f64; 4]]) -> &[f64] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[f64; 4]) -> __m256d {
        with_token!(_mm256_loadu_pd(block.as_ptr()))
    }
    #[inline(always)]
    fn store(self, reg: __m256d, block: &mut [f64; 4]) {
        with_token!(_mm256_storeu_pd(block.as_mut_ptr(), reg))
    }
    #[inline(always)]
    fn splat(self, word: f64) -> __m256d {
        with_token!(_mm256_set1_pd(word))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[f64]) -> __m256d {
        match (G, words) {
            (1, words) => self.load(block(words)),
            (2, &[a, b]) => with_token!(_mm256_set_pd(b, b, a, a)),
            _ => unreachable!("{} words cannot fill 4 lanes by {G}", words.len()),
        }
    }
    #[inline(always)]
    fn add(self, x: __m256d, y: __m256d) -> __m256d {
        with_token!(_mm256_add_pd(x, y))
    }
    #[inline(always)]
    fn sub(self, x: __m256d, y: __m256d) -> __m256d {
        with_token!(_mm256_sub_pd(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: __m256d, y: __m256d) -> (__m256d, __m256d) {
        self.reals(self.moves().exchange::<G>(self.bits(x), self.bits(y)))
    }
    #[inline(always)]
    fn interleave(self, x: __m256d, y: __m256d) -> (__m256d, __m256d) {
        self.reals(self.moves().interleave(self.bits(x), self.bits(y)))
    }
    #[inline(always)]
    fn deinterleave(self, a: __m256d, b: __m256d) -> (__m256d, __m256d) {
        self.reals(self.moves().deinterleave(self.bits(a), self.bits(b)))
    }
}

impl Real for Avx2<f64> {
    #[inline(always)]
    fn mul(self, x: __m256d, y: __m256d) -> __m256d {
        with_token!(_mm256_mul_pd(x, y))
    }
}
