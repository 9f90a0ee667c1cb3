//! AVX2 with FMA for q < 2^50: transforms and products on doubles that hold integers.
//!
//! A factor w is kept balanced, |w| < q/2, beside w/q rounded. For an integer y with |y| <= 2^52,
//! h = y w rounded and c = y w/q rounded to an integer, t = y w - c q is put together from
//! d = h - c q and l = y w - h, each one fused instruction without a rounding error:
//!
//! - c comes from y (w/q) + M by adding and subtracting M = 3/2 2^52, so |c| must be below 2^51. The
//!   error of w/q is at most 2^-54, so c is off by at most 1/2 + |y| 2^-54, and |t| by that times q.
//! - l is an integer, the error of a rounding: at most 2^-53 |h| <= q/4.
//! - d is an integer too, t - l, and below 2^53 with |t| and |l| below q: exact; so is d + l = t.
//!
//! Rounding is to nearest, the state every program starts in. Sums are exact below 2^53. With
//! q < 2^BITS and words bounded by b q, |t| is at most (1/2 + b 2^(BITS-54)) q, and y has b = 2^(52 -
//! BITS) at most.
//!
//! **Below 2^48** (b <= 16) no forward level corrects: 1 in front, 4 where the input is lazy, and
//! 1/2 + b/64 more for each of 17 levels come to 14.9. Inverse sums are corrected at levels of the
//! kind `ALL` alone: words are below 2q after a pass, 9q before the root.
//!
//! **Below 2^50** (b <= 4) forward levels of the first kind correct x: 1.3q after them, 2.2q after
//! the second. Inverse sums are corrected at every second level: below q after a pass, 3q before
//! the root.
//!
//! The input has its words under the mantissa of 2^52. At the end a word, reduced to the nearest
//! multiple of q, plus q and 2^52 has the result in its mantissa; one conditional subtraction
//! follows.
//!
//! Bound, on Zen 3 (two multipliers and two adders beside them): a butterfly is 4 products and 4
//! sums, two cycles; correcting the first of every two levels makes it 9.5 instructions. At N = 2^14
//! two cycles are 18 us at 3.2 GHz; taken are 42 below 2^48 and 46 below 2^50. Sweeps store two
//! registers a butterfly, where one a cycle can be stored, and alone take three cycles; radix-4
//! columns in registers store half as often and wait for their own results, no faster.

use super::avx2::Avx2;
use crate::vector::{twiddle_factors, Lanes, Modular, Multiples, Twiddle, ALL, FIRST, TWICE};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Arithmetic on doubles modulo q < 2^BITS; `BITS` is 48 or 50.
#[derive(Clone, Copy, Debug)]
pub struct Double<const BITS: u32>;

/// Adding it rounds to an integer.
const ROUND: f64 = 1.5 * MANTISSA;
/// 2^52: an integer below it, added, is the mantissa.
const MANTISSA: f64 = (1_u64 << 52) as f64;

impl<const BITS: u32> Avx2<u64, Double<BITS>> {
    /// Whether corrections can be left out.
    const ROOMY: bool = BITS <= 48;

    /// The arithmetic on integers.
    fn integers(self) -> Avx2<u64> {
        Avx2(PhantomData)
    }

    #[inline(always)]
    fn real(self, x: __m256i) -> __m256d {
        with_token!(_mm256_castsi256_pd(x))
    }

    /// x factor, rounded to an integer.
    #[inline(always)]
    fn rounded(self, x: __m256d, factor: __m256d) -> __m256d {
        with_token!({
            let round = _mm256_set1_pd(ROUND);
            _mm256_sub_pd(_mm256_fmadd_pd(x, factor, round), round)
        })
    }

    /// x y - c q, from c and the rounded product.
    #[inline(always)]
    fn remainder(
        self,
        x: __m256d,
        y: __m256d,
        product: __m256d,
        c: __m256d,
        m: &Multiples<__m256i>,
    ) -> __m256d {
        with_token!({
            let lost = _mm256_fmsub_pd(x, y, product);
            _mm256_add_pd(_mm256_fnmadd_pd(c, self.real(m.steps), product), lost)
        })
    }

    /// A number congruent to y w.
    #[inline(always)]
    fn product(self, y: __m256d, w: Twiddle<__m256i>, m: &Multiples<__m256i>) -> __m256d {
        let value = self.real(w.value);
        let product = with_token!(_mm256_mul_pd(y, value));
        let c = self.rounded(y, self.real(w.quotient));
        self.remainder(y, value, product, c, m)
    }

    /// x without the nearest multiple of q.
    #[inline(always)]
    fn reduce(self, x: __m256d, m: &Multiples<__m256i>) -> __m256d {
        let c = self.rounded(x, self.real(m.reciprocal));
        with_token!(_mm256_fnmadd_pd(c, self.real(m.steps), x))
    }

    /// The integer x + q, which is in [0, 2^52).
    #[inline(always)]
    fn raised(self, x: __m256d, m: &Multiples<__m256i>) -> __m256i {
        with_token!({
            let mantissa = _mm256_set1_pd(MANTISSA);
            let sum = _mm256_add_pd(x, _mm256_add_pd(self.real(m.steps), mantissa));
            _mm256_castpd_si256(_mm256_xor_pd(sum, mantissa))
        })
    }

    #[inline(always)]
    fn sum_and_difference(self, x: __m256d, y: __m256d) -> (__m256d, __m256d) {
        with_token!((_mm256_add_pd(x, y), _mm256_sub_pd(x, y)))
    }

