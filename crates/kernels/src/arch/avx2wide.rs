//! AVX2 with FMA for words of 128 bits: four signed limbs of 30 bits, for q of 112 to 120 bits.
//!
//! A register is two planes of four words: the limbs 0 and 2 in the halves of a 64-bit lane, 1 and 3
//! in those of another. Products read the lower halves; sums and differences of words are those of
//! halves. Between the first and the last level memory holds planes, a word is in no one place.
//!
//! With R = 2^30 a factor w is two numbers, u = w R and v = w R^3 modulo q, both within q/2, and a
//! product is p = (y0 + y1 R) u + (y2 + y3 R) v: 16 products of limbs in five columns. It loses 30 bits
//! from below (Montgomery: m = p q^-1 mod R is in the lowest column, p - m q is a multiple of R) and 30
//! from above (Barrett: h is the quotient by q, in doubles). What is left is t = y w modulo q, its limbs
//! within half of R.
//!
//! - Columns: |y_i| <= 2^31 and factors within 2^29 make four products 2^62; m q_i <= 2^60 and
//!   h q_i < 2^61 more are below 2^63. With 2^63 added, a column is positive and is shifted as such.
//! - h: |p - m q| < 2^61 q, so |h| < 2^31. The upper column with the carry of the next, in units of
//!   2^102, is a double exactly; with q > 2^111 that leaves |t| < (1/2 + 2^-8) q.
//!
//! A word is made *normal*: each limb loses its carry to the next, and the upper one tells which
//! multiple of q, of -1, 0 and 1, to take off. Limbs are then within two units of 2^29. Forward words,
//! normal at levels of the first kind, grow by t at these and at the second, to four units, which is
//! what a half holds; therefore the middle limbs of q stay 2 below the largest. Their values are within
//! 3/2 q and, as what is beyond half of q returns, 2^-7 q more at each of nine levels: 8/5 q, and the
//! upper limb below 2^31.
//!
//! Inverse butterflies hold *digits*: products leave their lower limbs from 0 to R - 1, without an offset,
//! and a sum loses its carries as unsigned halves, by a shift. Sums are below 2 R + 6 in each half and, with
//! the digits of q or -q, below 3 R + 6; a carry is 3 at most, so differences are within R + 2.
//!
//! Bound, in instructions (three a cycle at best on Golden Cove, four on Zen 3 and 4): 2 for the limbs of y;
//! 16 products and 11 sums; 13 from below and 14 from above; 3 offsets; 14 for carries and planes; 4 for
//! sum and difference: 77 a butterfly of four words, and 22 for a word to be made normal, at every second
//! level. An inverse butterfly has 75 and 15. At N = 2^14 and 3.5 GHz that is 182 and 184 us on a Zen 4;
//! taken are 321 forward and 324 inverse (350 with rounded limbs), by the scalar body 661. What waits is the
//! scheduler: its 64 places are full nine cycles of ten, says a model of the pipeline that meets the time of
//! a loop within 2 %.
//!
//! Dropped: Shoup's quotients (30 products for 25, and words below 4q that four halves do not hold);
//! limbs of 40 bits in doubles (33 fused products, each limb with a sum of its own); two butterflies
//! side by side (their columns leave the registers: a sixth longer); eight butterflies stage by stage, with
//! columns in memory (2 % less, for levels of eight blocks and more); digits in forward butterflies (a word
//! grows twice there: one more than a half holds).
//!
//! Smaller moduli would leave the upper limb too few bits to tell a quotient by; they and the larger
//! ones have the scalar body, as do pointwise kernels.

use super::avx2::Avx2;
use super::block;
use crate::vector::{Lanes, Modular, Multiples, FIRST};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;

/// Four words: of a transform by their planes, others as in memory.
type Planes = [__m256i; 2];

/// Bits of a limb.
const LIMB: u32 = 30;
const RADIX: i64 = 1 << LIMB;
const MASK: i64 = RADIX - 1;
const HALF: i64 = RADIX / 2;
/// Two limbs.
const MASK2: i64 = (1 << (2 * LIMB)) - 1;
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
    u: [__m256i; 4],
    v: [__m256i; 4],
}

