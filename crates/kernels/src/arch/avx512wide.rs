//! AVX-512 with IFMA for words of 128 bits: three limbs of 52 bits, for 2^104 < q < 2^120.
//!
//! A register is three: limb i of eight words. In memory a word stays a `u128`, so loads and stores
//! take it apart and put it together.
//!
//! Quotients are w' = floor(w 2^128 / q), 28 bits to the left: the upper three limbs of y w' are then
//! floor(y w' / 2^128). They are summed from the columns that reach them, the lower ones are left
//! out: at most 6 too small, so t = y w - h q < 8q. A forward butterfly adds y w and h (2^156 - q) to
//! x where they arise and takes the sum from 2x + 8q.
//!
//! Bound, in instructions of ports 0 and 5: 9 for the quotient and 4 for its carries, 18 for the
//! sum, 7 for its carries, 15 for the difference: 53 a butterfly of eight words.
//!
//! Forward window: 2q at first and 8q for each of 17 levels are below 2^8 q < 2^128: nothing is
//! corrected. Inverse window: sums of two products are below 16q; two levels later, below 64q, their
//! upper limb tells the quotient by q, and 4q are left. Inside eight registers the fourth level
//! corrects, and at the root, below 128q, nothing does.
//!
//! Smaller moduli would leave that limb empty; they and the larger ones have the scalar body, as do
//! pointwise kernels.

use super::avx512::Avx512;
use super::block;
use crate::error::MAX_LOG_N;
use crate::isa::Isa;
use crate::vector::{Kernel, Lanes, Modular, Multiples, ALL, HALF};
use ringwright_arith::{Modulus, Shoup};
use std::arch::x86_64::*;

/// Proof that AVX-512 with IFMA was detected.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Wide(Avx512<u64>);

/// Eight words by their limbs, lowest first.
type Limbs = [__m512i; 3];

/// Bits of a limb.
const LIMB: u32 = 52;
const MASK: u64 = (1 << LIMB) - 1;

/// A factor and its quotient, 28 bits to the left.
#[derive(Clone, Copy)]
pub struct WideFactor {
    value: Limbs,
    quotient: Limbs,
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn enter<V: Modular, K: Kernel<V::Word>>(v: V, kernel: K) {
    kernel.run(v);
}

impl Avx512Wide {
    /// Moduli have more bits than the lower and no more than the upper.
    pub const MODULUS_BITS: std::ops::RangeInclusive<u32> = 105..=120;

    /// The token, where the machine has AVX-512 with IFMA.
    pub fn new() -> Option<Self> {
        let words = <Avx512<u64>>::new()?;
        Isa::Avx512Ifma.is_available().then_some(Self(words))
    }

    /// Runs a kernel with AVX-512 and IFMA enabled.
    pub fn enter<K: Kernel<u128>>(self, kernel: K) {
        // SAFETY: the token proves that the machine has AVX-512 F, DQ and IFMA.
        unsafe { enter(self, kernel) }
    }

    #[inline(always)]
    fn low(self, sum: __m512i, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_madd52lo_epu64(sum, x, y))
    }

