//! AVX2 for 64-bit words: q < 2^61.
//!
//! There is no 64-bit product and no unsigned 64-bit comparison. The high word of a product is
//! put together from three 32-bit products without the lowest one and without carries; it is at
//! most 2 too small, so a Shoup product is below 4q, the forward window is 8q, and q < 2^61.
//! Conditional subtractions look at the sign bit: all bounds are below 2^63.

use super::avx2::Avx2;
use super::barrett::Barrett;
use crate::vector::{twiddle_factors, Modular, Multiples, Twiddle};
use ringwright_arith::Modulus;
use std::arch::x86_64::*;

/// Arithmetic modulo any modulus that the word carries.
#[derive(Clone, Copy, Debug)]
pub struct WordWide;

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
