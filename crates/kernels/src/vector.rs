//! The closed traits over which every kernel is written once.
//!
//! An implementor is a *token*: a zero-sized proof that the machine has an instruction set. Only
//! `arch` makes tokens, after detection, therefore all methods are safe. [`Lanes`] is a register
//! of words: memory, permutations, wrapping addition. [`Modular`] adds arithmetic modulo q on
//! lazily reduced words, [`Real`] adds floating-point products.
//!
//! A kernel is a struct that implements [`Kernel`]. Its `run` must be `#[inline(always)]`, like
//! everything it calls on the way to a token's methods: it becomes part of an entry point that is
//! compiled with the instruction set enabled.

use ringwright_arith::{Modulus, Shoup, Word};

/// Work that can run on any token over words `W`.
pub trait Kernel<W> {
    /// Does it.
    fn run<V: Modular<Word = W>>(self, v: V);
}

/// Work in `f64` that can run on any token.
pub trait RealKernel {
    /// Does it.
    fn run<V: Real>(self, v: V);
}

/// A register of `LANES` words.
pub trait Lanes: Copy {
    /// One lane.
    type Word: Copy;
    /// The register.
    type Reg: Copy;
    /// As many words in memory as the register has lanes.
    type Block;
    /// Words in a register: a power of two.
    const LANES: usize;

    /// The words in blocks, and the remainder.
    fn blocks(words: &[Self::Word]) -> (&[Self::Block], &[Self::Word]);
    /// The words in blocks, and the remainder.
    fn blocks_mut(words: &mut [Self::Word]) -> (&mut [Self::Block], &mut [Self::Word]);
    /// The words of blocks.
    fn words(blocks: &[Self::Block]) -> &[Self::Word];
    /// Reads a block.
    fn load(self, block: &Self::Block) -> Self::Reg;
    /// Writes a block.
    fn store(self, reg: Self::Reg, block: &mut Self::Block);
    /// The word in every lane.
    fn splat(self, word: Self::Word) -> Self::Reg;
    /// The first `LANES / G` words, each repeated `G` times.
    fn spread<const G: usize>(self, words: &[Self::Word]) -> Self::Reg;
    /// x + y in each lane; integers wrap.
    fn add(self, x: Self::Reg, y: Self::Reg) -> Self::Reg;
    /// x - y in each lane; integers wrap.
    fn sub(self, x: Self::Reg, y: Self::Reg) -> Self::Reg;
    /// Transposes 2 x 2 tiles of `G` lanes: with x = x0 x1 x2 x3 … and y = y0 y1 y2 y3 … in
    /// groups of `G` lanes, answers x0 y0 x2 y2 … and x1 y1 x3 y3 …; its own inverse.
    fn exchange<const G: usize>(self, x: Self::Reg, y: Self::Reg) -> (Self::Reg, Self::Reg);
    /// x0 y0 x1 y1 …, lower half first.
    fn interleave(self, x: Self::Reg, y: Self::Reg) -> (Self::Reg, Self::Reg);
    /// The inverse of `interleave`.
    fn deinterleave(self, a: Self::Reg, b: Self::Reg) -> (Self::Reg, Self::Reg);
}

/// A factor in [0, q) with its Shoup quotient, the form that most bodies use.
#[derive(Clone, Copy)]
pub struct Twiddle<R> {
    /// The factor.
    pub value: R,
    /// Its quotient.
    pub quotient: R,
}

impl<R: Copy> Twiddle<R> {
    /// One factor in every lane.
    #[inline(always)]
    pub fn splat<V: Lanes<Reg = R>>(v: V, w: Shoup<V::Word>) -> Self {
        Self {
            value: v.splat(w.value),
            quotient: v.splat(w.quotient),
        }
    }

    /// Factors each in `G` neighbouring lanes.
    #[inline(always)]
    pub fn spread<V: Lanes<Reg = R>, const G: usize>(
        v: V,
        values: &[V::Word],
        quotients: &[V::Word],
    ) -> Self {
        Self {
            value: v.spread::<G>(values),
            quotient: v.spread::<G>(quotients),
        }
    }
}

