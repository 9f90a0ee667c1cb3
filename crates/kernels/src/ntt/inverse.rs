//! The inverse transform: bit-reversed evaluations to natural-order coefficients.
//!
//! Gentleman-Sande butterflies up the tree of `table`, the mirror image of `forward`: first the
//! levels inside eight registers, then radix-4 passes within a cached group, then breadth first.
//! The root's butterfly is scaled: its sum by 1/N and its difference by r_1^-1/N, so the division
//! by N costs half a product per word.
//!
//! Ranges are those of [`Modular`]; only the root's pass brings words to [0, q).

use super::table::Table;
use super::{CACHE_BYTES, TAIL};
use crate::vector::{Kernel, Modular, Multiples, Twiddle};
use ringwright_arith::{Modulus, Shoup, Word};

/// An inverse transform in place.
pub struct Inverse<'a, W> {
    /// Evaluations in, coefficients out; at least two registers of them.
    pub words: &'a mut [W],
    /// Powers of psi^-1.
    pub table: Table<'a, W>,
    /// The modulus.
    pub modulus: &'a Modulus<W>,
    /// 1/N and r_1^-1/N.
    pub scale: [Shoup<W>; 2],
}

impl<W: Word> Kernel<W> for Inverse<'_, W> {
    #[inline(always)]
    fn run<V: Modular<Word = W>>(self, v: V) {
        let (blocks, rest) = V::blocks_mut(self.words);
        debug_assert!(rest.is_empty() && blocks.len().is_power_of_two() && blocks.len() > 1);
        let splat = |s: Shoup<W>| Twiddle {
            value: v.splat(s.value),
            quotient: v.splat(s.quotient),
        };
        let walk = Walk {
            v,
            m: v.multiples(self.modulus),
            table: self.table,
            scale: splat(self.scale[0]),
            root: splat(self.scale[1]),
        };
        walk.run(blocks);
    }
}

/// What every pass needs.
#[derive(Clone, Copy)]
struct Walk<'a, V: Modular> {
    v: V,
    m: Multiples<V::Reg>,
    table: Table<'a, V::Word>,
    scale: Twiddle<V::Reg>,
    root: Twiddle<V::Reg>,
}

