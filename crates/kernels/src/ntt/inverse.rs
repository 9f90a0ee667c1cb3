//! The inverse transform: bit-reversed evaluations to natural-order coefficients.
//!
//! Gentleman-Sande butterflies up the tree of `table`, the mirror image of `forward`: first the
//! levels inside eight registers, then radix-4 passes within a cached group, then breadth first.
//! The root's butterfly is scaled: its sum by 1/N and its difference by r^-1/N, r being the root's
//! factor, so the division by N costs half a product per word. Bodies with few registers sweep, as forward.
//!
//! Ranges are those of [`Modular`]; only the root's pass brings words to [0, q).

use super::table::{Bundle, Table, AHEAD};
use super::{CACHE_BYTES, HELD, STRIP, TAILS};
use crate::vector::{Kernel, Modular, Multiples, ALL, HALF, PRODUCTS, SPARE, TWICE};
use ringwright_arith::{Modulus, Shoup, Word};

/// An inverse transform.
pub struct Inverse<'a, W> {
    /// Evaluations in, coefficients out; at least two registers of them.
    pub words: &'a mut [W],
    /// The evaluations, where they are elsewhere: each group is brought when its turn comes.
    pub source: Option<&'a [W]>,
    /// Powers of psi^-1.
    pub table: Table<'a, W>,
    /// The modulus.
    pub modulus: &'a Modulus<W>,
    /// 1/N and r^-1/N, or what else the results are to be multiplied by.
    pub scale: [Shoup<W>; 2],
}

impl<W: Word> Kernel<W> for Inverse<'_, W> {
    #[inline(always)]
    fn run<V: Modular<Word = W>>(self, v: V) {
        let (blocks, rest) = V::blocks_mut(self.words);
        debug_assert!(rest.is_empty() && blocks.len().is_power_of_two() && blocks.len() >= HELD);
        let walk = Walk {
            v,
            q: self.modulus.value(),
            m: v.multiples(self.modulus),
            table: self.table,
            scale: v.factor(self.scale[0]),
            root: v.factor(self.scale[1]),
        };
        walk.run(blocks, self.source.map(|source| V::blocks(source).0));
    }
}

/// What every pass needs.
#[derive(Clone, Copy)]
struct Walk<'a, V: Modular> {
    v: V,
    q: V::Word,
    m: Multiples<V::Reg>,
    table: Table<'a, V::Word>,
    scale: V::Factor,
    root: V::Factor,
}

