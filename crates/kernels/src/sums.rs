//! Sums of products that are reduced once, over closed traits as in `vector`.
//!
//! A product of two words of k bits has 2k bits, which no lane holds. [`Split`] cuts both words
//! into halves of s = ceil(k/2) bits and sums the four products under three powers of 2^s: twelve
//! instructions a product (two masks, two shifts, four products, four sums), where a product with
//! its reduction takes 34. The total is S = A0 + 2^s A1 + 2^2s A2 with three lanes of 64 bits.
//!
//! Ranges, for at most `most_products` = T products of words of k bits and one reduced word:
//! A0 <= T 4^s + 2^k and A1 + A0/2^s <= 2^k T 2 + 2^(64-s) stay below 2^64, and S < T 4^k + 2^k
//! stays below 2^(63 + k), so that floor(S / 4^s) has at most 63 + k - 2s bits. Its product with
//! 2^(63 + k) / q, which is below 2^64 by then, is the quotient. What is left out (bits of S below
//! 4^s: 4^s <= 4q; the reciprocal's fraction, the quotient's, and 2 of the high word) leaves a
//! remainder below 8q.
//!
//! Words below 2^30 need no halves: [`Narrow`] sums whole products, two instructions each.

use crate::vector::{Lanes, Modular};
use ringwright_arith::Modulus;

/// Work on sums that can run on any token.
pub trait SumKernel {
    /// Does it.
    fn run<V: WeightedSums>(self, v: V);
}

/// Words that towers are stored in: `u64`, or `u32` where all of them are below 2^32. Lanes are of 64
/// bits either way, so short words are widened as they are read and cut as they are written.
///
/// Closed: its methods speak of types that cannot be named outside this crate.
pub trait SumWord: Copy + Default + 'static {
    /// As many words in memory as the register has lanes.
    #[doc(hidden)]
    type Cell<V: Stored>;

    /// The words in cells, without the remainder.
    #[doc(hidden)]
    fn cells<V: Stored>(words: &[Self]) -> &[Self::Cell<V>];
    /// The words in cells, without the remainder.
    #[doc(hidden)]
    fn cells_mut<V: Stored>(words: &mut [Self]) -> &mut [Self::Cell<V>];
    /// Reads a cell.
    #[doc(hidden)]
    fn get<V: Stored>(v: V, cell: &Self::Cell<V>) -> V::Reg;
    /// Writes a cell.
    #[doc(hidden)]
    fn put<V: Stored>(v: V, reg: V::Reg, cell: &mut Self::Cell<V>);
    /// The word as a lane has it.
    #[doc(hidden)]
    fn widened(self) -> u64;
}

/// # Panics
/// If the modulus does not fit a word.
pub fn check_words<W: SumWord>(q: &Modulus<u64>) {
    let bits = u8::BITS as usize * size_of::<W>();
    assert!(q.bits() as usize <= bits, "a modulus of {} bits", q.bits());
}

/// Lanes of 64 bits that read and write words of 32 bits too.
pub trait Stored: Lanes<Word = u64> {
    /// As many short words in memory as the register has lanes.
    type Short;

    /// The words in blocks, without the remainder.
    fn shorts(words: &[u32]) -> &[Self::Short];
    /// The words in blocks, without the remainder.
    fn shorts_mut(words: &mut [u32]) -> &mut [Self::Short];
    /// Reads a block.
    fn load_short(self, block: &Self::Short) -> Self::Reg;
    /// Writes the lower half of each lane.
    fn store_short(self, reg: Self::Reg, block: &mut Self::Short);
}

impl SumWord for u64 {
    type Cell<V: Stored> = V::Block;

    #[inline(always)]
    fn cells<V: Stored>(words: &[u64]) -> &[V::Block] {
        V::blocks(words).0
    }
    #[inline(always)]
    fn cells_mut<V: Stored>(words: &mut [u64]) -> &mut [V::Block] {
        V::blocks_mut(words).0
    }
    #[inline(always)]
    fn get<V: Stored>(v: V, cell: &V::Block) -> V::Reg {
        v.load(cell)
    }
    #[inline(always)]
    fn put<V: Stored>(v: V, reg: V::Reg, cell: &mut V::Block) {
        v.store(reg, cell);
    }
    fn widened(self) -> u64 {
        self
    }
}

