//! Centred binomial with k = 21: the error distribution of RISE, SEAL's alternative to a Gaussian.
//!
//! A sample is 42 consecutive bits, weight of the low 21 minus weight of the high 21; its
//! variance is 21/2. A block of 1088 bits holds 25 samples, the last 38 bits are not used, so
//! samples never straddle blocks. Constant time: which bits are read depends on nothing.

use super::xof::Xof;
use crate::shake::BLOCK_WORDS;

/// Bits whose weight is counted, twice per sample.
const HALF: u32 = 21;
/// Samples per block.
const SAMPLES: usize = BLOCK_WORDS * 64 / (2 * HALF as usize);

/// Fills `out` with coefficients in \[-21, 21\].
pub fn binomial21(mut xof: Xof, out: &mut [i8]) {
    for samples in out.chunks_mut(SAMPLES) {
        let block = xof.next_block();
        for (sample, index) in samples.iter_mut().zip(0..) {
            *sample = difference_of_weights(bits_from(block, index * 2 * HALF as usize));
        }
    }
}

/// 64 bits of the block from bit `start` on; zeros follow the block.
#[inline(always)]
fn bits_from(block: &[u64; BLOCK_WORDS], start: usize) -> u64 {
    let (word, shift) = (start / 64, start % 64);
    let next = block.get(word + 1).copied().unwrap_or(0);
    let pair = u128::from(block[word]) | (u128::from(next) << 64);
    (pair >> shift) as u64
}

#[inline(always)]
fn difference_of_weights(bits: u64) -> i8 {
    const MASK: u64 = (1 << HALF) - 1;
    let weight = |bits: u64| (bits & MASK).count_ones() as i8;
    weight(bits) - weight(bits >> HALF)
}
