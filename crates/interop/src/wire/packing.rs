//! Words of fewer than 64 bits, one behind the other.
//!
//! N is a multiple of 16, so a tower ends on a byte. Nothing here depends on the value of a word.

use ringwright_arith::Word;

/// Bits of a word below `prime`.
pub(super) fn bits(prime: u64) -> u32 {
    u64::BITS - (prime - 1).leading_zeros()
}

/// Bytes of a tower of `n` words.
pub(super) fn tower_len(n: usize, prime: u64) -> u64 {
    n as u64 * u64::from(bits(prime)) / 8
}

/// Bytes of one polynomial under all of `primes`.
pub(super) fn poly_len(n: usize, primes: &[u64]) -> u64 {
    primes.iter().map(|prime| tower_len(n, *prime)).sum()
}

/// Appends `words`, each below 2^bits, to `out`.
pub(super) fn pack<W: Word>(words: &[W], bits: u32, out: &mut Vec<u8>) {
    let (mut buffer, mut held) = (0_u128, 0);
    for word in words {
        debug_assert!(word.bit_length() <= bits);
        buffer |= word.to_u128() << held;
        held += bits;
        if held >= u64::BITS {
            out.extend_from_slice(&(buffer as u64).to_le_bytes());
            buffer >>= u64::BITS;
            held -= u64::BITS;
        }
    }
    out.extend_from_slice(&buffer.to_le_bytes()[..held.div_ceil(8) as usize]);
}

/// Appends the `words` words that `bytes` holds, `bits` (at most 64) each.
pub(super) fn unpack(bytes: &[u8], bits: u32, out: &mut Vec<u64>) {
    let mask = u64::MAX >> (u64::BITS - bits);
    let (mut buffer, mut held) = (0_u128, 0);
    let (blocks, rest) = bytes.as_chunks::<8>();
    for block in blocks {
        buffer |= u128::from(u64::from_le_bytes(*block)) << held;
        held += u64::BITS;
        drain(&mut buffer, &mut held, bits, mask, out);
    }
    for byte in rest {
        buffer |= u128::from(*byte) << held;
        held += u8::BITS;
        drain(&mut buffer, &mut held, bits, mask, out);
    }
}

fn drain(buffer: &mut u128, held: &mut u32, bits: u32, mask: u64, out: &mut Vec<u64>) {
    while *held >= bits {
        out.push(*buffer as u64 & mask);
        *buffer >>= bits;
        *held -= bits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_word_has_the_low_bits() {
        let mut bytes = Vec::new();
        pack(&[0b0101_u64, 0b0011], 4, &mut bytes);
        assert_eq!(bytes, [0b0011_0101]);
    }

    #[test]
    fn a_prime_below_a_power_of_two_takes_its_exponent() {
        for exponent in 2..=62 {
            assert_eq!(bits((1 << exponent) - 1), exponent);
            assert_eq!(bits((1 << exponent) + 1), exponent + 1);
        }
    }

    proptest! {
        #[test]
        fn words_come_back_and_fill_their_bits(
            bits in 1_u32..=63, words in prop::collection::vec(any::<u64>(), 16),
        ) {
            let words: Vec<u64> = words.iter().map(|word| word >> (64 - bits)).collect();
            let (mut bytes, mut back) = (Vec::new(), Vec::new());
            pack(&words, bits, &mut bytes);
            prop_assert_eq!(bytes.len() as u32 * 8, bits * words.len() as u32);
            unpack(&bytes, bits, &mut back);
            prop_assert_eq!(back, words);
        }
    }
}
