//! SHAKE-256 (FIPS 202), read by whole blocks.
//!
//! The sponge absorbs a short message once and then yields blocks of 1088 bits, 17 little-endian
//! words, one Keccak-f\[1600\] permutation each: the unit in which RISE's error sampler works, so
//! the samplers are defined on blocks and the hardware reads the same bits. A byte-wise reader
//! was dropped: it hides where the permutations are.
//!
//! The permutation has no branch or index that depends on data. The state is secret and is
//! zeroised on drop; [`Shake256::next_block`] lends its rate part and copies nothing. [`Sponges`]
//! are up to four that are permuted together.

use ringwright_kernels::{Keccak, States, STATES, STATE_WORDS};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// 64-bit words of a block.
pub const BLOCK_WORDS: usize = 17;
/// Bytes of a block, the rate of SHAKE-256.
pub const BLOCK_BYTES: usize = 8 * BLOCK_WORDS;

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

/// Sponges that have absorbed their messages, their states side by side.
pub struct Sponges {
    keccak: Keccak,
    states: Zeroizing<States>,
}

impl Sponges {
    /// Of as many as lie side by side; more are left out.
    pub fn new<'a>(keccak: Keccak, sponges: impl IntoIterator<Item = &'a Shake256>) -> Self {
        let mut states = Zeroizing::new([[0; STATES]; STATE_WORDS]);
        for (which, sponge) in sponges.into_iter().take(STATES).enumerate() {
            for (words, &word) in states.iter_mut().zip(&sponge.state) {
                words[which] = word;
            }
        }
        Self { keccak, states }
    }

    /// Goes on to the next block of the first `used` sponges.
    pub fn permute(&mut self, used: usize) {
        self.keccak.permute(&mut self.states, used);
    }

    /// Copies the block at which a sponge is, as [`Shake256::next_block`] gives it.
    pub fn copy_block(&self, which: usize, block: &mut [u64; BLOCK_WORDS]) {
        for (word, words) in block.iter_mut().zip(self.states.iter()) {
            *word = words[which];
        }
    }
}
