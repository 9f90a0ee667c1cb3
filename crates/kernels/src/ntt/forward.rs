//! The forward transform: natural-order coefficients to bit-reversed evaluations.
//!
//! Cooley-Tukey butterflies down the tree of `table`. A pass takes two levels (radix 4) for one
//! load and one store of each register; where the number of levels is odd the first pass takes
//! three or one. Groups larger than the first-level cache are split breadth first; from there a
//! group is finished before the next is touched. The last levels never leave the registers: three
//! levels on eight registers, then pairs of registers exchange lanes, so that one holds the upper
//! and the other the lower halves of several groups.
//!
//! Ranges are those of [`Modular`]: the first pass skips its first correction when the input is
//! reduced, the last one ends in `canonical` or `lazy`.
//!
//! Dropped: Stockham's order (a second buffer for a natural order nobody asked for).

use super::table::Table;
use super::{CACHE_BYTES, HELD};
use crate::vector::{Kernel, Modular, Multiples, Twiddle};
use ringwright_arith::{Modulus, Word};

/// A forward transform in place.
pub struct Forward<'a, W> {
    /// Coefficients in, evaluations out; at least two registers of them.
    pub words: &'a mut [W],
    /// Powers of psi.
    pub table: Table<'a, W>,
    /// The modulus.
    pub modulus: &'a Modulus<W>,
    /// Input and output in the lazy range instead of [0, q).
    pub lazy: bool,
}

impl<W: Word> Kernel<W> for Forward<'_, W> {
    #[inline(always)]
    fn run<V: Modular<Word = W>>(self, v: V) {
        let (blocks, rest) = V::blocks_mut(self.words);
        debug_assert!(rest.is_empty() && blocks.len().is_power_of_two() && blocks.len() >= HELD);
        let walk = Walk {
            v,
            m: v.multiples(self.modulus),
            table: self.table,
            lazy: self.lazy,
        };
        let mut size = walk.first_pass(blocks);
        let cached = CACHE_BYTES / size_of::<V::Block>();
        while size > cached {
            size = walk.split(blocks, size, 1);
        }
        let groups = blocks.len() / size;
        for (g, group) in blocks.chunks_exact_mut(size).enumerate() {
            walk.finish(group, groups + g);
        }
    }
}

/// What every pass needs.
#[derive(Clone, Copy)]
struct Walk<'a, V: Modular> {
    v: V,
    m: Multiples<V::Reg>,
    table: Table<'a, V::Word>,
    lazy: bool,
}

