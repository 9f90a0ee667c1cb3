//! Uniform over {-1, 0, 1}, in constant time.
//!
//! The definition is plain rejection: bytes in order, 255 is skipped, any other byte b gives
//! (b mod 3) - 1; 255 = 3 * 85 values remain, so the three are equally likely. Written plainly,
//! the place where a coefficient lands would depend on which bytes were skipped, and so would
//! the memory address. Here a number of blocks that depends on N only is read, and the accepted
//! values are moved down by *oblivious compaction* (Goodrich, SPAA 2011): a value that has s
//! skipped bytes before it moves down by s, one power of two per pass, lowest first. Distances
//! grow by at most one from a value to the next, so no two values ever meet, and each pass is
//! one masked read of every word, whatever the values.
//!
//! The spare bytes, N/128 + 64, suffice except with probability below 2^-115 (Chernoff's bound
//! over all N up to 2^17, checked in the tests). Should they not, zeros take the place of what is
//! missing: reading on would be a branch on secret data, for an event that never happens.

use super::taker::{Block, Taker};
use super::xof::Xof;
use crate::shake::BLOCK_BYTES;
use crate::Wiped;
use zeroize::Zeroizing;

/// A value and the distance that it has to move.
type Packed = u16;

/// Bits of a packed word that hold the value; the distance is above them.
const VALUE_BITS: u32 = 2;

/// Fills `out` with coefficients in {-1, 0, 1}.
pub fn ternary(xof: Xof, out: &mut [i8]) {
    xof.give(Ternary::new(out));
}

/// Packs the bytes of blocks, and moves them down once it has the last.
pub(super) struct Ternary<'a> {
    out: &'a mut [i8],
    packed: Wiped<Packed>,
    spare: usize,
    blocks: usize,
    taken: usize,
    skipped: Zeroizing<u32>,
}

impl<'a> Ternary<'a> {
    pub(super) fn new(out: &'a mut [i8]) -> Self {
        let spare = spare_bytes(out.len());
        assert!(
            spare >> (Packed::BITS - VALUE_BITS) == 0,
            "{} coefficients: no room for their distances",
            out.len()
        );
        let blocks = (out.len() + spare).div_ceil(BLOCK_BYTES);
        Self {
            out,
            packed: Wiped::zeros(blocks * BLOCK_BYTES),
            spare,
            blocks,
            taken: 0,
            skipped: Zeroizing::new(0),
        }
    }

    fn finish(&mut self) {
        let packed = compact(std::mem::take(&mut self.packed), self.spare);
        for (coefficient, &word) in self.out.iter_mut().zip(packed.iter()) {
            *coefficient = unpack(word);
        }
    }
}

impl Taker for Ternary<'_> {
    fn wants_more(&self) -> bool {
        self.taken < self.blocks
    }

    fn take(&mut self, block: &Block) {
        let slots = &mut self.packed[self.taken * BLOCK_BYTES..];
        let mut skipped = *self.skipped;
        for (slots, word) in slots.as_chunks_mut().0.iter_mut().zip(block) {
            *slots = word
                .to_le_bytes()
                .map(|byte| pack(byte, &mut skipped, self.spare as u32));
        }
        *self.skipped = skipped;
        self.taken += 1;
        if self.taken == self.blocks {
            self.finish();
        }
    }
}

/// Bytes read beyond one per coefficient.
fn spare_bytes(n: usize) -> usize {
    n / 128 + 64
}

/// The value in two's complement and the distance it has to move; zero for a skipped byte.
#[inline(always)]
fn pack(byte: u8, skipped: &mut u32, most: u32) -> Packed {
    let byte = u32::from(byte);
    let skip = (byte + 1) >> 8;
    let third = (byte * 171) >> 9;
    let value = (byte - 3 * third).wrapping_sub(1) & ((1 << VALUE_BITS) - 1);
    let word = (*skipped << VALUE_BITS) | value;
    // Counts no further than `most`: beyond, values would pass each other.
    let below = most.wrapping_sub(*skipped + 1).wrapping_shr(31) ^ 1;
    *skipped += skip & below;
    (word & skip.wrapping_sub(1)) as Packed
}

