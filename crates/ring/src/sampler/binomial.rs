//! Centred binomial with k = 21: the error distribution of RISE, SEAL's alternative to a Gaussian.
//!
//! A sample is 42 consecutive bits, weight of the low 21 minus weight of the high 21; its
//! variance is 21/2. A block of 1088 bits holds 25 samples, the last 38 bits are not used, so
//! samples never straddle blocks. Constant time: which bits are read depends on nothing.
//!
//! A sample begins at an even bit, so it lies within the eight bytes from its first one on. Both
//! weights are counted at once, one in each half of a word, without a product: the words of a block
//! go through the same operations one beside the other, which a compiler puts into registers of
//! several.

use super::taker::{Block, Taker};
use super::xof::Xof;
use crate::shake::{BLOCK_BYTES, BLOCK_WORDS};
use std::slice::ChunksMut;
use zeroize::Zeroizing;

/// Bits whose weight is counted, twice per sample.
const HALF: u32 = 21;
/// Samples per block.
const SAMPLES: usize = BLOCK_WORDS * 64 / (2 * HALF as usize);

/// Fills `out` with coefficients in \[-21, 21\].
pub fn binomial21(xof: Xof, out: &mut [i8]) {
    xof.give(Binomial21::new(out));
}

/// Makes samples of blocks.
pub(super) struct Binomial21<'a> {
    rest: ChunksMut<'a, i8>,
    /// Of the block at hand, as all that is below; wiped once, at the end: a wipe takes as long as the
    /// block's samples.
    bytes: Zeroizing<[u8; BLOCK_BYTES]>,
    /// 42 bits of each sample, and others above.
    bits: Zeroizing<[u64; SAMPLES]>,
}

impl<'a> Binomial21<'a> {
    pub(super) fn new(out: &'a mut [i8]) -> Self {
        Self {
            rest: out.chunks_mut(SAMPLES),
            bytes: Zeroizing::new([0; BLOCK_BYTES]),
            bits: Zeroizing::new([0; SAMPLES]),
        }
    }
}

impl Taker for Binomial21<'_> {
    fn wants_more(&self) -> bool {
        self.rest.len() > 0
    }

    fn take(&mut self, block: &Block) {
        for (bytes, word) in self.bytes.as_chunks_mut().0.iter_mut().zip(block) {
            *bytes = word.to_le_bytes();
        }
        for (index, bits) in self.bits.iter_mut().enumerate() {
            *bits = bits_from(&self.bytes, index * 2 * HALF as usize);
        }
        let samples = self.rest.next().unwrap_or_default();
        for (sample, &bits) in samples.iter_mut().zip(self.bits.iter()) {
            *sample = difference_of_weights(bits);
        }
    }
}

/// At least 42 bits of the block from the even bit `start` on.
#[inline(always)]
fn bits_from(bytes: &[u8; BLOCK_BYTES], start: usize) -> u64 {
    let word = bytes[start / 8..].first_chunk().copied();
    u64::from_le_bytes(word.unwrap_or_default()) >> (start % 8)
}

/// Of the low 42 bits.
#[inline(always)]
fn difference_of_weights(bits: u64) -> i8 {
    const MASK: u64 = (1 << HALF) - 1;
    // The halves in words of 32 bits, whose bits are counted in pairs, fours and bytes.
    let halves = (bits & MASK) | ((bits << (32 - HALF)) & (MASK << 32));
    let pairs = halves - ((halves >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // A weight is at most 21, so no sum of bytes reaches the next byte.
    let sums = bytes + (bytes >> 16);
    let sums = sums + (sums >> 8);
    (sums as u8).wrapping_sub((sums >> 32) as u8) as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_halves() {
        let mut bits = 1u64;
        for _ in 0..100_000 {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let weight = |from: u32| (bits >> from & ((1 << HALF) - 1)).count_ones() as i8;
            assert_eq!(difference_of_weights(bits), weight(0) - weight(HALF));
        }
        for (bits, difference) in [(0, 0), ((1 << HALF) - 1, 21), (u64::MAX << HALF, -21)] {
            assert_eq!(difference_of_weights(bits), difference);
        }
    }
}
