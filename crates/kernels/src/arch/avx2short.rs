//! AVX2 for 32-bit words: q < 2^30, eight lanes.

use super::avx2::Avx2;
use super::barrett::Barrett;
use super::block;
use crate::vector::{twiddle_factors, Lanes, Modular, Multiples, Twiddle};
use ringwright_arith::Modulus;
use std::arch::x86_64::*;

impl Lanes for Avx2<u32> {
    type Word = u32;
    type Reg = __m256i;
    type Block = [u32; 8];
    const LANES: usize = 8;

    #[inline(always)]
    fn blocks(words: &[u32]) -> (&[[u32; 8]], &[u32]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [u32]) -> (&mut [[u32; 8]], &mut [u32]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[u32; 8]]) -> &[u32] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[u32; 8]) -> __m256i {
        with_token!(_mm256_loadu_si256(block.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, reg: __m256i, block: &mut [u32; 8]) {
        with_token!(_mm256_storeu_si256(block.as_mut_ptr().cast(), reg))
    }
    #[inline(always)]
    fn splat(self, word: u32) -> __m256i {
        with_token!(_mm256_set1_epi32(word as i32))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[u32]) -> __m256i {
        let pair = |low: u32, high: u32| (u64::from(low) | u64::from(high) << 32) as i64;
        match (G, words) {
            (1, words) => self.load(block(words)),
            (2, &[a, b, c, d]) => {
                with_token!(_mm256_set_epi64x(
                    pair(d, d),
                    pair(c, c),
                    pair(b, b),
                    pair(a, a)
                ))
            }
            (4, &[a, b]) => with_token!(_mm256_set_epi64x(
                pair(b, b),
                pair(b, b),
                pair(a, a),
                pair(a, a)
            )),
            _ => unreachable!("{} words cannot fill 8 lanes by {G}", words.len()),
        }
    }
    #[inline(always)]
    fn add(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_add_epi32(x, y))
    }
    #[inline(always)]
    fn sub(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_sub_epi32(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: __m256i, y: __m256i) -> (__m256i, __m256i) {
        match G {
            4 => with_token!((
                _mm256_permute2x128_si256::<0x20>(x, y),
                _mm256_permute2x128_si256::<0x31>(x, y)
            )),
            2 => with_token!((_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y))),
            1 => with_token!((
                _mm256_blend_epi32::<0xAA>(x, _mm256_slli_epi64::<32>(y)),
                _mm256_blend_epi32::<0xAA>(_mm256_srli_epi64::<32>(x), y)
            )),
            _ => unreachable!("no groups of {G} in 8 lanes"),
        }
    }
    #[inline(always)]
    fn interleave(self, x: __m256i, y: __m256i) -> (__m256i, __m256i) {
        let (a, b) = with_token!((_mm256_unpacklo_epi32(x, y), _mm256_unpackhi_epi32(x, y)));
        self.exchange::<4>(a, b)
    }
    #[inline(always)]
    fn deinterleave(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        let (a, b) = self.exchange::<4>(a, b);
        with_token!({
            let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
            (
                _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b)),
                _mm256_castps_si256(_mm256_shuffle_ps::<0xDD>(a, b)),
            )
        })
    }
}

impl Avx2<u32> {
    /// The high word of the product.
    #[inline(always)]
    fn mul_high(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!({
            let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(x, y));
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(x), _mm256_srli_epi64::<32>(y));
            _mm256_blend_epi32::<0xAA>(even, odd)
        })
    }
}

impl Modular for Avx2<u32> {
    const QUOTIENT_BITS: u32 = 32;
    const PRODUCT_BOUND: u32 = 2;
    type Barrett = Barrett<__m256i>;
    twiddle_factors!();

    #[inline(always)]
    fn reduce_once(self, x: __m256i, m: __m256i) -> __m256i {
        with_token!(_mm256_min_epu32(x, _mm256_sub_epi32(x, m)))
    }
    #[inline(always)]
    fn at_least(self, x: __m256i, bound: __m256i, value: __m256i) -> __m256i {
        with_token!({
            let holds = _mm256_cmpeq_epi32(_mm256_max_epu32(x, bound), x);
            _mm256_and_si256(holds, value)
        })
    }
    #[inline(always)]
    fn mul_shoup_lazy(self, y: __m256i, w: Twiddle<__m256i>, m: &Multiples<__m256i>) -> __m256i {
        let quotient = self.mul_high(y, w.quotient);
        with_token!(_mm256_sub_epi32(
            _mm256_mullo_epi32(y, w.value),
            _mm256_mullo_epi32(quotient, m.q)
        ))
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u32>) -> Self::Barrett {
        Barrett::new(self, q, 32)
    }
    #[inline(always)]
    fn mul_lazy(
        self,
        x: __m256i,
        y: __m256i,
        b: &Self::Barrett,
        m: &Multiples<__m256i>,
    ) -> __m256i {
        with_token!({
            let top = self.mul_high(_mm256_sllv_epi32(x, b.shift), _mm256_add_epi32(y, y));
            let quotient = self.mul_high(top, b.reciprocal);
            _mm256_sub_epi32(_mm256_mullo_epi32(x, y), _mm256_mullo_epi32(quotient, m.q))
        })
    }
}
