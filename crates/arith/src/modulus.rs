//! An odd modulus and its arithmetic: Barrett for two unknown factors, Shoup for a known one.
//!
//! Write B for the width of the word and k for the bits of q, so 2^(k-1) < q < 2^k.
//!
//! **Shoup** (Harvey, "Faster arithmetic for number-theoretic transforms", 2014). For a fixed
//! factor w < q let w' = floor(w 2^B / q). For *any* word x, h = floor(x w' / 2^B) satisfies
//! 0 <= x w - h q < 2q, computed modulo 2^B. w' needs no double-width division: with
//! r = w 2^B mod q it is the exact quotient (w 2^B - r)/q, and since q is odd that is
//! -r q^-1 mod 2^B. So it is constant time as well.
//!
//! **Barrett** (CRYPTO '86) in one word: mu = floor(2^(k-1+B) / q) < 2^B. For z < q^2 take
//! z1 = floor(z / 2^(k-1)), which fits a word, and h = floor(z1 mu / 2^B). The three roundings
//! give z - h q < (1 + 2^(k-1)/q + q^2/2^(k-1+B)) q < 3q: two conditional subtractions. Where a
//! modulus leaves less than two bits of the word free (u128), 3q may not fit and the difference
//! is taken in two words. mu is the Shoup quotient of 2^(k-1).
//!
//! Reduction of one word is Shoup's product by 1. The two-word mu that saves one of the
//! subtractions was dropped: it needs two more wide products.

use crate::word::Word;

/// Why a number cannot be a modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModulusError {
    /// Zero, one or another even number.
    #[error("modulus {0}: must be odd and at least 3")]
    NotOdd(u128),
    /// More bits than the word carries.
    #[error("modulus {value}: has {bits} bits, a {word}-bit word carries at most {max}")]
    TooWide {
        /// The number given.
        value: u128,
        /// Its bits.
        bits: u32,
        /// Bits of the word.
        word: u32,
        /// Most bits of a modulus in this word.
        max: u32,
    },
}

/// A factor with its precomputed quotient, for products with one known factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shoup<W> {
    /// The factor, in `[0, q)`.
    pub value: W,
    /// floor(value * 2^BITS / q).
    pub quotient: W,
}

/// An odd modulus q >= 3 of at most [`Word::MAX_MODULUS_BITS`] bits.
///
/// It need not be prime; [`Modulus::inv`] answers `None` where there is no inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulus<W> {
    value: W,
    bits: u32,
    /// floor(2^(bits-1+BITS) / q).
    barrett: W,
    /// q^-1 mod 2^BITS.
    inverse: W,
    /// 1, and floor(2^BITS / q).
    one: Shoup<W>,
    /// 2^BITS mod q, with its quotient.
    radix: Shoup<W>,
}

impl<W: Word> Modulus<W> {
    /// Checks q and precomputes its reciprocals.
    pub fn new(q: W) -> Result<Self, ModulusError> {
        let bits = q.bit_length();
        if q & W::ONE == W::ZERO || q == W::ONE {
            return Err(ModulusError::NotOdd(q.to_u128()));
        }
        if bits > W::MAX_MODULUS_BITS {
            return Err(ModulusError::TooWide {
                value: q.to_u128(),
                bits,
                word: W::BITS,
                max: W::MAX_MODULUS_BITS,
            });
        }
        Ok(Self::precompute(q, bits))
    }

    fn precompute(q: W, bits: u32) -> Self {
        // An odd q never divides 2^BITS, so floor((2^BITS - 1)/q) is floor(2^BITS/q).
        let reciprocal = W::MAX.checked_div(q).unwrap_or(W::ZERO);
        let radix = W::ZERO.wrapping_sub(reciprocal.wrapping_mul(q));
        let mut modulus = Self {
            value: q,
            bits,
            barrett: W::ZERO,
            inverse: inverse_of_odd(q),
            one: Shoup {
                value: W::ONE,
                quotient: reciprocal,
            },
            radix: Shoup {
                value: radix,
                quotient: W::ZERO,
            },
        };
        let shifted = (1..bits).fold(radix, |r, _| modulus.double(r));
        modulus.barrett = modulus.exact_quotient(shifted);
        modulus.radix = modulus.shoup(radix);
        modulus
    }

