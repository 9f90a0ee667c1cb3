//! Four Keccak states on AVX2: a rotation is two shifts.

use super::avx2::Avx2;
use crate::rounds::{permute, Rounds, States, STATES};
use std::arch::x86_64::*;

impl Avx2<u64> {
    /// Permutes four states.
    pub fn keccak(self, states: &mut States) {
        // SAFETY: the token proves that the machine has AVX2.
        unsafe { enter(self, states) }
    }
}

#[target_feature(enable = "avx2")]
fn enter(token: Avx2<u64>, states: &mut States) {
    permute(token, states);
}

impl Rounds for Avx2<u64> {
    type Reg = __m256i;

    #[inline(always)]
    fn load(self, words: &[u64; STATES]) -> __m256i {
        with_token!(_mm256_loadu_si256(words.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, reg: __m256i, words: &mut [u64; STATES]) {
        with_token!(_mm256_storeu_si256(words.as_mut_ptr().cast(), reg))
    }
    #[inline(always)]
    fn splat(self, word: u64) -> __m256i {
        with_token!(_mm256_set1_epi64x(word as i64))
    }
    #[inline(always)]
    fn xor(self, x: __m256i, y: __m256i) -> __m256i {
        with_token!(_mm256_xor_si256(x, y))
    }
    #[inline(always)]
    fn chi(self, x: __m256i, y: __m256i, z: __m256i) -> __m256i {
        with_token!(_mm256_xor_si256(x, _mm256_andnot_si256(y, z)))
    }
    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: __m256i) -> __m256i {
        with_token!(_mm256_or_si256(
            _mm256_slli_epi64::<LEFT>(x),
            _mm256_srli_epi64::<RIGHT>(x)
        ))
    }
}
