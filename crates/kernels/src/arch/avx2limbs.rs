//! Words of 128 bits as limbs of 30 bits on AVX2: products, carries, and memory's form.
//! [`avx2wide`](super::avx2wide) says what limbs and digits are, and why no lane overflows.

use super::avx2::Avx2;
use super::block;
use crate::vector::{Lanes, Multiples};
use std::arch::x86_64::*;

/// Four words: of a transform by their planes, others as in memory.
pub(super) type Planes = [__m256i; 2];

/// Bits of a limb.
pub(super) const LIMB: u32 = 30;
pub(super) const RADIX: i64 = 1 << LIMB;
pub(super) const MASK: i64 = RADIX - 1;
const HALF: i64 = RADIX / 2;
/// Two limbs.
pub(super) const MASK2: i64 = (1 << (2 * LIMB)) - 1;
/// What makes a column positive.
const POSITIVE: i64 = i64::MIN;
/// The carry of that.
const CARRIED: i64 = 1 << 33;
/// What makes a column positive, which gets such a carry.
const COLUMN: i64 = (i64::MAX - CARRIED) + 1;
/// Of a mantissa, in the lowest place an integer has in doubles.
const MANTISSA: f64 = (1_u64 << 52) as f64;

/// The limbs of u and v, each in the lower halves of its lanes.
#[derive(Clone, Copy)]
pub struct WideFactor {
    pub(super) u: [__m256i; 4],
    pub(super) v: [__m256i; 4],
}

/// The limbs of x, within 2^119, all but the upper one within half of R.
pub(super) fn limbs(x: i128) -> [i32; 4] {
    let mut rest = x;
    let mut next = || {
        let limb = ((rest + i128::from(HALF)) & i128::from(MASK)) as i64 - HALF;
        rest = (rest - i128::from(limb)) >> LIMB;
        limb as i32
    };
    let lower = [next(), next(), next()];
    [lower[0], lower[1], lower[2], rest as i32]
}

/// The digits of x, all but the upper one from 0 to R - 1.
pub(super) fn digits(x: i128) -> [i32; 4] {
    let digit = |i: u32| (x >> (i * LIMB)) as i64;
    let lower = [0, 1, 2].map(|i| (digit(i) & MASK) as i32);
    [lower[0], lower[1], lower[2], digit(3) as i32]
}

/// A word with limbs where planes have them.
pub(super) fn packed(limbs: [i32; 4]) -> u128 {
    let [a, b, c, d] = limbs.map(|limb| u128::from(limb as u32));
    a | c << 32 | b << 64 | d << 96
}

/// A lane of two halves.
pub(super) const fn lane(low: i64, high: i64) -> i64 {
    (low & 0xFFFF_FFFF) | high << 32
}

impl Avx2<u128> {
    /// Whether there are transforms modulo q.
    pub fn serves(q: u128) -> bool {
        let bits = u128::BITS - q.leading_zeros();
        if !(112..=120).contains(&bits) {
            return false;
        }
        let [_, b, c, _] = limbs(q as i128);
        [b, c].iter().all(|limb| i64::from(limb.abs()) <= HALF - 2)
    }

    #[inline(always)]
    pub(super) fn all(self, x: i64) -> __m256i {
        with_token!(_mm256_set1_epi64x(x))
    }

    #[inline(always)]
    pub(super) fn each_added(self, x: Planes, y: Planes) -> Planes {
        with_token!([_mm256_add_epi32(x[0], y[0]), _mm256_add_epi32(x[1], y[1])])
    }

    #[inline(always)]
    pub(super) fn each_subtracted(self, x: Planes, y: Planes) -> Planes {
        with_token!([_mm256_sub_epi32(x[0], y[0]), _mm256_sub_epi32(x[1], y[1])])
    }