    /// q.
    #[inline(always)]
    pub fn value(&self) -> W {
        self.value
    }

    /// Bits of q.
    #[inline(always)]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// 2^BITS mod q.
    #[inline(always)]
    pub fn radix(&self) -> W {
        self.radix.value
    }

    /// floor(2^(bits-1+BITS) / q), the Barrett reciprocal.
    #[inline(always)]
    pub fn barrett_reciprocal(&self) -> W {
        self.barrett
    }

    /// a + b.
    #[inline(always)]
    pub fn add(&self, a: W, b: W) -> W {
        self.debug_reduced(a);
        self.debug_reduced(b);
        a.wrapping_add(b).subtract_once(self.value)
    }

    /// 2a.
    #[inline(always)]
    pub fn double(&self, a: W) -> W {
        self.add(a, a)
    }

    /// a - b.
    #[inline(always)]
    pub fn sub(&self, a: W, b: W) -> W {
        self.debug_reduced(a);
        self.debug_reduced(b);
        let (difference, borrow) = a.overflowing_sub(b);
        difference.wrapping_add(self.value & W::mask(borrow))
    }

    /// -a.
    #[inline(always)]
    pub fn neg(&self, a: W) -> W {
        self.sub(W::ZERO, a)
    }

    /// a b, by Barrett.
    #[inline(always)]
    pub fn mul(&self, a: W, b: W) -> W {
        self.debug_reduced(a);
        self.debug_reduced(b);
        let (low, high) = a.wide_mul(b);
        let shift = self.bits - 1;
        // 1 <= shift <= BITS - 2, so both shifts are in range; high < 2^shift.
        let top = (low >> shift) | (high << (W::BITS - shift));
        let (product_low, product_high) = top.mul_high(self.barrett).wide_mul(self.value);
        let (low, borrow) = low.overflowing_sub(product_low);
        if W::BITS - W::MAX_MODULUS_BITS >= 2 {
            return low.subtract_once(self.value).subtract_once(self.value);
        }
        let high = high
            .wrapping_sub(product_high)
            .wrapping_sub(W::ONE & W::mask(borrow));
        let (low, high) = subtract_once_wide(low, high, self.value);
        subtract_once_wide(low, high, self.value).0
    }

    /// Any word modulo q.
    #[inline(always)]
    pub fn reduce(&self, x: W) -> W {
        self.mul_shoup(x, &self.one)
    }

    /// Any 128-bit integer modulo q.
    #[inline]
    pub fn reduce_u128(&self, x: u128) -> W {
        let digit = |index: u32| W::from_u128((x >> (index * W::BITS)) & W::MAX.to_u128());
        let digits = u128::BITS / W::BITS;
        let mut remainder = self.mul_shoup_lazy(digit(digits - 1), &self.one);
        // Where there is more than one digit, moduli leave two bits of the word free: 4q fits.
        for index in (0..digits - 1).rev() {
            let low = self.mul_shoup_lazy(digit(index), &self.one);
            remainder = self
                .mul_shoup_lazy(remainder, &self.radix)
                .wrapping_add(low);
        }
        let twice = self.value.wrapping_add(self.value);
        remainder.subtract_once(twice).subtract_once(self.value)
    }

    /// The factor w with its quotient.
    #[inline]
    pub fn shoup(&self, w: W) -> Shoup<W> {
        Shoup {
            value: w,
            quotient: self.exact_quotient(self.mul(w, self.radix.value)),
        }
    }

    /// x w for any word x.
    #[inline(always)]
    pub fn mul_shoup(&self, x: W, w: &Shoup<W>) -> W {
        self.mul_shoup_lazy(x, w).subtract_once(self.value)
    }

