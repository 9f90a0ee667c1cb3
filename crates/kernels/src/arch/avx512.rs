//! AVX-512 F and DQ: 512-bit registers.
//!
//! 64-bit products are those of `avx2` (three 32-bit products for a high word that is at most 2
//! too small, hence products below 4q and q < 2^61), with the low words from one instruction.
//! Corrections are an unsigned minimum. Exchanges across 128-bit parts are two-source
//! permutations.
//!
//! **Below 2^60** a word holds 16q. A forward butterfly of the first kind brings x below 8q and
//! leaves words below 12q; the level after it corrects nothing and leaves words below 16q.
//! Inverse words are below 5q, and sums of two may stay for one level; sums of those lose a
//! multiple of q that a permutation finds by their upper bits: three instructions for two minima.
//!
//! Bound, in instructions of ports 0 and 5 (two a cycle at best): a Shoup product is 15 (upper
//! half of y, three 32-bit products, two shifts, two sums; two low words of three each and their
//! difference), a butterfly 18 and corrections: 20 below 2^61, 19 below 2^60, 16 in
//! `avx512signed`.

use super::barrett::Barrett;
use super::block;
use crate::isa::Isa;
use crate::vector::{
    twiddle_factors, Kernel, Lanes, Modular, Multiples, Real, RealKernel, Twiddle, FIRST, HALF,
    SECOND, TWICE,
};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Proof that AVX-512 F and DQ were detected. `M` tells apart modular arithmetics on the same
/// registers; see `avx512ifma`.
#[derive(Clone, Copy, Debug)]
pub struct Avx512<W, M = WordWide>(pub(super) PhantomData<(W, M)>);

/// Arithmetic modulo any modulus that the word carries.
#[derive(Clone, Copy, Debug)]
pub struct WordWide;

/// Arithmetic modulo q < 2^60 that corrects every second level.
#[derive(Clone, Copy, Debug)]
pub struct Below60;

/// What sets the two word-wide arithmetics apart.
pub trait Window: Copy {
    /// Whether a word holds 16q.
    const ROOMY: bool;
}

impl Window for WordWide {
    const ROOMY: bool = false;
}

impl Window for Below60 {
    const ROOMY: bool = true;
}

/// Arithmetics that need no more than AVX-512 F and DQ.
pub trait Plain {}
impl Plain for WordWide {}
impl Plain for Below60 {}
impl Plain for super::avx512signed::Signed {}

impl<W, M: Plain> Avx512<W, M> {
    /// The token, where the machine has AVX-512 F and DQ.
    pub fn new() -> Option<Self> {
        Isa::Avx512.is_available().then_some(Self(PhantomData))
    }

    /// Runs a kernel with AVX-512 enabled.
    pub fn enter<K: Kernel<W>>(self, kernel: K)
    where
        Self: Modular<Word = W>,
    {
        // SAFETY: the token proves that the machine has AVX-512 F and DQ.
        unsafe { enter(self, kernel) }
    }
}

impl Avx512<f64> {
    /// Runs a kernel with AVX-512 enabled.
    pub fn enter_real<K: RealKernel>(self, kernel: K) {
        // SAFETY: the token proves that the machine has AVX-512 F and DQ.
        unsafe { enter_real(self, kernel) }
    }
}

#[target_feature(enable = "avx512f,avx512dq")]
fn enter<V: Modular, K: Kernel<V::Word>>(v: V, kernel: K) {
    kernel.run(v);
}

#[target_feature(enable = "avx512f,avx512dq")]
fn enter_real<V: Real, K: RealKernel>(v: V, kernel: K) {
    kernel.run(v);
}

/// Picks lanes of two 64-bit registers; sources 8 and above are lanes of the second.
macro_rules! pick64 {
    ($x:expr, $y:expr, $($lane:literal)*) => {
        _mm512_permutex2var_epi64($x, _mm512_setr_epi64($($lane),*), $y)
    };
}

impl<M: Copy> Lanes for Avx512<u64, M> {
    type Word = u64;
    type Reg = __m512i;
    type Block = [u64; 8];
    const LANES: usize = 8;