impl SumWord for u32 {
    type Cell<V: Stored> = V::Short;

    #[inline(always)]
    fn cells<V: Stored>(words: &[u32]) -> &[V::Short] {
        V::shorts(words)
    }
    #[inline(always)]
    fn cells_mut<V: Stored>(words: &mut [u32]) -> &mut [V::Short] {
        V::shorts_mut(words)
    }
    #[inline(always)]
    fn get<V: Stored>(v: V, cell: &V::Short) -> V::Reg {
        v.load_short(cell)
    }
    #[inline(always)]
    fn put<V: Stored>(v: V, reg: V::Reg, cell: &mut V::Short) {
        v.store_short(reg, cell);
    }
    fn widened(self) -> u64 {
        self.into()
    }
}

/// Lanes that put words of a block in another order.
pub trait Reorder: Lanes {
    /// An order of the words of a block.
    type Order: Copy;

    /// The order in which these positions name the words of one block.
    fn order(self, positions: &[u32]) -> Self::Order;
    /// The words in that order.
    fn reorder(self, x: Self::Reg, order: Self::Order) -> Self::Reg;
}

/// Lanes of which some bits can be taken.
pub trait Bits: Lanes {
    /// A number of bits to shift all lanes by.
    type Count: Copy;

    /// x & y.
    fn and(self, x: Self::Reg, y: Self::Reg) -> Self::Reg;
    /// By how many bits to shift.
    fn count(self, bits: u32) -> Self::Count;
    /// x / 2^bits in each lane.
    fn shift_right(self, x: Self::Reg, bits: Self::Count) -> Self::Reg;
}

/// A register of one token.
pub type Reg<S> = <<S as Sums>::Lanes as Lanes>::Reg;

/// Sums of products modulo q.
pub trait Sums: Copy {
    /// The lanes in which the sums are.
    type Lanes: Stored + Reorder + Bits;
    /// One sum in each lane, not reduced.
    type Sum: Copy;
    /// What reduction needs to know of q.
    type Constants: Copy;

    /// How many products of reduced words a sum may hold beside one such word, for q of that many bits.
    fn most_products(bits: u32) -> usize;
    /// The lanes.
    fn lanes(self) -> Self::Lanes;
    /// Precomputes.
    fn constants(self, q: &Modulus<u64>) -> Self::Constants;
    /// The sum of one reduced word.
    fn start(self, first: Reg<Self>) -> Self::Sum;
    /// sum + x y.
    fn add_product(
        self,
        sum: Self::Sum,
        x: Reg<Self>,
        y: Reg<Self>,
        c: &Self::Constants,
    ) -> Self::Sum;
    /// The sum in [0, q).
    fn total(self, sum: Self::Sum, c: &Self::Constants) -> Reg<Self>;
}

/// Bits of the largest words that are summed with weights.
pub const LONGEST: u32 = 62;

/// Pieces that such a word is cut into at most.
pub const PIECES: usize = LONGEST.div_ceil(Narrow::BITS) as usize;

/// The same sums of words that are not reduced, of up to [`LONGEST`] bits, times weights that are. A word
/// x is cut at c, 2c, …: its pieces are multiplied with the weights w, 2^c w, … modulo q.
pub trait WeightedSums: Sums {
    /// The weights of one operand.
    type Weights: Copy;

    /// Where words of so many bits are cut; at their end if they stay whole.
    fn cut(bits: u32) -> u32;
    /// Whether a sum may hold one reduced word and operands of so many bits, at most [`MOST_PRODUCTS`], for
    /// q of `modulus` bits.
    fn fits(modulus: u32, operands: &[u32]) -> bool;
    /// The weights of words of so many bits, as many as they have pieces.
    fn weights(self, bits: u32, weights: &[u64; PIECES], c: &Self::Constants) -> Self::Weights;
    /// sum + x w.
    fn add_weighted(
        self,
        sum: Self::Sum,
        x: Reg<Self>,
        weights: &Self::Weights,
        c: &Self::Constants,
    ) -> Self::Sum;
}

