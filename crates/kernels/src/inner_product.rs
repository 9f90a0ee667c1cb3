//! Sums of products modulo one q: x0 y0 + x1 y1 + …, each sum reduced once.

use crate::arch::SumBody;
use crate::error::{check_isa, PlanError};
use crate::isa::Isa;
use crate::permutation::Permutation;
use crate::sums::{Reg, Reorder, SumKernel, Sums, MOST_PRODUCTS};
use crate::vector::Lanes;
use ringwright_arith::Modulus;
use std::ops::Range;

/// Sums of products modulo one q < 2^62; all words are in [0, q).
#[derive(Clone, Debug)]
pub struct InnerProduct {
    modulus: Modulus<u64>,
    body: SumBody,
    /// For what does not fill a register.
    scalar: SumBody,
}

/// The operands of one product.
pub type Pair<'a> = (&'a [u64], &'a [u64]);

/// Words that fill two registers of every instruction set.
const WHOLE: usize = 16;

impl InnerProduct {
    /// Sums on the given instruction set, or the best below it that serves this modulus. An
    /// instruction set that the machine lacks is an error.
    pub fn with_isa(q: u64, isa: Isa) -> Result<Self, PlanError> {
        let modulus = Modulus::new(q)?;
        let isa = check_isa(isa)?;
        Ok(Self {
            modulus,
            body: SumBody::choose(isa, modulus.bits()),
            scalar: SumBody::choose(Isa::Scalar, modulus.bits()),
        })
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.body.isa()
    }

    /// How many products are summed before a reduction.
    pub fn most_products(&self) -> usize {
        self.body.most_products(self.modulus.bits())
    }

    /// The sum of the products into `out`, or onto it where `accumulate`.
    ///
    /// # Panics
    /// If an operand has another length than `out`.
    pub fn sum(&self, out: &mut [u64], pairs: &[Pair], accumulate: bool) {
        assert!(pairs.iter().all(|(x, _)| x.len() == out.len()), "{LENGTHS}");
        self.groups(out, pairs, None, accumulate);
    }

    /// The same for the words in `range` of towers whose first operands are permuted. These are
    /// given whole, the others, like `out`, by their words in range, whose ends are multiples of
    /// 16.
    ///
    /// # Panics
    /// If an operand has another length, or the range other ends.
    pub fn permuted_sum(
        &self,
        out: &mut [u64],
        pairs: &[Pair],
        permutation: &Permutation,
        range: Range<usize>,
        accumulate: bool,
    ) {
        let positions = permutation.positions();
        let tower = positions.len();
        assert!(pairs.iter().all(|(x, _)| x.len() == tower), "{LENGTHS}");
        assert_eq!(range.len(), out.len(), "{LENGTHS}");
        let ends = [range.start, range.end];
        assert!(
            ends.iter().all(|end| end.is_multiple_of(WHOLE)),
            "a cut register"
        );
        self.groups(out, pairs, Some(&positions[range]), accumulate);
    }

    /// As many products as a sum holds at a time.
    fn groups(&self, out: &mut [u64], pairs: &[Pair], positions: Option<&[u32]>, accumulate: bool) {
        assert!(pairs.iter().all(|(_, y)| y.len() == out.len()), "{LENGTHS}");
        let reduced = |words: &[u64]| words.iter().all(|&word| word < self.modulus.value());
        debug_assert!(!accumulate || reduced(out));
        debug_assert!(pairs.iter().all(|(x, y)| reduced(x) && reduced(y)));
        if pairs.is_empty() && !accumulate {
            out.fill(0);
        }
        for (index, pairs) in pairs.chunks(self.most_products()).enumerate() {
            self.group(out, pairs, positions, accumulate || index > 0);
        }
        debug_assert!(reduced(out));
    }

    /// Whole registers by the body, the remainder, which only towers in order have, by the scalar
    /// one.
    fn group(&self, out: &mut [u64], pairs: &[Pair], positions: Option<&[u32]>, accumulate: bool) {
        let whole = out.len() - out.len() % WHOLE;
        for (body, range) in [(self.body, 0..whole), (self.scalar, whole..out.len())] {
            let mut parts = [Pair::default(); MOST_PRODUCTS];
            for (part, (x, y)) in parts.iter_mut().zip(pairs) {
                let x = match positions {
                    Some(_) => x,
                    None => &x[range.clone()],
                };
                *part = (x, &y[range.clone()]);
            }
            body.enter(SumOfProducts {
                modulus: &self.modulus,
                pairs: &parts[..pairs.len()],
                positions: positions.map(|positions| &positions[range.clone()]),
                out: &mut out[range],
                accumulate,
            });
        }
    }
}

/// Registers between what is read and what is fetched: more streams are read than the machine
/// follows by itself, and permuted ones it cannot foresee.
const AHEAD: usize = 16;
const LENGTHS: &str = "slices of different lengths";

