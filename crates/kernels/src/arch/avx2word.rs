//! AVX2 for 64-bit words: q < 2^61.
//!
//! There is no 64-bit product and no unsigned 64-bit comparison. The high word of a product is
//! put together from three 32-bit products without the lowest one and without carries; it is at
//! most 2 too small, so a Shoup product is below 4q, the forward window is 8q, and q < 2^61.
//! Conditional subtractions look at the sign bit: what is subtracted, and what is left, is below 2^63.
//!
//! **Below 2^60** a word holds 16q. A forward butterfly of the first kind brings x below 8q and leaves
//! words below 12q; the level after it corrects nothing and leaves words below 16q. In the inverse two
//! corrections at one level would take the place of one at each of two.
//!
//! The low word of y w - h q takes the middle products of y w and of h q from one 32-bit product
//! of both halves each, their operands' halves exchanged; the two halves are added up once for both.
//!
//! Bound, in instructions (four a cycle at best on Zen 3): a Shoup product is 18 (upper half of y,
//! three 32-bit products, two shifts, two sums; four products, two differences, a shift, a mask and
//! two sums), a butterfly 21, a correction 2: 5.75 cycles with one. At N = 2^14 that is 52 us at 3.2 GHz;
//! taken are 77 forward and 80 inverse, about three instructions a cycle.

use super::avx2::Avx2;
use super::barrett::Barrett;
use super::word_wide::Window;
use crate::vector::{Lanes, Modular, Multiples, FIRST, SECOND};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;

/// A factor with its Shoup quotient, their halves where products want them.
#[derive(Clone, Copy)]
pub struct SplitFactor {
    /// The factor.
    value: __m256i,
    /// The factor with its halves exchanged.
    swapped: __m256i,
    /// Its quotient.
    quotient: __m256i,
    /// The upper half of the quotient; what is above it has no meaning.
    high: __m256i,
}

impl Avx2<u64> {
    /// Moduli are below 2 to this.
    pub const MODULUS_BITS: u32 = 61;
}

impl<M: Window> Avx2<u64, M> {
    /// Half of what forward butterflies take: 8q or 4q.
    #[inline(always)]
    fn half_window(self, m: &Multiples<__m256i>) -> __m256i {
        match M::ROOMY {
            true => self.add(m.bound, m.bound),
            false => m.bound,
        }
    }

    /// The halves of each word exchanged.
    #[inline(always)]
    fn swap(self, x: __m256i) -> __m256i {
        with_token!(_mm256_shuffle_epi32::<0xB1>(x))
    }

    /// The high word of the product, at most 2 too small; `y1` has the upper halves of y.
    #[inline(always)]
    fn mul_high_by(self, x: __m256i, y: __m256i, y1: __m256i) -> __m256i {
        with_token!({
            let x1 = _mm256_srli_epi64::<32>(x);
            let cross0 = _mm256_srli_epi64::<32>(multiply_halves(x1, y));
            let cross1 = _mm256_srli_epi64::<32>(multiply_halves(x, y1));
            let high = multiply_halves(x1, y1);
            _mm256_add_epi64(_mm256_add_epi64(cross0, cross1), high)
        })
    }

    /// The high word of the product, at most 2 too small.
    #[inline(always)]
    fn mul_high_approximate(self, x: __m256i, y: __m256i) -> __m256i {
        self.mul_high_by(x, y, with_token!(_mm256_srli_epi64::<32>(y)))
    }

    /// The low word of a b - c d, from b and d and the same with their halves exchanged.
    #[inline(always)]
    fn mul_sub_low(self, a: __m256i, b: [__m256i; 2], c: __m256i, d: [__m256i; 2]) -> __m256i {
        with_token!({
            let low = _mm256_sub_epi64(multiply_halves(a, b[0]), multiply_halves(c, d[0]));
            let cross = _mm256_sub_epi32(_mm256_mullo_epi32(a, b[1]), _mm256_mullo_epi32(c, d[1]));
            let upper = _mm256_and_si256(cross, _mm256_set1_epi64x(!0 << 32));
            let low = _mm256_add_epi64(low, _mm256_slli_epi64::<32>(cross));
            _mm256_add_epi64(low, upper)
        })
    }
}

/// The products of the lower halves of the lanes. Written out, because the compiler makes a product
/// of whole lanes of the intrinsic, three times as long, where it has forgotten what is in the
/// upper halves.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply_halves(x: __m256i, y: __m256i) -> __m256i {
    let product;
    // SAFETY: a multiplication of registers, available with AVX2.
    unsafe {
        std::arch::asm!(
            "vpmuludq {0}, {1}, {2}",
            lateout(ymm_reg) product,
            in(ymm_reg) x,
            in(ymm_reg) y,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    product
}

impl<M: Window> Modular for Avx2<u64, M> {
    const QUOTIENT_BITS: u32 = 64;
    const PRODUCT_BOUND: u32 = 4;
    const FEW_REGISTERS: bool = true;
    type Factor = SplitFactor;
    type Barrett = Barrett<__m256i>;

    #[inline(always)]
    fn factor(self, w: Shoup<u64>) -> SplitFactor {
        let value = self.splat(w.value);
        SplitFactor {
            value,
            swapped: self.swap(value),
            quotient: self.splat(w.quotient),
            high: with_token!(_mm256_set1_epi32((w.quotient >> 32) as i32)),
        }
    }
    #[inline(always)]
    fn factors<const G: usize>(self, values: &[u64], quotients: &[u64]) -> SplitFactor {
        let (value, quotient) = (self.spread::<G>(values), self.spread::<G>(quotients));
        SplitFactor {
            value,
            swapped: self.swap(value),
            quotient,
            high: with_token!(_mm256_srli_epi64::<32>(quotient)),
        }
    }
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
    fn mul_shoup_lazy(self, y: __m256i, w: SplitFactor, m: &Multiples<__m256i>) -> __m256i {
        let quotient = self.mul_high_by(y, w.quotient, w.high);
        self.mul_sub_low(y, [w.value, w.swapped], quotient, [m.q, self.swap(m.q)])
    }
    #[inline(always)]
    fn forward_butterfly<const LEVEL: u8>(
        self,
        x: __m256i,
        y: __m256i,
        w: SplitFactor,
        m: &Multiples<__m256i>,
    ) -> (__m256i, __m256i) {
        let x = if LEVEL == FIRST || (LEVEL == SECOND && !M::ROOMY) {
            self.reduce_once(x, self.half_window(m))
        } else {
            x
        };
        let t = self.mul_shoup_lazy(y, w, m);
        (self.add(x, t), self.add(x, self.sub(m.bound, t)))
    }
    #[inline(always)]
    fn canonical(self, x: __m256i, m: &Multiples<__m256i>) -> __m256i {
        self.canonical_product(self.lazy(x, m), m)
    }
    #[inline(always)]
    fn lazy(self, x: __m256i, m: &Multiples<__m256i>) -> __m256i {
        let x = if M::ROOMY {
            self.reduce_once(x, self.half_window(m))
        } else {
            x
        };
        self.reduce_once(x, m.bound)
    }
    fn in_forward_window(word: u64, q: u64) -> bool {
        M::ROOMY || word < 8 * q
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
        self.mul_sub_low(x, [y, self.swap(y)], quotient, [m.q, self.swap(m.q)])
    }
}