/// Implements [`Modular::Factor`] as a [`Twiddle`].
macro_rules! twiddle_factors {
    () => {
        type Factor = crate::vector::Twiddle<Self::Reg>;

        #[inline(always)]
        fn factor(self, w: ringwright_arith::Shoup<Self::Word>) -> Self::Factor {
            crate::vector::Twiddle::splat(self, w)
        }
        #[inline(always)]
        fn factors<const G: usize>(
            self,
            values: &[Self::Word],
            quotients: &[Self::Word],
        ) -> Self::Factor {
            crate::vector::Twiddle::spread::<Self, G>(self, values, quotients)
        }
    };
}
pub(crate) use twiddle_factors;

/// Levels of forward butterflies, by what may be left out: x is reduced.
pub const REDUCED: u8 = 0;
/// x has grown by one level since it was corrected; no two levels in a row are of this kind.
pub const SECOND: u8 = 1;
/// x may be anywhere in the window.
pub const FIRST: u8 = 2;

/// Levels of inverse butterflies, by how far sums have grown since they were last corrected: a
/// body with room for sums of two may leave these out. No two levels in a row are of this kind.
pub const TWICE: u8 = 0;
/// The second of three levels; a body with room for sums of sixteen may leave it out.
pub const SPARE: u8 = 1;
/// All sums are corrected.
pub const ALL: u8 = 2;
/// The first two of four sums are corrected; a body with room for sums of two may leave out the
/// others, whose summands are products.
pub const HALF: u8 = 3;

/// Both summands are products of the level before; only where butterflies are done one by one.
pub const PRODUCTS: u8 = 4;

/// Small multiples of the modulus in registers.
#[derive(Clone, Copy)]
pub struct Multiples<R> {
    /// q.
    pub q: R,
    /// 2q.
    pub q2: R,
    /// `PRODUCT_BOUND` · q.
    pub bound: R,
    /// What keeps the differences of inverse butterflies positive.
    pub offset: R,
    /// The Shoup quotient of 1, or what a body puts in its place.
    pub reciprocal: R,
    /// What a body subtracts by a word's upper bits, for these bits.
    pub steps: R,
    /// The place of these bits.
    pub shift: R,
}

/// Lanes with arithmetic modulo q on lazily reduced words.
///
/// Ranges, with b = `PRODUCT_BOUND`: a product is below b q. Forward butterflies take and give
/// words below 2 b q, inverse butterflies words below b q; bodies with windows of their own say
/// so. Implementors state why no lane overflows. The provided bodies are Harvey's ("Faster
/// arithmetic for number-theoretic transforms", 2014, section 3).
pub trait Modular: Lanes<Word: Word> {
    /// Shoup quotients are floor(w · 2^QUOTIENT_BITS / q), unless `quotient` says otherwise.
    const QUOTIENT_BITS: u32;
    /// Bound of a lazy product, in multiples of q: 1, 2, 4 or 16.
    const PRODUCT_BOUND: u32;
    /// Whether there are too few registers for eight words and what four butterflies need: they
    /// are then done one by one, from memory to memory.
    const FEW_REGISTERS: bool = false;

    /// A factor in [0, q) with what its products need.
    type Factor: Copy;

    /// What [`Modular::mul_lazy`] needs to know of q.
    type Barrett: Copy;

    /// x - m if that is not negative, else x; x < 2m.
    fn reduce_once(self, x: Self::Reg, m: Self::Reg) -> Self::Reg;

    /// `value` where x >= bound, else zero; both below half the word's range.
    fn at_least(self, x: Self::Reg, bound: Self::Reg, value: Self::Reg) -> Self::Reg;

    /// A factor, as [`Modular::prepared`], in every lane.
    fn factor(self, w: Shoup<Self::Word>) -> Self::Factor;

    /// Factors by their values and quotients, each in `G` neighbouring lanes.
    fn factors<const G: usize>(
        self,
        values: &[Self::Word],
        quotients: &[Self::Word],
    ) -> Self::Factor;