    #[inline(always)]
    fn blocks(words: &[u64]) -> (&[[u64; 8]], &[u64]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [u64]) -> (&mut [[u64; 8]], &mut [u64]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[u64; 8]]) -> &[u64] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[u64; 8]) -> __m512i {
        with_token!(_mm512_loadu_si512(block.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, reg: __m512i, block: &mut [u64; 8]) {
        with_token!(_mm512_storeu_si512(block.as_mut_ptr().cast(), reg))
    }
    #[inline(always)]
    fn splat(self, word: u64) -> __m512i {
        with_token!(_mm512_set1_epi64(word as i64))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[u64]) -> __m512i {
        match (G, words) {
            (1, words) => self.load(block(words)),
            (2, words) => with_token!({
                let four = _mm256_loadu_si256(block::<u64, 4>(words).as_ptr().cast());
                let lanes = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
                _mm512_permutexvar_epi64(lanes, _mm512_castsi256_si512(four))
            }),
            (4, words) => with_token!({
                let two = _mm_loadu_si128(block::<u64, 2>(words).as_ptr().cast());
                let lanes = _mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1);
                _mm512_permutexvar_epi64(lanes, _mm512_castsi128_si512(two))
            }),
            _ => unreachable!("{} words cannot fill 8 lanes by {G}", words.len()),
        }
    }
    #[inline(always)]
    fn add(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_add_epi64(x, y))
    }
    #[inline(always)]
    fn sub(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_sub_epi64(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
        match G {
            4 => with_token!((
                _mm512_shuffle_i64x2::<0x44>(x, y),
                _mm512_shuffle_i64x2::<0xEE>(x, y)
            )),
            2 => with_token!((
                pick64!(x, y, 0 1 8 9 4 5 12 13),
                pick64!(x, y, 2 3 10 11 6 7 14 15)
            )),
            1 => with_token!((_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y))),
            _ => unreachable!("no groups of {G} in 8 lanes"),
        }
    }
    #[inline(always)]
    fn interleave(self, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
        with_token!((
            pick64!(x, y, 0 8 1 9 2 10 3 11),
            pick64!(x, y, 4 12 5 13 6 14 7 15)
        ))
    }
    #[inline(always)]
    fn deinterleave(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        with_token!((
            pick64!(a, b, 0 2 4 6 8 10 12 14),
            pick64!(a, b, 1 3 5 7 9 11 13 15)
        ))
    }
}

impl Avx512<u64> {
    /// Moduli are below 2 to this.
    pub const MODULUS_BITS: u32 = 61;
}

/// A factor with its Shoup quotient, whose upper half lies ready in the lower.
#[derive(Clone, Copy)]
pub struct SplitFactor {
    /// The factor.
    pub value: __m512i,
    /// Its quotient.
    pub quotient: __m512i,
    /// The upper half of the quotient; what is above it has no meaning.
    pub high: __m512i,
}

/// Implements `Modular::Factor` as a [`SplitFactor`].
macro_rules! split_factors {
    () => {
        type Factor = SplitFactor;

        #[inline(always)]
        fn factor(self, w: Shoup<u64>) -> SplitFactor {
            SplitFactor {
                value: self.splat(w.value),
                quotient: self.splat(w.quotient),
                high: with_token!(_mm512_set1_epi32((w.quotient >> 32) as i32)),
            }
        }
        #[inline(always)]
        fn factors<const G: usize>(self, values: &[u64], quotients: &[u64]) -> SplitFactor {
            let quotient = self.spread::<G>(quotients);
            SplitFactor {
                value: self.spread::<G>(values),
                quotient,
                high: with_token!(_mm512_srli_epi64::<32>(quotient)),
            }
        }
    };
}
pub(super) use split_factors;

impl<M: Copy> Avx512<u64, M> {
    /// The high word of the product, at most 2 too small; `y1` has the upper halves of y.
    #[inline(always)]
    fn mul_high_by(self, x: __m512i, y: __m512i, y1: __m512i) -> __m512i {
        with_token!({
            let x1 = _mm512_srli_epi64::<32>(x);
            let cross0 = _mm512_srli_epi64::<32>(multiply_halves(x1, y));
            let cross1 = _mm512_srli_epi64::<32>(multiply_halves(x, y1));
            let high = multiply_halves(x1, y1);
            _mm512_add_epi64(_mm512_add_epi64(cross0, cross1), high)
        })
    }

    /// The high word of the product, at most 2 too small.
    #[inline(always)]
    fn mul_high_approximate(self, x: __m512i, y: __m512i) -> __m512i {
        self.mul_high_by(x, y, with_token!(_mm512_srli_epi64::<32>(y)))
    }

    /// The low word of a b - c d.
    #[inline(always)]
    pub(super) fn mul_sub_low(self, a: __m512i, b: __m512i, c: __m512i, d: __m512i) -> __m512i {
        with_token!(_mm512_sub_epi64(
            _mm512_mullo_epi64(a, b),
            _mm512_mullo_epi64(c, d)
        ))
    }

    /// x without the multiple of q that `m.steps` has for the three bits from `m.shift` on.
    #[inline(always)]
    pub(super) fn step_down(self, x: __m512i, m: &Multiples<__m512i>) -> __m512i {
        with_token!({
            let index = _mm512_srlv_epi64(x, m.shift);
            _mm512_sub_epi64(x, _mm512_permutexvar_epi64(index, m.steps))
        })
    }
}

