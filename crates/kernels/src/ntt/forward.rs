//! The forward transform: natural-order coefficients to bit-reversed evaluations.
//!
//! Cooley-Tukey butterflies down the tree of `table`. A pass takes two levels (radix 4) for one
//! load and one store of each register; where the number of levels is odd the first pass takes
//! three or one. Groups larger than the first-level cache are split breadth first; from there a
//! group is finished before the next is touched. The last levels never leave the registers: three
//! levels on eight registers, then pairs of registers exchange lanes, so that one holds the upper
//! and the other the lower halves of several groups.
//!
//! Bodies with sixteen registers keep nothing in them: eight words and what four butterflies need
//! would be spilled, and the chain through two levels of one column is longer than what a processor
//! looks ahead. Their passes go from memory to memory within the first-level cache, one level after
//! the other, a strip of each row at a time (*swept*).
//!
//! Ranges are those of [`Modular`]: the first pass skips its first correction when the input is
//! reduced, the last one ends in `canonical` or `lazy`.
//!
//! Loops over memory count instead of zipping slices: in functions of this size those adaptors are
//! no longer inlined, and a call costs every register.
//!
//! Dropped: Stockham's order (a second buffer for a natural order nobody asked for).

use super::table::{Bundle, Table, AHEAD};
use super::{CACHE_BYTES, HELD, STRIP, TAILS};
use crate::vector::{Kernel, Modular, Multiples, FIRST, REDUCED, SECOND};
use ringwright_arith::{Modulus, Word};

/// A forward transform.
pub struct Forward<'a, W> {
    /// Coefficients in, evaluations out; at least two registers of them.
    pub words: &'a mut [W],
    /// The coefficients, where they are elsewhere: the first pass reads them there.
    pub source: Option<&'a [W]>,
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
            q: self.modulus.value(),
            m: v.multiples(self.modulus),
            table: self.table,
            lazy: self.lazy,
        };
        let mut size = walk.first_pass(blocks, self.source.map(|source| V::blocks(source).0));
        let cached = CACHE_BYTES / size_of::<V::Block>();
        while size > cached {
            size = walk.split(blocks, size, 1);
        }
        let (groups, words) = (blocks.len() / size, size / HELD * Bundle::words::<V>());
        for g in 0..groups {
            let bundles = &self.table.all_bundles()[g * words..(g + 1) * words];
            walk.finish(&mut blocks[g * size..(g + 1) * size], groups + g, bundles);
        }
    }
}

/// What every pass needs.
#[derive(Clone, Copy)]
struct Walk<'a, V: Modular> {
    v: V,
    q: V::Word,
    m: Multiples<V::Reg>,
    table: Table<'a, V::Word>,
    lazy: bool,
}

