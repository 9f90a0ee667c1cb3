//! AVX-512 F and DQ for q < 2^55: signed words that no forward level corrects.
//!
//! Quotients are taken by 4q: w' = w 2^62 / q, rounded, below 2^62, is kept as 2^32 c + b with a
//! signed b. For a signed y = 2^32 y1 + y0 the word h = y1 c + ((y0 c + y1 b) >> 32) falls short of
//! y w / 4q by -0.7 to 1.7 (b y0 is left out, the shift rounds down, w' is off by less than one and
//! |y| < 2^62): t = y w - 4 h q is between -2.8 q and 6.8 q. The sum fits: y0 c < 2^62 and
//! |y1 b| < 2^61. Against word-wide products that saves a shift, and a butterfly is x + t and x - t
//! with no offset: 16 instructions (14 and 2).
//!
//! Forward window: 4q at first and 6.8 q for each of 17 levels are 120 q < 2^62. It ends with a
//! quotient by q in doubles, 2^-40 too small at most, and one conditional subtraction, which lazy
//! words, below 2q by then, go without.
//!
//! Inverse window, with B the power of two above q: sums of two products are within 13.6 q. Two
//! levels later a sum is within 64 B, and those sums lose the multiple of q that a permutation
//! finds by the three bits that are worth 16 B: 9 B are left. The others are again sums of two
//! products. Inside eight registers the fourth level corrects, and at the root nothing does.

use super::avx512::{complete, Avx512, Plain};
use super::avx512word::{multiply_signed_halves, split_factors, SplitFactor};
use super::barrett::Barrett;
use super::word_wide::WordWide;
use crate::vector::{Lanes, Modular, Multiples, ALL, HALF};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Signed arithmetic modulo q < 2^55.
#[derive(Clone, Copy, Debug)]
pub struct Signed;

impl Plain for Signed {}

/// What is taken off a quotient in doubles, so that it is never too large.
const SLACK: f64 = 1.0 / (1u64 << 40) as f64;

impl Avx512<u64, Signed> {
    /// The unsigned arithmetic.
    fn unsigned(self) -> Avx512<u64, WordWide> {
        Avx512(PhantomData)
    }

    /// y w - 4 h q, between -2.8 q and 6.8 q, for each y: side by side, so that one waits for the
    /// multiplier while others multiply.
    #[inline(always)]
    fn products<const K: usize>(
        self,
        y: &mut [__m512i; K],
        w: &[SplitFactor; K],
        m: &Multiples<__m512i>,
    ) {
        with_token!({
            let (mut y1, mut low) = (*y, *y);
            for i in 0..K {
                y1[i] = _mm512_srli_epi64::<32>(y[i]);
            }
            for i in 0..K {
                let cross0 = _mm512_mul_epu32(y[i], w[i].high);
                let cross1 = multiply_signed_halves(y1[i], w[i].quotient);
                low[i] = _mm512_add_epi64(cross0, cross1);
                y1[i] = multiply_signed_halves(y1[i], w[i].high);
            }
            for i in 0..K {
                y1[i] = _mm512_add_epi64(_mm512_srai_epi64::<32>(low[i]), y1[i]);
                y[i] = _mm512_mullo_epi64(y[i], w[i].value);
            }
            for i in 0..K {
                y[i] = _mm512_sub_epi64(y[i], _mm512_mullo_epi64(y1[i], m.bound));
            }
        })
    }
}

impl Modular for Avx512<u64, Signed> {
    const QUOTIENT_BITS: u32 = 62;
    const PRODUCT_BOUND: u32 = 16;
    type Barrett = Barrett<__m512i>;
    split_factors!();

