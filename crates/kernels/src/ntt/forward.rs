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
use super::{CACHE_BYTES, TAIL};
use crate::vector::{Kernel, Modular, Multiples};
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
        debug_assert!(rest.is_empty() && blocks.len().is_power_of_two() && blocks.len() > 1);
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
        let size = blocks.len();
        let levels = (size / TAIL).checked_ilog2().unwrap_or(0);
        if levels == 0 {
            return size;
        }
        if self.lazy {
            self.take_levels::<true>(blocks, levels)
        } else {
            self.take_levels::<false>(blocks, levels)
        }
    }

    #[inline(always)]
    fn take_levels<const CORRECT: bool>(self, blocks: &mut [V::Block], levels: u32) -> usize {
        let taken = match levels {
            1 => {
                self.radix2::<CORRECT>(blocks, 1);
                1
            }
            _ if levels % 2 == 1 => {
                self.radix8::<CORRECT>(blocks, 1);
                3
            }
            _ => {
                self.radix4::<CORRECT>(blocks, 1);
                2
            }
        };
        blocks.len() >> taken
    }

    /// One radix-4 pass over all groups of `size` blocks below node k.
    #[inline(always)]
    fn split(self, blocks: &mut [V::Block], size: usize, k: usize) -> usize {
        let first = k * (blocks.len() / size);
        for (g, group) in blocks.chunks_exact_mut(size).enumerate() {
            self.radix4::<true>(group, first + g);
        }
        size / 4
    }

    /// Everything below node k.
    #[inline(always)]
    fn finish(self, blocks: &mut [V::Block], k: usize) {
        let mut size = blocks.len();
        while size > TAIL {
            size = self.split(blocks, size, k);
        }
        let first = k * (blocks.len() / size);
        for (g, group) in blocks.chunks_exact_mut(size).enumerate() {
            match size {
                8 => self.tail::<8>(group, first + g),
                4 => self.tail::<4>(group, first + g),
                _ => self.tail::<2>(group, first + g),
            }
        }
    }

    #[inline(always)]
    fn radix2<const CORRECT: bool>(self, group: &mut [V::Block], k: usize) {
        let (v, m) = (self.v, self.m);
        let w = self.table.at(v, k);
        let (upper, lower) = group.split_at_mut(group.len() / 2);
        for (a, b) in upper.iter_mut().zip(lower) {
            let (x, y) = v.forward_butterfly::<CORRECT>(v.load(a), v.load(b), w, &m);
            v.store(x, a);
            v.store(y, b);
        }
    }

    #[inline(always)]
    fn radix4<const CORRECT: bool>(self, group: &mut [V::Block], k: usize) {
        let (v, m, t) = (self.v, self.m, self.table);
        let (w1, w2, w3) = (t.at(v, k), t.at(v, 2 * k), t.at(v, 2 * k + 1));
        let (upper, lower) = group.split_at_mut(group.len() / 2);
        let (a, b) = upper.split_at_mut(upper.len() / 2);
        let (c, d) = lower.split_at_mut(lower.len() / 2);
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            let (x0, x2) = v.forward_butterfly::<CORRECT>(v.load(a), v.load(c), w1, &m);
            let (x1, x3) = v.forward_butterfly::<CORRECT>(v.load(b), v.load(d), w1, &m);
            let (x0, x1) = v.forward_butterfly::<true>(x0, x1, w2, &m);
            let (x2, x3) = v.forward_butterfly::<true>(x2, x3, w3, &m);
            v.store(x0, a);
            v.store(x1, b);
            v.store(x2, c);
            v.store(x3, d);
        }
    }

    #[inline(always)]
    fn radix8<const CORRECT: bool>(self, group: &mut [V::Block], k: usize) {
        let v = self.v;
        let eighth = group.len() / 8;
        for i in 0..eighth {
            let mut x = [v.load(&group[i]); 8];
            for (j, x) in x.iter_mut().enumerate() {
                *x = v.load(&group[j * eighth + i]);
            }
            self.levels::<8, CORRECT>(&mut x, k);
            for (j, x) in x.into_iter().enumerate() {
                v.store(x, &mut group[j * eighth + i]);
            }
        }
    }

    /// log2 R levels on registers: x[i] is block i of the group below node k.
    #[inline(always)]
    fn levels<const R: usize, const CORRECT: bool>(self, x: &mut [V::Reg; R], k: usize) {
        let (v, m, t) = (self.v, self.m, self.table);
        let mut half = R / 2;
        let mut node = k;
        while half > 0 {
            for g in 0..R / (2 * half) {
                let w = t.at(v, node + g);
                for i in 2 * half * g..2 * half * g + half {
                    (x[i], x[i + half]) = if half == R / 2 {
                        v.forward_butterfly::<CORRECT>(x[i], x[i + half], w, &m)
                    } else {
                        v.forward_butterfly::<true>(x[i], x[i + half], w, &m)
                    };
                }
            }
            half /= 2;
            node *= 2;
        }
    }

    /// All that is left below node k, which is R registers.
    #[inline(always)]
    fn tail<const R: usize>(self, group: &mut [V::Block], k: usize) {
        let v = self.v;
        let mut x = [v.load(&group[0]); R];
        for i in 0..R {
            x[i] = v.load(&group[i]);
        }
        self.levels::<R, true>(&mut x, k);
        for i in (0..R).step_by(2) {
            let (a, b) = self.within_registers(x[i], x[i + 1], R * k + i);
            v.store(a, &mut group[i]);
            v.store(b, &mut group[i + 1]);
        }
    }

    /// The levels inside two registers, which are nodes k and k + 1.
    #[inline(always)]
    fn within_registers(self, a: V::Reg, b: V::Reg, k: usize) -> (V::Reg, V::Reg) {
        let (v, m, t) = (self.v, self.m, self.table);
        let (mut x, mut y, mut k) = (a, b, k);
        if V::LANES >= 16 {
            (x, y) = v.exchange::<8>(x, y);
            (x, y) = v.forward_butterfly::<true>(x, y, t.spread::<V, 8>(v, k), &m);
            k *= 2;
        }
        if V::LANES >= 8 {
            (x, y) = v.exchange::<4>(x, y);
            (x, y) = v.forward_butterfly::<true>(x, y, t.spread::<V, 4>(v, k), &m);
            k *= 2;
        }
        if V::LANES >= 4 {
            (x, y) = v.exchange::<2>(x, y);
            (x, y) = v.forward_butterfly::<true>(x, y, t.spread::<V, 2>(v, k), &m);
            k *= 2;
        }
        if V::LANES >= 2 {
            (x, y) = v.exchange::<1>(x, y);
            (x, y) = v.forward_butterfly::<true>(x, y, t.spread::<V, 1>(v, k), &m);
        }
        let (x, y) = v.interleave(self.close(x), self.close(y));
        (x, y)
    }

    #[inline(always)]
    fn close(self, x: V::Reg) -> V::Reg {
        if self.lazy {
            self.v.lazy(x, &self.m)
        } else {
            self.v.canonical(x, &self.m)
        }
    }
}
