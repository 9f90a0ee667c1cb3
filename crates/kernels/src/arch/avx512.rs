//! AVX-512 F and DQ: 512-bit registers, and the moves of 64-bit lanes.
//!
//! Exchanges across 128-bit parts are two-source permutations. Arithmetic is in `avx512word`,
//! `avx512signed` and `avx512ifma` (64-bit words), `avx512short` (32-bit words) and `avx512real`.

use super::block;
use super::word_wide::WordWide;
use crate::isa::Isa;
use crate::vector::{Kernel, Lanes, Modular, Real, RealKernel};
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Proof that AVX-512 F and DQ were detected. `M` tells apart modular arithmetics on the same
/// registers.
#[derive(Clone, Copy, Debug)]
pub struct Avx512<W, M = WordWide>(pub(super) PhantomData<(W, M)>);

/// Arithmetics that need no more than AVX-512 F and DQ.
pub trait Plain {}
impl Plain for WordWide {}

impl<W, M: Plain> Avx512<W, M> {
    /// The token, where the machine has AVX-512 F and DQ.
    pub fn new() -> Option<Self> {
        Isa::Avx512.is_available().then_some(Self(PhantomData))
    }

    /// Runs a kernel with AVX-512 enabled.
    pub fn enter<K: Kernel<W>>(self, kernel: K)
    where
        Self: Modular<Word = W>,
    {
        // SAFETY: the token proves that the machine has AVX-512 F and DQ.
        unsafe { enter(self, kernel) }
    }
}

impl Avx512<f64> {
    /// Runs a kernel with AVX-512 enabled.
    pub fn enter_real<K: RealKernel>(self, kernel: K) {
        // SAFETY: the token proves that the machine has AVX-512 F and DQ.
        unsafe { enter_real(self, kernel) }
    }
}

#[target_feature(enable = "avx512f,avx512dq")]
fn enter<V: Modular, K: Kernel<V::Word>>(v: V, kernel: K) {
    kernel.run(v);
}

#[target_feature(enable = "avx512f,avx512dq")]
fn enter_real<V: Real, K: RealKernel>(v: V, kernel: K) {
    kernel.run(v);
}

/// Picks lanes of two 64-bit registers; sources 8 and above are lanes of the second.
macro_rules! pick64 {
    ($x:expr, $y:expr, $($lane:literal)*) => {
        _mm512_permutex2var_epi64($x, _mm512_setr_epi64($($lane),*), $y)
    };
}
pub(super) use pick64;

impl<M: Copy> Lanes for Avx512<u64, M> {
    type Word = u64;
    type Reg = __m512i;
    type Block = [u64; 8];
    const LANES: usize = 8;

    #[inline(always)]
    fn blocks(words: &[u64]) -> (&[[u64; 8]], &[u64]) {
        words.as_chunks()
    }
    #[inline(always)]
    fn blocks_mut(words: &mut [u64]) -> (&mut [[u64; 8]], &mut [u64]) {
        words.as_chunks_mut()
    }
    #[inline(always)]
    fn words(blocks: &[[u64; 8]]) -> &[u64] {
        blocks.as_flattened()
    }
    #[inline(always)]
    fn load(self, block: &[u64; 8]) -> __m512i {
        with_token!(_mm512_loadu_si512(block.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, reg: __m512i, block: &mut [u64; 8]) {
        with_token!(_mm512_storeu_si512(block.as_mut_ptr().cast(), reg))
    }
    #[inline(always)]
    fn splat(self, word: u64) -> __m512i {
        with_token!(_mm512_set1_epi64(word as i64))
    }
    #[inline(always)]
    fn spread<const G: usize>(self, words: &[u64]) -> __m512i {
        match (G, words) {
            (1, words) => self.load(block(words)),
            (2, words) => with_token!({
                let four = _mm256_loadu_si256(block::<u64, 4>(words).as_ptr().cast());
                let lanes = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
                _mm512_permutexvar_epi64(lanes, _mm512_castsi256_si512(four))
            }),
            (4, words) => with_token!({
                let two = _mm_loadu_si128(block::<u64, 2>(words).as_ptr().cast());
                let lanes = _mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1);
                _mm512_permutexvar_epi64(lanes, _mm512_castsi128_si512(two))
            }),
            _ => unreachable!("{} words cannot fill 8 lanes by {G}", words.len()),
        }
    }
    #[inline(always)]
    fn add(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_add_epi64(x, y))
    }
    #[inline(always)]
    fn sub(self, x: __m512i, y: __m512i) -> __m512i {
        with_token!(_mm512_sub_epi64(x, y))
    }
    #[inline(always)]
    fn exchange<const G: usize>(self, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
        match G {
            4 => with_token!((
                _mm512_shuffle_i64x2::<0x44>(x, y),
                _mm512_shuffle_i64x2::<0xEE>(x, y)
            )),
            2 => with_token!((
                pick64!(x, y, 0 1 8 9 4 5 12 13),
                pick64!(x, y, 2 3 10 11 6 7 14 15)
            )),
            1 => with_token!((_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y))),
            _ => unreachable!("no groups of {G} in 8 lanes"),
        }
    }
    #[inline(always)]
    fn interleave(self, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
        with_token!((
            pick64!(x, y, 0 8 1 9 2 10 3 11),
            pick64!(x, y, 4 12 5 13 6 14 7 15)
        ))
    }
    #[inline(always)]
    fn deinterleave(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        with_token!((
            pick64!(a, b, 0 2 4 6 8 10 12 14),
            pick64!(a, b, 1 3 5 7 9 11 13 15)
        ))
    }
}

/// Keeps the compiler from finishing one butterfly of a level after the other: all eight results
/// exist before anything that uses them. Left to itself it walks down one chain of dependent
/// instructions at a time, to save registers, and the multiplier waits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn complete(x: &mut [__m512i; 4], y: &mut [__m512i; 4]) {
    let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (x, y);
    // SAFETY: there are no instructions.
    unsafe {
        std::arch::asm!(
            "/* {0} {1} {2} {3} {4} {5} {6} {7} */",
            inout(zmm_reg) * x0,
            inout(zmm_reg) * x1,
            inout(zmm_reg) * x2,
            inout(zmm_reg) * x3,
            inout(zmm_reg) * y0,
            inout(zmm_reg) * y1,
            inout(zmm_reg) * y2,
            inout(zmm_reg) * y3,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
}
