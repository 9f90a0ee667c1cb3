//! Uniform residues, by rejection: for public polynomials.
//!
//! The stream is read in little-endian words of 4 bytes for q < 2^31, of 8 bytes for q < 2^64,
//! of 16 bytes above: the width depends on q, not on the machine word that holds the residue.
//! Words follow each other across blocks. A word is masked to the bits of q and skipped when it
//! is not below q, so every residue is equally likely. The number of blocks that is read depends
//! on the values; they are public.

use super::xof::Xof;
use crate::shake::{BLOCK_BYTES, BLOCK_WORDS};
use ringwright_arith::{Modulus, Word};

/// Fills `out` with residues modulo q.
pub fn uniform<W: Word>(xof: Xof, q: &Modulus<W>, out: &mut [W]) {
    let (quarters, mask) = (quarters(q.bits()), u128::MAX >> (u128::BITS - q.bits()));
    let mut stream = Stream::new(xof);
    for slot in out {
        *slot = loop {
            let candidate = W::from_u128(stream.next(quarters) & mask);
            if candidate < q.value() {
                break candidate;
            }
        };
    }
}

/// Words of 4 bytes that make one candidate.
fn quarters(bits: u32) -> u32 {
    match bits {
        0..=31 => 1,
        32..=64 => 2,
        _ => 4,
    }
}

/// A stream cut into words of 4 bytes.
struct Stream {
    xof: Xof,
    block: [u64; BLOCK_WORDS],
    /// Bytes of `block` that were read.
    position: usize,
}

impl Stream {
    fn new(xof: Xof) -> Self {
        Self {
            xof,
            block: [0; BLOCK_WORDS],
            position: BLOCK_BYTES,
        }
    }

    /// The next `quarters` words of 4 bytes, the first one lowest.
    #[inline]
    fn next(&mut self, quarters: u32) -> u128 {
        (0..quarters).fold(0, |word, i| {
            word | u128::from(self.next_quarter()) << (32 * i)
        })
    }

    #[inline]
    fn next_quarter(&mut self) -> u32 {
        if self.position == BLOCK_BYTES {
            self.block = *self.xof.next_block();
            self.position = 0;
        }
        let word = self.block[self.position / 8] >> (8 * (self.position % 8));
        self.position += 4;
        word as u32
    }
}