impl<V: Modular> Walk<'_, V> {
    /// Leaves an even number of levels above the tail; answers the size of the groups.
    #[inline(always)]
    fn first_pass(self, blocks: &mut [V::Block], source: Option<&[V::Block]>) -> usize {
        if self.lazy {
            self.take_levels::<FIRST>(blocks, source)
        } else {
            self.take_levels::<REDUCED>(blocks, source)
        }
    }

    #[inline(always)]
    fn take_levels<const LEVEL: u8>(
        self,
        blocks: &mut [V::Block],
        source: Option<&[V::Block]>,
    ) -> usize {
        let levels = (blocks.len() / HELD).ilog2();
        if levels == 0 {
            for i in 0..blocks.len() {
                let x = self.v.load(Self::at(blocks, source, i));
                self.v.store(self.v.begin(x, &self.m), &mut blocks[i]);
            }
            return blocks.len();
        }
        if levels == 1 {
            self.pass::<2, LEVEL, true>(blocks, source, 1);
            return blocks.len() / 2;
        }
        if levels % 2 == 1 {
            self.pass::<8, LEVEL, true>(blocks, source, 1);
            return blocks.len() / 8;
        }
        self.pass::<4, LEVEL, true>(blocks, source, 1);
        blocks.len() / 4
    }

    /// A block of what a pass reads, which may be elsewhere.
    #[inline(always)]
    fn at<'b>(group: &'b [V::Block], source: Option<&'b [V::Block]>, index: usize) -> &'b V::Block {
        match source {
            Some(source) => &source[index],
            None => &group[index],
        }
    }

    /// One radix-4 pass over all groups of `size` blocks below node k.
    #[inline(always)]
    fn split(self, blocks: &mut [V::Block], size: usize, k: usize) -> usize {
        let first = k * (blocks.len() / size);
        for g in 0..blocks.len() / size {
            self.pass::<4, FIRST, false>(&mut blocks[g * size..(g + 1) * size], None, first + g);
        }
        size / 4
    }

    /// Everything below node k.
    #[inline(always)]
    fn finish(self, blocks: &mut [V::Block], k: usize, bundles: &[V::Word]) {
        let mut size = blocks.len();
        while size > HELD {
            size = self.split(blocks, size, k);
        }
        let (groups, words) = (blocks.as_chunks_mut().0, Bundle::words::<V>());
        if V::FEW_REGISTERS {
            for g in (0..groups.len()).step_by(TAILS) {
                let end = groups.len().min(g + TAILS);
                self.swept_tails(&mut groups[g..end], &bundles[g * words..]);
            }
            return;
        }
        for g in 0..groups.len() {
            let bundle = &bundles[g * words..(g + 1) * words];
            Bundle::fetch::<V>(bundles, g + AHEAD);
            self.tail(&mut groups[g], Bundle::new::<V>(bundle));
        }
    }

    /// log2 ROWS levels below node k: the group is a matrix of `ROWS` rows, from which as many
    /// columns are taken at a time as the registers hold.
    #[expect(clippy::needless_range_loop)]
    #[inline(always)]
    fn pass<const ROWS: usize, const LEVEL: u8, const BEGIN: bool>(
        self,
        group: &mut [V::Block],
        source: Option<&[V::Block]>,
        k: usize,
    ) {
        if V::FEW_REGISTERS {
            return self.swept_pass::<ROWS, LEVEL, BEGIN>(group, source, k);
        }
        let v = self.v;
        let t = |level: usize, i| {
            self.table
                .at(v, if level < ROWS { level * k + i } else { 0 })
        };
        let (w1, w2, w4) = (
            t(1, 0),
            [t(2, 0), t(2, 1)],
            [t(4, 0), t(4, 1), t(4, 2), t(4, 3)],
        );
        let (row, columns) = (group.len() / ROWS, HELD / ROWS);
        let mut start = 0;
        while start < row {
            let mut x = [v.load(&group[start]); HELD];
            for i in 0..HELD {
                let index = i / columns * row + start + i % columns;
                x[i] = v.load(Self::at(group, source, index));
                if BEGIN {
                    x[i] = v.begin(x[i], &self.m);
                }
            }
            self.level::<4, LEVEL>(&mut x, [w1; 4]);
            if ROWS > 2 {
                self.level::<2, SECOND>(&mut x, [w2[0], w2[0], w2[1], w2[1]]);
            }
            if ROWS > 4 {
                self.level::<1, FIRST>(&mut x, w4);
            }
            for i in 0..HELD {
                v.store(x[i], &mut group[i / columns * row + start + i % columns]);
            }
            start += columns;
        }
        debug_assert!(self.in_window(group));
    }

    fn in_window(self, group: &[V::Block]) -> bool {
        let mut words = V::words(group).iter();
        words.all(|&word| V::in_forward_window(word, self.q))
    }

    /// Butterflies between registers that are `HALF` apart.
    #[inline(always)]
    fn level<const HALF: usize, const LEVEL: u8>(
        self,
        r: &mut [V::Reg; HELD],
        w: [V::Factor; HELD / 2],
    ) {
        let (mut x, mut y) = ([r[0]; HELD / 2], [r[0]; HELD / 2]);
        for p in 0..HELD / 2 {
            let i = p / HALF * 2 * HALF + p % HALF;
            (x[p], y[p]) = (r[i], r[i + HALF]);
        }
        self.v
            .forward_butterflies::<LEVEL>(&mut x, &mut y, &w, &self.m);
        for p in 0..HELD / 2 {
            let i = p / HALF * 2 * HALF + p % HALF;
            (r[i], r[i + HALF]) = (x[p], y[p]);
        }
    }

    /// All that is left below the node of a bundle.
    #[inline(always)]
    fn tail(self, group: &mut [V::Block; HELD], t: Bundle<V::Word>) {
        let v = self.v;
        let mut r = [v.load(&group[0]); HELD];
        for i in 0..HELD {
            r[i] = v.load(&group[i]);
        }
        self.level::<4, FIRST>(&mut r, [t.at(v, 1); 4]);
        let (w0, w1) = (t.at(v, 2), t.at(v, 3));
        self.level::<2, SECOND>(&mut r, [w0, w0, w1, w1]);
        let w = [t.at(v, 4), t.at(v, 5), t.at(v, 6), t.at(v, 7)];
        self.level::<1, FIRST>(&mut r, w);
        // From here on two neighbouring registers at a time are x and y of butterflies.
        if V::LANES >= 16 {
            self.level_within::<8, FIRST>(&mut r, t);
        }
        if V::LANES >= 8 {
            self.level_within::<4, SECOND>(&mut r, t);
        }
        if V::LANES >= 4 {
            self.level_within::<2, FIRST>(&mut r, t);
        }
        if V::LANES >= 2 {
            self.level_within::<1, SECOND>(&mut r, t);
        }
        if self.lazy {
            v.lazy_all(&mut r, &self.m);
        } else {
            v.canonical_all(&mut r, &self.m);
        }
        for p in 0..HELD / 2 {
            let (a, b) = v.interleave(r[2 * p], r[2 * p + 1]);
            v.store(a, &mut group[2 * p]);
            v.store(b, &mut group[2 * p + 1]);
        }
    }

    /// Butterflies between groups of `G` lanes.
    #[inline(always)]
    fn level_within<const G: usize, const LEVEL: u8>(
        self,
        r: &mut [V::Reg; HELD],
        t: Bundle<V::Word>,
    ) {
        let v = self.v;
        let per_pair = V::LANES / G;
        let mut w = [t.at(v, 1); HELD / 2];
        for p in 0..HELD / 2 {
            w[p] = t.spread::<V, G>(v, (HELD / 2 + p) * per_pair);
            (r[2 * p], r[2 * p + 1]) = v.exchange::<G>(r[2 * p], r[2 * p + 1]);
        }
        self.level::<1, LEVEL>(r, w);
    }

    /// `pass` from memory to memory, level by level.
    #[inline(always)]
    fn swept_pass<const ROWS: usize, const LEVEL: u8, const BEGIN: bool>(
        self,
        group: &mut [V::Block],
        source: Option<&[V::Block]>,
        k: usize,
    ) {
        let at = |k| self.table.at(self.v, k);
        let row = group.len() / ROWS;
        let count = row.min(STRIP);
        for start in (0..row).step_by(count) {
            if let Some(source) = source {
                for r in 0..ROWS {
                    for i in r * row + start..r * row + start + count {
                        self.v.store(self.v.load(&source[i]), &mut group[i]);
                    }
                }
            }
            for r in 0..ROWS / 2 {
                let first = start + r * row;
                self.sweep::<LEVEL, BEGIN>(group, first, ROWS / 2 * row, count, at(k));
            }
            if ROWS > 2 {
                for r in 0..ROWS / 2 {
                    let (node, r) = (r / (ROWS / 4), r % (ROWS / 4));
                    let first = start + (ROWS / 2 * node + r) * row;
                    self.sweep::<SECOND, false>(
                        group,
                        first,
                        ROWS / 4 * row,
                        count,
                        at(2 * k + node),
                    );
                }
            }
            if ROWS > 4 {
                for node in 0..4 {
                    let first = start + 2 * node * row;
                    self.sweep::<FIRST, false>(group, first, row, count, at(4 * k + node));
                }
            }
        }
        debug_assert!(self.in_window(group));
    }

    /// Butterflies of `count` blocks with those `distance` further on.
    #[inline(always)]
    fn sweep<const LEVEL: u8, const BEGIN: bool>(
        self,
        group: &mut [V::Block],
        first: usize,
        distance: usize,
        count: usize,
        w: V::Factor,
    ) {
        let v = self.v;
        let (head, tail) = group.split_at_mut(first + distance);
        let (xs, ys) = (&mut head[first..first + count], &mut tail[..count]);
        for i in 0..count {
            let (mut x, mut y) = (v.load(&xs[i]), v.load(&ys[i]));
            if BEGIN {
                (x, y) = (v.begin(x, &self.m), v.begin(y, &self.m));
            }
            (x, y) = v.forward_butterfly::<LEVEL>(x, y, w, &self.m);
            v.store(x, &mut xs[i]);
            v.store(y, &mut ys[i]);
        }
    }

    /// `tail` of several groups, from memory to memory, level by level; behind their bundles are the next's.
    #[inline(always)]
    fn swept_tails(self, groups: &mut [[V::Block; HELD]], bundles: &[V::Word]) {
        let v = self.v;
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            Bundle::fetch::<V>(bundles, g + TAILS);
            self.sweep::<FIRST, false>(group, 0, 4, 4, t.at(v, 1));
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            for node in 0..2 {
                self.sweep::<SECOND, false>(group, 4 * node, 2, 2, t.at(v, 2 + node));
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            for node in 0..4 {
                self.sweep::<FIRST, false>(group, 2 * node, 1, 1, t.at(v, 4 + node));
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            if V::LANES >= 8 {
                self.sweep_within::<4, SECOND>(group, t);
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            if V::LANES >= 4 {
                self.sweep_within::<2, FIRST>(group, t);
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            if V::LANES >= 2 {
                self.sweep_within::<1, SECOND>(group, t);
            }
        }
        for pair in groups.as_flattened_mut().as_chunks_mut::<2>().0 {
            let (x, y) = (v.load(&pair[0]), v.load(&pair[1]));
            let finish = |x| v.finish(x, self.lazy, &self.m);
            let (x, y) = v.interleave(finish(x), finish(y));
            v.store(x, &mut pair[0]);
            v.store(y, &mut pair[1]);
        }
    }

    /// Butterflies between groups of `G` lanes of two neighbouring blocks.
    #[inline(always)]
    fn sweep_within<const G: usize, const LEVEL: u8>(
        self,
        group: &mut [V::Block; HELD],
        t: Bundle<V::Word>,
    ) {
        let v = self.v;
        let per_pair = V::LANES / G;
        for (p, pair) in group.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let w = t.spread::<V, G>(v, (HELD / 2 + p) * per_pair);
            let (x, y) = v.exchange::<G>(v.load(&pair[0]), v.load(&pair[1]));
            let (x, y) = v.forward_butterfly::<LEVEL>(x, y, w, &self.m);
            v.store(x, &mut pair[0]);
            v.store(y, &mut pair[1]);
        }
    }
}