/// Lanes of 64 bits that multiply their lower halves.
pub trait Halves: Modular<Word = u64> + Stored + Reorder + Bits {
    /// The product of the lower 32 bits in each lane.
    fn mul_halves(self, x: Self::Reg, y: Self::Reg) -> Self::Reg;
    /// x 2^bits in each lane, modulo 2^64.
    fn shift_left(self, x: Self::Reg, bits: Self::Count) -> Self::Reg;

    /// The high word of the product, at most 2 too small.
    #[inline(always)]
    fn mul_high(self, x: Self::Reg, y: Self::Reg) -> Self::Reg {
        let half = self.count(32);
        let (x1, y1) = (self.shift_right(x, half), self.shift_right(y, half));
        let cross0 = self.shift_right(self.mul_halves(x1, y), half);
        let cross1 = self.shift_right(self.mul_halves(x, y1), half);
        self.add(self.add(cross0, cross1), self.mul_halves(x1, y1))
    }

    /// The low word of the product.
    #[inline(always)]
    fn mul_low(self, x: Self::Reg, y: Self::Reg) -> Self::Reg {
        let half = self.count(32);
        let (x1, y1) = (self.shift_right(x, half), self.shift_right(y, half));
        let cross = self.add(self.mul_halves(x1, y), self.mul_halves(x, y1));
        self.add(self.mul_halves(x, y), self.shift_left(cross, half))
    }
}

/// A quotient from a high product, and the remainder in [0, q).
#[derive(Clone, Copy)]
pub struct Quotient<R> {
    q: R,
    q2: R,
    q4: R,
    reciprocal: R,
}

impl<R: Copy> Quotient<R> {
    #[inline(always)]
    fn new<V: Halves<Reg = R>>(v: V, q: u64, reciprocal: u64) -> Self {
        Self {
            q: v.splat(q),
            q2: v.splat(2 * q),
            q4: v.splat(4 * q),
            reciprocal: v.splat(reciprocal),
        }
    }

    /// A sum in [0, q) from its low word and its upper bits, by which the quotient is too small
    /// by less than 8.
    #[inline(always)]
    fn remainder<V: Halves<Reg = R>>(&self, v: V, top: R, low: R) -> R {
        let quotient = v.mul_high(top, self.reciprocal);
        let rest = v.sub(low, v.mul_low(quotient, self.q));
        let rest = v.reduce_once(v.reduce_once(rest, self.q4), self.q2);
        v.reduce_once(rest, self.q)
    }
}

/// The most products of any sum: what tokens with room for more are held to.
pub const MOST_PRODUCTS: usize = 15;

/// Sums of products of whole words, for q < 2^30.
#[derive(Clone, Copy, Debug)]
pub struct Narrow<V>(pub V);

impl Narrow<()> {
    /// Most bits of q: fifteen products and a word fit a lane.
    pub const BITS: u32 = 30;
}

impl<V: Halves> Sums for Narrow<V> {
    type Lanes = V;
    type Sum = V::Reg;
    type Constants = Quotient<V::Reg>;

    fn most_products(bits: u32) -> usize {
        debug_assert!(bits <= Narrow::BITS);
        MOST_PRODUCTS
    }
    #[inline(always)]
    fn lanes(self) -> V {
        self.0
    }
    #[inline(always)]
    fn constants(self, q: &Modulus<u64>) -> Self::Constants {
        Quotient::new(self.0, q.value(), u64::MAX / q.value())
    }
    #[inline(always)]
    fn start(self, first: V::Reg) -> V::Reg {
        first
    }
    #[inline(always)]
    fn add_product(self, sum: V::Reg, x: V::Reg, y: V::Reg, _: &Self::Constants) -> V::Reg {
        self.0.add(sum, self.0.mul_halves(x, y))
    }
    #[inline(always)]
    fn total(self, sum: V::Reg, c: &Self::Constants) -> V::Reg {
        c.remainder(self.0, sum, sum)
    }
}

