//! SHAKE-256 (FIPS 202), read by whole blocks.
//!
//! The sponge absorbs a short message once and then yields blocks of 1088 bits, 17 little-endian
//! words, one Keccak-f\[1600\] permutation each: the unit in which RISE's error sampler works, so
//! the samplers are defined on blocks and the hardware reads the same bits. A byte-wise reader
//! was dropped: it hides where the permutations are.
//!
//! The permutation has no branch or index that depends on data. The state is secret and is
//! zeroised on drop; [`Shake256::next_block`] lends its rate part and copies nothing.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// 64-bit words of a block.
pub const BLOCK_WORDS: usize = 17;
/// Bytes of a block, the rate of SHAKE-256.
pub const BLOCK_BYTES: usize = 8 * BLOCK_WORDS;

/// 64-bit words of the Keccak-f\[1600\] state.
const STATE_WORDS: usize = 25;
/// Domain separation 1111 of an extendable-output function, then the first padding bit.
const SUFFIX: u8 = 0x1f;
/// The last padding bit.
const LAST: u8 = 0x80;

/// A sponge that has absorbed its message.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Shake256 {
    /// The state just before the permutation that yields the next block.
    state: [u64; STATE_WORDS],
}

impl Shake256 {
    /// Absorbs the concatenation of the parts.
    pub fn new(parts: &[&[u8]]) -> Self {
        let mut sponge = Self {
            state: [0; STATE_WORDS],
        };
        let mut position = 0;
        for &byte in parts.iter().copied().flatten() {
            sponge.xor(position, byte);
            position += 1;
            if position == BLOCK_BYTES {
                keccak::f1600(&mut sponge.state);
                position = 0;
            }
        }
        sponge.xor(position, SUFFIX);
        sponge.xor(BLOCK_BYTES - 1, LAST);
        sponge
    }

    /// The next 1088 bits: word 0 first, bit 0 (or byte 0) of a word first.
    pub fn next_block(&mut self) -> &[u64; BLOCK_WORDS] {
        keccak::f1600(&mut self.state);
        self.state.first_chunk().unwrap_or(&[0; BLOCK_WORDS])
    }

    fn xor(&mut self, position: usize, byte: u8) {
        self.state[position / 8] ^= u64::from(byte) << (8 * (position % 8));
    }
}
