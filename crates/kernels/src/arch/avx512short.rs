//! AVX-512 F for 32-bit words: sixteen lanes, exact high products, q < 2^30.
//!
//! Bound, in instructions of ports 0 and 5 (two a cycle at best): the high word of a product is 4 (odd
//! lanes of one operand, two products, one masked move that joins them), a low word 2, a butterfly with
//! its correction 14. At N = 2^14 that is 13 us at 3.9 GHz; taken are 16 forward and inverse. Four
//! butterflies side by side take an eighth less in the inverse, where sums and differences come first.
//!
//! Dropped: Montgomery products (15 a butterfly: signed words save an offset, their correction costs
//! one more); 52-bit products below 2^32 (words would be reduced and narrowed after every pass).

use super::avx512::{complete, pick64, Avx512};
use super::barrett::Barrett;
use super::block;
use crate::vector::{Lanes, Modular, Multiples, REDUCED};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;

/// Picks lanes of two 32-bit registers; sources 16 and above are lanes of the second.
macro_rules! pick32 {
    ($x:expr, $y:expr, $($lane:literal)*) => {
        _mm512_permutex2var_epi32($x, _mm512_setr_epi32($($lane),*), $y)
    };
}

impl Lanes for Avx512<u32> {
    type Word = u32;
    type Reg = __m512i;
    type Block = [u32; 16];
    const LANES: usize = 16;

    #[inline(always)]
    fn blocks(words: &[u32]) -> (&[[u32; 16]], &[u32]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [u32]) -> (&mut [[u32; 16]], &mut [u32]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[u32; 16]]) -> &[u32] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[u32; 16]) -> __m512i {
        with_token!(_mm512_loadu_si512(block.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, reg: __m512i, block: &mut [u32; 16]) {
        with_token!(_mm512_storeu_si512(block.as_mut_ptr().cast(), reg))
    }
    #[inline(always)]
    fn splat(self, word: u32) -> __m512i {
        with_token!(_mm512_set1_epi32(word as i32))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[u32]) -> __m512i {
        match (G, words) {
            (1, words) => self.load(block(words)),
            (2, words) => with_token!({
                let eight = _mm256_loadu_si256(block::<u32, 8>(words).as_ptr().cast());
                let lanes = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
                _mm512_permutexvar_epi32(lanes, _mm512_castsi256_si512(eight))
            }),
            (4, words) => with_token!({
                let four = _mm_loadu_si128(block::<u32, 4>(words).as_ptr().cast());
                let lanes = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
                _mm512_permutexvar_epi32(lanes, _mm512_castsi128_si512(four))
            }),
            (8, words) => with_token!({
                let two = _mm_loadl_epi64(block::<u32, 2>(words).as_ptr().cast());
                let lanes = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
                _mm512_permutexvar_epi32(lanes, _mm512_castsi128_si512(two))
            }),
            _ => unreachable!("{} words cannot fill 16 lanes by {G}", words.len()),
        }
    }
    #[inline(always)]
    fn add(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_add_epi32(x, y))
    }
    #[inline(always)]
    fn sub(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_sub_epi32(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
        match G {
            8 => with_token!((
                _mm512_shuffle_i64x2::<0x44>(x, y),
                _mm512_shuffle_i64x2::<0xEE>(x, y)
            )),
            4 => with_token!((
                pick64!(x, y, 0 1 8 9 4 5 12 13),
                pick64!(x, y, 2 3 10 11 6 7 14 15)
            )),
            2 => with_token!((_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y))),
            1 => with_token!((
                _mm512_mask_shuffle_epi32::<0xA0>(x, 0xAAAA, y),
                _mm512_mask_shuffle_epi32::<0xF5>(y, 0x5555, x)
            )),
            _ => unreachable!("no groups of {G} in 16 lanes"),
        }
    }
    #[inline(always)]
    fn interleave(self, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
        with_token!((
            pick32!(x, y, 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23),
            pick32!(x, y, 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31)
        ))
    }
    #[inline(always)]
    fn deinterleave(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        with_token!((
            pick32!(a, b, 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30),
            pick32!(a, b, 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31)
        ))
    }
}

/// A factor with its Shoup quotient.
#[derive(Clone, Copy)]
pub struct ShortFactor {
    value: __m512i,
    quotient: __m512i,
    /// The quotients of odd lanes in the even ones before them; what is in the others has no meaning.
    odd: __m512i,
}