    #[inline(always)]
    fn high(self, sum: __m512i, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_madd52hi_epu64(sum, x, y))
    }

    #[inline(always)]
    fn zero(self) -> __m512i {
        with_token!(_mm512_setzero_si512())
    }

    #[inline(always)]
    fn mask(self, x: __m512i) -> __m512i {
        with_token!(_mm512_and_si512(x, _mm512_set1_epi64(MASK as i64)))
    }

    /// Limbs of words whose halves are given.
    #[inline(always)]
    fn split(self, low: __m512i, high: __m512i) -> Limbs {
        with_token!([
            self.mask(low),
            self.mask(_mm512_or_si512(
                _mm512_srli_epi64::<52>(low),
                _mm512_slli_epi64::<12>(high)
            )),
            _mm512_srli_epi64::<40>(high),
        ])
    }

    /// Limbs of 2^28 times words whose halves are given.
    #[inline(always)]
    fn split_left(self, low: __m512i, high: __m512i) -> Limbs {
        with_token!([
            self.mask(_mm512_slli_epi64::<28>(low)),
            self.mask(_mm512_or_si512(
                _mm512_srli_epi64::<24>(low),
                _mm512_slli_epi64::<40>(high)
            )),
            _mm512_srli_epi64::<12>(high),
        ])
    }

    /// The halves of words, each in `G` neighbouring lanes.
    #[inline(always)]
    fn halves<const G: usize>(self, words: &[u128]) -> (__m512i, __m512i) {
        with_token!(match G {
            1 => {
                let words = block::<u128, 8>(words).as_ptr().cast::<__m512i>();
                let (a, b) = (_mm512_loadu_si512(words), _mm512_loadu_si512(words.add(1)));
                self.0.deinterleave(a, b)
            }
            2 => {
                let a = _mm512_loadu_si512(block::<u128, 4>(words).as_ptr().cast());
                (
                    _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 2, 2, 4, 4, 6, 6), a),
                    _mm512_permutexvar_epi64(_mm512_setr_epi64(1, 1, 3, 3, 5, 5, 7, 7), a),
                )
            }
            4 => {
                let two = _mm256_loadu_si256(block::<u128, 2>(words).as_ptr().cast());
                let a = _mm512_castsi256_si512(two);
                (
                    _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 0, 0, 2, 2, 2, 2), a),
                    _mm512_permutexvar_epi64(_mm512_setr_epi64(1, 1, 1, 1, 3, 3, 3, 3), a),
                )
            }
            _ => unreachable!("no groups of {G} in 8 lanes"),
        })
    }

    #[inline(always)]
    fn splat_limbs(self, limbs: [u64; 3]) -> Limbs {
        let [a, b, c] = limbs;
        [self.0.splat(a), self.0.splat(b), self.0.splat(c)]
    }

    /// x + y without carries.
    #[inline(always)]
    fn each_added(self, x: Limbs, y: Limbs) -> Limbs {
        let v = self.0;
        [v.add(x[0], y[0]), v.add(x[1], y[1]), v.add(x[2], y[2])]
    }

    /// x - y without carries.
    #[inline(always)]
    fn each_subtracted(self, x: Limbs, y: Limbs) -> Limbs {
        let v = self.0;
        [v.sub(x[0], y[0]), v.sub(x[1], y[1]), v.sub(x[2], y[2])]
    }

    /// Carries, signed; the upper limb keeps what is above it.
    #[inline(always)]
    fn carried(self, [a, b, c]: Limbs) -> Limbs {
        with_token!({
            let b = _mm512_add_epi64(b, _mm512_srai_epi64::<52>(a));
            let c = _mm512_add_epi64(c, _mm512_srai_epi64::<52>(b));
            [self.mask(a), self.mask(b), c]
        })
    }

    /// Carries modulo 2^156.
    #[inline(always)]
    fn wrapped(self, x: Limbs) -> Limbs {
        let [a, b, c] = self.carried(x);
        [a, b, self.mask(c)]
    }

    /// The upper three of six limbs of y w', at most 6 too small.
    #[inline(always)]
    fn quotient_of(self, y: Limbs, w: Limbs) -> Limbs {
        let zero = self.zero();
        let a = self.low(self.high(zero, y[0], w[2]), y[1], w[2]);
        let a2 = self.low(self.high(zero, y[1], w[1]), y[2], w[1]);
        let a = self.0.add(self.high(a, y[2], w[0]), a2);
        let b = self.high(self.low(zero, y[2], w[2]), y[1], w[2]);
        let b = self.high(b, y[2], w[1]);
        let c = self.high(zero, y[2], w[2]);
        with_token!({
            let b = _mm512_add_epi64(b, _mm512_srli_epi64::<52>(a));
            let c = _mm512_add_epi64(c, _mm512_srli_epi64::<52>(b));
            [a, b, c]
        })
    }

    /// sum + x y modulo 2^156, without carries.
    #[inline(always)]
    fn add_product(self, sum: Limbs, x: Limbs, y: Limbs) -> Limbs {
        let a = self.low(sum[0], x[0], y[0]);
        let b = self.high(sum[1], x[0], y[0]);
        let b = self.low(self.low(b, x[0], y[1]), x[1], y[0]);
        let c = self.high(self.high(sum[2], x[0], y[1]), x[1], y[0]);
        let c = self.low(self.low(c, x[0], y[2]), x[1], y[1]);
        [a, b, self.low(c, x[2], y[0])]
    }

    /// sum + y w - h q modulo 2^156: what is added is below 8q.
    #[inline(always)]
    fn add_shoup(self, sum: Limbs, y: Limbs, w: WideFactor, m: &Multiples<Limbs>) -> Limbs {
        let quotient = self.quotient_of(y, w.quotient);
        let sum = self.add_product(sum, y, w.value);
        self.wrapped(self.add_product(sum, quotient, m.q2))
    }

    /// x brought below 3q, or 4q where carries into its upper limb are still to come.
    #[inline(always)]
    fn reduce(self, x: Limbs, m: &Multiples<Limbs>) -> Limbs {
        let quotient = self.high(self.zero(), x[2], m.reciprocal[0]);
        let a = self.low(x[0], quotient, m.q2[0]);
        let b = self.low(self.high(x[1], quotient, m.q2[0]), quotient, m.q2[1]);
        let c = self.low(self.high(x[2], quotient, m.q2[1]), quotient, m.q2[2]);
        self.wrapped([a, b, c])
    }

    /// `a` where the upper limb of `sign` is negative, else `b`.
    #[inline(always)]
    fn choose(self, sign: Limbs, a: Limbs, b: Limbs) -> Limbs {
        with_token!({
            let negative = _mm512_movepi64_mask(sign[2]);
            [
                _mm512_mask_mov_epi64(b[0], negative, a[0]),
                _mm512_mask_mov_epi64(b[1], negative, a[1]),
                _mm512_mask_mov_epi64(b[2], negative, a[2]),
            ]
        })
    }

    #[inline(always)]
    fn limbs_of(x: u128) -> [u64; 3] {
        let low = x as u64 & MASK;
        [
            low,
            (x >> LIMB) as u64 & MASK,
            (x >> (2 * LIMB)) as u64 & MASK,
        ]
    }
}

