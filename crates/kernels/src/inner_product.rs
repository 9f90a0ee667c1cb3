//! Sums of products modulo one q: x0 y0 + x1 y1 + …, each sum reduced once.

use crate::arch::{prefetch, SumBody};
use crate::error::{check_isa, PlanError};
use crate::isa::Isa;
use crate::permutation::Permutation;
use crate::sums::{
    check_words, Reg, Reorder, SumKernel, SumWord, Sums, WeightedSums, MOST_PRODUCTS,
};
use crate::vector::Lanes;
use ringwright_arith::Modulus;
use std::ops::Range;

/// Sums of products modulo one q < 2^62; all words are in [0, q), in `u64` or, for q < 2^32, in `u32`.
#[derive(Clone, Debug)]
pub struct InnerProduct {
    modulus: Modulus<u64>,
    body: SumBody,
    /// For what does not fill a register.
    scalar: SumBody,
}

/// The operands of one product in each of `H` sums: the first is that of all.
pub type Factors<'a, const H: usize, W = u64> = (&'a [W], [&'a [W]; H]);

/// What each of `H` sums begins with.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a, const H: usize, W = u64> {
    /// Nothing.
    Zero,
    /// What is there already, where the sum goes.
    Out,
    /// These words, which are elsewhere.
    Words([&'a [W]; H]),
}

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
        (self.body.limits().most_products)(self.modulus.bits())
    }

    /// The sums of the products, and of what they begin with, into `out`. Where there are registers
    /// for it, sums of the same first operands are taken together: each of these is read and cut once.
    ///
    /// # Panics
    /// If an operand has another length than `out`, or the modulus does not fit a word.
    pub fn sums<W: SumWord, const H: usize>(
        &self,
        out: [&mut [W]; H],
        products: &[Factors<H, W>],
        start: Start<H, W>,
    ) {
        let length = out.first().map_or(0, |out| out.len());
        assert!(products.iter().all(|(x, _)| x.len() == length), "{LENGTHS}");
        if self.body.isa() >= Isa::Avx512 {
            return self.groups(out, products, None, start);
        }
        // With sixteen registers two sums at a time take a third longer than one after the other, and
        // operands in order are near when they are read again.
        for (h, out) in out.into_iter().enumerate() {
            let alone: Vec<Factors<1, W>> = products.iter().map(|(x, y)| (*x, [y[h]])).collect();
            self.groups([out], &alone, None, start.of(h));
        }
    }

    /// The same for the words in `range` of towers whose first operands are permuted. These are
    /// given whole, the others, like `out`, by their words in range, whose ends are multiples of
    /// 16.
    ///
    /// # Panics
    /// If an operand has another length, the range other ends, or the modulus does not fit a word.
    pub fn permuted_sums<W: SumWord, const H: usize>(
        &self,
        out: [&mut [W]; H],
        products: &[Factors<H, W>],
        permutation: &Permutation,
        range: Range<usize>,
        start: Start<H, W>,
    ) {
        let positions = permutation.positions();
        let tower = positions.len();
        assert!(products.iter().all(|(x, _)| x.len() == tower), "{LENGTHS}");
        assert!(out.iter().all(|out| out.len() == range.len()), "{LENGTHS}");
        let ends = [range.start, range.end];
        assert!(
            ends.iter().all(|end| end.is_multiple_of(WHOLE)),
            "a cut register"
        );
        self.groups(out, products, Some(&positions[range]), start);
    }

    /// The words of a permuted operand alone.
    ///
    /// # Panics
    /// If the operand or `out` has another length than the permutation.
    pub fn permute<W: SumWord>(&self, out: &mut [W], words: &[W], permutation: &Permutation) {
        let positions = permutation.positions();
        let lengths = [out.len(), words.len()];
        assert!(lengths.iter().all(|&l| l == positions.len()), "{LENGTHS}");
        self.body.enter(Permute {
            out,
            words,
            positions,
        });
    }

    /// As many products as a sum holds at a time.
    fn groups<W: SumWord, const H: usize>(
        &self,
        mut out: [&mut [W]; H],
        products: &[Factors<H, W>],
        positions: Option<&[u32]>,
        start: Start<H, W>,
    ) {
        check_words::<W>(&self.modulus);
        let length = out.first().map_or(0, |out| out.len());
        let mut seconds = products.iter().flat_map(|(_, y)| y);
        assert!(seconds.all(|y| y.len() == length), "{LENGTHS}");
        assert!(out.iter().all(|out| out.len() == length), "{LENGTHS}");
        let q = self.modulus.value();
        let reduced = |words: &[W]| words.iter().all(|word| word.widened() < q);
        match start {
            Start::Zero => {}
            Start::Out => debug_assert!(out.iter().all(|out| reduced(out))),
            Start::Words(words) => {
                assert!(words.iter().all(|words| words.len() == length), "{LENGTHS}");
                debug_assert!(words.iter().all(|words| reduced(words)));
            }
        }
        debug_assert!(products
            .iter()
            .all(|(x, y)| reduced(x) && y.iter().all(|y| reduced(y))));
        let mut groups = products.chunks(self.most_products());
        // Without a product there is the start.
        self.group(
            &mut out,
            groups.next().unwrap_or_default(),
            positions,
            start,
        );
        for some in groups {
            self.group(&mut out, some, positions, Start::Out);
        }
        debug_assert!(out.iter().all(|out| reduced(out)));
    }

    /// Whole registers by the body, the remainder, which only towers in order have, by the scalar
    /// one.
    fn group<W: SumWord, const H: usize>(
        &self,
        out: &mut [&mut [W]; H],
        products: &[Factors<H, W>],
        positions: Option<&[u32]>,
        start: Start<H, W>,
    ) {
        let length = out.first().map_or(0, |out| out.len());
        let whole = length - length % WHOLE;
        for (body, range) in [(self.body, 0..whole), (self.scalar, whole..length)] {
            let mut parts: [Factors<H, W>; MOST_PRODUCTS] = [(&[], [&[]; H]); MOST_PRODUCTS];
            for (part, (x, y)) in parts.iter_mut().zip(products) {
                let x = match positions {
                    Some(_) => x,
                    None => &x[range.clone()],
                };
                *part = (x, y.map(|y| &y[range.clone()]));
            }
            body.enter(SumOfProducts {
                modulus: &self.modulus,
                products: &parts[..products.len()],
                positions: positions.map(|positions| &positions[range.clone()]),
                out: out.each_mut().map(|out| &mut out[range.clone()]),
                start: start.within(range),
            });
        }
    }
}

