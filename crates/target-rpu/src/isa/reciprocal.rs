//! The second word of a modulus register.

/// floor(2^(k + W) / q) - 2^W, where k is the number of bits of `q` and W is `word_bits`: what
/// `mload` wants behind the modulus. It fits a word because 2^(k-1) < q < 2^k. `None` unless `q` is
/// odd, at least 3 and below 2^(W-1), and W at most 128.
pub fn reciprocal(q: u128, word_bits: u32) -> Option<u128> {
    let bits = u128::BITS - q.leading_zeros();
    if q < 3 || q.is_multiple_of(2) || bits >= word_bits || word_bits > u128::BITS {
        return None;
    }
    // Long division: the dividend has up to 256 bits. The first step gives the leading one.
    let mut remainder = (1 << bits) - q;
    let mut quotient = 0;
    for _ in 0..word_bits {
        remainder <<= 1;
        let bit = u128::from(remainder >= q);
        remainder -= bit * q;
        quotient = quotient << 1 | bit;
    }
    Some(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_quotient_where_that_fits() {
        for word_bits in [8u32, 20, 63] {
            for q in (3..(1u128 << (word_bits - 1)).min(2000)).step_by(2) {
                let bits = u128::BITS - q.leading_zeros();
                let whole = (1u128 << (bits + word_bits)) / q;
                assert_eq!(reciprocal(q, word_bits), Some(whole - (1 << word_bits)));
            }
        }
    }

    /// h q <= 2^(k+W) < (h + 1) q, each side modulo 2^128, where h = 2^W + R.
    #[test]
    fn it_is_the_quotient_for_the_widest_words() {
        for q in [3, 97, (1 << 127) - 1, (1 << 126) + 1] {
            let r = reciprocal(q, 128).expect("odd and narrow enough");
            // h q modulo 2^128 is R q; 2^(k+128) is 0; so the remainder is -R q.
            assert!(r.wrapping_mul(q).wrapping_neg() < q, "{q}");
        }
    }

    #[test]
    fn what_is_no_modulus_has_none() {
        for (q, word_bits) in [(0, 64), (1, 64), (4, 64), (1 << 63 | 1, 64), (97, 129)] {
            assert_eq!(reciprocal(q, word_bits), None);
        }
    }
}
