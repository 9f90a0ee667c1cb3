//! Pointwise kernels on slices of residues modulo one q.
//!
//! Each kernel is an [`Operation`] on one register, applied block by block; what does not fill a
//! register is done by the scalar token. Products of two unknown words are Barrett's, products
//! with one known factor Shoup's. Every operation answers words in [0, q) and, unless its
//! documentation says otherwise, expects them there.

use crate::arch::KernelWord;
use crate::error::{check_isa, PlanError};
use crate::isa::Isa;
use crate::vector::{Kernel, Modular, Multiples};
use ringwright_arith::{Modulus, Word};

/// Kernels modulo one q: below 2^30 (`u32`), 2^62 (`u64`) or 2^127 (`u128`).
#[derive(Clone, Debug)]
pub struct Pointwise<W: KernelWord> {
    modulus: Modulus<W>,
    body: W::Body,
    /// For words that may exceed q: a body whose products take any word.
    wide: W::Body,
    /// For what does not fill a register.
    scalar: W::Body,
}

/// Words that fill whole registers on every instruction set.
const WHOLE: usize = 16;

impl<W: KernelWord> Pointwise<W> {
    /// Kernels on the best instruction set.
    pub fn new(q: W) -> Result<Self, PlanError> {
        Self::with_isa(q, Isa::detect())
    }

    /// Kernels on the given instruction set, or the best below it that serves this modulus. An
    /// instruction set that the machine lacks is an error.
    pub fn with_isa(q: W, isa: Isa) -> Result<Self, PlanError> {
        let modulus = Modulus::new(q)?;
        let isa = check_isa(isa)?;
        Ok(Self {
            modulus,
            body: W::choose_pointwise(isa, q),
            wide: W::choose_wide(isa, q),
            scalar: W::choose_pointwise(Isa::Scalar, q),
        })
    }

    /// The modulus.
    pub fn modulus(&self) -> &Modulus<W> {
        &self.modulus
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        W::traits(self.body).isa
    }

    /// a += b.
    pub fn add_in_place(&self, a: &mut [W], b: &[W]) {
        self.in_place(a, [b], Add);
    }

    /// out = a + b.
    pub fn add_into(&self, out: &mut [W], a: &[W], b: &[W]) {
        self.into(out, a, [b], Add);
    }

    /// a -= b.
    pub fn sub_in_place(&self, a: &mut [W], b: &[W]) {
        self.in_place(a, [b], Sub);
    }

    /// out = a - b.
    pub fn sub_into(&self, out: &mut [W], a: &[W], b: &[W]) {
        self.into(out, a, [b], Sub);
    }

    /// a = -a.
    pub fn neg_in_place(&self, a: &mut [W]) {
        self.in_place(a, [], Neg);
    }

    /// out = -a.
    pub fn neg_into(&self, out: &mut [W], a: &[W]) {
        self.into(out, a, [], Neg);
    }

    /// a *= b.
    pub fn mul_in_place(&self, a: &mut [W], b: &[W]) {
        self.in_place(a, [b], Mul);
    }

    /// out = a b.
    pub fn mul_into(&self, out: &mut [W], a: &[W], b: &[W]) {
        self.into(out, a, [b], Mul);
    }

    /// acc += a b.
    pub fn mul_add_in_place(&self, acc: &mut [W], a: &[W], b: &[W]) {
        self.in_place(acc, [a, b], MulAdd);
    }

    /// a *= s, for s in [0, q).
    pub fn mul_scalar_in_place(&self, a: &mut [W], s: W) {
        self.check_scalar(s);
        self.in_place(a, [], MulScalar(s));
    }

    /// out = a s, for s in [0, q).
    pub fn mul_scalar_into(&self, out: &mut [W], a: &[W], s: W) {
        self.check_scalar(s);
        self.into(out, a, [], MulScalar(s));
    }

    /// a += s, for s in [0, q).
    pub fn add_scalar_in_place(&self, a: &mut [W], s: W) {
        self.check_scalar(s);
        self.in_place(a, [], AddScalar(s));
    }

    /// out = a + s, for s in [0, q).
    pub fn add_scalar_into(&self, out: &mut [W], a: &[W], s: W) {
        self.check_scalar(s);
        self.into(out, a, [], AddScalar(s));
    }

    /// out = (a - b) s, for s in [0, q).
    pub fn sub_mul_scalar_into(&self, out: &mut [W], a: &[W], b: &[W], s: W) {
        self.check_scalar(s);
        self.into(out, a, [b], SubMulScalar(s));
    }

    /// out = src mod q, for any words that a modulus could bound (below 2^30, 2^62, 2^127).
    pub fn reduce_into(&self, out: &mut [W], src: &[W]) {
        debug_assert!(src
            .iter()
            .all(|word| word.bit_length() <= W::MAX_MODULUS_BITS));
        self.enter(self.wide, out, Some(src), [], Reduce);
    }