impl<M: Window> Avx512<u64, M> {
    /// Four products side by side, so that one waits for the multiplier while others multiply.
    #[inline(always)]
    fn products(self, y: &mut [__m512i; 4], w: &[SplitFactor; 4], m: &Multiples<__m512i>) {
        let mut quotient = *y;
        for i in 0..4 {
            quotient[i] = self.mul_high_by(y[i], w[i].quotient, w[i].high);
        }
        for i in 0..4 {
            y[i] = self.mul_sub_low(y[i], w[i].value, quotient[i], m.q);
        }
    }
}

impl<M: Window> Modular for Avx512<u64, M> {
    const QUOTIENT_BITS: u32 = 64;
    const PRODUCT_BOUND: u32 = 4;
    type Barrett = Barrett<__m512i>;
    split_factors!();

    /// `reciprocal` is what keeps differences of inverse sums positive.
    #[inline(always)]
    fn multiples(self, modulus: &Modulus<u64>) -> Multiples<__m512i> {
        let (q, bits) = (modulus.value(), modulus.bits());
        // With k bits of q, n 2^(k+1) + r without the largest multiple of q in n 2^(k+1) is below
        // 2^(k+1) + q; two of those are below 8q or, where q has less to spare, 10q.
        let shift = u64::from((bits + 1).min(61));
        let steps: [u64; 8] = std::array::from_fn(|n| {
            let part = (n as u64) << shift;
            part - modulus.reduce(part)
        });
        Multiples {
            q: self.splat(q),
            q2: self.splat(2 * q),
            bound: self.splat(4 * q),
            reciprocal: self.splat(if 1 << shift <= 3 * q { 8 * q } else { 10 * q }),
            steps: self.load(&steps),
            shift: self.splat(shift),
        }
    }
    #[inline(always)]
    fn reduce_once(self, x: __m512i, m: __m512i) -> __m512i {
        with_token!(_mm512_min_epu64(x, _mm512_sub_epi64(x, m)))
    }
    #[inline(always)]
    fn at_least(self, x: __m512i, bound: __m512i, value: __m512i) -> __m512i {
        with_token!(_mm512_maskz_mov_epi64(
            _mm512_cmpge_epu64_mask(x, bound),
            value
        ))
    }
    #[inline(always)]
    fn mul_shoup_lazy(self, y: __m512i, w: SplitFactor, m: &Multiples<__m512i>) -> __m512i {
        let quotient = self.mul_high_by(y, w.quotient, w.high);
        self.mul_sub_low(y, w.value, quotient, m.q)
    }
    #[inline(always)]
    fn forward_butterflies<const LEVEL: u8>(
        self,
        x: &mut [__m512i; 4],
        y: &mut [__m512i; 4],
        w: &[SplitFactor; 4],
        m: &Multiples<__m512i>,
    ) {
        let corrected = LEVEL == FIRST || (LEVEL == SECOND && !M::ROOMY);
        let bound = if M::ROOMY {
            self.add(m.bound, m.bound)
        } else {
            m.bound
        };
        if corrected {
            for x in &mut *x {
                *x = self.reduce_once(*x, bound);
            }
        }
        self.products(y, w, m);
        for i in 0..4 {
            let t = y[i];
            y[i] = self.add(x[i], self.sub(m.bound, t));
            x[i] = self.add(x[i], t);
        }
        with_token!(complete(x, y));
    }
    #[inline(always)]
    fn inverse_butterflies<const LEVEL: u8>(
        self,
        x: &mut [__m512i; 4],
        y: &mut [__m512i; 4],
        w: &[SplitFactor; 4],
        m: &Multiples<__m512i>,
    ) {
        let offset = if M::ROOMY { m.reciprocal } else { m.bound };
        for i in 0..4 {
            let sum = self.add(x[i], y[i]);
            let difference = self.add(x[i], self.sub(offset, y[i]));
            x[i] = if !M::ROOMY || (LEVEL == HALF && i >= 2) {
                self.reduce_once(sum, m.bound)
            } else if LEVEL == TWICE {
                sum
            } else {
                self.step_down(sum, m)
            };
            y[i] = difference;
        }
        self.products(y, w, m);
        with_token!(complete(x, y));
    }
    #[inline(always)]
    fn scaled_butterfly(
        self,
        x: __m512i,
        y: __m512i,
        s: SplitFactor,
        w: SplitFactor,
        m: &Multiples<__m512i>,
    ) -> (__m512i, __m512i) {
        let offset = if M::ROOMY { m.reciprocal } else { m.bound };
        let difference = self.add(x, self.sub(offset, y));
        (
            self.mul_shoup_lazy(self.add(x, y), s, m),
            self.mul_shoup_lazy(difference, w, m),
        )
    }
    #[inline(always)]
    fn canonical(self, x: __m512i, m: &Multiples<__m512i>) -> __m512i {
        self.canonical_product(self.lazy(x, m), m)
    }
    #[inline(always)]
    fn lazy(self, x: __m512i, m: &Multiples<__m512i>) -> __m512i {
        let x = if M::ROOMY {
            self.reduce_once(x, self.add(m.bound, m.bound))
        } else {
            x
        };
        self.reduce_once(x, m.bound)
    }
    fn in_forward_window(word: u64, q: u64) -> bool {
        M::ROOMY || word < 8 * q
    }
    fn in_inverse_window(word: u64, q: u64) -> bool {
        word < if M::ROOMY { 5 * q } else { 4 * q }
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u64>) -> Self::Barrett {
        Barrett::new(self, q, 64)
    }
    #[inline(always)]
    fn mul_lazy(
        self,
        x: __m512i,
        y: __m512i,
        b: &Self::Barrett,
        m: &Multiples<__m512i>,
    ) -> __m512i {
        let top = with_token!(
            self.mul_high_approximate(_mm512_sllv_epi64(x, b.shift), _mm512_add_epi64(y, y))
        );
        let quotient = self.mul_high_approximate(top, b.reciprocal);
        self.mul_sub_low(x, y, quotient, m.q)
    }
}

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
                let wide = _mm512_cvtepu32_epi64(eight);
                _mm512_or_si512(wide, _mm512_slli_epi64::<32>(wide))
            }),
            (4, words) => with_token!({
                let four = _mm_loadu_si128(block::<u32, 4>(words).as_ptr().cast());
                let lanes = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
                _mm512_permutexvar_epi32(lanes, _mm512_castsi128_si512(four))
            }),
            (8, &[a, b]) => with_token!(_mm512_mask_set1_epi32(
                _mm512_set1_epi32(a as i32),
                0xFF00,
                b as i32
            )),
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
                _mm512_mask_blend_epi32(0xAAAA, x, _mm512_slli_epi64::<32>(y)),
                _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64::<32>(x), y)
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