struct SumOfProducts<'a> {
    modulus: &'a Modulus<u64>,
    out: &'a mut [u64],
    pairs: &'a [Pair<'a>],
    positions: Option<&'a [u32]>,
    accumulate: bool,
}

impl SumKernel for SumOfProducts<'_> {
    #[inline(always)]
    fn run<S: Sums>(self, s: S) {
        match self.positions {
            Some(positions) => self.run_from(s, Permuted(positions)),
            None => self.run_from(s, InOrder),
        }
    }
}

type Block<S> = <<S as Sums>::Lanes as Lanes>::Block;

/// Where the blocks of first operands are.
trait Source<S: Sums>: Copy {
    /// Of one block.
    type Place: Copy;

    fn place(self, v: S::Lanes, block: usize) -> Self::Place;
    fn load(self, v: S::Lanes, words: &[Block<S>], place: Self::Place) -> Reg<S>;
    /// Brings a block near, if reading in order does not.
    fn prefetch(self, v: S::Lanes, words: &[Block<S>], block: usize);
}

#[derive(Clone, Copy)]
struct InOrder;

impl<S: Sums> Source<S> for InOrder {
    type Place = usize;

    #[inline(always)]
    fn place(self, _: S::Lanes, block: usize) -> usize {
        block
    }
    #[inline(always)]
    fn load(self, v: S::Lanes, words: &[Block<S>], place: usize) -> Reg<S> {
        v.load(&words[place])
    }
    #[inline(always)]
    fn prefetch(self, _: S::Lanes, _: &[Block<S>], _: usize) {}
}

/// Positions of the words.
#[derive(Clone, Copy)]
struct Permuted<'a>(&'a [u32]);

impl<S: Sums> Source<S> for Permuted<'_> {
    type Place = (usize, <S::Lanes as Reorder>::Order);

    #[inline(always)]
    fn place(self, v: S::Lanes, block: usize) -> Self::Place {
        let lanes = S::Lanes::LANES;
        let positions = &self.0[block * lanes..][..lanes];
        (positions[0] as usize / lanes, v.order(positions))
    }
    #[inline(always)]
    fn load(self, v: S::Lanes, words: &[Block<S>], (block, order): Self::Place) -> Reg<S> {
        v.reorder(v.load(&words[block]), order)
    }
    #[inline(always)]
    fn prefetch(self, v: S::Lanes, words: &[Block<S>], block: usize) {
        let lanes = S::Lanes::LANES;
        let word = (block * lanes).min(self.0.len() - 1);
        v.prefetch(words, self.0[word] as usize / lanes);
    }
}

impl SumOfProducts<'_> {
    /// Two registers at a time, to hide what the loop over the products costs.
    #[inline(always)]
    fn run_from<S: Sums>(self, s: S, source: impl Source<S>) {
        let mut pairs: [BlockPair<S>; MOST_PRODUCTS] = [(&[], &[]); MOST_PRODUCTS];
        for (blocks, (x, y)) in pairs.iter_mut().zip(self.pairs) {
            *blocks = (<S::Lanes>::blocks(x).0, <S::Lanes>::blocks(y).0);
        }
        let sum = Sum {
            s,
            constants: s.constants(self.modulus),
            pairs: &pairs[..self.pairs.len()],
            source,
            accumulate: self.accumulate,
        };
        let out = <S::Lanes>::blocks_mut(self.out).0;
        let (twos, one) = out.as_chunks_mut();
        for (i, two) in twos.iter_mut().enumerate() {
            sum.registers::<2>(2 * i, two);
        }
        for block in one.as_chunks_mut().0 {
            sum.registers::<1>(2 * twos.len(), block);
        }
    }
}

type BlockPair<'a, S> = (&'a [Block<S>], &'a [Block<S>]);

/// What all registers of one sum share.
struct Sum<'a, S: Sums, X> {
    s: S,
    constants: S::Constants,
    pairs: &'a [BlockPair<'a, S>],
    source: X,
    accumulate: bool,
}

impl<S: Sums, X: Source<S>> Sum<'_, S, X> {
    #[inline(always)]
    fn registers<const R: usize>(&self, first: usize, out: &mut [Block<S>; R]) {
        let (s, v) = (self.s, self.s.lanes());
        // No closures: they would not be compiled for the instruction set.
        let mut places = [self.source.place(v, first); R];
        let mut sums = [s.start(v.splat(0)); R];
        for j in 0..R {
            places[j] = self.source.place(v, first + j);
            if self.accumulate {
                sums[j] = s.start(v.load(&out[j]));
            }
        }
        for (left, right) in self.pairs {
            v.prefetch(right, first + AHEAD);
            self.source.prefetch(v, left, first + AHEAD);
            for j in 0..R {
                let x = self.source.load(v, left, places[j]);
                sums[j] = s.add_product(sums[j], x, v.load(&right[first + j]), &self.constants);
            }
        }
        for (sum, out) in sums.into_iter().zip(out) {
            v.store(s.total(sum, &self.constants), out);
        }
    }
}
