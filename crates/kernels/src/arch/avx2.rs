//! AVX2: 256-bit registers, and the moves of 64-bit lanes.
//!
//! Arithmetic is in `avx2word` and `avx2double` (64-bit words), `avx2short` (32-bit words), `avx2wide`
//! (128-bit words) and `avx2real`.

use super::block;
use super::word_wide::WordWide;
use crate::isa::Isa;
use crate::vector::{Kernel, Lanes, Modular, Real, RealKernel};
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Proof that AVX2 and FMA were detected. `M` tells apart modular arithmetics on the same registers.
#[derive(Clone, Copy, Debug)]
pub struct Avx2<W, M = WordWide>(pub(super) PhantomData<(W, M)>);

impl<W, M> Avx2<W, M> {
    /// The token, where the machine has AVX2 and FMA.
    pub fn new() -> Option<Self> {
        Isa::Avx2.is_available().then_some(Self(PhantomData))
    }

    /// Runs a kernel with AVX2 enabled.
    pub fn enter<K: Kernel<W>>(self, kernel: K)
    where
        Self: Modular<Word = W>,
    {
        // SAFETY: the token proves that the machine has AVX2 and FMA.
        unsafe { enter(self, kernel) }
    }
}

impl Avx2<f64> {
    /// Runs a kernel with AVX2 enabled.
    pub fn enter_real<K: RealKernel>(self, kernel: K) {
        // SAFETY: the token proves that the machine has AVX2.
        unsafe { enter_real(self, kernel) }
    }
}

#[target_feature(enable = "avx2,fma")]
fn enter<V: Modular, K: Kernel<V::Word>>(v: V, kernel: K) {
    kernel.run(v);
}

#[target_feature(enable = "avx2")]
fn enter_real<V: Real, K: RealKernel>(v: V, kernel: K) {
    kernel.run(v);
}

impl<M: Copy> Lanes for Avx2<u64, M> {
    type Word = u64;
    type Reg = __m256i;
    type Block = [u64; 4];
    const LANES: usize = 4;

    #[inline(always)]
    fn blocks(words: &[u64]) -> (&[[u64; 4]], &[u64]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [u64]) -> (&mut [[u64; 4]], &mut [u64]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[u64; 4]]) -> &[u64] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[u64; 4]) -> __m256i {
        with_token!(_mm256_loadu_si256(block.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, reg: __m256i, block: &mut [u64; 4]) {
        with_token!(_mm256_storeu_si256(block.as_mut_ptr().cast(), reg))
    }
    #[inline(always)]
    fn splat(self, word: u64) -> __m256i {
        with_token!(_mm256_set1_epi64x(word as i64))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[u64]) -> __m256i {
        match (G, words) {
            (1, words) => self.load(block(words)),
            (2, &[a, b]) => with_token!(_mm256_set_epi64x(b as i64, b as i64, a as i64, a as i64)),
            _ => unreachable!("{} words cannot fill 4 lanes by {G}", words.len()),
        }
    }
    #[inline(always)]
    fn add(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_add_epi64(x, y))
    }
    #[inline(always)]
    fn sub(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_sub_epi64(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: __m256i, y: __m256i) -> (__m256i, __m256i) {
        match G {
            2 => with_token!((
                _mm256_permute2x128_si256::<0x20>(x, y),
                _mm256_permute2x128_si256::<0x31>(x, y)
            )),
            1 => with_token!((_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y))),
            _ => unreachable!("no groups of {G} in 4 lanes"),
        }
    }
    #[inline(always)]
    fn interleave(self, x: __m256i, y: __m256i) -> (__m256i, __m256i) {
        let (x, y) = self.exchange::<1>(x, y);
        self.exchange::<2>(x, y)
    }
    #[inline(always)]
    fn deinterleave(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        let (x, y) = self.exchange::<2>(a, b);
        self.exchange::<1>(x, y)
    }
}