impl<'a, const H: usize, W> Start<'a, H, W> {
    /// Of one sum.
    fn of(self, h: usize) -> Start<'a, 1, W> {
        match self {
            Start::Zero => Start::Zero,
            Start::Out => Start::Out,
            Start::Words(words) => Start::Words([words[h]]),
        }
    }

    /// Of the words in range.
    fn within(self, range: Range<usize>) -> Self {
        match self {
            Start::Words(words) => Start::Words(words.map(|words| &words[range.clone()])),
            other => other,
        }
    }
}

/// Blocks between what is read and what is fetched into the second-level cache: more streams are read
/// than the machine follows by itself, and permuted ones it cannot foresee. Every block is asked for.
///
/// Not into the first-level cache: towers of 2^k words begin at one place of a page, so the same words
/// of all of them belong into one set, which eight fill. Into that, eight rotations of shared digits
/// took 1.5 to 2 times as long for their sums on a Zen 4, whatever the distance; with every second
/// block asked for, for the machine to fetch its neighbour, a third more on top.
const AHEAD: usize = 64;
const LENGTHS: &str = "slices of different lengths";

struct SumOfProducts<'a, W, const H: usize> {
    modulus: &'a Modulus<u64>,
    out: [&'a mut [W]; H],
    products: &'a [Factors<'a, H, W>],
    positions: Option<&'a [u32]>,
    start: Start<'a, H, W>,
}

impl<W: SumWord, const H: usize> SumKernel for SumOfProducts<'_, W, H> {
    #[inline(always)]
    fn run<S: WeightedSums>(self, s: S) {
        match self.positions {
            Some(positions) => self.run_from(s, Permuted(positions)),
            None => self.run_from(s, InOrder),
        }
    }
}

struct Permute<'a, W> {
    out: &'a mut [W],
    words: &'a [W],
    positions: &'a [u32],
}

impl<W: SumWord> SumKernel for Permute<'_, W> {
    #[inline(always)]
    fn run<S: WeightedSums>(self, s: S) {
        let (v, source) = (s.lanes(), Permuted(self.positions));
        let words = W::cells(self.words);
        let out = W::cells_mut(self.out);
        for (block, out) in out.iter_mut().enumerate() {
            Source::<S>::prefetch::<W>(source, words, block + AHEAD);
            let place = Source::<S>::place(source, v, block);
            W::put(v, Source::<S>::load::<W>(source, v, words, place), out);
        }
    }
}

type Cell<S, W> = <W as SumWord>::Cell<<S as Sums>::Lanes>;

/// Where the blocks of first operands are.
trait Source<S: Sums>: Copy {
    /// Of one block.
    type Place: Copy;

