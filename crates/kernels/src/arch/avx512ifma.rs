//! AVX-512 with IFMA: 52-bit multiply-add on the 64-bit lanes of `avx512`, for q < 2^50.
//!
//! The forward transform is computed modulo 2^52: the multiplier reads the low 52 bits of a lane,
//! so whatever carries have left above them may stay there. A forward butterfly is then seven
//! instructions: two to correct x, three for x + t with t = y w - h q, one for 2q + 2x, one to
//! subtract x + t from it. With clean words it would be nine.
//!
//! Forward window (low 52 bits): below 2^51 + 2q <= 2^52. The correction subtracts 2q when bit 51
//! is set, which leaves x below 2^51; t is below 2q for any 52-bit y, so x + t and x - t + 2q are
//! in the window again. The inverse transform and pointwise kernels keep clean words, products are
//! below 2q.
//!
//! Moduli below 2^46 leave room for 64 q. There the forward transform needs no correction at all
//! (4q, and 2q more for each of 17 levels: 38q), five instructions a butterfly. The inverse
//! transform computes modulo 2^52 as well and corrects the sums of every other level: words below
//! 4q, sums below 8q, then sums below 16q which are brought below 2q.
//!
//! Dropped: x + t and x - t + 2q from t itself (one instruction more, five cycles earlier; no
//! faster); the window modulo 2^52 for the inverse, whose differences need 2^51 to be a multiple
//! of q.

use super::avx512::Avx512;
use super::barrett::Barrett;
use crate::error::MAX_LOG_N;
use crate::isa::Isa;
use crate::vector::{twiddle_factors, Kernel, Lanes, Modular, Multiples, Twiddle, REDUCED, TWICE};
use ringwright_arith::Modulus;
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Arithmetic modulo q < 2^BITS by 52-bit multiply-add; `BITS` is 46 or 50.
#[derive(Clone, Copy, Debug)]
pub struct Below<const BITS: u32>;

/// Proof that AVX-512 with IFMA was detected.
pub type Avx512Ifma<const BITS: u32> = Avx512<u64, Below<BITS>>;

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn enter<V: Modular, K: Kernel<V::Word>>(v: V, kernel: K) {
    kernel.run(v);
}

impl<const BITS: u32> Avx512Ifma<BITS> {
    /// Whether corrections can be left out.
    const ROOMY: bool = BITS <= 46;

    /// The token, where the machine has AVX-512 with IFMA.
    pub fn new() -> Option<Self> {
        Isa::Avx512Ifma.is_available().then_some(Self(PhantomData))
    }

    /// Runs a kernel with AVX-512 and IFMA enabled.
    pub fn enter<K: Kernel<u64>>(self, kernel: K) {
        // SAFETY: the token proves that the machine has AVX-512 F, DQ and IFMA.
        unsafe { enter(self, kernel) }
    }

    /// sum + the low 52 bits of the product of the low 52 bits.
    #[inline(always)]
    fn add_low(self, sum: __m512i, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_madd52lo_epu64(sum, x, y))
    }

    /// The high 52 bits of the product of the low 52 bits.
    #[inline(always)]
    fn high(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_madd52hi_epu64(_mm512_setzero_si512(), x, y))
    }

    /// The low 52 bits.
    #[inline(always)]
    fn clean(self, x: __m512i) -> __m512i {
        with_token!(_mm512_and_si512(x, _mm512_set1_epi64((1 << 52) - 1)))
    }

    /// sum + y w - h q modulo 2^52: what is added is below 2q.
    #[inline(always)]
    fn add_shoup(
        self,
        sum: __m512i,
        y: __m512i,
        w: Twiddle<__m512i>,
        m: &Multiples<__m512i>,
    ) -> __m512i {
        let quotient = self.high(y, w.quotient);
        self.add_low(self.add_low(sum, y, w.value), quotient, self.negate(m.q))
    }

    /// 8q, which fits where `ROOMY`.
    #[inline(always)]
    fn eight(self, m: &Multiples<__m512i>) -> __m512i {
        let q4 = self.add(m.q2, m.q2);
        self.add(q4, q4)
    }

    #[inline(always)]
    fn negate(self, x: __m512i) -> __m512i {
        self.sub(self.splat(0), x)
    }
}