    fn quotient(modulus: &Modulus<u64>, w: u64) -> u64 {
        let rounded = (modulus.shoup(w).quotient + 2) >> 2;
        rounded + ((rounded & (1 << 31)) << 1)
    }
    /// `bound` is 4q and `reciprocal` 1/q, a double.
    #[inline(always)]
    fn multiples(self, modulus: &Modulus<u64>) -> Multiples<__m512i> {
        let q = modulus.value();
        let shift = modulus.bits() + 4;
        let steps: [u64; 8] = std::array::from_fn(|n| {
            // The multiple of q below the middle of what these bits may stand for.
            let part = (((n as i64) << 61 >> 61) << shift) + (1 << (shift - 1));
            (part - part.rem_euclid(q as i64)) as u64
        });
        Multiples {
            q: self.splat(q),
            q2: self.splat(2 * q),
            bound: self.splat(4 * q),
            offset: self.splat(0),
            reciprocal: self.splat((1.0 / q as f64).to_bits()),
            steps: self.load(&steps),
            shift: self.splat(shift.into()),
        }
    }
    #[inline(always)]
    fn reduce_once(self, x: __m512i, m: __m512i) -> __m512i {
        self.unsigned().reduce_once(x, m)
    }
    #[inline(always)]
    fn at_least(self, x: __m512i, bound: __m512i, value: __m512i) -> __m512i {
        self.unsigned().at_least(x, bound, value)
    }
    /// Below 10q.
    #[inline(always)]
    fn mul_shoup_lazy(self, y: __m512i, w: SplitFactor, m: &Multiples<__m512i>) -> __m512i {
        let mut product = [y];
        self.products(&mut product, &[w], m);
        self.add(product[0], self.add(m.q, m.q2))
    }
    #[inline(always)]
    fn forward_butterflies<const LEVEL: u8>(
        self,
        x: &mut [__m512i; 4],
        y: &mut [__m512i; 4],
        w: &[SplitFactor; 4],
        m: &Multiples<__m512i>,
    ) {
        self.products(y, w, m);
        for i in 0..4 {
            (x[i], y[i]) = (self.add(x[i], y[i]), self.sub(x[i], y[i]));
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
        for i in 0..4 {
            let difference = self.sub(x[i], y[i]);
            x[i] = self.add(x[i], y[i]);
            if LEVEL == ALL || (LEVEL == HALF && i < 2) {
                x[i] = self.step_down(x[i], m);
            }
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
        (
            self.mul_shoup_lazy(self.add(x, y), s, m),
            self.mul_shoup_lazy(self.sub(x, y), w, m),
        )
    }
    fn in_forward_window(word: u64, q: u64) -> bool {
        (word as i64).unsigned_abs() < 120 * q
    }
    fn in_inverse_window(word: u64, q: u64) -> bool {
        (word as i64).unsigned_abs() < 64 * q.next_power_of_two()
    }
    #[inline(always)]
    fn canonical_product(self, x: __m512i, m: &Multiples<__m512i>) -> __m512i {
        let q8 = self.add(m.bound, m.bound);
        let x = self.reduce_once(self.reduce_once(x, q8), m.bound);
        self.reduce_once(self.reduce_once(x, m.q2), m.q)
    }
    #[inline(always)]
    fn canonical(self, x: __m512i, m: &Multiples<__m512i>) -> __m512i {
        self.reduce_once(self.lazy(x, m), m.q)
    }
    /// Below 2q.
    #[inline(always)]
    fn lazy(self, x: __m512i, m: &Multiples<__m512i>) -> __m512i {
        const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        with_token!({
            let ratio = _mm512_fmsub_pd(
                _mm512_cvtepi64_pd(x),
                _mm512_castsi512_pd(m.reciprocal),
                _mm512_set1_pd(SLACK),
            );
            let quotient = _mm512_cvt_roundpd_epi64::<DOWN>(ratio);
            _mm512_sub_epi64(x, _mm512_mullo_epi64(quotient, m.q))
        })
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u64>) -> Self::Barrett {
        self.unsigned().barrett(q)
    }
    #[inline(always)]
    fn mul_lazy(
        self,
        x: __m512i,
        y: __m512i,
        b: &Self::Barrett,
        m: &Multiples<__m512i>,
    ) -> __m512i {
        self.unsigned().mul_lazy(x, y, b, m)
    }
}