#[inline(always)]
fn unpack(word: Packed) -> i8 {
    let unused = Packed::BITS - VALUE_BITS;
    ((word << unused) as i16 >> unused) as i8
}

/// Moves every value down by its distance, at most `most`; what is left behind becomes zero.
fn compact(mut from: Wiped<Packed>, most: usize) -> Wiped<Packed> {
    let mut to = Wiped::zeros(from.len());
    for bit in 0..=most.ilog2() {
        let distance = 1 << bit;
        let moves = |word: Packed| ((word >> (VALUE_BITS + bit)) & 1).wrapping_neg();
        let (low, high) = to.split_at_mut(from.len() - distance);
        for ((to, &here), &above) in low.iter_mut().zip(from.iter()).zip(&from[distance..]) {
            *to = (above & moves(above)) | (here & !moves(here));
        }
        for (to, &here) in high.iter_mut().zip(&from[from.len() - distance..]) {
            *to = here & !moves(here);
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Chernoff: at least `spare` skips among `bytes` bytes, each with probability 1/256, happen
    /// with probability at most exp(-bytes KL(spare/bytes || 1/256)).
    #[test]
    fn spare_bytes_almost_never_run_out() {
        for log_n in crate::rns_poly::LOG_N_RANGE {
            let n = 1 << log_n;
            let bytes = (n + spare_bytes(n)).next_multiple_of(BLOCK_BYTES) as f64;
            // More skips than the compaction counts.
            let share = (spare_bytes(n) + 1) as f64 / bytes;
            let p = 1.0 / 256.0;
            let divergence =
                share * (share / p).log2() + (1.0 - share) * ((1.0 - share) / (1.0 - p)).log2();
            assert!(
                bytes * divergence > 115.0,
                "N = {n}: 2^-{}",
                bytes * divergence
            );
        }
    }

    fn compacted(bytes: &[u8], spare: usize) -> Vec<i8> {
        let mut skipped = 0;
        let pack = |&byte: &u8| pack(byte, &mut skipped, spare as u32);
        let mut packed = Wiped::zeros(bytes.len());
        for (slot, word) in packed.iter_mut().zip(bytes.iter().map(pack)) {
            *slot = word;
        }
        compact(packed, spare)
            .iter()
            .map(|&word| unpack(word))
            .collect()
    }

    fn value(byte: u8) -> i8 {
        (byte % 3) as i8 - 1
    }

    #[test]
    fn every_byte_has_its_value() {
        for byte in 0..=254 {
            assert_eq!(unpack(pack(byte, &mut 0, 1)), value(byte));
        }
        let mut skipped = 0;
        assert_eq!((pack(255, &mut skipped, 1), skipped), (0, 1));
    }

    proptest! {
        #[test]
        fn compaction_is_filtering(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(255)], 200),
        ) {
            let mut expected: Vec<i8> =
                bytes.iter().filter(|&&b| b != 255).map(|&b| value(b)).collect();
            let skipped = bytes.len() - expected.len();
            expected.resize(bytes.len(), 0);
            prop_assert_eq!(compacted(&bytes, skipped.max(1)), &expected[..]);
            prop_assert_eq!(compacted(&bytes, 199), expected);
        }

        /// More skips than spare bytes: zeros appear, nothing is invented and order is kept.
        #[test]
        fn too_many_skips_leave_zeros(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(255)], 200),
            spare in 1usize..50,
        ) {
            let nonzero = |values: &mut dyn Iterator<Item = i8>| -> Vec<i8> {
                values.filter(|&v| v != 0).collect()
            };
            let accepted = bytes.iter().filter(|&&b| b != 255).map(|&b| value(b));
            let moved = compacted(&bytes, spare);
            prop_assert_eq!(nonzero(&mut moved.into_iter()), nonzero(&mut accepted.into_iter()));
        }
    }
}