    /// out = c mod q, where c in (-q_src/2, q_src/2) is congruent to src modulo the odd q_src;
    /// src in [0, q_src), and q_src has no more bits than a modulus may have.
    pub fn reduce_centred_into(&self, out: &mut [W], src: &[W], q_src: W) {
        debug_assert!(q_src.bit_length() <= W::MAX_MODULUS_BITS);
        debug_assert!(src.iter().all(|&word| word < q_src));
        let operation = ReduceCentred {
            first_negative: (q_src >> 1).wrapping_add(W::ONE),
            complement: self.modulus.neg(self.modulus.reduce(q_src)),
        };
        self.enter(self.wide, out, Some(src), [], operation);
    }

    fn check_scalar(&self, s: W) {
        let q = self.modulus.value();
        assert!(s < q, "scalar {s} is not below the modulus {q}");
    }

    fn into<const R: usize>(
        &self,
        out: &mut [W],
        first: &[W],
        rest: [&[W]; R],
        operation: impl Operation<W, R>,
    ) {
        let q = self.modulus.value();
        debug_assert!(first.iter().all(|&word| word < q));
        debug_assert!(rest.iter().all(|a| a.iter().all(|&word| word < q)));
        self.enter(self.body, out, Some(first), rest, operation);
    }

    fn in_place<const R: usize>(
        &self,
        out: &mut [W],
        rest: [&[W]; R],
        operation: impl Operation<W, R>,
    ) {
        let q = self.modulus.value();
        debug_assert!(out.iter().all(|&word| word < q));
        debug_assert!(rest.iter().all(|a| a.iter().all(|&word| word < q)));
        self.enter(self.body, out, None, rest, operation);
    }

    /// Whole registers by `body`, the remainder by the scalar body.
    fn enter<const R: usize>(
        &self,
        body: W::Body,
        out: &mut [W],
        first: Option<&[W]>,
        rest: [&[W]; R],
        operation: impl Operation<W, R>,
    ) {
        for input in first.iter().chain(&rest) {
            assert_eq!(input.len(), out.len(), "slices of different lengths");
        }
        let whole = out.len() - out.len() % WHOLE;
        let (out_head, out_tail) = out.split_at_mut(whole);
        let first = first.map(|words| words.split_at(whole));
        let parts = [
            (
                body,
                out_head,
                first.map(|f| f.0),
                rest.map(|r| &r[..whole]),
            ),
            (
                self.scalar,
                out_tail,
                first.map(|f| f.1),
                rest.map(|r| &r[whole..]),
            ),
        ];
        for (body, out, first, rest) in parts {
            let modulus = &self.modulus;
            match first {
                Some(first) => W::enter(
                    body,
                    Into {
                        modulus,
                        out,
                        first,
                        rest,
                        operation,
                    },
                ),
                None => W::enter(
                    body,
                    InPlace {
                        modulus,
                        out,
                        rest,
                        operation,
                    },
                ),
            }
        }
        debug_assert!(out.iter().all(|&word| word < self.modulus.value()));
    }
}

/// One result word from a first operand and R others.
trait Operation<W: Word, const R: usize>: Copy {
    /// The known factor, in [0, q), where there is one.
    fn factor(self) -> W {
        W::ZERO
    }

    /// The result in each lane.
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, rest: [V::Reg; R]) -> V::Reg;
}

/// Constants in registers.
#[derive(Clone, Copy)]
struct Context<V: Modular> {
    v: V,
    m: Multiples<V::Reg>,
    barrett: V::Barrett,
    factor: V::Factor,
}

impl<V: Modular> Context<V> {
    #[inline(always)]
    fn new(v: V, modulus: &Modulus<V::Word>, factor: V::Word) -> Self {
        Self {
            v,
            m: v.multiples(modulus),
            barrett: v.barrett(modulus),
            factor: v.factor(V::prepared(modulus, factor)),
        }
    }
}

/// out = operation(first, rest).
struct Into<'a, W, O, const R: usize> {
    modulus: &'a Modulus<W>,
    out: &'a mut [W],
    first: &'a [W],
    rest: [&'a [W]; R],
    operation: O,
}

impl<W: Word, O: Operation<W, R>, const R: usize> Kernel<W> for Into<'_, W, O, R> {
    #[inline(always)]
    fn run<V: Modular<Word = W>>(self, v: V) {
        let context = Context::new(v, self.modulus, self.operation.factor());
        let out = V::blocks_mut(self.out).0;
        let first = &V::blocks(self.first).0[..out.len()];
        let rest = all_blocks::<V, R>(self.rest, out.len());
        for i in 0..out.len() {
            let x = v.load(&first[i]);
            let mut y = [x; R];
            for (reg, blocks) in y.iter_mut().zip(rest) {
                *reg = v.load(&blocks[i]);
            }
            v.store(self.operation.apply(&context, x, y), &mut out[i]);
        }
    }
}

/// out = operation(out, rest).
struct InPlace<'a, W, O, const R: usize> {
    modulus: &'a Modulus<W>,
    out: &'a mut [W],
    rest: [&'a [W]; R],
    operation: O,
}

