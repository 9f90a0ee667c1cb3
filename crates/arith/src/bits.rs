//! Bit reversal, the order in which transforms leave their words.

/// The lowest `bits` bits of `i` in reverse order; higher bits of `i` are ignored.
///
/// `bits` is at most the width of `usize`; a larger one counts as that width.
pub fn bit_reverse(i: usize, bits: u32) -> usize {
    match bits {
        0 => 0,
        _ => i.reverse_bits() >> usize::BITS.saturating_sub(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::bit_reverse;

    #[test]
    fn reverses_and_is_its_own_inverse() {
        assert_eq!(bit_reverse(0b0011, 4), 0b1100);
        assert_eq!(
            bit_reverse(0b10110, 3),
            0b011,
            "bits above the third are ignored"
        );
        for bits in 0..=10 {
            for i in 0..1 << bits {
                assert_eq!(bit_reverse(bit_reverse(i, bits), bits), i);
            }
        }
    }
}