    fn place(self, v: S::Lanes, block: usize) -> Self::Place;
    fn load<W: SumWord>(self, v: S::Lanes, words: &[Cell<S, W>], place: Self::Place) -> Reg<S>;
    /// Brings a block near, if reading in order does not.
    fn prefetch<W: SumWord>(self, words: &[Cell<S, W>], block: usize);
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
    fn load<W: SumWord>(self, v: S::Lanes, words: &[Cell<S, W>], place: usize) -> Reg<S> {
        W::get(v, &words[place])
    }
    #[inline(always)]
    fn prefetch<W: SumWord>(self, _: &[Cell<S, W>], _: usize) {}
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
    fn load<W: SumWord>(
        self,
        v: S::Lanes,
        words: &[Cell<S, W>],
        (block, order): Self::Place,
    ) -> Reg<S> {
        v.reorder(W::get(v, &words[block]), order)
    }
    #[inline(always)]
    fn prefetch<W: SumWord>(self, words: &[Cell<S, W>], block: usize) {
        let lanes = S::Lanes::LANES;
        let word = (block * lanes).min(self.0.len() - 1);
        prefetch::<false, _>(words, self.0[word] as usize / lanes);
    }
}

impl<W: SumWord, const H: usize> SumOfProducts<'_, W, H> {
    #[inline(always)]
    fn run_from<S: Sums>(mut self, s: S, source: impl Source<S>) {
        let mut products: [CellFactors<S, W, H>; MOST_PRODUCTS] = [(&[], [&[]; H]); MOST_PRODUCTS];
        for (cells, (x, y)) in products.iter_mut().zip(self.products) {
            cells.0 = W::cells(x);
            for (cells, y) in cells.1.iter_mut().zip(y) {
                *cells = W::cells(y);
            }
        }
        let sum = Sum::<S, _, W, H> {
            s,
            constants: s.constants(self.modulus),
            products: &products[..self.products.len()],
            source,
            start: self.start,
        };
        // Two registers of each sum at a time, to hide what the loop over the products costs.
        match S::Lanes::LANES {
            2.. if H == 1 => sum.all::<2>(&mut self.out),
            8.. => sum.all::<2>(&mut self.out),
            // One word, or as many sums as there are registers for.
            _ => sum.all::<1>(&mut self.out),
        }
    }
}

type CellFactors<'a, S, W, const H: usize> = (&'a [Cell<S, W>], [&'a [Cell<S, W>]; H]);

/// What all registers of some sums share.
struct Sum<'a, S: Sums, X, W: SumWord, const H: usize> {
    s: S,
    constants: S::Constants,
    products: &'a [CellFactors<'a, S, W, H>],
    source: X,
    start: Start<'a, H, W>,
}

impl<S: Sums, X: Source<S>, W: SumWord, const H: usize> Sum<'_, S, X, W, H> {
    /// `R` registers of each sum at a time; the number of blocks is even.
    #[inline(always)]
    fn all<const R: usize>(&self, out: &mut [&mut [W]; H]) {
        let blocks = out.first().map_or(0, |out| out.len()) / S::Lanes::LANES;
        for first in (0..blocks).step_by(R) {
            self.registers::<R>(first, out);
        }
    }

    #[expect(clippy::needless_range_loop)]
    #[inline(always)]
    fn registers<const R: usize>(&self, first: usize, out: &mut [&mut [W]; H]) {
        let (s, v) = (self.s, self.s.lanes());
        // No closures: they would not be compiled for the instruction set.
        let mut places = [self.source.place(v, first); R];
        let mut sums = [[s.start(v.splat(0)); H]; R];
        for j in 0..R {
            places[j] = self.source.place(v, first + j);
            for h in 0..H {
                let words = match self.start {
                    Start::Zero => continue,
                    Start::Out => &*out[h],
                    Start::Words(words) => words[h],
                };
                sums[j][h] = s.start(W::get(v, &W::cells::<S::Lanes>(words)[first + j]));
            }
        }
        for (left, right) in self.products {
            for j in 0..R {
                self.source.prefetch::<W>(left, first + AHEAD + j);
                for h in 0..H {
                    prefetch::<false, _>(right[h], first + AHEAD + j);
                }
            }
            for j in 0..R {
                let x = self.source.load::<W>(v, left, places[j]);
                for h in 0..H {
                    let y = W::get(v, &right[h][first + j]);
                    sums[j][h] = s.add_product(sums[j][h], x, y, &self.constants);
                }
            }
        }
        for j in 0..R {
            for h in 0..H {
                let out = &mut W::cells_mut::<S::Lanes>(out[h])[first + j];
                W::put(v, s.total(sums[j][h], &self.constants), out);
            }
        }
    }
}
