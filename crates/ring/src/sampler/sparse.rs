//! So many coefficients of -1 or 1, the others 0, in constant time.
//!
//! One word of 8 bytes per coefficient. The first `weight` of them carry 1 or -1, by their lowest bit; the
//! rest of a word, 62 bits, is what all are sorted by. Sorted keys of N independent uniform numbers are a
//! uniform permutation, unless two are equal: N = 2^17 of them with a probability below 2^-28, and then
//! two coefficients may have changed places, which no key shows. They are sorted by Batcher's bitonic
//! network, whose comparisons are the same for all inputs.

use super::xof::Xof;
use crate::shake::BLOCK_WORDS;
use crate::Wiped;

/// Bits of a word that hold the value, in two's complement; the key is above them.
const VALUE_BITS: u32 = 2;
const VALUE: u64 = (1 << VALUE_BITS) - 1;

/// A weight that no secret has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{length} coefficients of which {weight} are not 0: a power of two and at most as many allowed"
)]
pub struct WeightError {
    /// Coefficients.
    pub length: usize,
    /// Those that are not 0.
    pub weight: usize,
}

/// Fills `out`, a power of two of coefficients, with `weight` of -1 or 1 at places drawn at random.
///
/// # Errors
/// Another length, or more than it has.
pub fn sparse(mut xof: Xof, weight: usize, out: &mut [i8]) -> Result<(), WeightError> {
    let length = out.len();
    if !length.is_power_of_two() || weight > length {
        return Err(WeightError { length, weight });
    }
    let mut words = Wiped::zeros(length);
    for (index, words) in words.chunks_mut(BLOCK_WORDS).enumerate() {
        for (offset, (word, &drawn)) in words.iter_mut().zip(xof.next_block()).enumerate() {
            let carries = u64::from(index * BLOCK_WORDS + offset < weight);
            // 1 is 01 and -1 is 11.
            let value = carries | (carries & drawn) << 1;
            *word = (drawn & !VALUE) | value;
        }
    }
    sort(&mut words);
    for (coefficient, &word) in out.iter_mut().zip(words.iter()) {
        let unused = u64::BITS - VALUE_BITS;
        *coefficient = ((word << unused) as i64 >> unused) as i8;
    }
    Ok(())
}

/// Batcher's bitonic sort of a power of two of words, ascending.
fn sort(words: &mut [u64]) {
    let mut size = 2;
    while size <= words.len() {
        let mut distance = size / 2;
        while distance > 0 {
            for low in (0..words.len()).filter(|low| low & distance == 0) {
                let (a, b) = (words[low], words[low + distance]);
                let descending = u64::from(low & size != 0);
                // The borrow of b - a: all ones where a is the larger.
                let larger = (u128::from(b).wrapping_sub(u128::from(a)) >> 64) as u64;
                let swap = (larger ^ descending.wrapping_neg()) & (a ^ b);
                words[low] = a ^ swap;
                words[low + distance] = b ^ swap;
            }
            distance /= 2;
        }
        size *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use proptest::prelude::*;

    fn drawn(seed: u8, weight: usize, length: usize) -> Vec<i8> {
        let mut out = vec![5; length];
        let xof = Xof::new(&Seed::from_bytes([seed; 32]), "sparse", 0).unwrap();
        sparse(xof, weight, &mut out).unwrap();
        out
    }

    #[test]
    fn the_weight_is_exact() {
        for (length, weight) in [(16, 0), (16, 1), (16, 16), (1024, 32), (4096, 192)] {
            let out = drawn(1, weight, length);
            assert!(out.iter().all(|c| (-1..=1).contains(c)));
            assert_eq!(out.iter().filter(|&&c| c != 0).count(), weight);
        }
    }

    /// Every place and sign is taken equally often, up to six deviations.
    #[test]
    fn places_and_signs_are_uniform() {
        let (length, weight, draws) = (16, 4, 250);
        let mut counts = [[0f64; 2]; 16];
        for seed in 0..draws {
            for (at, &c) in drawn(seed as u8, weight, length).iter().enumerate() {
                counts[at][0] += f64::from(c.unsigned_abs());
                counts[at][1] += f64::from(c);
            }
        }
        let (share, draws) = (weight as f64 / length as f64, f64::from(draws));
        let deviation = (draws * share * (1.0 - share)).sqrt();
        for [places, signs] in counts {
            assert!((places - draws * share).abs() < 6.0 * deviation, "{places}");
            assert!(signs.abs() < 6.0 * (draws * share).sqrt(), "{signs}");
        }
    }

    #[test]
    fn other_lengths_and_weights_are_refused() {
        let xof = || Xof::new(&Seed::from_bytes([0; 32]), "sparse", 0).unwrap();
        let refused = sparse(xof(), 17, &mut [0; 16]).unwrap_err().to_string();
        assert!(refused.contains("16 coefficients of which 17"), "{refused}");
        assert!(sparse(xof(), 1, &mut [0; 15]).is_err());
    }

    proptest! {
        #[test]
        fn words_are_sorted(mut words in prop::collection::vec(any::<u64>(), 64)) {
            let mut sorted = words.clone();
            sorted.sort_unstable();
            sort(&mut words);
            prop_assert_eq!(words, sorted);
        }
    }
}
