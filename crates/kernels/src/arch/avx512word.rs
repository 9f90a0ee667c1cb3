//! AVX-512 F and DQ for 64-bit words: q < 2^61, and a wider window for q < 2^60.
//!
//! 64-bit products are those of `avx2` (three 32-bit products for a high word that is at most 2
//! too small, hence products below 4q and q < 2^61), with the low words from one instruction.
//! Corrections are an unsigned minimum.
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

use super::avx512::{complete, Avx512, Plain};
use super::barrett::Barrett;
use super::word_wide::{Below60, Window};
use crate::vector::{Lanes, Modular, Multiples, FIRST, HALF, SECOND, TWICE};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;

impl Plain for Below60 {}

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
            offset: self.splat(match M::ROOMY {
                true if 1 << shift <= 3 * q => 8 * q,
                true => 10 * q,
                false => 4 * q,
            }),
            reciprocal: self.splat(Self::quotient(modulus, 1)),
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
        for i in 0..4 {
            let sum = self.add(x[i], y[i]);
            let difference = self.add(x[i], self.sub(m.offset, y[i]));
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
