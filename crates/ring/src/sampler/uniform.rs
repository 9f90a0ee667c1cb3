//! Uniform residues, by rejection: for public polynomials.
//!
//! The stream is read in little-endian words of 4 bytes for q < 2^31, of 8 bytes for q < 2^64,
//! of 16 bytes above: the width depends on q, not on the machine word that holds the residue.
//! Words follow each other across blocks. A word is masked to the bits of q and skipped when it
//! is not below q, so every residue is equally likely. The number of blocks that is read depends
//! on the values; they are public.

use super::taker::{Block, Taker};
use super::xof::Xof;
use ringwright_arith::{Modulus, Word};

/// Fills `out` with residues modulo q.
pub fn uniform<W: Word>(xof: Xof, q: &Modulus<W>, out: &mut [W]) {
    xof.give(Uniform::new(q, out));
}

/// Keeps the words of blocks that are below q.
pub(super) struct Uniform<'a, W> {
    q: W,
    width: Width,
    mask: u128,
    out: &'a mut [W],
    filled: usize,
    /// The lower half of a word of 16 bytes whose upper half is in the next block.
    half: Option<u64>,
}

/// Of a word of the stream.
#[derive(Clone, Copy)]
enum Width {
    Bytes4,
    Bytes8,
    Bytes16,
}

impl<'a, W: Word> Uniform<'a, W> {
    pub(super) fn new(q: &Modulus<W>, out: &'a mut [W]) -> Self {
        let width = match q.bits() {
            0..=31 => Width::Bytes4,
            32..=64 => Width::Bytes8,
            _ => Width::Bytes16,
        };
        Self {
            q: q.value(),
            width,
            mask: u128::MAX >> (u128::BITS - q.bits()),
            out,
            filled: 0,
            half: None,
        }
    }

    /// Keeps a word if it is below q and there is room.
    #[inline(always)]
    fn keep(&mut self, word: u128) {
        let candidate = W::from_u128(word & self.mask);
        if candidate < self.q {
            if let Some(slot) = self.out.get_mut(self.filled) {
                *slot = candidate;
                self.filled += 1;
            }
        }
    }
}

impl<W: Word> Taker for Uniform<'_, W> {
    fn wants_more(&self) -> bool {
        self.filled < self.out.len()
    }

    fn take(&mut self, block: &Block) {
        for &word in block {
            match (self.width, self.half) {
                (Width::Bytes4, _) => {
                    self.keep((word as u32).into());
                    self.keep((word >> 32).into());
                }
                (Width::Bytes8, _) => self.keep(word.into()),
                (Width::Bytes16, None) => self.half = Some(word),
                (Width::Bytes16, Some(half)) => {
                    self.half = None;
                    self.keep(u128::from(word) << 64 | u128::from(half));
                }
            }
        }
    }
}
