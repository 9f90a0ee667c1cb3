//! The scalar unit (RPU, section IV-B5): moduli with their reciprocals.
//!
//! A modulus register is loaded with two words of the scalar data memory, the modulus q and R. The
//! lanes' Barrett multiplier needs the reciprocal floor(2^(k + W) / q) for q of k bits and words of
//! W; its top bit is always set, so R is that without the top bit, and fits a word.

/// The word R that belongs to an odd modulus q >= 3 in words of `word_bits` bits.
pub fn reciprocal(q: u128, word_bits: u32) -> u128 {
    // 2^k / q is 1 and a fraction; the next W binary digits of the quotient are R. q is below
    // 2^127, so twice the remainder fits.
    let mut remainder = q.next_power_of_two() - q;
    let mut digits = 0;
    for _ in 0..word_bits {
        remainder *= 2;
        let digit = remainder >= q;
        digits = digits << 1 | u128::from(digit);
        if digit {
            remainder -= q;
        }
    }
    digits
}

/// Whether the lanes can compute modulo q.
pub fn is_modulus(q: u128, word_bits: u32) -> bool {
    q % 2 == 1 && q >= 5 && q >> (word_bits - 1) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reciprocal_is_the_quotient_without_its_top_bit() {
        let word_bits = 32;
        for q in [5_u128, 7, 97, (1 << 20) - 3, (1 << 31) - 1] {
            let bits = u128::BITS - q.leading_zeros();
            let quotient = (1_u128 << (bits + word_bits)) / q;
            assert_eq!(reciprocal(q, word_bits), quotient - (1 << word_bits));
        }
        // The widest: 2^127 - 1 goes into 2^255 about 2^128 (1 + 2^-127) times.
        assert_eq!(reciprocal((1 << 127) - 1, 128), 2);
    }

    #[test]
    fn moduli_are_odd_and_leave_the_top_bit_free() {
        assert!(is_modulus(5, 20) && is_modulus((1 << 19) - 1, 20));
        for q in [0, 1, 3, 6, (1 << 19) + 1] {
            assert!(!is_modulus(q, 20), "{q}");
        }
    }
}
