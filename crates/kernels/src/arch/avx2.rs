//! AVX2: 256-bit registers.
//!
//! There is no 64-bit product and no unsigned 64-bit comparison. The high word of a product is
//! put together from three 32-bit products without the lowest one and without carries; it is at
//! most 2 too small, so a Shoup product is below 4q, the forward window is 8q, and q < 2^61.
//! Conditional subtractions look at the sign bit: all bounds are below 2^63.

use super::barrett::Barrett;
use super::block;
use crate::isa::Isa;
use crate::vector::{
    twiddle_factors, Kernel, Lanes, Modular, Multiples, Real, RealKernel, Twiddle,
};
use ringwright_arith::Modulus;
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Proof that AVX2 was detected.
#[derive(Clone, Copy, Debug)]
pub struct Avx2<W>(PhantomData<W>);

impl<W> Avx2<W> {
    /// The token, where the machine has AVX2.
    pub fn new() -> Option<Self> {
        Isa::Avx2.is_available().then_some(Self(PhantomData))
    }

    /// Runs a kernel with AVX2 enabled.
    pub fn enter<K: Kernel<W>>(self, kernel: K)
    where
        Self: Modular<Word = W>,
    {
        // SAFETY: the token proves that the machine has AVX2.
        unsafe { enter(self, kernel) }
    }
}

impl Avx2<f64> {
    /// Runs a kernel with AVX2 enabled.
    pub fn enter_real<K: RealKernel>(self, kernel: K) {
        // SAFETY: the token proves that the machine has AVX2.
        unsafe { enter_real(self, kernel) }
    }
}

#[target_feature(enable = "avx2")]
fn enter<V: Modular, K: Kernel<V::Word>>(v: V, kernel: K) {
    kernel.run(v);
}

#[target_feature(enable = "avx2")]
fn enter_real<V: Real, K: RealKernel>(v: V, kernel: K) {
    kernel.run(v);
}

impl Lanes for Avx2<u64> {
    type Word = u64;
    type Reg = __m256i;
    type Block = [u64; 4];
    const LANES: usize = 4;

    #[inline(always)]
    fn blocks(words: &[u64]) -> (&[[u64; 4]], &[u64]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [u64]) -> (&mut [[u64; 4]], &mut [u64]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[u64; 4]]) -> &[u64] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[u64; 4]) -> __m256i {
        with_token!(_mm256_loadu_si256(block.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, reg: __m256i, block: &mut [u64; 4]) {
        with_token!(_mm256_storeu_si256(block.as_mut_ptr().cast(), reg))
    }
    #[inline(always)]
    fn splat(self, word: u64) -> __m256i {
        with_token!(_mm256_set1_epi64x(word as i64))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[u64]) -> __m256i {
        match (G, words) {
            (1, words) => self.load(block(words)),
            (2, &[a, b]) => with_token!(_mm256_set_epi64x(b as i64, b as i64, a as i64, a as i64)),
            _ => unreachable!("{} words cannot fill 4 lanes by {G}", words.len()),
        }
    }
    #[inline(always)]
    fn add(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_add_epi64(x, y))
    }
    #[inline(always)]
    fn sub(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_sub_epi64(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: __m256i, y: __m256i) -> (__m256i, __m256i) {
        match G {
            2 => with_token!((
                _mm256_permute2x128_si256::<0x20>(x, y),
                _mm256_permute2x128_si256::<0x31>(x, y)
            )),
            1 => with_token!((_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y))),
            _ => unreachable!("no groups of {G} in 4 lanes"),
        }
    }
    #[inline(always)]
    fn interleave(self, x: __m256i, y: __m256i) -> (__m256i, __m256i) {
        let (x, y) = self.exchange::<1>(x, y);
        self.exchange::<2>(x, y)
    }
    #[inline(always)]
    fn deinterleave(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        let (x, y) = self.exchange::<2>(a, b);
        self.exchange::<1>(x, y)
    }
}

impl Avx2<u64> {
    /// Moduli are below 2 to this.
    pub const MODULUS_BITS: u32 = 61;

    /// The high word of the product, at most 2 too small.
    #[inline(always)]
    fn mul_high_approximate(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!({
            let (x1, y1) = (_mm256_srli_epi64::<32>(x), _mm256_srli_epi64::<32>(y));
            let cross0 = _mm256_srli_epi64::<32>(_mm256_mul_epu32(x1, y));
            let cross1 = _mm256_srli_epi64::<32>(_mm256_mul_epu32(x, y1));
            let high = _mm256_mul_epu32(x1, y1);
            _mm256_add_epi64(_mm256_add_epi64(cross0, cross1), high)
        })
    }

    /// The two middle products, modulo 2^64.
    #[inline(always)]
    fn cross(self, a: __m256i, b: __m256i) -> __m256i {
        with_token!({
            let (a1, b1) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            _mm256_add_epi64(_mm256_mul_epu32(a1, b), _mm256_mul_epu32(a, b1))
        })
    }

    /// The low word of a b - c d.
    #[inline(always)]
    fn mul_sub_low(self, a: __m256i, b: __m256i, c: __m256i, d: __m256i) -> __m256i {
        with_token!({
            let cross = _mm256_sub_epi64(self.cross(a, b), self.cross(c, d));
            let low = _mm256_sub_epi64(_mm256_mul_epu32(a, b), _mm256_mul_epu32(c, d));
            _mm256_add_epi64(low, _mm256_slli_epi64::<32>(cross))
        })
    }
}

impl Modular for Avx2<u64> {
    const QUOTIENT_BITS: u32 = 64;
    const PRODUCT_BOUND: u32 = 4;
    type Barrett = Barrett<__m256i>;
    twiddle_factors!();

    #[inline(always)]
    fn reduce_once(self, x: __m256i, m: __m256i) -> __m256i {
        with_token!({
            let difference = _mm256_castsi256_pd(_mm256_sub_epi64(x, m));
            _mm256_castpd_si256(_mm256_blendv_pd(
                difference,
                _mm256_castsi256_pd(x),
                difference,
            ))
        })
    }
    #[inline(always)]
    fn at_least(self, x: __m256i, bound: __m256i, value: __m256i) -> __m256i {
        with_token!(_mm256_andnot_si256(_mm256_cmpgt_epi64(bound, x), value))
    }
    #[inline(always)]
    fn mul_shoup_lazy(self, y: __m256i, w: Twiddle<__m256i>, m: &Multiples<__m256i>) -> __m256i {
        let quotient = self.mul_high_approximate(y, w.quotient);
        self.mul_sub_low(y, w.value, quotient, m.q)
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u64>) -> Self::Barrett {
        Barrett::new(self, q, 64)
    }
    #[inline(always)]
    fn mul_lazy(
        self,
        x: __m256i,
        y: __m256i,
        b: &Self::Barrett,
        m: &Multiples<__m256i>,
    ) -> __m256i {
        let top = with_token!(
            self.mul_high_approximate(_mm256_sllv_epi64(x, b.shift), _mm256_add_epi64(y, y))
        );
        let quotient = self.mul_high_approximate(top, b.reciprocal);
        self.mul_sub_low(x, y, quotient, m.q)
    }
}

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
