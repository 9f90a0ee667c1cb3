//! AVX-512 F for `f64`: eight lanes.

use super::avx512::Avx512;
use super::block;
use crate::vector::{Lanes, Real};
use std::arch::x86_64::*;
use std::marker::PhantomData;

impl Avx512<f64> {
    /// The lanes of `f64` move like those of `u64`.
    #[inline(always)]
    fn moves(self) -> Avx512<u64> {
        Avx512(PhantomData)
    }
    #[inline(always)]
    fn bits(self, x: __m512d) -> __m512i {
        with_token!(_mm512_castpd_si512(x))
    }
    #[inline(always)]
    fn reals(self, (x, y): (__m512i, __m512i)) -> (__m512d, __m512d) {
        with_token!((_mm512_castsi512_pd(x), _mm512_castsi512_pd(y)))
    }
}

impl Lanes for Avx512<f64> {
    type Word = f64;
    type Reg = __m512d;
    type Block = [f64; 8];
    const LANES: usize = 8;

    #[inline(always)]
    fn blocks(words: &[f64]) -> (&[[f64; 8]], &[f64]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [f64]) -> (&mut [[f64; 8]], &mut [f64]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[f64; 8]]) -> &[f64] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[f64; 8]) -> __m512d {
        with_token!(_mm512_loadu_pd(block.as_ptr()))
    }
    #[inline(always)]
    fn store(self, reg: __m512d, block: &mut [f64; 8]) {
        with_token!(_mm512_storeu_pd(block.as_mut_ptr(), reg))
    }
    #[inline(always)]
    fn splat(self, word: f64) -> __m512d {
        with_token!(_mm512_set1_pd(word))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[f64]) -> __m512d {
        match (G, words) {
            (1, words) => self.load(block(words)),
            (2, words) => with_token!({
                let four = _mm256_loadu_pd(block::<f64, 4>(words).as_ptr());
                let lanes = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
                _mm512_permutexvar_pd(lanes, _mm512_castpd256_pd512(four))
            }),
            (4, &[a, b]) => with_token!(_mm512_setr_pd(a, a, a, a, b, b, b, b)),
            _ => unreachable!("{} words cannot fill 8 lanes by {G}", words.len()),
        }
    }
    #[inline(always)]
    fn add(self, x: __m512d, y: __m512d) -> __m512d {
        with_token!(_mm512_add_pd(x, y))
    }
    #[inline(always)]
    fn sub(self, x: __m512d, y: __m512d) -> __m512d {
        with_token!(_mm512_sub_pd(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: __m512d, y: __m512d) -> (__m512d, __m512d) {
        self.reals(self.moves().exchange::<G>(self.bits(x), self.bits(y)))
    }
    #[inline(always)]
    fn interleave(self, x: __m512d, y: __m512d) -> (__m512d, __m512d) {
        self.reals(self.moves().interleave(self.bits(x), self.bits(y)))
    }
    #[inline(always)]
    fn deinterleave(self, a: __m512d, b: __m512d) -> (__m512d, __m512d) {
        self.reals(self.moves().deinterleave(self.bits(a), self.bits(b)))
    }
}

impl Real for Avx512<f64> {
    #[inline(always)]
    fn mul(self, x: __m512d, y: __m512d) -> __m512d {
        with_token!(_mm512_mul_pd(x, y))
    }
}
