//! Four Keccak states on AVX-512 VL: functions of three operands, and rotations, in 256-bit
//! registers, of which three instructions start a cycle.

use crate::isa::Isa;
use crate::rounds::{permute, Rounds, States, STATES};
use std::arch::x86_64::*;

/// Proof that AVX-512 F and VL were detected.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Quad(());

/// x ^ y ^ z, by its values for (x, y, z) = 0 .. 7.
const XOR3: i32 = 0b1001_0110;
/// x ^ (!y & z).
const CHI: i32 = 0b1101_0010;

impl Avx512Quad {
    /// The token, where the machine has AVX-512 F, DQ and VL.
    pub fn new() -> Option<Self> {
        let available = Isa::Avx512.is_available() && is_x86_feature_detected!("avx512vl");
        available.then_some(Self(()))
    }

    /// Permutes four states.
    pub fn keccak(self, states: &mut States) {
        // SAFETY: the token proves that the machine has AVX-512 F and VL.
        unsafe { enter(self, states) }
    }
}

#[target_feature(enable = "avx512f,avx512vl")]
fn enter(token: Avx512Quad, states: &mut States) {
    permute(token, states);
}

impl Rounds for Avx512Quad {
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
        with_token!(_mm256_ternarylogic_epi64::<CHI>(x, y, z))
    }
    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: __m256i) -> __m256i {
        with_token!(_mm256_rol_epi64::<LEFT>(x))
    }
    #[inline(always)]
    fn xor3(self, x: __m256i, y: __m256i, z: __m256i) -> __m256i {
        with_token!(_mm256_ternarylogic_epi64::<XOR3>(x, y, z))
    }
}
