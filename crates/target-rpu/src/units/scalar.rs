//! The scalar unit (RPU, section IV-B5): what a modulus register takes.
//!
//! It is loaded with two words of the scalar data memory, the modulus and its reciprocal without
//! the leading one ([`crate::isa::reciprocal`]).

/// Whether the lanes can compute modulo q: odd, below 2^(W-1), and at least 5, because their
/// reduction looks at the top three bits of the modulus.
pub fn is_modulus(q: u128, word_bits: u32) -> bool {
    q % 2 == 1 && q >= 5 && q >> (word_bits - 1) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_are_odd_and_leave_the_top_bit_free() {
        assert!(is_modulus(5, 20) && is_modulus((1 << 19) - 1, 20));
        for q in [0, 1, 3, 6, (1 << 19) + 1] {
            assert!(!is_modulus(q, 20), "{q}");
        }
    }
}