impl Lanes for Avx512Wide {
    type Word = u128;
    type Reg = Limbs;
    type Block = [u128; 8];
    const LANES: usize = 8;

    #[inline(always)]
    fn blocks(words: &[u128]) -> (&[[u128; 8]], &[u128]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [u128]) -> (&mut [[u128; 8]], &mut [u128]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[u128; 8]]) -> &[u128] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[u128; 8]) -> Limbs {
        let (low, high) = with_token!({
            let words = block.as_ptr().cast::<__m512i>();
            self.0
                .deinterleave(_mm512_loadu_si512(words), _mm512_loadu_si512(words.add(1)))
        });
        self.split(low, high)
    }
    #[inline(always)]
    fn store(self, [a, b, c]: Limbs, block: &mut [u128; 8]) {
        with_token!({
            let low = _mm512_or_si512(a, _mm512_slli_epi64::<52>(b));
            let high = _mm512_or_si512(_mm512_srli_epi64::<12>(b), _mm512_slli_epi64::<40>(c));
            let (first, second) = self.0.interleave(low, high);
            let words = block.as_mut_ptr().cast::<__m512i>();
            _mm512_storeu_si512(words, first);
            _mm512_storeu_si512(words.add(1), second);
        });
    }
    #[inline(always)]
    fn splat(self, word: u128) -> Limbs {
        self.splat_limbs(Self::limbs_of(word))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[u128]) -> Limbs {
        let (low, high) = self.halves::<G>(words);
        self.split(low, high)
    }
    #[inline(always)]
    fn add(self, x: Limbs, y: Limbs) -> Limbs {
        self.wrapped(self.each_added(x, y))
    }
    #[inline(always)]
    fn sub(self, x: Limbs, y: Limbs) -> Limbs {
        self.wrapped(self.each_subtracted(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, mut x: Limbs, mut y: Limbs) -> (Limbs, Limbs) {
        for i in 0..3 {
            (x[i], y[i]) = self.0.exchange::<G>(x[i], y[i]);
        }
        (x, y)
    }
    #[inline(always)]
    fn interleave(self, mut x: Limbs, mut y: Limbs) -> (Limbs, Limbs) {
        for i in 0..3 {
            (x[i], y[i]) = self.0.interleave(x[i], y[i]);
        }
        (x, y)
    }
    #[inline(always)]
    fn deinterleave(self, mut a: Limbs, mut b: Limbs) -> (Limbs, Limbs) {
        for i in 0..3 {
            (a[i], b[i]) = self.0.deinterleave(a[i], b[i]);
        }
        (a, b)
    }
}

impl Modular for Avx512Wide {
    const QUOTIENT_BITS: u32 = u128::BITS;
    const PRODUCT_BOUND: u32 = 8;
    type Factor = WideFactor;
    type Barrett = Modulus<u128>;

    #[inline(always)]
    fn factor(self, w: Shoup<u128>) -> WideFactor {
        let left = Self::limbs_of(w.quotient << 28);
        let top = (w.quotient >> 76) as u64;
        WideFactor {
            value: self.splat(w.value),
            quotient: self.splat_limbs([left[0], left[1], top]),
        }
    }
    #[inline(always)]
    fn factors<const G: usize>(self, values: &[u128], quotients: &[u128]) -> WideFactor {
        let (low, high) = self.halves::<G>(quotients);
        WideFactor {
            value: self.spread::<G>(values),
            quotient: self.split_left(low, high),
        }
    }
    /// `q2` is 2^156 - q, `offset` 64q, and the lowest limb of `reciprocal` floor(2^156 / q).
    #[inline(always)]
    fn multiples(self, modulus: &Modulus<u128>) -> Multiples<Limbs> {
        let q = modulus.value();
        let [a, b, c] = Self::limbs_of(q);
        // q is odd, so its lowest limb is not zero.
        let negated = [MASK + 1 - a, MASK - b, MASK - c];
        // floor(2^128 / q), and 28 more bits of the quotient.
        let ratio = modulus.shoup(1).quotient;
        let mut rest = 0_u128.wrapping_sub(ratio.wrapping_mul(q));
        let mut reciprocal = ratio as u64;
        for _ in 0..28 {
            let fits = 2 * rest >= q;
            rest = 2 * rest - if fits { q } else { 0 };
            reciprocal = 2 * reciprocal + u64::from(fits);
        }
        Multiples {
            q: self.splat(q),
            q2: self.splat_limbs(negated),
            bound: self.splat(q << 3),
            offset: self.splat(q << 6),
            reciprocal: self.splat_limbs([reciprocal, 0, 0]),
            steps: self.splat(q),
            shift: self.splat(0),
        }
    }
    #[inline(always)]
    fn reduce_once(self, x: Limbs, m: Limbs) -> Limbs {
        let difference = self.carried(self.each_subtracted(x, m));
        self.choose(difference, x, difference)
    }
    #[inline(always)]
    fn at_least(self, x: Limbs, bound: Limbs, value: Limbs) -> Limbs {
        let difference = self.carried(self.each_subtracted(x, bound));
        self.choose(difference, [self.zero(); 3], value)
    }
    #[inline(always)]
    fn mul_shoup_lazy(self, y: Limbs, w: WideFactor, m: &Multiples<Limbs>) -> Limbs {
        self.add_shoup([self.zero(); 3], y, w, m)
    }
    #[inline(always)]
    fn forward_butterfly<const LEVEL: u8>(
        self,
        x: Limbs,
        y: Limbs,
        w: WideFactor,
        m: &Multiples<Limbs>,
    ) -> (Limbs, Limbs) {
        let sum = self.add_shoup(x, y, w, m);
        let raised = self.each_added(x, m.bound);
        let difference = self.each_added(raised, self.each_subtracted(x, sum));
        (sum, self.carried(difference))
    }
    #[inline(always)]
    fn inverse_butterflies<const LEVEL: u8>(
        self,
        x: &mut [Limbs; 4],
        y: &mut [Limbs; 4],
        w: &[WideFactor; 4],
        m: &Multiples<Limbs>,
    ) {
        for i in 0..4 {
            let sum = self.each_added(x[i], y[i]);
            let raised = self.each_added(x[i], m.offset);
            let difference = self.carried(self.each_subtracted(raised, y[i]));
            x[i] = if LEVEL == ALL || (LEVEL == HALF && i < 2) {
                self.reduce(sum, m)
            } else {
                self.carried(sum)
            };
            y[i] = self.mul_shoup_lazy(difference, w[i], m);
        }
    }
    #[inline(always)]
    fn scaled_butterfly(
        self,
        x: Limbs,
        y: Limbs,
        s: WideFactor,
        w: WideFactor,
        m: &Multiples<Limbs>,
    ) -> (Limbs, Limbs) {
        let raised = self.each_added(x, m.offset);
        let difference = self.carried(self.each_subtracted(raised, y));
        (
            self.mul_shoup_lazy(self.add(x, y), s, m),
            self.mul_shoup_lazy(difference, w, m),
        )
    }
    fn in_forward_window(word: u128, q: u128) -> bool {
        word < (2 + 8 * u128::from(MAX_LOG_N)) * q
    }
    fn in_inverse_window(word: u128, q: u128) -> bool {
        word < 16 * q
    }
    #[inline(always)]
    fn canonical_product(self, x: Limbs, m: &Multiples<Limbs>) -> Limbs {
        self.canonical(x, m)
    }
    #[inline(always)]
    fn canonical(self, x: Limbs, m: &Multiples<Limbs>) -> Limbs {
        let x = self.reduce(x, m);
        self.reduce_once(self.reduce_once(x, m.q), m.q)
    }
    #[inline(always)]
    fn lazy(self, x: Limbs, m: &Multiples<Limbs>) -> Limbs {
        self.canonical(x, m)
    }
    #[inline(always)]
    fn barrett(self, q: &Modulus<u128>) -> Modulus<u128> {
        *q
    }
    /// Word by word: pointwise kernels of this width do not come here.
    #[inline(always)]
    fn mul_lazy(self, x: Limbs, y: Limbs, b: &Modulus<u128>, _: &Multiples<Limbs>) -> Limbs {
        let (mut words, mut others) = ([0; 8], [0; 8]);
        self.store(x, &mut words);
        self.store(y, &mut others);
        for (word, other) in words.iter_mut().zip(others) {
            *word = b.mul(*word, other);
        }
        self.load(&words)
    }
}
