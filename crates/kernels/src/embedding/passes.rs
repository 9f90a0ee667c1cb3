//! The passes of the embedding: complex butterflies down and up the tree.
//!
//! Two levels at a time (radix 4), one first where their number is odd; the levels inside a pair
//! of registers exchange lanes as in `ntt`. The grouping of levels does not change a result: every
//! butterfly is computed alike wherever it stands.

use crate::vector::{Real, RealKernel};

/// Real and imaginary parts of the twiddles, as a heap.
#[derive(Clone, Debug)]
pub struct Twiddles {
    /// Real parts.
    pub cos: Vec<f64>,
    /// Imaginary parts.
    pub sin: Vec<f64>,
}

/// Coefficients to slots in bit-reversed order, in place.
pub struct Forward<'a> {
    /// The heap.
    pub twiddles: &'a Twiddles,
    /// Real parts.
    pub re: &'a mut [f64],
    /// Imaginary parts.
    pub im: &'a mut [f64],
}

/// Slots in bit-reversed order to coefficients, in place, with the division by n.
pub struct Inverse<'a> {
    /// The heap.
    pub twiddles: &'a Twiddles,
    /// Real parts.
    pub re: &'a mut [f64],
    /// Imaginary parts.
    pub im: &'a mut [f64],
}

impl RealKernel for Forward<'_> {
    #[inline(always)]
    fn run<V: Real>(self, v: V) {
        let field = Field {
            v,
            t: self.twiddles,
        };
        let (re, im) = (V::blocks_mut(self.re).0, V::blocks_mut(self.im).0);
        let mut size = re.len();
        if size.ilog2() % 2 == 0 {
            field.forward2(re, im, 1);
            size /= 2;
        }
        while size > 2 {
            let first = re.len() / size;
            let groups = re.chunks_exact_mut(size).zip(im.chunks_exact_mut(size));
            for (g, (re, im)) in groups.enumerate() {
                field.forward4(re, im, first + g);
            }
            size /= 4;
        }
        let first = re.len() / 2;
        let groups = re.chunks_exact_mut(2).zip(im.chunks_exact_mut(2));
        for (g, (re, im)) in groups.enumerate() {
            field.forward_tail(re, im, first + g);
        }
    }
}

impl RealKernel for Inverse<'_> {
    #[inline(always)]
    fn run<V: Real>(self, v: V) {
        let field = Field {
            v,
            t: self.twiddles,
        };
        let scale = v.splat(1.0 / self.re.len() as f64);
        let (re, im) = (V::blocks_mut(self.re).0, V::blocks_mut(self.im).0);
        let first = re.len() / 2;
        let groups = re.chunks_exact_mut(2).zip(im.chunks_exact_mut(2));
        for (g, (re, im)) in groups.enumerate() {
            field.inverse_head(re, im, first + g, scale);
        }
        let mut size = 8;
        while size <= re.len() {
            let first = re.len() / size;
            let groups = re.chunks_exact_mut(size).zip(im.chunks_exact_mut(size));
            for (g, (re, im)) in groups.enumerate() {
                field.inverse4(re, im, first + g);
            }
            size *= 4;
        }
        if re.len().ilog2() % 2 == 0 {
            field.inverse2(re, im, 1);
        }
    }
}

/// A complex number in each lane.
#[derive(Clone, Copy)]
struct Complex<R> {
    re: R,
    im: R,
}

/// Complex arithmetic on registers.
#[derive(Clone, Copy)]
struct Field<'a, V> {
    v: V,
    t: &'a Twiddles,
}