/// Weights of [`Narrow`], of which the first few count.
#[derive(Clone, Copy)]
pub struct NarrowWeights<R, C> {
    weights: [R; PIECES],
    pieces: usize,
    cut: C,
    mask: R,
}

impl<V: Halves> WeightedSums for Narrow<V> {
    type Weights = NarrowWeights<V::Reg, V::Count>;

    fn cut(bits: u32) -> u32 {
        bits.div_ceil(bits.div_ceil(Narrow::BITS))
    }
    fn fits(_: u32, operands: &[u32]) -> bool {
        let pieces = operands.iter().map(|bits| bits.div_ceil(Narrow::BITS));
        pieces.sum::<u32>() as usize <= MOST_PRODUCTS
    }
    #[inline(always)]
    fn weights(self, bits: u32, weights: &[u64; PIECES], _: &Self::Constants) -> Self::Weights {
        let (v, cut) = (self.0, Self::cut(bits));
        NarrowWeights {
            weights: [0, 1, 2].map(|piece| v.splat(weights[piece])),
            pieces: bits.div_ceil(cut) as usize,
            cut: v.count(cut),
            mask: v.splat(u64::MAX >> (u64::BITS - cut)),
        }
    }
    #[inline(always)]
    fn add_weighted(
        self,
        mut sum: V::Reg,
        mut x: V::Reg,
        of: &Self::Weights,
        c: &Self::Constants,
    ) -> V::Reg {
        let last = of.pieces - 1;
        for weight in &of.weights[..last] {
            sum = self.add_product(sum, self.0.and(x, of.mask), *weight, c);
            x = self.0.shift_right(x, of.cut);
        }
        self.add_product(sum, x, of.weights[last], c)
    }
}

/// Sums of products of halves, for q < 2^61.
#[derive(Clone, Copy, Debug)]
pub struct Split<V>(pub V);

impl Split<()> {
    /// Most bits of q: three products and a word fit three lanes.
    pub const BITS: u32 = 61;
}

/// Bits of a lower half, for words of that many bits.
fn half_bits(bits: u32) -> u32 {
    bits.div_ceil(2)
}

/// Constants of [`Split`].
#[derive(Clone, Copy)]
pub struct SplitConstants<R, C> {
    quotient: Quotient<R>,
    /// 2^s - 1.
    mask: R,
    /// s.
    half: C,
    /// 2s.
    whole: C,
    /// 2s - k + 1.
    align: C,
}

impl<V: Halves> Sums for Split<V> {
    type Lanes = V;
    type Sum = [V::Reg; 3];
    type Constants = SplitConstants<V::Reg, V::Count>;