    /// A word congruent to x w, in `[0, 2q)`, for any word x.
    #[inline(always)]
    pub fn mul_shoup_lazy(&self, x: W, w: &Shoup<W>) -> W {
        self.debug_reduced(w.value);
        let quotient = x.mul_high(w.quotient);
        x.wrapping_mul(w.value)
            .wrapping_sub(quotient.wrapping_mul(self.value))
    }

    /// base^exponent; constant time in the base only.
    pub fn pow(&self, base: W, exponent: u128) -> W {
        power(self.reduce(W::ONE), base, exponent, |a, b| self.mul(a, b))
    }

    /// The inverse of a, by Euclid's algorithm; `None` when a and q have a common factor.
    /// Not constant time.
    pub fn inv(&self, a: W) -> Option<W> {
        let (mut r0, mut r1) = (self.value, a);
        let (mut t0, mut t1) = (W::ZERO, W::ONE);
        while let Some(quotient) = r0.checked_div(r1) {
            (r0, r1) = (r1, r0.wrapping_sub(quotient.wrapping_mul(r1)));
            (t0, t1) = (t1, self.sub(t0, self.mul(self.reduce(quotient), t1)));
        }
        (r0 == W::ONE).then_some(t0)
    }

    /// The representative of x in `(-q/2, q/2)`.
    #[inline(always)]
    pub fn centred(&self, x: W) -> i128 {
        self.debug_reduced(x);
        let (_, above) = (self.value >> 1).overflowing_sub(x);
        x.to_u128()
            .wrapping_sub(self.value.to_u128() & u128::mask(above)) as i128
    }

    /// Any signed integer modulo q.
    #[inline]
    pub fn from_i128(&self, x: i128) -> W {
        let residue = self.reduce_u128(x.unsigned_abs());
        let negative = W::mask(x < 0);
        let complement = W::MAX.wrapping_sub(negative);
        (self.neg(residue) & negative) | (residue & complement)
    }

    /// (w 2^BITS - r)/q for r = w 2^BITS mod q.
    #[inline(always)]
    fn exact_quotient(&self, r: W) -> W {
        W::ZERO.wrapping_sub(r).wrapping_mul(self.inverse)
    }

    #[inline(always)]
    fn debug_reduced(&self, x: W) {
        debug_assert!(
            x < self.value,
            "word {x} is not below the modulus {}",
            self.value
        );
    }
}

/// base^exponent by squaring, `one` being the neutral element of `mul`.
pub(crate) fn power<W: Copy>(one: W, base: W, exponent: u128, mul: impl Fn(W, W) -> W) -> W {
    let (mut square, mut result, mut rest) = (base, one, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = mul(result, square);
        }
        square = mul(square, square);
        rest >>= 1;
    }
    result
}

/// The inverse of an odd word modulo 2^BITS, by Newton's iteration; each step doubles the bits.
pub(crate) fn inverse_of_odd<W: Word>(q: W) -> W {
    let two = W::ONE.wrapping_add(W::ONE);
    // q q = 1 mod 8: three bits are right at the start, 3 * 2^6 >= 128 after six steps.
    (0..6).fold(q, |x, _| {
        x.wrapping_mul(two.wrapping_sub(q.wrapping_mul(x)))
    })
}

/// `(low, high) - q` if not negative, else unchanged.
#[inline(always)]
fn subtract_once_wide<W: Word>(low: W, high: W, q: W) -> (W, W) {
    let (difference, borrow) = low.overflowing_sub(q);
    let (rest, negative) = high.overflowing_sub(W::ONE & W::mask(borrow));
    let back = W::mask(negative);
    // Adding q back to the low word restores the borrow exactly when it was taken.
    (
        difference.wrapping_add(q & back),
        rest.wrapping_add(W::ONE & W::mask(borrow) & back),
    )
}