impl Avx512<u32> {
    /// The high word of the product.
    #[inline(always)]
    fn mul_high(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!({
            let even = _mm512_srli_epi64::<32>(_mm512_mul_epu32(x, y));
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(x), _mm512_srli_epi64::<32>(y));
            _mm512_mask_blend_epi32(0xAAAA, even, odd)
        })
    }
}

impl Modular for Avx512<u32> {
    const QUOTIENT_BITS: u32 = 32;
    const PRODUCT_BOUND: u32 = 2;
    type Barrett = Barrett<__m512i>;
    twiddle_factors!();

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
    fn mul_shoup_lazy(self, y: __m512i, w: Twiddle<__m512i>, m: &Multiples<__m512i>) -> __m512i {
        let quotient = self.mul_high(y, w.quotient);
        with_token!(_mm512_sub_epi32(
            _mm512_mullo_epi32(y, w.value),
            _mm512_mullo_epi32(quotient, m.q)
        ))
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

/// The products of the lower halves of the lanes. Written out, because the compiler makes a product
/// of whole lanes of the intrinsic, three times as long, where a half was an upper half.
#[inline]
#[target_feature(enable = "avx512f")]
fn multiply_halves(x: __m512i, y: __m512i) -> __m512i {
    let product;
    // SAFETY: a multiplication of registers, available with AVX-512 F.
    unsafe {
        std::arch::asm!(
            "vpmuludq {0}, {1}, {2}",
            lateout(zmm_reg) product,
            in(zmm_reg) x,
            in(zmm_reg) y,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    product
}

/// The same with signed halves.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn multiply_signed_halves(x: __m512i, y: __m512i) -> __m512i {
    let product;
    // SAFETY: a multiplication of registers, available with AVX-512 F.
    unsafe {
        std::arch::asm!(
            "vpmuldq {0}, {1}, {2}",
            lateout(zmm_reg) product,
            in(zmm_reg) x,
            in(zmm_reg) y,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    product
}

/// Keeps the compiler from finishing one butterfly of a level after the other: all eight results
/// exist before anything that uses them. Left to itself it walks down one chain of dependent
/// instructions at a time, to save registers, and the multiplier waits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn complete(x: &mut [__m512i; 4], y: &mut [__m512i; 4]) {
    let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (x, y);
    // SAFETY: there are no instructions.
    unsafe {
        std::arch::asm!(
            "/* {0} {1} {2} {3} {4} {5} {6} {7} */",
            inout(zmm_reg) * x0,
            inout(zmm_reg) * x1,
            inout(zmm_reg) * x2,
            inout(zmm_reg) * x3,
            inout(zmm_reg) * y0,
            inout(zmm_reg) * y1,
            inout(zmm_reg) * y2,
            inout(zmm_reg) * y3,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
}