    /// A word congruent to y w, below b q, for any y in the forward window.
    fn mul_shoup_lazy(self, y: Self::Reg, w: Self::Factor, m: &Multiples<Self::Reg>) -> Self::Reg;

    /// Precomputes for [`Modular::mul_lazy`].
    fn barrett(self, q: &Modulus<Self::Word>) -> Self::Barrett;

    /// A word congruent to x y for x, y in [0, q), at most (2b - 1) q: a reduced word may be
    /// added before the sum leaves the forward window.
    fn mul_lazy(
        self,
        x: Self::Reg,
        y: Self::Reg,
        b: &Self::Barrett,
        m: &Multiples<Self::Reg>,
    ) -> Self::Reg;

    /// The Shoup quotient of w in [0, q): the word-wide one, shortened.
    #[inline(always)]
    fn quotient(modulus: &Modulus<Self::Word>, w: Self::Word) -> Self::Word {
        modulus.shoup(w).quotient >> (Self::Word::BITS - Self::QUOTIENT_BITS)
    }

    /// The words of a factor w in [0, q) in tables.
    #[inline(always)]
    fn prepared(modulus: &Modulus<Self::Word>, w: Self::Word) -> Shoup<Self::Word> {
        Shoup {
            value: w,
            quotient: Self::quotient(modulus, w),
        }
    }

    /// The multiples of q.
    #[inline(always)]
    fn multiples(self, modulus: &Modulus<Self::Word>) -> Multiples<Self::Reg> {
        let q = modulus.value();
        let q2 = q.wrapping_add(q);
        let doubled = |bound: Self::Word, _| bound.wrapping_add(bound);
        let bound = (0..Self::PRODUCT_BOUND.ilog2()).fold(q, doubled);
        let reciprocal = Self::quotient(modulus, Self::Word::ONE);
        Multiples {
            reciprocal: self.splat(reciprocal),
            q: self.splat(q),
            q2: self.splat(q2),
            bound: self.splat(bound),
            offset: self.splat(bound),
            steps: self.splat(q),
            shift: self.splat(Self::Word::ZERO),
        }
    }

    /// A word of the input, as forward butterflies take it.
    #[inline(always)]
    fn begin(self, x: Self::Reg, _: &Multiples<Self::Reg>) -> Self::Reg {
        x
    }

    /// A word of the input, as inverse butterflies take it.
    #[inline(always)]
    fn begin_inverse(self, x: Self::Reg, m: &Multiples<Self::Reg>) -> Self::Reg {
        self.begin(x, m)
    }

    /// What forward butterflies leave, brought to [0, q), or with `lazy` below the lazy bound.
    #[inline(always)]
    fn finish(self, x: Self::Reg, lazy: bool, m: &Multiples<Self::Reg>) -> Self::Reg {
        if lazy {
            self.lazy(x, m)
        } else {
            self.canonical(x, m)
        }
    }

    /// (x + y w, x - y w) on a level of the given kind.
    #[inline(always)]
    fn forward_butterfly<const LEVEL: u8>(
        self,
        x: Self::Reg,
        y: Self::Reg,
        w: Self::Factor,
        m: &Multiples<Self::Reg>,
    ) -> (Self::Reg, Self::Reg) {
        let x = if LEVEL == REDUCED {
            x
        } else {
            self.reduce_once(x, m.bound)
        };
        let t = self.mul_shoup_lazy(y, w, m);
        (self.add(x, t), self.add(x, self.sub(m.bound, t)))
    }

    /// (x + y, (x - y) w) on a level of the given kind.
    #[inline(always)]
    fn inverse_butterfly<const LEVEL: u8>(
        self,
        x: Self::Reg,
        y: Self::Reg,
        w: Self::Factor,
        m: &Multiples<Self::Reg>,
    ) -> (Self::Reg, Self::Reg) {
        let sum = self.reduce_once(self.add(x, y), m.bound);
        let difference = self.add(x, self.sub(m.offset, y));
        (sum, self.mul_shoup_lazy(difference, w, m))
    }

