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
use super::avx2limbs::{digits, lane, limbs, packed, Planes, WideFactor, LIMB, MASK, MASK2, RADIX};
use crate::vector::{Lanes, Modular, Multiples, FIRST};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;

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
    /// and its negative; `offset` q by 60 bits; `reciprocal` 1/q modulo R, and 2^102 / q, a double;
    /// `steps` and `shift` the digits of q and of -q.
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