impl<W: Word, O: Operation<W, R>, const R: usize> Kernel<W> for InPlace<'_, W, O, R> {
    #[inline(always)]
    fn run<V: Modular<Word = W>>(self, v: V) {
        let context = Context::new(v, self.modulus, self.operation.factor());
        let out = V::blocks_mut(self.out).0;
        let rest = all_blocks::<V, R>(self.rest, out.len());
        for (i, block) in out.iter_mut().enumerate() {
            let x = v.load(block);
            let mut y = [x; R];
            for (reg, blocks) in y.iter_mut().zip(rest) {
                *reg = v.load(&blocks[i]);
            }
            v.store(self.operation.apply(&context, x, y), block);
        }
    }
}

#[inline(always)]
fn all_blocks<V: Modular, const R: usize>(
    words: [&[V::Word]; R],
    count: usize,
) -> [&[V::Block]; R] {
    let mut blocks: [&[V::Block]; R] = [&[]; R];
    for (blocks, words) in blocks.iter_mut().zip(words) {
        *blocks = &V::blocks(words).0[..count];
    }
    blocks
}

#[derive(Clone, Copy)]
struct Add;

impl<W: Word> Operation<W, 1> for Add {
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, [y]: [V::Reg; 1]) -> V::Reg {
        c.v.reduce_once(c.v.add(x, y), c.m.q)
    }
}

#[derive(Clone, Copy)]
struct Sub;

impl<W: Word> Operation<W, 1> for Sub {
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, [y]: [V::Reg; 1]) -> V::Reg {
        c.v.reduce_once(c.v.add(x, c.v.sub(c.m.q, y)), c.m.q)
    }
}

#[derive(Clone, Copy)]
struct Neg;

impl<W: Word> Operation<W, 0> for Neg {
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, []: [V::Reg; 0]) -> V::Reg {
        c.v.reduce_once(c.v.sub(c.m.q, x), c.m.q)
    }
}

#[derive(Clone, Copy)]
struct Mul;

impl<W: Word> Operation<W, 1> for Mul {
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, [y]: [V::Reg; 1]) -> V::Reg {
        c.v.canonical(c.v.mul_lazy(x, y, &c.barrett, &c.m), &c.m)
    }
}

#[derive(Clone, Copy)]
struct MulAdd;

impl<W: Word> Operation<W, 2> for MulAdd {
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, [y, z]: [V::Reg; 2]) -> V::Reg {
        let product = c.v.mul_lazy(y, z, &c.barrett, &c.m);
        c.v.canonical(c.v.add(x, product), &c.m)
    }
}

#[derive(Clone, Copy)]
struct MulScalar<W>(W);

impl<W: Word> Operation<W, 0> for MulScalar<W> {
    fn factor(self) -> W {
        self.0
    }
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, []: [V::Reg; 0]) -> V::Reg {
        let product = c.v.mul_shoup_lazy(x, c.factor, &c.m);
        c.v.canonical_product(product, &c.m)
    }
}

#[derive(Clone, Copy)]
struct AddScalar<W>(W);

impl<W: Word> Operation<W, 0> for AddScalar<W> {
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, []: [V::Reg; 0]) -> V::Reg {
        c.v.reduce_once(c.v.add(x, c.v.splat(self.0)), c.m.q)
    }
}

#[derive(Clone, Copy)]
struct SubMulScalar<W>(W);

impl<W: Word> Operation<W, 1> for SubMulScalar<W> {
    fn factor(self) -> W {
        self.0
    }
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, [y]: [V::Reg; 1]) -> V::Reg {
        let difference = c.v.add(x, c.v.sub(c.m.q, y));
        let product = c.v.mul_shoup_lazy(difference, c.factor, &c.m);
        c.v.canonical_product(product, &c.m)
    }
}

#[derive(Clone, Copy)]
struct Reduce;

impl<W: Word> Operation<W, 0> for Reduce {
    fn factor(self) -> W {
        W::ONE
    }
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, []: [V::Reg; 0]) -> V::Reg {
        let product = c.v.mul_shoup_lazy(x, c.factor, &c.m);
        c.v.canonical_product(product, &c.m)
    }
}

#[derive(Clone, Copy)]
struct ReduceCentred<W> {
    /// The least word that stands for a negative number.
    first_negative: W,
    /// -q_src mod q.
    complement: W,
}

impl<W: Word> Operation<W, 0> for ReduceCentred<W> {
    fn factor(self) -> W {
        W::ONE
    }
    #[inline(always)]
    fn apply<V: Modular<Word = W>>(self, c: &Context<V>, x: V::Reg, []: [V::Reg; 0]) -> V::Reg {
        let v = c.v;
        let (bound, complement) = (v.splat(self.first_negative), v.splat(self.complement));
        let residue = Reduce.apply(c, x, []);
        v.reduce_once(v.add(residue, v.at_least(x, bound, complement)), c.m.q)
    }
}