    /// Whether a stored word is in the forward window; for debug assertions.
    fn in_forward_window(word: Self::Word, q: Self::Word) -> bool {
        word.to_u128() < 2 * u128::from(Self::PRODUCT_BOUND) * q.to_u128()
    }

    /// Whether a stored word is in the inverse window; for debug assertions.
    fn in_inverse_window(word: Self::Word, q: Self::Word) -> bool {
        word.to_u128() < u128::from(Self::PRODUCT_BOUND) * q.to_u128()
    }

    /// Four independent forward butterflies; a body may interleave their instructions.
    #[inline(always)]
    fn forward_butterflies<const LEVEL: u8>(
        self,
        x: &mut [Self::Reg; 4],
        y: &mut [Self::Reg; 4],
        w: &[Self::Factor; 4],
        m: &Multiples<Self::Reg>,
    ) {
        for i in 0..4 {
            (x[i], y[i]) = self.forward_butterfly::<LEVEL>(x[i], y[i], w[i], m);
        }
    }

    /// Four independent inverse butterflies on a level of the given kind; a body may interleave
    /// their instructions.
    #[inline(always)]
    fn inverse_butterflies<const LEVEL: u8>(
        self,
        x: &mut [Self::Reg; 4],
        y: &mut [Self::Reg; 4],
        w: &[Self::Factor; 4],
        m: &Multiples<Self::Reg>,
    ) {
        for i in 0..4 {
            (x[i], y[i]) = self.inverse_butterfly::<LEVEL>(x[i], y[i], w[i], m);
        }
    }

    /// ((x + y) s, (x - y) w): the last butterfly of the inverse, scaled.
    #[inline(always)]
    fn scaled_butterfly(
        self,
        x: Self::Reg,
        y: Self::Reg,
        s: Self::Factor,
        w: Self::Factor,
        m: &Multiples<Self::Reg>,
    ) -> (Self::Reg, Self::Reg) {
        let sum = self.add(x, y);
        let difference = self.add(x, self.sub(m.offset, y));
        (
            self.mul_shoup_lazy(sum, s, m),
            self.mul_shoup_lazy(difference, w, m),
        )
    }

    /// A product, below b q, brought to [0, q).
    #[inline(always)]
    fn canonical_product(self, x: Self::Reg, m: &Multiples<Self::Reg>) -> Self::Reg {
        let x = if Self::PRODUCT_BOUND > 2 {
            self.reduce_once(x, m.q2)
        } else {
            x
        };
        if Self::PRODUCT_BOUND > 1 {
            self.reduce_once(x, m.q)
        } else {
            x
        }
    }

    /// A word of the forward window brought to [0, q).
    #[inline(always)]
    fn canonical(self, x: Self::Reg, m: &Multiples<Self::Reg>) -> Self::Reg {
        self.canonical_product(self.reduce_once(x, m.bound), m)
    }

    /// A word of the forward window brought below 4q (2q where b = 1).
    #[inline(always)]
    fn lazy(self, x: Self::Reg, m: &Multiples<Self::Reg>) -> Self::Reg {
        if Self::PRODUCT_BOUND > 2 {
            self.reduce_once(x, m.bound)
        } else {
            x
        }
    }

    /// `canonical` of eight registers; a body may interleave their instructions.
    #[inline(always)]
    fn canonical_all(self, x: &mut [Self::Reg; 8], m: &Multiples<Self::Reg>) {
        for x in x {
            *x = self.canonical(*x, m);
        }
    }

    /// `lazy` of eight registers.
    #[inline(always)]
    fn lazy_all(self, x: &mut [Self::Reg; 8], m: &Multiples<Self::Reg>) {
        for x in x {
            *x = self.lazy(*x, m);
        }
    }
}

/// Lanes of `f64`. Products are rounded once: no fused multiply-add, so that every token gives
/// the same bits.
pub trait Real: Lanes<Word = f64> {
    /// x · y in each lane, rounded.
    fn mul(self, x: Self::Reg, y: Self::Reg) -> Self::Reg;
}
