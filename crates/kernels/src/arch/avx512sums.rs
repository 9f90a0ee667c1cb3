//! Sums of products on AVX-512, and with IFMA.
//!
//! On IFMA, below 2^50, the lower and the upper 52 bits of products are summed in two words:
//! fifteen of them and a word stay below 2^56 and, with the carry, 2^52. Their total is two Shoup
//! products, by 2^52 and by 1.

use super::{avx512::Avx512, avx512ifma::Avx512Ifma, block};
use crate::sums::{
    Bits, Halves, Reorder, Stored, SumKernel, Sums, WeightedSums, MOST_PRODUCTS, PIECES,
};
use crate::vector::{Lanes, Modular, Multiples, Twiddle};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;

/// Runs a kernel with AVX-512 enabled.
#[target_feature(enable = "avx512f,avx512dq")]
pub fn enter_avx512<V: WeightedSums, K: SumKernel>(v: V, kernel: K) {
    kernel.run(v);
}

/// Runs a kernel with AVX-512 and IFMA enabled.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub fn enter_ifma<V: WeightedSums, K: SumKernel>(v: V, kernel: K) {
    kernel.run(v);
}

impl<M: Copy> Reorder for Avx512<u64, M> {
    /// Lanes; what is above their three bits is not looked at.
    type Order = __m512i;

    #[inline(always)]
    fn order(self, positions: &[u32]) -> __m512i {
        with_token!({
            let positions = _mm256_loadu_si256(block::<u32, 8>(positions).as_ptr().cast());
            _mm512_cvtepu32_epi64(positions)
        })
    }
    #[inline(always)]
    fn reorder(self, x: __m512i, order: __m512i) -> __m512i {
        with_token!(_mm512_permutexvar_epi64(order, x))
    }
}

impl<M: Copy> Stored for Avx512<u64, M> {
    type Short = [u32; 8];

    #[inline(always)]
    fn shorts(words: &[u32]) -> &[[u32; 8]] {
        words.as_chunks().0
    }
    #[inline(always)]
    fn shorts_mut(words: &mut [u32]) -> &mut [[u32; 8]] {
        words.as_chunks_mut().0
    }
    #[inline(always)]
    fn load_short(self, block: &[u32; 8]) -> __m512i {
        with_token!(_mm512_cvtepu32_epi64(_mm256_loadu_si256(
            block.as_ptr().cast()
        )))
    }
    #[inline(always)]
    fn store_short(self, reg: __m512i, block: &mut [u32; 8]) {
        with_token!(_mm256_storeu_si256(
            block.as_mut_ptr().cast(),
            _mm512_cvtepi64_epi32(reg)
        ))
    }
}

impl<M: Copy> Bits for Avx512<u64, M> {
    type Count = __m128i;

    #[inline(always)]
    fn and(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_and_si512(x, y))
    }
    #[inline(always)]
    fn count(self, bits: u32) -> __m128i {
        with_token!(_mm_cvtsi64_si128(bits.into()))
    }
    #[inline(always)]
    fn shift_right(self, x: __m512i, bits: __m128i) -> __m512i {
        with_token!(_mm512_srl_epi64(x, bits))
    }
}

impl Halves for Avx512<u64> {
    #[inline(always)]
    fn mul_halves(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_mul_epu32(x, y))
    }
    #[inline(always)]
    fn shift_left(self, x: __m512i, bits: __m128i) -> __m512i {
        with_token!(_mm512_sll_epi64(x, bits))
    }
}

/// What the total of a sum on IFMA needs: the factors 2^52 and 1.
#[derive(Clone, Copy)]
pub struct IfmaConstants {
    multiples: Multiples<__m512i>,
    radix: Twiddle<__m512i>,
    one: Twiddle<__m512i>,
    /// Of q.
    bits: u32,
}

impl Sums for Avx512Ifma<50> {
    type Lanes = Self;
    type Sum = [__m512i; 2];
    type Constants = IfmaConstants;