/// The limbs of x, within 2^119, all but the upper one within half of R.
fn limbs(x: i128) -> [i32; 4] {
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
fn digits(x: i128) -> [i32; 4] {
    let digit = |i: u32| (x >> (i * LIMB)) as i64;
    let lower = [0, 1, 2].map(|i| (digit(i) & MASK) as i32);
    [lower[0], lower[1], lower[2], digit(3) as i32]
}

/// A word with limbs where planes have them.
fn packed(limbs: [i32; 4]) -> u128 {
    let [a, b, c, d] = limbs.map(|limb| u128::from(limb as u32));
    a | c << 32 | b << 64 | d << 96
}

/// A lane of two halves.
const fn lane(low: i64, high: i64) -> i64 {
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
    fn all(self, x: i64) -> __m256i {
        with_token!(_mm256_set1_epi64x(x))
    }

    #[inline(always)]
    fn each_added(self, x: Planes, y: Planes) -> Planes {
        with_token!([_mm256_add_epi32(x[0], y[0]), _mm256_add_epi32(x[1], y[1])])
    }

    #[inline(always)]
    fn each_subtracted(self, x: Planes, y: Planes) -> Planes {
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
    fn product<const ROUNDED: bool>(
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
    fn beyond(self, x: Planes, m: &Multiples<Planes>) -> (__m256i, __m256i) {
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
    fn normal(self, x: Planes, m: &Multiples<Planes>) -> Planes {
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

    /// A word within 3/2 q brought within (1/2 + 2^-8) q, and its lower limbs, from 0 to 2 R + 6, from 0 to R + 2.
    #[inline(always)]
    fn in_digits(self, x: Planes, m: &Multiples<Planes>) -> Planes {
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
    fn split(self, x: Planes) -> Planes {
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
    fn whole(self, x: Planes, plus: Planes, m: &Multiples<Planes>) -> Planes {
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
    fn limbs_of<const G: usize>(self, words: &[u128]) -> [__m256i; 4] {
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
    fn limbs_in_all(self, word: u128) -> [__m256i; 4] {
        with_token!([
            _mm256_set1_epi32(word as i32),
            _mm256_set1_epi32((word >> 64) as i32),
            _mm256_set1_epi32((word >> 32) as i32),
            _mm256_set1_epi32((word >> 96) as i32),
        ])
    }

    /// Word by word: pointwise kernels of this width do not come here.
    #[inline(always)]
    fn each_word(self, x: Planes, y: Planes, f: impl Fn(u128, u128) -> u128) -> Planes {
        let (mut words, mut others) = ([0; 4], [0; 4]);
        self.store(x, &mut words);
        self.store(y, &mut others);
        for (word, other) in words.iter_mut().zip(others) {
            *word = f(*word, other);
        }
        self.load(&words)
    }
}

impl Lanes for Avx2<u128> {
    type Word = u128;
    type Reg = Planes;
    type Block = [u128; 4];
    const LANES: usize = 4;

    #[inline(always)]
    fn blocks(words: &[u128]) -> (&[[u128; 4]], &[u128]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [u128]) -> (&mut [[u128; 4]], &mut [u128]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[u128; 4]]) -> &[u128] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[u128; 4]) -> Planes {
        with_token!({
            let words = block.as_ptr().cast::<__m256i>();
            [_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1))]
        })
    }
    #[inline(always)]
    fn store(self, reg: Planes, block: &mut [u128; 4]) {
        with_token!({
            let words = block.as_mut_ptr().cast::<__m256i>();
            _mm256_storeu_si256(words, reg[0]);
            _mm256_storeu_si256(words.add(1), reg[1]);
        });
    }
    #[inline(always)]
    fn splat(self, word: u128) -> Planes {
        self.load(&[word; 4])
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[u128]) -> Planes {
        self.load(&std::array::from_fn(|i| words[i / G]))
    }
    #[inline(always)]
    fn add(self, x: Planes, y: Planes) -> Planes {
        self.each_word(x, y, u128::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, x: Planes, y: Planes) -> Planes {
        self.each_word(x, y, u128::wrapping_sub)
    }
    /// Of planes.
    #[inline(always)]
    fn exchange<const G: usize>(self, mut x: Planes, mut y: Planes) -> (Planes, Planes) {
        for i in 0..2 {
            (x[i], y[i]) = with_token!(match G {
                2 => (
                    _mm256_permute2x128_si256::<0x20>(x[i], y[i]),
                    _mm256_permute2x128_si256::<0x31>(x[i], y[i])
                ),
                1 => (
                    _mm256_unpacklo_epi64(x[i], y[i]),
                    _mm256_unpackhi_epi64(x[i], y[i])
                ),
                _ => unreachable!("no groups of {G} in 4 lanes"),
            });
        }
        (x, y)
    }
    #[inline(always)]
    fn interleave(self, x: Planes, y: Planes) -> (Planes, Planes) {
        let (low, high) = self.exchange::<2>(x, y);
        ([low[0], high[0]], [low[1], high[1]])
    }
    #[inline(always)]
    fn deinterleave(self, a: Planes, b: Planes) -> (Planes, Planes) {
        self.exchange::<2>([a[0], b[0]], [a[1], b[1]])
    }
}

impl Modular for Avx2<u128> {
    const QUOTIENT_BITS: u32 = u128::BITS;
    const PRODUCT_BOUND: u32 = 1;
    const FEW_REGISTERS: bool = true;
    type Factor = WideFactor;
    type Barrett = Modulus<u128>;

    fn prepared(modulus: &Modulus<u128>, w: u128) -> Shoup<u128> {
        let shifted = |bits: u32| {
            let factor = modulus.mul(modulus.reduce(1 << bits), w);
            packed(limbs(modulus.centred(factor)))
        };
        Shoup {
            value: shifted(LIMB),
            quotient: shifted(3 * LIMB),
        }
    }
    #[inline(always)]
    fn factor(self, w: Shoup<u128>) -> WideFactor {
        WideFactor {
            u: self.limbs_in_all(w.value),
            v: self.limbs_in_all(w.quotient),
        }
    }
    #[inline(always)]
    fn factors<const G: usize>(self, values: &[u128], quotients: &[u128]) -> WideFactor {
        WideFactor {
            u: self.limbs_of::<G>(values),
            v: self.limbs_of::<G>(quotients),
        }
    }
    /// `q` has the planes of q, and `q2` its limbs 2 and 3 for products; `bound` half of the upper limb
    /// and its negative; `offset` q by 60 bits; `reciprocal` 1/q modulo R, and 2^102 / q, a double; `steps` and
    /// `shift` the digits of q and of -q.
    #[inline(always)]
    fn multiples(self, modulus: &Modulus<u128>) -> Multiples<Planes> {
        let q = modulus.value();
        let [_, _, q2, q3] = limbs(q as i128);
        let (q2, q3) = (i64::from(q2), i64::from(q3));
        let planes = |limbs| {
            let word = packed(limbs);
            [self.all(word as i64), self.all((word >> 64) as i64)]
        };
        // Each step doubles the bits that are right, at first three.
        let inverse = (0..4).fold(q as u64, |x, _| {
            x.wrapping_mul(2_u64.wrapping_sub((q as u64).wrapping_mul(x)))
        });
        let half = q3 / 2;
        Multiples {
            q: planes(limbs(q as i128)),
            q2: [self.all(q2), self.all(q3)],
            bound: [self.all(lane(half, half)), self.all(lane(-half, -half))],
            offset: [
                self.all(q as i64 & MASK2),
                self.all((q >> (2 * LIMB)) as i64),
            ],
            reciprocal: [
                self.all(inverse as i64 & MASK),
                self.all(((1_u128 << 102) as f64 / q as f64).to_bits() as i64),
            ],
            steps: planes(digits(q as i128)),
            shift: planes(digits(-(q as i128))),
        }
    }
    /// Words below 2q.
    #[inline(always)]
    fn begin(self, x: Planes, m: &Multiples<Planes>) -> Planes {
        self.normal(self.each_subtracted(self.split(x), m.q), m)
    }
    /// Words below 2q.
    #[inline(always)]
    fn begin_inverse(self, x: Planes, m: &Multiples<Planes>) -> Planes {
        self.in_digits(self.each_added(self.split(x), m.shift), m)
    }
    #[inline(always)]
    fn finish(self, x: Planes, _: bool, m: &Multiples<Planes>) -> Planes {
        self.canonical(x, m)
    }
    #[inline(always)]
    fn forward_butterfly<const LEVEL: u8>(
        self,
        x: Planes,
        y: Planes,
        w: WideFactor,
        m: &Multiples<Planes>,
    ) -> (Planes, Planes) {
        let x = if LEVEL == FIRST { self.normal(x, m) } else { x };
        let t = self.product::<true>(y, w, m);
        (self.each_added(x, t), self.each_subtracted(x, t))
    }
    #[inline(always)]
    fn inverse_butterfly<const LEVEL: u8>(
        self,
        x: Planes,
        y: Planes,
        w: WideFactor,
        m: &Multiples<Planes>,
    ) -> (Planes, Planes) {
        let sum = self.in_digits(self.each_added(x, y), m);
        let difference = self.each_subtracted(x, y);
        (sum, self.product::<false>(difference, w, m))
    }
    #[inline(always)]
    fn scaled_butterfly(
        self,
        x: Planes,
        y: Planes,
        s: WideFactor,
        w: WideFactor,
        m: &Multiples<Planes>,
    ) -> (Planes, Planes) {
        // R less and one more in the next limb: the sum as products take it.
        let borrowed = [
            self.all(lane(-RADIX, 1 - RADIX)),
            self.all(lane(1 - RADIX, 1)),
        ];
        let sum = self.each_added(self.each_added(x, y), borrowed);
        let difference = self.each_subtracted(x, y);
        (
            self.product::<false>(sum, s, m),
            self.product::<false>(difference, w, m),
        )
    }
    /// Planes are not words.
    fn in_forward_window(_: u128, _: u128) -> bool {
        true
    }
    fn in_inverse_window(_: u128, _: u128) -> bool {
        true
    }
    #[inline(always)]
    fn canonical_product(self, x: Planes, m: &Multiples<Planes>) -> Planes {
        self.whole(x, [self.all(0); 2], m)
    }
    #[inline(always)]
    fn canonical(self, x: Planes, m: &Multiples<Planes>) -> Planes {
        let (above, below) = self.beyond(x, m);
        let mut plus = m.offset;
        for plus in &mut plus {
            *plus = with_token!(_mm256_sub_epi64(
                _mm256_and_si256(below, *plus),
                _mm256_and_si256(above, *plus)
            ));
        }
        self.whole(x, plus, m)
    }
    #[inline(always)]
    fn reduce_once(self, x: Planes, m: Planes) -> Planes {
        self.each_word(x, m, ringwright_arith::Word::subtract_once)
    }
    #[inline(always)]
    fn at_least(self, x: Planes, bound: Planes, value: Planes) -> Planes {
        let below = self.each_word(x, bound, |x, bound| {
            <u128 as ringwright_arith::Word>::mask(!x.overflowing_sub(bound).1)
        });
        self.each_word(below, value, |mask, value| mask & value)
    }
    #[inline(always)]
    fn mul_shoup_lazy(self, y: Planes, w: WideFactor, m: &Multiples<Planes>) -> Planes {
        self.canonical_product(self.product::<false>(self.begin(y, m), w, m), m)
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u128>) -> Modulus<u128> {
        *q
    }
    #[inline(always)]
    fn mul_lazy(self, x: Planes, y: Planes, b: &Modulus<u128>, _: &Multiples<Planes>) -> Planes {
        self.each_word(x, y, |x, y| b.mul(x, y))
    }
}