    fn most_products(bits: u32) -> usize {
        debug_assert!(bits <= Split::BITS);
        let low = (1 << (64 - 2 * half_bits(bits)).min(4)) - 1;
        let high = 1 << (63 - bits).min(4);
        MOST_PRODUCTS.min(low).min(high)
    }
    #[inline(always)]
    fn lanes(self) -> V {
        self.0
    }
    #[inline(always)]
    fn constants(self, q: &Modulus<u64>) -> Self::Constants {
        let (v, bits) = (self.0, q.bits());
        let half = half_bits(bits);
        // At most 2^(63 + k) / 2^(k-1) = 2^64, which it does not reach as q is no power of 2.
        let reciprocal = ((1_u128 << (63 + bits)) / u128::from(q.value())) as u64;
        SplitConstants {
            quotient: Quotient::new(v, q.value(), reciprocal),
            mask: v.splat((1 << half) - 1),
            half: v.count(half),
            whole: v.count(2 * half),
            align: v.count(2 * half - bits + 1),
        }
    }
    #[inline(always)]
    fn start(self, first: V::Reg) -> Self::Sum {
        [first, self.0.splat(0), self.0.splat(0)]
    }
    #[inline(always)]
    fn add_product(
        self,
        [low, middle, high]: Self::Sum,
        x: V::Reg,
        y: V::Reg,
        c: &Self::Constants,
    ) -> Self::Sum {
        let v = self.0;
        let (x0, y0) = (v.and(x, c.mask), v.and(y, c.mask));
        let (x1, y1) = (v.shift_right(x, c.half), v.shift_right(y, c.half));
        let middle = v.add(middle, v.mul_halves(x0, y1));
        [
            v.add(low, v.mul_halves(x0, y0)),
            v.add(middle, v.mul_halves(x1, y0)),
            v.add(high, v.mul_halves(x1, y1)),
        ]
    }
    #[inline(always)]
    fn total(self, [low, middle, high]: Self::Sum, c: &Self::Constants) -> V::Reg {
        let v = self.0;
        let carried = v.add(middle, v.shift_right(low, c.half));
        let top = v.add(high, v.shift_right(carried, c.half));
        let upper = v.add(v.shift_left(middle, c.half), v.shift_left(high, c.whole));
        let top = v.shift_left(top, c.align);
        c.quotient.remainder(v, top, v.add(low, upper))
    }
}

/// Weights of [`Split`] in halves: of a word's lower half, and of its upper one.
#[derive(Clone, Copy)]
pub struct SplitWeights<R, C> {
    lower: [R; 2],
    upper: [R; 2],
    cut: C,
    mask: R,
}

/// Words are cut in two whatever their length, and no product of theirs is one of two upper halves: ten
/// instructions (a mask, a shift, four products, four sums).
///
/// Ranges: an operand of b bits adds less than 2^(ceil(b/2) + s + 1) to A0, 2^(ceil(b/2) + k - s + 1) to A1,
/// and 2^(b + k) to S.
impl<V: Halves> WeightedSums for Split<V> {
    type Weights = SplitWeights<V::Reg, V::Count>;

    fn cut(bits: u32) -> u32 {
        half_bits(bits)
    }
    fn fits(modulus: u32, operands: &[u32]) -> bool {
        let half = half_bits(modulus);
        let sum = |term: &dyn Fn(u32) -> u32| -> u128 {
            operands.iter().map(|&bits| 1 << term(bits)).sum()
        };
        let low = (1 << modulus) + sum(&|bits| half_bits(bits) + half + 1);
        let middle = (1 << (64 - half)) + sum(&|bits| half_bits(bits) + modulus - half + 1);
        low <= 1 << 64 && middle <= 1 << 64 && sum(&|bits| bits) < 1 << 63
    }
    #[inline(always)]
    fn weights(self, bits: u32, weights: &[u64; PIECES], c: &Self::Constants) -> Self::Weights {
        let (v, cut) = (self.0, half_bits(bits));
        let [lower, upper] = [v.splat(weights[0]), v.splat(weights[1])];
        SplitWeights {
            lower: [v.and(lower, c.mask), v.shift_right(lower, c.half)],
            upper: [v.and(upper, c.mask), v.shift_right(upper, c.half)],
            cut: v.count(cut),
            mask: v.splat(u64::MAX >> (u64::BITS - cut)),
        }
    }
    #[inline(always)]
    fn add_weighted(
        self,
        [low, middle, high]: Self::Sum,
        x: V::Reg,
        of: &Self::Weights,
        _: &Self::Constants,
    ) -> Self::Sum {
        let v = self.0;
        let (x0, x1) = (v.and(x, of.mask), v.shift_right(x, of.cut));
        let low = v.add(low, v.mul_halves(x0, of.lower[0]));
        let middle = v.add(middle, v.mul_halves(x0, of.lower[1]));
        [
            v.add(low, v.mul_halves(x1, of.upper[0])),
            v.add(middle, v.mul_halves(x1, of.upper[1])),
            high,
        ]
    }
}