impl<V: Modular> Walk<'_, V> {
    /// Leaves an even number of levels above the tail; answers the size of the groups.
    #[inline(always)]
    fn first_pass(self, blocks: &mut [V::Block]) -> usize {
        if self.lazy {
            self.take_levels::<true>(blocks)
        } else {
            self.take_levels::<false>(blocks)
        }
    }

    #[inline(always)]
    fn take_levels<const CORRECT: bool>(self, blocks: &mut [V::Block]) -> usize {
        let levels = (blocks.len() / HELD).ilog2();
        if levels == 0 {
            return blocks.len();
        }
        if levels == 1 {
            self.pass::<2, CORRECT>(blocks, 1);
            return blocks.len() / 2;
        }
        if levels % 2 == 1 {
            self.pass::<8, CORRECT>(blocks, 1);
            return blocks.len() / 8;
        }
        self.pass::<4, CORRECT>(blocks, 1);
        blocks.len() / 4
    }

    /// One radix-4 pass over all groups of `size` blocks below node k.
    #[inline(always)]
    fn split(self, blocks: &mut [V::Block], size: usize, k: usize) -> usize {
        let first = k * (blocks.len() / size);
        for (g, group) in blocks.chunks_exact_mut(size).enumerate() {
            self.pass::<4, true>(group, first + g);
        }
        size / 4
    }

    /// Everything below node k.
    #[inline(always)]
    fn finish(self, blocks: &mut [V::Block], k: usize) {
        let mut size = blocks.len();
        while size > HELD {
            size = self.split(blocks, size, k);
        }
        let first = k * (blocks.len() / HELD);
        for (g, group) in blocks.as_chunks_mut().0.iter_mut().enumerate() {
            self.tail(group, first + g);
        }
    }

    /// log2 ROWS levels below node k: the group is a matrix of `ROWS` rows, from which as many
    /// columns are taken at a time as the registers hold.
    #[inline(always)]
    fn pass<const ROWS: usize, const CORRECT: bool>(self, group: &mut [V::Block], k: usize) {
        let v = self.v;
        let (row, columns) = (group.len() / ROWS, HELD / ROWS);
        for start in (0..row).step_by(columns) {
            let mut x = [v.load(&group[start]); HELD];
            for (i, x) in x.iter_mut().enumerate() {
                *x = v.load(&group[i / columns * row + start + i % columns]);
            }
            self.levels::<CORRECT>(&mut x, k, columns);
            for (i, x) in x.into_iter().enumerate() {
                v.store(x, &mut group[i / columns * row + start + i % columns]);
            }
        }
    }

    /// The levels below node k until rows are `columns` registers long.
    #[inline(always)]
    fn levels<const CORRECT: bool>(self, r: &mut [V::Reg; HELD], k: usize, columns: usize) {
        let (v, t) = (self.v, self.table);
        self.level::<4, CORRECT>(r, [t.at(v, k); 4]);
        if columns <= 2 {
            let (w0, w1) = (t.at(v, 2 * k), t.at(v, 2 * k + 1));
            self.level::<2, true>(r, [w0, w0, w1, w1]);
        }
        if columns == 1 {
            let k = 4 * k;
            let w = [t.at(v, k), t.at(v, k + 1), t.at(v, k + 2), t.at(v, k + 3)];
            self.level::<1, true>(r, w);
        }
    }

    /// Butterflies between registers that are `HALF` apart.
    #[inline(always)]
    fn level<const HALF: usize, const CORRECT: bool>(
        self,
        r: &mut [V::Reg; HELD],
        w: [Twiddle<V::Reg>; HELD / 2],
    ) {
        let (mut x, mut y) = ([r[0]; HELD / 2], [r[0]; HELD / 2]);
        for p in 0..HELD / 2 {
            let i = p / HALF * 2 * HALF + p % HALF;
            (x[p], y[p]) = (r[i], r[i + HALF]);
        }
        self.v
            .forward_butterflies::<CORRECT>(&mut x, &mut y, &w, &self.m);
        for p in 0..HELD / 2 {
            let i = p / HALF * 2 * HALF + p % HALF;
            (r[i], r[i + HALF]) = (x[p], y[p]);
        }
    }

    /// All that is left below node k.
    #[inline(always)]
    fn tail(self, group: &mut [V::Block; HELD], k: usize) {
        let (v, m) = (self.v, self.m);
        let mut r = [v.load(&group[0]); HELD];
        for (r, block) in r.iter_mut().zip(&*group) {
            *r = v.load(block);
        }
        self.levels::<true>(&mut r, k, 1);
        // From here on two neighbouring registers at a time are x and y of butterflies.
        let mut k = HELD * k;
        if V::LANES >= 16 {
            self.level_within::<8>(&mut r, k);
            k *= 2;
        }
        if V::LANES >= 8 {
            self.level_within::<4>(&mut r, k);
            k *= 2;
        }
        if V::LANES >= 4 {
            self.level_within::<2>(&mut r, k);
            k *= 2;
        }
        if V::LANES >= 2 {
            self.level_within::<1>(&mut r, k);
        }
        for (pair, blocks) in r.chunks_exact(2).zip(group.chunks_exact_mut(2)) {
            let close = |x| {
                if self.lazy {
                    v.lazy(x, &m)
                } else {
                    v.canonical(x, &m)
                }
            };
            let (a, b) = v.interleave(close(pair[0]), close(pair[1]));
            v.store(a, &mut blocks[0]);
            v.store(b, &mut blocks[1]);
        }
    }

    /// Butterflies between groups of `G` lanes, of which the first are node k's.
    #[inline(always)]
    fn level_within<const G: usize>(self, r: &mut [V::Reg; HELD], k: usize) {
        let (v, t) = (self.v, self.table);
        let per_pair = V::LANES / G;
        let mut w = [t.at(v, 0); HELD / 2];
        for (p, w) in w.iter_mut().enumerate() {
            *w = t.spread::<V, G>(v, k + p * per_pair);
            (r[2 * p], r[2 * p + 1]) = v.exchange::<G>(r[2 * p], r[2 * p + 1]);
        }
        self.level::<1, true>(r, w);
    }
}
