//! Montgomery multiplication (Math. Comp. 44, 1985), for any odd modulus that fits the word.
//!
//! A residue a is held as a R mod q with R = 2^BITS. The reduction of z = (high, low) subtracts:
//! with m = low q^-1 mod R the low words cancel, and high - floor(m q / R) lies in (-q, q), so
//! one conditional addition ends it. Nothing can overflow, which is why the modulus may use all
//! bits of the word here (the primality test needs that), unlike in [`crate::Modulus`].

use crate::modulus::{inverse_of_odd, power, ModulusError};
use crate::word::Word;

/// An odd modulus q >= 3 with its Montgomery constants; words in Montgomery form are reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Montgomery<W> {
    value: W,
    /// q^-1 mod R.
    inverse: W,
    /// R mod q, the form of 1.
    one: W,
    /// R^2 mod q.
    square: W,
}

impl<W: Word> Montgomery<W> {
    /// Checks q and precomputes its constants.
    pub fn new(q: W) -> Result<Self, ModulusError> {
        if q & W::ONE == W::ZERO || q == W::ONE {
            return Err(ModulusError::NotOdd(q.to_u128()));
        }
        let reciprocal = W::MAX.checked_div(q).unwrap_or(W::ZERO);
        let one = W::ZERO.wrapping_sub(reciprocal.wrapping_mul(q));
        let mut form = Self {
            value: q,
            inverse: inverse_of_odd(q),
            one,
            square: one,
        };
        form.square = (0..W::BITS).fold(one, |r, _| form.add(r, r));
        Ok(form)
    }

    /// q.
    #[inline(always)]
    pub fn value(&self) -> W {
        self.value
    }

    /// The form of 1.
    #[inline(always)]
    pub fn one(&self) -> W {
        self.one
    }

    /// Into Montgomery form; a is any word.
    #[inline(always)]
    pub fn to_form(&self, a: W) -> W {
        self.mul(a, self.square)
    }

    /// Out of Montgomery form.
    #[inline(always)]
    pub fn from_form(&self, a: W) -> W {
        self.reduce(a, W::ZERO)
    }

    /// Product of two forms; `a` may be any word, `b` is reduced.
    #[inline(always)]
    pub fn mul(&self, a: W, b: W) -> W {
        debug_assert!(b < self.value);
        let (low, high) = a.wide_mul(b);
        self.reduce(low, high)
    }

    /// Sum of two forms.
    #[inline(always)]
    pub fn add(&self, a: W, b: W) -> W {
        debug_assert!(a < self.value && b < self.value);
        self.sub(a, self.value.wrapping_sub(b).subtract_once(self.value))
    }

    /// Difference of two forms.
    #[inline(always)]
    pub fn sub(&self, a: W, b: W) -> W {
        let (difference, borrow) = a.overflowing_sub(b);
        difference.wrapping_add(self.value & W::mask(borrow))
    }

    /// base^exponent on forms; constant time in the base only.
    pub fn pow(&self, base: W, exponent: u128) -> W {
        power(self.one, base, exponent, |a, b| self.mul(a, b))
    }

    /// (low + high R) / R mod q, for high < q.
    #[inline(always)]
    fn reduce(&self, low: W, high: W) -> W {
        let cancelled = low.wrapping_mul(self.inverse).mul_high(self.value);
        let (difference, borrow) = high.overflowing_sub(cancelled);
        difference.wrapping_add(self.value & W::mask(borrow))
    }
}