impl<V: Modular> Walk<'_, V> {
    #[inline(always)]
    fn run(self, blocks: &mut [V::Block], source: Option<&[V::Block]>) {
        let whole = blocks.len();
        // The root's pass leaves an even number of levels to the others.
        let levels = (whole / HELD).ilog2();
        let last = match levels {
            0 => {
                self.bring(blocks, source, 0);
                return self.begin::<true>(blocks, 1, self.table.all_bundles());
            }
            1 => whole / 2,
            _ if levels % 2 == 1 => whole / 8,
            _ => whole / 4,
        };
        let cached = CACHE_BYTES / size_of::<V::Block>();
        let mut size = HELD;
        while 4 * size <= cached.min(last) {
            size *= 4;
        }
        let (groups, words) = (whole / size, size / HELD * Bundle::words::<V>());
        for g in 0..groups {
            let bundles = &self.table.all_bundles()[g * words..(g + 1) * words];
            let group = &mut blocks[g * size..(g + 1) * size];
            self.bring(group, source, g * size);
            self.begin::<false>(group, groups + g, bundles);
        }
        while size < last {
            size = self.join(blocks, size, 1);
        }
        match whole / last {
            2 => self.pass::<2, true>(blocks, 1),
            4 => self.pass::<4, true>(blocks, 1),
            _ => self.pass::<8, true>(blocks, 1),
        }
    }

    /// A group's blocks, if they are elsewhere.
    #[inline(always)]
    fn bring(self, group: &mut [V::Block], source: Option<&[V::Block]>, first: usize) {
        if let Some(source) = source {
            for i in 0..group.len() {
                self.v.store(self.v.load(&source[first + i]), &mut group[i]);
            }
        }
    }

    /// Everything below node k, which with `ROOT` is one bundle.
    #[inline(always)]
    fn begin<const ROOT: bool>(self, blocks: &mut [V::Block], k: usize, bundles: &[V::Word]) {
        let (groups, words) = (blocks.as_chunks_mut().0, Bundle::words::<V>());
        if V::FEW_REGISTERS {
            for g in (0..groups.len()).step_by(TAILS) {
                let end = groups.len().min(g + TAILS);
                self.swept_heads::<ROOT>(&mut groups[g..end], &bundles[g * words..]);
            }
        } else {
            for g in 0..groups.len() {
                let bundle = &bundles[g * words..(g + 1) * words];
                Bundle::fetch::<V>(bundles, g + AHEAD);
                self.head::<ROOT>(&mut groups[g], Bundle::new::<V>(bundle));
            }
        }
        let mut size = HELD;
        while size < blocks.len() {
            size = self.join(blocks, size, k);
        }
    }

    /// One radix-4 pass that joins groups of `size` blocks below node k by fours.
    #[inline(always)]
    fn join(self, blocks: &mut [V::Block], size: usize, k: usize) -> usize {
        let joined = 4 * size;
        let first = k * (blocks.len() / joined);
        for g in 0..blocks.len() / joined {
            self.pass::<4, false>(&mut blocks[g * joined..(g + 1) * joined], first + g);
        }
        joined
    }

    /// log2 ROWS levels up to node k: the group is a matrix of `ROWS` rows, from which as many
    /// columns are taken at a time as the registers hold.
    #[inline(always)]
    fn pass<const ROWS: usize, const ROOT: bool>(self, group: &mut [V::Block], k: usize) {
        if V::FEW_REGISTERS {
            return self.swept_pass::<ROWS, ROOT>(group, k);
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
                x[i] = v.load(&group[i / columns * row + start + i % columns]);
            }
            if ROWS > 4 {
                self.level::<1, TWICE>(&mut x, w4);
            }
            if ROWS > 2 {
                if ROWS > 4 {
                    self.level::<2, SPARE>(&mut x, [w2[0], w2[0], w2[1], w2[1]]);
                } else {
                    self.level::<2, TWICE>(&mut x, [w2[0], w2[0], w2[1], w2[1]]);
                }
            }
            self.last_level::<ROOT>(&mut x, w1);
            for i in 0..HELD {
                v.store(x[i], &mut group[i / columns * row + start + i % columns]);
            }
            start += columns;
        }
        debug_assert!(self.in_window(group));
    }

    /// Butterflies between the halves, at the root scaled.
    #[inline(always)]
    fn last_level<const ROOT: bool>(self, r: &mut [V::Reg; HELD], w: V::Factor) {
        if ROOT {
            self.root(r);
        } else {
            self.level::<4, HALF>(r, [w; HELD / 2]);
        }
    }

    fn in_window(self, group: &[V::Block]) -> bool {
        let mut words = V::words(group).iter();
        words.all(|&word| V::in_inverse_window(word, self.q))
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
            .inverse_butterflies::<LEVEL>(&mut x, &mut y, &w, &self.m);
        for p in 0..HELD / 2 {
            let i = p / HALF * 2 * HALF + p % HALF;
            (r[i], r[i + HALF]) = (x[p], y[p]);
        }
    }

    /// The root's butterflies, scaled and reduced.
    #[inline(always)]
    fn root(self, r: &mut [V::Reg; HELD]) {
        for i in 0..HELD / 2 {
            (r[i], r[i + HELD / 2]) = self.root_butterfly(r[i], r[i + HELD / 2]);
        }
    }

    #[inline(always)]
    fn root_butterfly(self, x: V::Reg, y: V::Reg) -> (V::Reg, V::Reg) {
        let (v, m) = (self.v, self.m);
        let (x, y) = v.scaled_butterfly(x, y, self.scale, self.root, &m);
        (v.canonical_product(x, &m), v.canonical_product(y, &m))
    }

    /// All below the node of a bundle.
    #[inline(always)]
    fn head<const ROOT: bool>(self, group: &mut [V::Block; HELD], t: Bundle<V::Word>) {
        let v = self.v;
        let mut r = [v.load(&group[0]); HELD];
        for p in 0..HELD / 2 {
            let (x, y) = v.deinterleave(v.load(&group[2 * p]), v.load(&group[2 * p + 1]));
            (r[2 * p], r[2 * p + 1]) = (v.begin_inverse(x, &self.m), v.begin_inverse(y, &self.m));
        }
        // At first two neighbouring registers at a time are x and y of butterflies.
        if V::LANES >= 2 {
            self.level_within::<1, TWICE>(&mut r, t);
        }
        if V::LANES >= 4 {
            self.level_within::<2, SPARE>(&mut r, t);
        }
        if V::LANES >= 8 {
            self.level_within::<4, TWICE>(&mut r, t);
        }
        if V::LANES >= 16 {
            self.level_within::<8, ALL>(&mut r, t);
        }
        let w = [t.at(v, 4), t.at(v, 5), t.at(v, 6), t.at(v, 7)];
        self.level::<1, ALL>(&mut r, w);
        let (w0, w1) = (t.at(v, 2), t.at(v, 3));
        self.level::<2, TWICE>(&mut r, [w0, w0, w1, w1]);
        self.last_level::<ROOT>(&mut r, t.at(v, 1));
        for i in 0..HELD {
            v.store(r[i], &mut group[i]);
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
        for (p, w) in w.iter_mut().enumerate() {
            *w = t.spread::<V, G>(v, (HELD / 2 + p) * per_pair);
        }
        self.level::<1, LEVEL>(r, w);
        for p in 0..HELD / 2 {
            (r[2 * p], r[2 * p + 1]) = v.exchange::<G>(r[2 * p], r[2 * p + 1]);
        }
    }

    /// `pass` from memory to memory, level by level.
    #[inline(always)]
    fn swept_pass<const ROWS: usize, const ROOT: bool>(self, group: &mut [V::Block], k: usize) {
        let at = |k| self.table.at(self.v, k);
        let row = group.len() / ROWS;
        let count = row.min(STRIP);
        for start in (0..row).step_by(count) {
            if ROWS > 4 {
                for node in 0..4 {
                    let first = start + 2 * node * row;
                    self.sweep::<TWICE>(group, first, row, count, at(4 * k + node));
                }
            }
            if ROWS > 2 {
                for r in 0..ROWS / 2 {
                    let (node, r) = (r / (ROWS / 4), r % (ROWS / 4));
                    let (first, w) = (start + (ROWS / 2 * node + r) * row, at(2 * k + node));
                    if ROWS > 4 {
                        self.sweep::<SPARE>(group, first, ROWS / 4 * row, count, w);
                    } else {
                        self.sweep::<TWICE>(group, first, ROWS / 4 * row, count, w);
                    }
                }
            }
            for r in 0..ROWS / 2 {
                let first = start + r * row;
                if ROOT {
                    self.sweep_root(group, first, ROWS / 2 * row, count);
                } else if r < ROWS / 4 {
                    self.sweep::<ALL>(group, first, ROWS / 2 * row, count, at(k));
                } else {
                    self.sweep::<PRODUCTS>(group, first, ROWS / 2 * row, count, at(k));
                }
            }
        }
        debug_assert!(self.in_window(group));
    }

    /// Butterflies of `count` blocks with those `distance` further on.
    #[inline(always)]
    fn sweep<const LEVEL: u8>(
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
            let (x, y) = (v.load(&xs[i]), v.load(&ys[i]));
            let (x, y) = v.inverse_butterfly::<LEVEL>(x, y, w, &self.m);
            v.store(x, &mut xs[i]);
            v.store(y, &mut ys[i]);
        }
    }

    /// The same with the root's butterflies.
    #[inline(always)]
    fn sweep_root(self, group: &mut [V::Block], first: usize, distance: usize, count: usize) {
        let v = self.v;
        let (head, tail) = group.split_at_mut(first + distance);
        let (xs, ys) = (&mut head[first..first + count], &mut tail[..count]);
        for i in 0..count {
            let (x, y) = self.root_butterfly(v.load(&xs[i]), v.load(&ys[i]));
            v.store(x, &mut xs[i]);
            v.store(y, &mut ys[i]);
        }
    }

    /// `head` of several groups, from memory to memory, level by level; behind their bundles are the next's.
    #[inline(always)]
    fn swept_heads<const ROOT: bool>(self, groups: &mut [[V::Block; HELD]], bundles: &[V::Word]) {
        let v = self.v;
        for pair in groups.as_flattened_mut().as_chunks_mut::<2>().0 {
            let (x, y) = v.deinterleave(v.load(&pair[0]), v.load(&pair[1]));
            v.store(v.begin_inverse(x, &self.m), &mut pair[0]);
            v.store(v.begin_inverse(y, &self.m), &mut pair[1]);
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            if V::LANES >= 2 {
                self.sweep_within::<1, TWICE>(group, t);
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            if V::LANES >= 4 {
                self.sweep_within::<2, SPARE>(group, t);
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            if V::LANES >= 8 {
                self.sweep_within::<4, TWICE>(group, t);
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            Bundle::fetch::<V>(bundles, g + TAILS);
            for node in 0..4 {
                self.sweep::<ALL>(group, 2 * node, 1, 1, t.at(v, 4 + node));
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            for node in 0..2 {
                self.sweep::<TWICE>(group, 4 * node, 2, 2, t.at(v, 2 + node));
            }
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let t = Bundle::nth::<V>(bundles, g);
            if ROOT {
                self.sweep_root(group, 0, 4, 4);
            } else {
                let w = t.at(v, 1);
                self.sweep::<ALL>(group, 0, 4, 2, w);
                self.sweep::<PRODUCTS>(group, 2, 4, 2, w);
            }
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
            let (x, y) = (v.load(&pair[0]), v.load(&pair[1]));
            let (x, y) = v.inverse_butterfly::<LEVEL>(x, y, w, &self.m);
            let (x, y) = v.exchange::<G>(x, y);
            v.store(x, &mut pair[0]);
            v.store(y, &mut pair[1]);
        }
    }
}