    fn most_products(_: u32) -> usize {
        MOST_PRODUCTS
    }
    #[inline(always)]
    fn lanes(self) -> Self {
        self
    }
    #[inline(always)]
    fn constants(self, q: &Modulus<u64>) -> IfmaConstants {
        let [radix, one] = [q.reduce(1 << 52), 1].map(|value| Shoup {
            value,
            quotient: Self::quotient(q, value),
        });
        IfmaConstants {
            multiples: self.multiples(q),
            radix: self.factor(radix),
            one: self.factor(one),
            bits: q.bits(),
        }
    }
    #[inline(always)]
    fn start(self, first: __m512i) -> [__m512i; 2] {
        [first, self.splat(0)]
    }
    #[inline(always)]
    fn add_product(
        self,
        [low, high]: [__m512i; 2],
        x: __m512i,
        y: __m512i,
        _: &IfmaConstants,
    ) -> [__m512i; 2] {
        with_token!([
            _mm512_madd52lo_epu64(low, x, y),
            _mm512_madd52hi_epu64(high, x, y)
        ])
    }
    #[inline(always)]
    fn total(self, [low, high]: [__m512i; 2], c: &IfmaConstants) -> __m512i {
        let (high, low) = with_token!((
            _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low)),
            _mm512_and_si512(low, _mm512_set1_epi64((1 << 52) - 1))
        ));
        let high = self.mul_shoup_lazy(high, c.radix, &c.multiples);
        let low = self.mul_shoup_lazy(low, c.one, &c.multiples);
        let sum = self.reduce_once(self.add(high, low), c.multiples.q2);
        self.reduce_once(sum, c.multiples.q)
    }
}

/// Bits that a product on IFMA looks at.
const LOOKED_AT: u32 = 52;

/// Weights on IFMA: of a word's lower 52 bits, which need no mask, and of what is above.
#[derive(Clone, Copy)]
pub struct IfmaWeights {
    lower: __m512i,
    upper: __m512i,
    above: Above,
}

/// What is above the lower 52 bits.
#[derive(Clone, Copy)]
enum Above {
    Nothing,
    /// So few bits that products with them have no upper word.
    Few,
    Some,
}

/// The upper words' sum has to stay below 2^52 with the carry of the lower ones, of which there are two
/// for an operand at most.
impl WeightedSums for Avx512Ifma<50> {
    type Weights = IfmaWeights;

    fn cut(bits: u32) -> u32 {
        bits.min(LOOKED_AT)
    }
    fn fits(modulus: u32, operands: &[u32]) -> bool {
        let uppers = operands.iter().map(|&bits| {
            let above = (bits + modulus).saturating_sub(2 * LOOKED_AT);
            (1_u64 << (bits.min(LOOKED_AT) + modulus).saturating_sub(LOOKED_AT)) + (1 << above)
        });
        let carry = 2 * operands.len() as u64 + 1;
        uppers.sum::<u64>() + carry < 1 << LOOKED_AT
    }
    #[inline(always)]
    fn weights(self, bits: u32, weights: &[u64; PIECES], c: &IfmaConstants) -> IfmaWeights {
        let above = bits.saturating_sub(LOOKED_AT);
        IfmaWeights {
            lower: self.splat(weights[0]),
            upper: self.splat(weights[1]),
            above: match above {
                0 => Above::Nothing,
                _ if above + c.bits <= LOOKED_AT => Above::Few,
                _ => Above::Some,
            },
        }
    }
    #[inline(always)]
    fn add_weighted(
        self,
        sum: [__m512i; 2],
        x: __m512i,
        of: &IfmaWeights,
        c: &IfmaConstants,
    ) -> [__m512i; 2] {
        let [low, high] = self.add_product(sum, x, of.lower, c);
        match of.above {
            Above::Nothing => [low, high],
            Above::Few => with_token!({
                let above = _mm512_srli_epi64::<LOOKED_AT>(x);
                [_mm512_madd52lo_epu64(low, above, of.upper), high]
            }),
            Above::Some => {
                let above = with_token!(_mm512_srli_epi64::<LOOKED_AT>(x));
                self.add_product([low, high], above, of.upper, c)
            }
        }
    }
}
