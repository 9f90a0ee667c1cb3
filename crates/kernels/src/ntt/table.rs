//! Twiddle tables as binary heaps.
//!
//! The forward transform descends a binary tree. Node k works modulo X^(2t) - r_k^2 and splits it
//! into X^t - r_k (child 2k) and X^t + r_k (child 2k + 1); the root is node 1 with X^N + 1. The
//! heap has r_k = psi^brv(k), brv reversing the log2 N bits of k: for a node and all that is below
//! it the twiddles are found from k alone, whatever the order of the walk. Leaves come in
//! bit-reversed order. What is below any node of a larger tree is a transform as well: that of the
//! conjugate-invariant ring stands below node 2 of the tree of degree 2N.
//!
//! The nodes that are done in registers are stored once more by *bundles*: what lies below one
//! node k, itself included, as a heap of its own. It is one stream of memory and one length to
//! check. Of the first heap only the nodes above are kept, so it all comes to little more than
//! 2N words. Tables with a word for every lane (5N words) were dropped, they push the
//! coefficients out of the first-level cache from N = 2^11 on.

use super::HELD;
use crate::aligned::AlignedWords;
use crate::arch::{prefetch, BodyTraits, KernelWord};
use crate::vector::Modular;
use ringwright_arith::{bits::bit_reverse, Modulus, Shoup, Word};

/// The tables of one direction.
#[derive(Clone, Debug)]
pub struct Twiddles<W: Word> {
    /// Node k of the upper levels; entry 0 is unused.
    upper: Vec<Shoup<W>>,
    /// One bundle after the other.
    bundles: AlignedWords<W>,
}

impl<W: KernelWord> Twiddles<W> {
    /// Powers of `root`, arranged for a body: those of the tree of 2^log_n leaves below node `top`.
    pub fn new(modulus: &Modulus<W>, root: W, top: usize, log_n: u32, body: BodyTraits<W>) -> Self {
        let whole = powers(modulus, root, log_n + top.ilog2());
        let heap: Vec<W> = (0..1 << log_n).map(|j| whole[below(top, j)]).collect();
        let factor = |&value: &W| (body.prepared)(modulus, value);
        let nodes = HELD * body.lanes;
        let count = heap.len() / nodes;
        let upper = heap[..count].iter().map(factor).collect();
        let mut bundles = AlignedWords::zeros(2 * count * nodes);
        for (top, bundle) in (count..).zip(bundles.chunks_exact_mut(2 * nodes)) {
            let (values, quotients) = bundle.split_at_mut(nodes);
            for (j, (value, quotient)) in values.iter_mut().zip(quotients).enumerate() {
                let factor = factor(&heap[below(top, j)]);
                (*value, *quotient) = (factor.value, factor.quotient);
            }
        }
        Self { upper, bundles }
    }

    /// Borrows it for a kernel.
    pub fn view(&self) -> Table<'_, W> {
        Table {
            upper: &self.upper,
            bundles: &self.bundles,
        }
    }
}

/// The node of the whole tree that is node j of the tree below `top`; 0 for none.
fn below(top: usize, j: usize) -> usize {
    match j.checked_ilog2() {
        Some(depth) => (top << depth) + j - (1 << depth),
        None => 0,
    }
}

/// Entry k is root^brv(k).
fn powers<W: Word>(modulus: &Modulus<W>, root: W, log_n: u32) -> Vec<W> {
    let mut heap = vec![W::ZERO; 1 << log_n];
    let step = modulus.shoup(root);
    let mut power = W::ONE;
    for i in 0..heap.len() {
        heap[bit_reverse(i, log_n)] = power;
        power = modulus.mul_shoup(power, &step);
    }
    heap
}

/// A borrowed table.
#[derive(Clone, Copy)]
pub struct Table<'a, W> {
    upper: &'a [Shoup<W>],
    bundles: &'a [W],
}

impl<'a, W: Word> Table<'a, W> {
    /// Node k of the upper levels.
    #[inline(always)]
    pub fn at<V: Modular<Word = W>>(self, v: V, k: usize) -> V::Factor {
        v.factor(self.upper[k])
    }

    /// The bundles, each for `HELD` registers.
    #[inline(always)]
    pub fn all_bundles(self) -> &'a [W] {
        self.bundles
    }
}

/// How far ahead of their use bundles are fetched where one is used at a time.
pub const AHEAD: usize = 2;
/// Of a cache.
const LINE_BYTES: usize = 64;

/// The tree below one node, which is its node 1.
#[derive(Clone, Copy)]
pub struct Bundle<'a, W> {
    values: &'a [W],
    quotients: &'a [W],
}

impl<'a, W: Word> Bundle<'a, W> {
    /// Words of a bundle.
    #[inline(always)]
    pub fn words<V: Modular<Word = W>>() -> usize {
        2 * HELD * V::LANES
    }

    /// A bundle from its words.
    #[inline(always)]
    pub fn new<V: Modular<Word = W>>(words: &'a [W]) -> Self {
        let (values, quotients) = words.split_at(HELD * V::LANES);
        Self {
            values,
            quotients: &quotients[..HELD * V::LANES],
        }
    }

    /// One bundle of many.
    #[inline(always)]
    pub fn nth<V: Modular<Word = W>>(bundles: &'a [W], index: usize) -> Self {
        let words = Self::words::<V>();
        Self::new::<V>(&bundles[index * words..(index + 1) * words])
    }

    /// Asks for one bundle of many, which may be beyond the end, before it is used. Of 2^16
    /// words under many primes the bundles come from the third-level cache or from memory: unasked, a Zen 4
    /// spent a tenth of an encryption under 24 primes on waiting for them.
    #[inline(always)]
    pub fn fetch<V: Modular<Word = W>>(bundles: &[W], index: usize) {
        let words = Self::words::<V>();
        let first = index * words;
        for word in (first..first + words).step_by(LINE_BYTES / size_of::<W>()) {
            prefetch::<true, _>(bundles, word);
        }
    }

    /// Node k in every lane.
    #[inline(always)]
    pub fn at<V: Modular<Word = W>>(self, v: V, k: usize) -> V::Factor {
        v.factor(Shoup {
            value: self.values[k],
            quotient: self.quotients[k],
        })
    }

    /// Nodes k, k + 1, …, each in `G` neighbouring lanes.
    #[inline(always)]
    pub fn spread<V: Modular<Word = W>, const G: usize>(self, v: V, k: usize) -> V::Factor {
        let end = k + V::LANES / G;
        v.factors::<G>(&self.values[k..end], &self.quotients[k..end])
    }
}
