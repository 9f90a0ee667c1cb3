//! Flooding noise: uniform over \[-2^bits, 2^bits), in constant time.
//!
//! Added before a decrypted value leaves the key holder, so that its error says nothing about
//! the key. One word of 8 bytes per coefficient: its low `bits` + 1 bits minus 2^bits.

use super::xof::Xof;
use crate::shake::BLOCK_WORDS;

/// Widest flooding noise.
pub const MAX_FLOOD_BITS: u8 = 62;

/// The noise asked for is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("flooding noise of {0} bits: at most {MAX_FLOOD_BITS} are allowed")]
pub struct FloodError(pub u8);

/// Fills `out` with integers in \[-2^bits, 2^bits).
pub fn flood(mut xof: Xof, bits: u8, out: &mut [i64]) -> Result<(), FloodError> {
    if bits > MAX_FLOOD_BITS {
        return Err(FloodError(bits));
    }
    let bound = 1i64 << bits;
    let mask = 2 * bound as u64 - 1;
    for chunk in out.chunks_mut(BLOCK_WORDS) {
        for (value, &word) in chunk.iter_mut().zip(xof.next_block()) {
            *value = (word & mask) as i64 - bound;
        }
    }
    Ok(())
}