impl<V: Real> Field<'_, V> {
    #[inline(always)]
    fn load(self, re: &V::Block, im: &V::Block) -> Complex<V::Reg> {
        Complex {
            re: self.v.load(re),
            im: self.v.load(im),
        }
    }

    #[inline(always)]
    fn store(self, z: Complex<V::Reg>, re: &mut V::Block, im: &mut V::Block) {
        self.v.store(z.re, re);
        self.v.store(z.im, im);
    }

    /// The twiddle of node k in every lane.
    #[inline(always)]
    fn at(self, k: usize) -> Complex<V::Reg> {
        Complex {
            re: self.v.splat(self.t.cos[k]),
            im: self.v.splat(self.t.sin[k]),
        }
    }

    /// The twiddles of nodes k, k + 1, …, each in `G` neighbouring lanes.
    #[inline(always)]
    fn spread<const G: usize>(self, k: usize) -> Complex<V::Reg> {
        let end = k + V::LANES / G;
        Complex {
            re: self.v.spread::<G>(&self.t.cos[k..end]),
            im: self.v.spread::<G>(&self.t.sin[k..end]),
        }
    }

    #[inline(always)]
    fn add(self, x: Complex<V::Reg>, y: Complex<V::Reg>) -> Complex<V::Reg> {
        Complex {
            re: self.v.add(x.re, y.re),
            im: self.v.add(x.im, y.im),
        }
    }

    #[inline(always)]
    fn sub(self, x: Complex<V::Reg>, y: Complex<V::Reg>) -> Complex<V::Reg> {
        Complex {
            re: self.v.sub(x.re, y.re),
            im: self.v.sub(x.im, y.im),
        }
    }

    /// (x + w y, x - w y).
    #[inline(always)]
    fn forward_butterfly(
        self,
        x: Complex<V::Reg>,
        y: Complex<V::Reg>,
        w: Complex<V::Reg>,
    ) -> (Complex<V::Reg>, Complex<V::Reg>) {
        let v = self.v;
        let t = Complex {
            re: v.sub(v.mul(y.re, w.re), v.mul(y.im, w.im)),
            im: v.add(v.mul(y.re, w.im), v.mul(y.im, w.re)),
        };
        (self.add(x, t), self.sub(x, t))
    }

    /// (x + y, (x - y) conj(w)).
    #[inline(always)]
    fn inverse_butterfly(
        self,
        x: Complex<V::Reg>,
        y: Complex<V::Reg>,
        w: Complex<V::Reg>,
    ) -> (Complex<V::Reg>, Complex<V::Reg>) {
        let v = self.v;
        let d = self.sub(x, y);
        let t = Complex {
            re: v.add(v.mul(d.re, w.re), v.mul(d.im, w.im)),
            im: v.sub(v.mul(d.im, w.re), v.mul(d.re, w.im)),
        };
        (self.add(x, y), t)
    }

    #[inline(always)]
    fn exchange<const G: usize>(
        self,
        x: Complex<V::Reg>,
        y: Complex<V::Reg>,
    ) -> (Complex<V::Reg>, Complex<V::Reg>) {
        let (xr, yr) = self.v.exchange::<G>(x.re, y.re);
        let (xi, yi) = self.v.exchange::<G>(x.im, y.im);
        (Complex { re: xr, im: xi }, Complex { re: yr, im: yi })
    }

    #[inline(always)]
    fn forward2(self, re: &mut [V::Block], im: &mut [V::Block], k: usize) {
        let w = self.at(k);
        let half = re.len() / 2;
        let ((ra, rb), (ia, ib)) = (re.split_at_mut(half), im.split_at_mut(half));
        for (((ra, rb), ia), ib) in ra.iter_mut().zip(rb).zip(ia).zip(ib) {
            let (x, y) = self.forward_butterfly(self.load(ra, ia), self.load(rb, ib), w);
            self.store(x, ra, ia);
            self.store(y, rb, ib);
        }
    }

    #[inline(always)]
    fn inverse2(self, re: &mut [V::Block], im: &mut [V::Block], k: usize) {
        let w = self.at(k);
        let half = re.len() / 2;
        let ((ra, rb), (ia, ib)) = (re.split_at_mut(half), im.split_at_mut(half));
        for (((ra, rb), ia), ib) in ra.iter_mut().zip(rb).zip(ia).zip(ib) {
            let (x, y) = self.inverse_butterfly(self.load(ra, ia), self.load(rb, ib), w);
            self.store(x, ra, ia);
            self.store(y, rb, ib);
        }
    }

    #[inline(always)]
    fn forward4(self, re: &mut [V::Block], im: &mut [V::Block], k: usize) {
        let (w1, w2, w3) = (self.at(k), self.at(2 * k), self.at(2 * k + 1));
        let quarter = re.len() / 4;
        for i in 0..quarter {
            let at = |j: usize| i + j * quarter;
            let (a, b) = (
                self.load(&re[at(0)], &im[at(0)]),
                self.load(&re[at(1)], &im[at(1)]),
            );
            let (c, d) = (
                self.load(&re[at(2)], &im[at(2)]),
                self.load(&re[at(3)], &im[at(3)]),
            );
            let (a, c) = self.forward_butterfly(a, c, w1);
            let (b, d) = self.forward_butterfly(b, d, w1);
            let (a, b) = self.forward_butterfly(a, b, w2);
            let (c, d) = self.forward_butterfly(c, d, w3);
            for (j, z) in [a, b, c, d].into_iter().enumerate() {
                self.store(z, &mut re[at(j)], &mut im[at(j)]);
            }
        }
    }

    #[inline(always)]
    fn inverse4(self, re: &mut [V::Block], im: &mut [V::Block], k: usize) {
        let (w1, w2, w3) = (self.at(k), self.at(2 * k), self.at(2 * k + 1));
        let quarter = re.len() / 4;
        for i in 0..quarter {
            let at = |j: usize| i + j * quarter;
            let (a, b) = (
                self.load(&re[at(0)], &im[at(0)]),
                self.load(&re[at(1)], &im[at(1)]),
            );
            let (c, d) = (
                self.load(&re[at(2)], &im[at(2)]),
                self.load(&re[at(3)], &im[at(3)]),
            );
            let (a, b) = self.inverse_butterfly(a, b, w2);
            let (c, d) = self.inverse_butterfly(c, d, w3);
            let (a, c) = self.inverse_butterfly(a, c, w1);
            let (b, d) = self.inverse_butterfly(b, d, w1);
            for (j, z) in [a, b, c, d].into_iter().enumerate() {
                self.store(z, &mut re[at(j)], &mut im[at(j)]);
            }
        }
    }

    /// All that is left below node k, which is two registers.
    #[inline(always)]
    fn forward_tail(self, re: &mut [V::Block], im: &mut [V::Block], k: usize) {
        let (x, y) = (self.load(&re[0], &im[0]), self.load(&re[1], &im[1]));
        let (mut x, mut y) = self.forward_butterfly(x, y, self.at(k));
        let mut k = 2 * k;
        if V::LANES >= 8 {
            (x, y) = self.exchange::<4>(x, y);
            (x, y) = self.forward_butterfly(x, y, self.spread::<4>(k));
            k *= 2;
        }
        if V::LANES >= 4 {
            (x, y) = self.exchange::<2>(x, y);
            (x, y) = self.forward_butterfly(x, y, self.spread::<2>(k));
            k *= 2;
        }
        if V::LANES >= 2 {
            (x, y) = self.exchange::<1>(x, y);
            (x, y) = self.forward_butterfly(x, y, self.spread::<1>(k));
        }
        let (ra, rb) = self.v.interleave(x.re, y.re);
        let (ia, ib) = self.v.interleave(x.im, y.im);
        self.store(Complex { re: ra, im: ia }, &mut re[0], &mut im[0]);
        self.store(Complex { re: rb, im: ib }, &mut re[1], &mut im[1]);
    }

    /// The scaling and all below node k, which is two registers.
    #[inline(always)]
    fn inverse_head(self, re: &mut [V::Block], im: &mut [V::Block], k: usize, scale: V::Reg) {
        let v = self.v;
        let (a, b) = (self.load(&re[0], &im[0]), self.load(&re[1], &im[1]));
        let (xr, yr) = v.deinterleave(v.mul(a.re, scale), v.mul(b.re, scale));
        let (xi, yi) = v.deinterleave(v.mul(a.im, scale), v.mul(b.im, scale));
        let (mut x, mut y) = (Complex { re: xr, im: xi }, Complex { re: yr, im: yi });
        let mut node = k * V::LANES;
        if V::LANES >= 2 {
            (x, y) = self.inverse_butterfly(x, y, self.spread::<1>(node));
            (x, y) = self.exchange::<1>(x, y);
            node /= 2;
        }
        if V::LANES >= 4 {
            (x, y) = self.inverse_butterfly(x, y, self.spread::<2>(node));
            (x, y) = self.exchange::<2>(x, y);
            node /= 2;
        }
        if V::LANES >= 8 {
            (x, y) = self.inverse_butterfly(x, y, self.spread::<4>(node));
            (x, y) = self.exchange::<4>(x, y);
        }
        let (x, y) = self.inverse_butterfly(x, y, self.at(k));
        self.store(x, &mut re[0], &mut im[0]);
        self.store(y, &mut re[1], &mut im[1]);
    }
}