impl Avx512<u32> {
    /// The high word of the product; `odd` has the odd lanes of y in the even ones.
    #[inline(always)]
    fn mul_high_by(self, x: __m512i, y: __m512i, odd: __m512i) -> __m512i {
        with_token!({
            let even = _mm512_mul_epu32(x, y);
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(x), odd);
            _mm512_mask_shuffle_epi32::<0xF5>(odd, 0x5555, even)
        })
    }

    /// Four products side by side, so that one waits for the multiplier while others multiply.
    #[inline(always)]
    fn products(self, y: &mut [__m512i; 4], w: &[ShortFactor; 4], m: &Multiples<__m512i>) {
        let (mut quotient, mut low) = (*y, *y);
        for i in 0..4 {
            quotient[i] = self.mul_high_by(y[i], w[i].quotient, w[i].odd);
        }
        with_token!({
            for i in 0..4 {
                low[i] = _mm512_mullo_epi32(y[i], w[i].value);
            }
            for i in 0..4 {
                y[i] = _mm512_sub_epi32(low[i], _mm512_mullo_epi32(quotient[i], m.q));
            }
        })
    }

    /// The high word of the product.
    #[inline(always)]
    fn mul_high(self, x: __m512i, y: __m512i) -> __m512i {
        self.mul_high_by(x, y, with_token!(_mm512_srli_epi64::<32>(y)))
    }
}

impl Modular for Avx512<u32> {
    const QUOTIENT_BITS: u32 = 32;
    const PRODUCT_BOUND: u32 = 2;
    type Factor = ShortFactor;
    type Barrett = Barrett<__m512i>;

    #[inline(always)]
    fn factor(self, w: Shoup<u32>) -> ShortFactor {
        let quotient = self.splat(w.quotient);
        ShortFactor {
            value: self.splat(w.value),
            quotient,
            odd: quotient,
        }
    }
    #[inline(always)]
    fn factors<const G: usize>(self, values: &[u32], quotients: &[u32]) -> ShortFactor {
        let quotient = self.spread::<G>(quotients);
        ShortFactor {
            value: self.spread::<G>(values),
            quotient,
            // Neighbours share a factor, unless there is one for each.
            odd: match G {
                1 => with_token!(_mm512_srli_epi64::<32>(quotient)),
                _ => quotient,
            },
        }
    }
    #[inline(always)]
    fn reduce_once(self, x: __m512i, m: __m512i) -> __m512i {
        with_token!(_mm512_min_epu32(x, _mm512_sub_epi32(x, m)))
    }
    #[inline(always)]
    fn at_least(self, x: __m512i, bound: __m512i, value: __m512i) -> __m512i {
        with_token!(_mm512_maskz_mov_epi32(
            _mm512_cmpge_epu32_mask(x, bound),
            value
        ))
    }
    #[inline(always)]
    fn mul_shoup_lazy(self, y: __m512i, w: ShortFactor, m: &Multiples<__m512i>) -> __m512i {
        let quotient = self.mul_high_by(y, w.quotient, w.odd);
        with_token!(_mm512_sub_epi32(
            _mm512_mullo_epi32(y, w.value),
            _mm512_mullo_epi32(quotient, m.q)
        ))
    }
    #[inline(always)]
    fn forward_butterflies<const LEVEL: u8>(
        self,
        x: &mut [__m512i; 4],
        y: &mut [__m512i; 4],
        w: &[ShortFactor; 4],
        m: &Multiples<__m512i>,
    ) {
        let (mut quotient, mut raised) = (*y, *x);
        for i in 0..4 {
            quotient[i] = self.mul_high_by(y[i], w[i].quotient, w[i].odd);
        }
        for i in 0..4 {
            if LEVEL != REDUCED {
                x[i] = self.reduce_once(x[i], m.bound);
            }
            y[i] = with_token!(_mm512_mullo_epi32(y[i], w[i].value));
            raised[i] = self.add(x[i], m.bound);
        }
        for i in 0..4 {
            let t = self.sub(y[i], with_token!(_mm512_mullo_epi32(quotient[i], m.q)));
            x[i] = self.add(x[i], t);
            y[i] = self.sub(raised[i], t);
        }
        with_token!(complete(x, y));
    }
    #[inline(always)]
    fn inverse_butterflies<const LEVEL: u8>(
        self,
        x: &mut [__m512i; 4],
        y: &mut [__m512i; 4],
        w: &[ShortFactor; 4],
        m: &Multiples<__m512i>,
    ) {
        for i in 0..4 {
            let sum = self.add(x[i], y[i]);
            y[i] = self.add(x[i], self.sub(m.offset, y[i]));
            x[i] = self.reduce_once(sum, m.bound);
        }
        self.products(y, w, m);
        with_token!(complete(x, y));
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u32>) -> Self::Barrett {
        Barrett::new(self, q, 32)
    }
    #[inline(always)]
    fn mul_lazy(
        self,
        x: __m512i,
        y: __m512i,
        b: &Self::Barrett,
        m: &Multiples<__m512i>,
    ) -> __m512i {
        with_token!({
            let top = self.mul_high(_mm512_sllv_epi32(x, b.shift), _mm512_add_epi32(y, y));
            let quotient = self.mul_high(top, b.reciprocal);
            _mm512_sub_epi32(_mm512_mullo_epi32(x, y), _mm512_mullo_epi32(quotient, m.q))
        })
    }
}