    /// Signed products of the lower halves.
    #[inline(always)]
    fn mul(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_mul_epi32(x, y))
    }

    /// The upper halves in the lower.
    #[inline(always)]
    fn upper(self, x: __m256i) -> __m256i {
        with_token!(_mm256_shuffle_epi32::<0xF5>(x))
    }

    /// The lower halves of x and y in one.
    #[inline(always)]
    fn joined(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_blend_epi32::<0xAA>(x, _mm256_slli_epi64::<32>(y)))
    }

    /// c - m q from column `FROM` on.
    #[inline(always)]
    fn subtract<const FROM: usize>(self, c: &mut [__m256i; 5], m: __m256i, q: &Multiples<Planes>) {
        let limbs = [q.q[0], q.q[1], q.q2[0], q.q2[1]];
        for i in 0..4 {
            c[FROM + i] = with_token!(_mm256_sub_epi64(c[FROM + i], self.mul(m, limbs[i])));
        }
    }

    /// a u + b v.
    #[inline(always)]
    fn pair(self, a: __m256i, u: __m256i, b: __m256i, v: __m256i) -> __m256i {
        with_token!(_mm256_add_epi64(self.mul(a, u), self.mul(b, v)))
    }

    /// x + y, positive, and half of R more where limbs are rounded.
    #[inline(always)]
    fn column<const ROUNDED: bool>(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!({
            let sum = _mm256_add_epi64(x, y);
            _mm256_add_epi64(sum, self.all(COLUMN + if ROUNDED { HALF } else { 0 }))
        })
    }

    /// y + x / R.
    #[inline(always)]
    fn carried(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_add_epi64(y, _mm256_srli_epi64::<30>(x)))
    }

    /// y w modulo q, within (1/2 + 2^-8) q, its lower limbs within half of R if `ROUNDED`, else digits.
    #[inline(always)]
    pub(super) fn product<const ROUNDED: bool>(
        self,
        y: Planes,
        w: WideFactor,
        m: &Multiples<Planes>,
    ) -> Planes {
        let (u, v) = (w.u, w.v);
        let [y0, y1, y2, y3] = [y[0], y[1], self.upper(y[0]), self.upper(y[1])];
        let mut c = [
            self.pair(y0, u[0], y2, v[0]),
            self.column::<ROUNDED>(self.pair(y0, u[1], y2, v[1]), self.pair(y1, u[0], y3, v[0])),
            self.column::<ROUNDED>(self.pair(y0, u[2], y2, v[2]), self.pair(y1, u[1], y3, v[1])),
            self.column::<ROUNDED>(self.pair(y0, u[3], y2, v[3]), self.pair(y1, u[2], y3, v[2])),
            self.pair(y1, u[3], y3, v[3]),
        ];
        with_token!({
            let low = _mm256_and_si256(self.mul(c[0], m.reciprocal[0]), self.all(MASK));
            self.subtract::<0>(&mut c, low, m);
            c[1] = self.carried(_mm256_add_epi64(c[0], self.all(POSITIVE)), c[1]);
            let high = self.quotient(self.carried(c[3], c[4]), m);
            self.subtract::<1>(&mut c, high, m);
            c[2] = self.carried(c[1], c[2]);
            c[3] = self.carried(c[2], c[3]);
            c[4] = self.carried(c[3], c[4]);
            let even = _mm256_and_si256(self.joined(c[1], c[3]), self.all(lane(MASK, MASK)));
            let odd = _mm256_and_si256(self.joined(c[2], c[4]), self.all(lane(MASK, -1)));
            if !ROUNDED {
                return [even, odd];
            }
            let halves = [self.all(lane(HALF, HALF)), self.all(lane(HALF, 0))];
            self.each_subtracted([even, odd], halves)
        })
    }

    /// The quotient of 2^90 x by q, rounded, where x is too large by `CARRIED`; in the lower halves.
    #[inline(always)]
    fn quotient(self, x: __m256i, m: &Multiples<Planes>) -> __m256i {
        const MIDDLE: f64 = 1.5 * MANTISSA;
        with_token!({
            // The sign, turned over, and the exponent.
            let integer = self.all(MIDDLE.to_bits() as i64);
            let x = _mm256_xor_si256(_mm256_srli_epi64::<12>(x), integer);
            let offset = _mm256_set1_pd(MIDDLE + (CARRIED >> 12) as f64);
            let x = _mm256_sub_pd(_mm256_castsi256_pd(x), offset);
            let inverse = _mm256_castsi256_pd(m.reciprocal[1]);
            _mm256_castpd_si256(_mm256_fmadd_pd(x, inverse, _mm256_set1_pd(MIDDLE)))
        })
    }

    /// Where the upper limb is above half of q, and where it is below its negative: in whole lanes.
    #[inline(always)]
    pub(super) fn beyond(self, x: Planes, m: &Multiples<Planes>) -> (__m256i, __m256i) {
        with_token!((
            self.upper(_mm256_cmpgt_epi32(x[1], m.bound[0])),
            self.upper(_mm256_cmpgt_epi32(m.bound[1], x[1])),
        ))
    }

    /// The carries of signed limbs, rounded, and what they leave.
    #[inline(always)]
    fn carries(self, x: __m256i) -> (__m256i, __m256i) {
        with_token!({
            let lower = _mm256_slli_epi32::<2>(x);
            let rounds_up = _mm256_srai_epi32::<31>(lower);
            let carry = _mm256_sub_epi32(_mm256_srai_epi32::<30>(x), rounds_up);
            (carry, _mm256_srai_epi32::<2>(lower))
        })
    }

    /// A word within 8/5 q made normal.
    #[inline(always)]
    pub(super) fn normal(self, x: Planes, m: &Multiples<Planes>) -> Planes {
        with_token!({
            let (even_carry, even) = self.carries(x[0]);
            let (odd_carry, odd) = self.carries(x[1]);
            let odd = _mm256_blend_epi32::<0xAA>(odd, x[1]);
            let even = _mm256_add_epi32(even, _mm256_slli_epi64::<32>(odd_carry));
            let odd = _mm256_add_epi32(odd, even_carry);
            let above = _mm256_cmpgt_epi32(odd, m.bound[0]);
            let below = _mm256_cmpgt_epi32(m.bound[1], odd);
            let times = self.upper(_mm256_sub_epi32(below, above));
            self.each_subtracted(
                [even, odd],
                [
                    _mm256_sign_epi32(m.q[0], times),
                    _mm256_sign_epi32(m.q[1], times),
                ],
            )
        })
    }

    /// x in lanes whose choice has its uppermost bit, else y.
    #[inline(always)]
    fn chosen(self, choice: __m256i, x: __m256i, y: __m256i) -> __m256i {
        with_token!({
            let (x, y) = (_mm256_castsi256_pd(x), _mm256_castsi256_pd(y));
            _mm256_castpd_si256(_mm256_blendv_pd(y, x, _mm256_castsi256_pd(choice)))
        })
    }

    /// A word within 3/2 q brought within (1/2 + 2^-8) q, and its lower limbs, from 0 to 2 R + 6, from 0
    /// to R + 2.
    #[inline(always)]
    pub(super) fn in_digits(self, x: Planes, m: &Multiples<Planes>) -> Planes {
        with_token!({
            let above = _mm256_cmpgt_epi32(x[1], m.bound[0]);
            let below = _mm256_cmpgt_epi32(m.bound[1], x[1]);
            let mut multiple = [self.all(0); 2];
            for (multiple, (plus, minus)) in multiple.iter_mut().zip(m.steps.iter().zip(&m.shift)) {
                *multiple = self.chosen(below, *plus, *multiple);
                *multiple = self.chosen(above, *minus, *multiple);
            }
            let [even, odd] = self.each_added(x, multiple);
            let even_carry = _mm256_srli_epi32::<30>(even);
            let odd_carry = _mm256_slli_epi64::<32>(_mm256_srli_epi32::<30>(odd));
            let even = _mm256_and_si256(even, self.all(lane(MASK, MASK)));
            let odd = _mm256_and_si256(odd, self.all(lane(MASK, -1)));
            self.each_added([even, odd], [odd_carry, even_carry])
        })
    }

    /// The digits of a word in memory's form.
    #[inline(always)]
    pub(super) fn split(self, x: Planes) -> Planes {
        let [low, high] = self.halves(x);
        with_token!({
            let third = _mm256_or_si256(
                _mm256_and_si256(_mm256_srli_epi64::<28>(low), self.all(lane(0, 15))),
                _mm256_slli_epi64::<36>(high),
            );
            let even = _mm256_blend_epi32::<0xAA>(low, third);
            let odd = _mm256_blend_epi32::<0xAA>(
                _mm256_srli_epi64::<30>(low),
                _mm256_slli_epi64::<6>(high),
            );
            [
                _mm256_and_si256(even, self.all(lane(MASK, MASK))),
                _mm256_and_si256(odd, self.all(lane(MASK, -1))),
            ]
        })
    }

    /// The carry of lanes of two limbs.
    #[inline(always)]
    fn carried_twice(self, [low, high]: Planes) -> Planes {
        with_token!([
            _mm256_and_si256(low, self.all(MASK2)),
            _mm256_add_epi64(high, _mm256_srli_epi64::<60>(low)),
        ])
    }

    /// A word in [0, q), in memory's form, from its planes and a multiple of q in two lanes of 60 bits,
    /// whose sum is above -q and below q.
    #[inline(always)]
    pub(super) fn whole(self, x: Planes, plus: Planes, m: &Multiples<Planes>) -> Planes {
        with_token!({
            let (one, radix) = (self.all(1), self.all(RADIX));
            let low = self.pair(x[0], one, x[1], radix);
            let high = self.pair(self.upper(x[0]), one, self.upper(x[1]), radix);
            // The lower part is within 2^62.
            let low = _mm256_add_epi64(_mm256_add_epi64(low, plus[0]), self.all(1 << 62));
            let high = _mm256_add_epi64(_mm256_add_epi64(high, plus[1]), self.all(-4));
            let [low, high] = self.carried_twice([low, high]);
            let negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), high);
            let [low, high] = self.carried_twice([
                _mm256_add_epi64(low, _mm256_and_si256(negative, m.offset[0])),
                _mm256_add_epi64(high, _mm256_and_si256(negative, m.offset[1])),
            ]);
            let low = _mm256_or_si256(low, _mm256_slli_epi64::<60>(high));
            let high = _mm256_srli_epi64::<4>(high);
            let (a, b) = (
                _mm256_unpacklo_epi64(low, high),
                _mm256_unpackhi_epi64(low, high),
            );
            [
                _mm256_permute2x128_si256::<0x20>(a, b),
                _mm256_permute2x128_si256::<0x31>(a, b),
            ]
        })
    }

    /// The lower and the upper halves of words in memory's form.
    #[inline(always)]
    fn halves(self, [a, b]: Planes) -> Planes {
        with_token!({
            let first = _mm256_permute2x128_si256::<0x20>(a, b);
            let second = _mm256_permute2x128_si256::<0x31>(a, b);
            [
                _mm256_unpacklo_epi64(first, second),
                _mm256_unpackhi_epi64(first, second),
            ]
        })
    }

    /// The limbs of packed words, each in `G` neighbouring lanes.
    #[inline(always)]
    pub(super) fn limbs_of<const G: usize>(self, words: &[u128]) -> [__m256i; 4] {
        let [even, odd] = match G {
            1 => self.halves(self.load(block(words))),
            2 => with_token!({
                let two = _mm256_loadu_si256(block::<u128, 2>(words).as_ptr().cast());
                [
                    _mm256_unpacklo_epi64(two, two),
                    _mm256_unpackhi_epi64(two, two),
                ]
            }),
            _ => unreachable!("no groups of {G} in 4 lanes"),
        };
        [even, odd, self.upper(even), self.upper(odd)]
    }

    /// The limbs of one packed word, in all lanes.
    #[inline(always)]
    pub(super) fn limbs_in_all(self, word: u128) -> [__m256i; 4] {
        with_token!([
            _mm256_set1_epi32(word as i32),
            _mm256_set1_epi32((word >> 64) as i32),
            _mm256_set1_epi32((word >> 32) as i32),
            _mm256_set1_epi32((word >> 96) as i32),
        ])
    }

    /// Word by word: pointwise kernels of this width do not come here.
    #[inline(always)]
    pub(super) fn each_word(self, x: Planes, y: Planes, f: impl Fn(u128, u128) -> u128) -> Planes {
        let (mut words, mut others) = ([0; 4], [0; 4]);
        self.store(x, &mut words);
        self.store(y, &mut others);
        for (word, other) in words.iter_mut().zip(others) {
            *word = f(*word, other);
        }
        self.load(&words)
    }
}