impl<V: Modular> Walk<'_, V> {
    #[inline(always)]
    fn run(self, blocks: &mut [V::Block]) {
        let whole = blocks.len();
        match whole {
            2 => return self.head::<2, true>(blocks, 1),
            4 => return self.head::<4, true>(blocks, 1),
            TAIL => return self.head::<TAIL, true>(blocks, 1),
            _ => {}
        }
        // The root's pass leaves an even number of levels to the others.
        let levels = (whole / TAIL).ilog2();
        let last = match levels {
            1 => whole / 2,
            _ if levels % 2 == 1 => whole / 8,
            _ => whole / 4,
        };
        let cached = CACHE_BYTES / size_of::<V::Block>();
        let mut size = TAIL;
        while 4 * size <= cached.min(last) {
            size *= 4;
        }
        let groups = whole / size;
        for (g, group) in blocks.chunks_exact_mut(size).enumerate() {
            self.begin(group, groups + g);
        }
        while size < last {
            size = self.join(blocks, size, 1);
        }
        match whole / last {
            2 => self.radix2_root(blocks),
            4 => self.radix4::<true>(blocks, 1),
            _ => self.radix8_root(blocks),
        }
    }

    /// Everything below node k.
    #[inline(always)]
    fn begin(self, blocks: &mut [V::Block], k: usize) {
        let mut size = TAIL;
        let first = k * (blocks.len() / size);
        for (g, group) in blocks.chunks_exact_mut(size).enumerate() {
            self.head::<TAIL, false>(group, first + g);
        }
        while size < blocks.len() {
            size = self.join(blocks, size, k);
        }
    }

    /// One radix-4 pass that joins groups of `size` blocks below node k by fours.
    #[inline(always)]
    fn join(self, blocks: &mut [V::Block], size: usize, k: usize) -> usize {
        let joined = 4 * size;
        let first = k * (blocks.len() / joined);
        for (g, group) in blocks.chunks_exact_mut(joined).enumerate() {
            self.radix4::<false>(group, first + g);
        }
        joined
    }

    #[inline(always)]
    fn radix2_root(self, group: &mut [V::Block]) {
        let v = self.v;
        let (upper, lower) = group.split_at_mut(group.len() / 2);
        for (a, b) in upper.iter_mut().zip(lower) {
            let (x, y) = self.root_butterfly(v.load(a), v.load(b));
            v.store(x, a);
            v.store(y, b);
        }
    }

    #[inline(always)]
    fn radix4<const ROOT: bool>(self, group: &mut [V::Block], k: usize) {
        let (v, m, t) = (self.v, self.m, self.table);
        let (w1, w2, w3) = (t.at(v, k), t.at(v, 2 * k), t.at(v, 2 * k + 1));
        let (upper, lower) = group.split_at_mut(group.len() / 2);
        let (a, b) = upper.split_at_mut(upper.len() / 2);
        let (c, d) = lower.split_at_mut(lower.len() / 2);
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            let (x0, x1) = v.inverse_butterfly(v.load(a), v.load(b), w2, &m);
            let (x2, x3) = v.inverse_butterfly(v.load(c), v.load(d), w3, &m);
            let (x0, x2) = self.butterfly::<ROOT>(x0, x2, w1);
            let (x1, x3) = self.butterfly::<ROOT>(x1, x3, w1);
            v.store(x0, a);
            v.store(x1, b);
            v.store(x2, c);
            v.store(x3, d);
        }
    }

    #[inline(always)]
    fn radix8_root(self, group: &mut [V::Block]) {
        let v = self.v;
        let eighth = group.len() / 8;
        for i in 0..eighth {
            let mut x = [v.load(&group[i]); 8];
            for (j, x) in x.iter_mut().enumerate() {
                *x = v.load(&group[j * eighth + i]);
            }
            self.levels::<8, true>(&mut x, 1);
            for (j, x) in x.into_iter().enumerate() {
                v.store(x, &mut group[j * eighth + i]);
            }
        }
    }

    /// log2 R levels on registers: x[i] is block i of the group below node k.
    #[inline(always)]
    fn levels<const R: usize, const ROOT: bool>(self, x: &mut [V::Reg; R], k: usize) {
        let mut half = 1;
        while half < R {
            let groups = R / (2 * half);
            for g in 0..groups {
                let w = self.table.at(self.v, k * groups + g);
                for i in 2 * half * g..2 * half * g + half {
                    (x[i], x[i + half]) = if half == R / 2 {
                        self.butterfly::<ROOT>(x[i], x[i + half], w)
                    } else {
                        self.v.inverse_butterfly(x[i], x[i + half], w, &self.m)
                    };
                }
            }
            half *= 2;
        }
    }

    /// All below node k, which is R registers.
    #[inline(always)]
    fn head<const R: usize, const ROOT: bool>(self, group: &mut [V::Block], k: usize) {
        let v = self.v;
        let mut x = [v.load(&group[0]); R];
        for i in (0..R).step_by(2) {
            let (a, b) = (v.load(&group[i]), v.load(&group[i + 1]));
            (x[i], x[i + 1]) = self.within_registers(a, b, R * k + i);
        }
        self.levels::<R, ROOT>(&mut x, k);
        for i in 0..R {
            v.store(x[i], &mut group[i]);
        }
    }

    /// The levels inside two registers, which are nodes k and k + 1.
    #[inline(always)]
    fn within_registers(self, a: V::Reg, b: V::Reg, k: usize) -> (V::Reg, V::Reg) {
        let (v, m, t) = (self.v, self.m, self.table);
        let (mut x, mut y) = v.deinterleave(a, b);
        let mut k = k * V::LANES / 2;
        if V::LANES >= 2 {
            (x, y) = v.inverse_butterfly(x, y, t.spread::<V, 1>(v, k), &m);
            (x, y) = v.exchange::<1>(x, y);
            k /= 2;
        }
        if V::LANES >= 4 {
            (x, y) = v.inverse_butterfly(x, y, t.spread::<V, 2>(v, k), &m);
            (x, y) = v.exchange::<2>(x, y);
            k /= 2;
        }
        if V::LANES >= 8 {
            (x, y) = v.inverse_butterfly(x, y, t.spread::<V, 4>(v, k), &m);
            (x, y) = v.exchange::<4>(x, y);
            k /= 2;
        }
        if V::LANES >= 16 {
            (x, y) = v.inverse_butterfly(x, y, t.spread::<V, 8>(v, k), &m);
            (x, y) = v.exchange::<8>(x, y);
        }
        (x, y)
    }

    #[inline(always)]
    fn butterfly<const ROOT: bool>(
        self,
        x: V::Reg,
        y: V::Reg,
        w: Twiddle<V::Reg>,
    ) -> (V::Reg, V::Reg) {
        if ROOT {
            self.root_butterfly(x, y)
        } else {
            self.v.inverse_butterfly(x, y, w, &self.m)
        }
    }

    #[inline(always)]
    fn root_butterfly(self, x: V::Reg, y: V::Reg) -> (V::Reg, V::Reg) {
        let (v, m) = (self.v, self.m);
        let (x, y) = v.scaled_butterfly(x, y, self.scale, self.root, &m);
        (v.canonical_product(x, &m), v.canonical_product(y, &m))
    }
}
