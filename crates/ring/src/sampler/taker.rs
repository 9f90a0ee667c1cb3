//! What makes coefficients of the blocks of one stream.

use crate::shake::BLOCK_WORDS;

/// 1088 bits as 17 words; bit 0 of word 0 comes first.
pub(super) type Block = [u64; BLOCK_WORDS];

/// Makes coefficients of blocks.
pub(super) trait Taker {
    /// Whether coefficients are missing.
    fn wants_more(&self) -> bool;
    /// Takes the next block.
    fn take(&mut self, block: &Block);
}