impl<const BITS: u32> Modular for Avx512Ifma<BITS> {
    const QUOTIENT_BITS: u32 = 52;
    const PRODUCT_BOUND: u32 = 2;
    type Barrett = Barrett<__m512i>;
    twiddle_factors!();

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
    fn mul_shoup_lazy(self, y: __m512i, w: Twiddle<__m512i>, m: &Multiples<__m512i>) -> __m512i {
        self.clean(self.add_shoup(self.splat(0), y, w, m))
    }
    #[inline(always)]
    fn forward_butterfly<const LEVEL: u8>(
        self,
        x: __m512i,
        y: __m512i,
        w: Twiddle<__m512i>,
        m: &Multiples<__m512i>,
    ) -> (__m512i, __m512i) {
        let two = self.splat(2);
        let x = if LEVEL != REDUCED && !Self::ROOMY {
            // The high half of 2x is bit 51 of x.
            self.add_low(x, self.high(x, two), self.negate(m.q2))
        } else {
            x
        };
        let sum = self.add_shoup(x, y, w, m);
        let difference = self.sub(self.add_low(m.q2, x, two), sum);
        (sum, difference)
    }
    /// The seven instructions of four butterflies side by side: the reorder window then holds
    /// enough independent work for the multiplier's four cycles.
    #[inline(always)]
    fn forward_butterflies<const LEVEL: u8>(
        self,
        x: &mut [__m512i; 4],
        y: &mut [__m512i; 4],
        w: &[Twiddle<__m512i>; 4],
        m: &Multiples<__m512i>,
    ) {
        let (two, minus_q, minus_2q) = (self.splat(2), self.negate(m.q), self.negate(m.q2));
        let (mut top, mut quotient, mut twice) = (*x, *x, *x);
        let correct = LEVEL != REDUCED && !Self::ROOMY;
        for i in 0..4 {
            if correct {
                top[i] = self.high(x[i], two);
            }
            quotient[i] = self.high(y[i], w[i].quotient);
        }
        for i in 0..4 {
            if correct {
                x[i] = self.add_low(x[i], top[i], minus_2q);
            }
        }
        for i in 0..4 {
            twice[i] = self.add_low(m.q2, x[i], two);
            x[i] = self.add_low(x[i], y[i], w[i].value);
        }
        for i in 0..4 {
            x[i] = self.add_low(x[i], quotient[i], minus_q);
        }
        for i in 0..4 {
            y[i] = self.sub(twice[i], x[i]);
        }
        with_token!(super::avx512::complete(x, y));
    }
    fn in_forward_window(word: u64, q: u64) -> bool {
        let bound = if Self::ROOMY {
            (4 + 2 * u64::from(MAX_LOG_N)) * q
        } else {
            (1 << 51) + 2 * q
        };
        word % (1 << 52) < bound
    }
    fn in_inverse_window(word: u64, q: u64) -> bool {
        if Self::ROOMY {
            word % (1 << 52) < 4 * q
        } else {
            word < 2 * q
        }
    }
    #[inline(always)]
    fn inverse_butterflies<const LEVEL: u8>(
        self,
        x: &mut [__m512i; 4],
        y: &mut [__m512i; 4],
        w: &[Twiddle<__m512i>; 4],
        m: &Multiples<__m512i>,
    ) {
        if !Self::ROOMY {
            for i in 0..4 {
                (x[i], y[i]) = self.inverse_butterfly::<LEVEL>(x[i], y[i], w[i], m);
            }
            return;
        }
        let (zero, minus_q, q8) = (self.splat(0), self.negate(m.q), self.eight(m));
        let mut sum = *x;
        for i in 0..4 {
            sum[i] = self.add(x[i], y[i]);
            y[i] = self.add(x[i], self.sub(q8, y[i]));
            x[i] = self.high(y[i], w[i].quotient);
        }
        for i in 0..4 {
            y[i] = self.add_low(zero, y[i], w[i].value);
            y[i] = self.add_low(y[i], x[i], minus_q);
            x[i] = sum[i];
        }
        for i in 0..4 {
            if LEVEL != TWICE {
                x[i] = self.add_low(sum[i], self.high(sum[i], m.reciprocal), minus_q);
            }
        }
        with_token!(super::avx512::complete(x, y));
    }
    #[inline(always)]
    fn scaled_butterfly(
        self,
        x: __m512i,
        y: __m512i,
        s: Twiddle<__m512i>,
        w: Twiddle<__m512i>,
        m: &Multiples<__m512i>,
    ) -> (__m512i, __m512i) {
        let offset = if Self::ROOMY { self.eight(m) } else { m.bound };
        let difference = self.add(x, self.sub(offset, y));
        (
            self.mul_shoup_lazy(self.add(x, y), s, m),
            self.mul_shoup_lazy(difference, w, m),
        )
    }
    #[inline(always)]
    fn canonical(self, x: __m512i, m: &Multiples<__m512i>) -> __m512i {
        let quotient = self.high(x, m.reciprocal);
        let remainder = self.add_low(x, quotient, self.negate(m.q));
        self.reduce_once(self.clean(remainder), m.q)
    }
    #[inline(always)]
    fn lazy(self, x: __m512i, m: &Multiples<__m512i>) -> __m512i {
        let quotient = self.high(x, m.reciprocal);
        self.clean(self.add_low(x, quotient, self.negate(m.q)))
    }
    #[inline(always)]
    fn canonical_all(self, x: &mut [__m512i; 8], m: &Multiples<__m512i>) {
        let (minus_q, mut quotient) = (self.negate(m.q), *x);
        for i in 0..8 {
            quotient[i] = self.high(x[i], m.reciprocal);
        }
        for i in 0..8 {
            x[i] = self.add_low(x[i], quotient[i], minus_q);
        }
        for x in x {
            *x = self.reduce_once(self.clean(*x), m.q);
        }
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u64>) -> Self::Barrett {
        Barrett::new(self, q, 52)
    }
    #[inline(always)]
    fn mul_lazy(
        self,
        x: __m512i,
        y: __m512i,
        b: &Self::Barrett,
        m: &Multiples<__m512i>,
    ) -> __m512i {
        let top = with_token!(self.high(_mm512_sllv_epi64(x, b.shift), _mm512_add_epi64(y, y)));
        let quotient = self.high(top, b.reciprocal);
        let product = self.add_low(self.splat(0), x, y);
        self.clean(self.add_low(product, quotient, self.negate(m.q)))
    }
}