    #[inline(always)]
    fn bits(self, (x, y): (__m256d, __m256d)) -> (__m256i, __m256i) {
        with_token!((_mm256_castpd_si256(x), _mm256_castpd_si256(y)))
    }
}

impl<const BITS: u32> Modular for Avx2<u64, Double<BITS>> {
    const QUOTIENT_BITS: u32 = 64;
    const PRODUCT_BOUND: u32 = 2;
    const FEW_REGISTERS: bool = true;
    type Barrett = ();
    twiddle_factors!();

    fn prepared(modulus: &Modulus<u64>, w: u64) -> Shoup<u64> {
        let q = modulus.value();
        let balanced = if w > q / 2 { w.wrapping_sub(q) } else { w } as i64 as f64;
        Shoup {
            value: balanced.to_bits(),
            quotient: (balanced / q as f64).to_bits(),
        }
    }
    /// `reciprocal` is 1/q and `steps` q, as doubles.
    #[inline(always)]
    fn multiples(self, modulus: &Modulus<u64>) -> Multiples<__m256i> {
        let q = modulus.value();
        Multiples {
            reciprocal: self.splat((1.0 / q as f64).to_bits()),
            steps: self.splat((q as f64).to_bits()),
            bound: self.splat(2 * q),
            ..self.integers().multiples(modulus)
        }
    }
    #[inline(always)]
    fn begin(self, x: __m256i, _: &Multiples<__m256i>) -> __m256i {
        with_token!({
            let mantissa = _mm256_set1_pd(MANTISSA);
            let sum = _mm256_or_pd(_mm256_castsi256_pd(x), mantissa);
            _mm256_castpd_si256(_mm256_sub_pd(sum, mantissa))
        })
    }
    #[inline(always)]
    fn finish(self, x: __m256i, _: bool, m: &Multiples<__m256i>) -> __m256i {
        let reduced = self.reduce(self.real(x), m);
        self.reduce_once(self.raised(reduced, m), m.q)
    }
    #[inline(always)]
    fn forward_butterfly<const LEVEL: u8>(
        self,
        x: __m256i,
        y: __m256i,
        w: Twiddle<__m256i>,
        m: &Multiples<__m256i>,
    ) -> (__m256i, __m256i) {
        let x = self.real(x);
        let x = if LEVEL == FIRST && !Self::ROOMY {
            self.reduce(x, m)
        } else {
            x
        };
        let t = self.product(self.real(y), w, m);
        self.bits(self.sum_and_difference(x, t))
    }
    #[inline(always)]
    fn inverse_butterfly<const LEVEL: u8>(
        self,
        x: __m256i,
        y: __m256i,
        w: Twiddle<__m256i>,
        m: &Multiples<__m256i>,
    ) -> (__m256i, __m256i) {
        let (sum, difference) = self.sum_and_difference(self.real(x), self.real(y));
        let sum = if LEVEL == ALL || (LEVEL != TWICE && !Self::ROOMY) {
            self.reduce(sum, m)
        } else {
            sum
        };
        self.bits((sum, self.product(difference, w, m)))
    }
    /// Integers below 2q.
    #[inline(always)]
    fn scaled_butterfly(
        self,
        x: __m256i,
        y: __m256i,
        s: Twiddle<__m256i>,
        w: Twiddle<__m256i>,
        m: &Multiples<__m256i>,
    ) -> (__m256i, __m256i) {
        let (sum, difference) = self.sum_and_difference(self.real(x), self.real(y));
        (
            self.raised(self.product(sum, s, m), m),
            self.raised(self.product(difference, w, m), m),
        )
    }
    fn in_forward_window(word: u64, q: u64) -> bool {
        let bound = if Self::ROOMY { 15.0 } else { 4.0 };
        f64::from_bits(word).abs() < bound * q as f64
    }
    fn in_inverse_window(word: u64, q: u64) -> bool {
        // Words that the root has brought to [0, q) are integers, which read as tiny doubles.
        f64::from_bits(word).abs() < if Self::ROOMY { 2.0 } else { 1.0 } * q as f64
    }
    #[inline(always)]
    fn reduce_once(self, x: __m256i, m: __m256i) -> __m256i {
        self.integers().reduce_once(x, m)
    }
    #[inline(always)]
    fn at_least(self, x: __m256i, bound: __m256i, value: __m256i) -> __m256i {
        self.integers().at_least(x, bound, value)
    }
    #[inline(always)]
    fn mul_shoup_lazy(self, y: __m256i, w: Twiddle<__m256i>, m: &Multiples<__m256i>) -> __m256i {
        let y = self.real(self.begin(y, m));
        self.raised(self.product(y, w, m), m)
    }
    #[inline(always)]
    fn barrett(self, _: &Modulus<u64>) {}
    /// The quotient is that of the rounded product; with x and y below q it is off by 1/2 + 1/4.
    #[inline(always)]
    fn mul_lazy(self, x: __m256i, y: __m256i, (): &(), m: &Multiples<__m256i>) -> __m256i {
        let (x, y) = (self.real(self.begin(x, m)), self.real(self.begin(y, m)));
        let product = with_token!(_mm256_mul_pd(x, y));
        let c = self.rounded(product, self.real(m.reciprocal));
        self.raised(self.remainder(x, y, product, c, m), m)
    }
}
