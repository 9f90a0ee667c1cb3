//! The machine words that carry residues: `u32`, `u64` and `u128`.
//!
//! The trait is closed. It offers what generic modular arithmetic needs and nothing that can
//! panic: wrapping operations, the double-width product, and masks instead of branches.
//!
//! Writing a mask is not enough for constant time: LLVM proves that it is 0 or -1, makes a
//! selection of `x & mask`, and in a loop a branch of the selection when it believes that to be
//! faster (seen under valgrind in the reduction of sampled integers). So [`Word::mask`] passes
//! through `black_box`, which costs a register move.
//!
//! A `u128` product is four 64-bit products, schoolbook; Karatsuba was left out, its extra
//! carries cost more than the product it saves.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, Shl, Shr};
use zeroize::DefaultIsZeroes;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
}

/// A machine word. Implemented for `u32`, `u64` and `u128` only.
pub trait Word:
    sealed::Sealed
    + Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Display
    + Default
    + DefaultIsZeroes
    + bytemuck::Pod
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// Width in bits.
    const BITS: u32;
    /// Widest modulus: lazy values below 4q fit the word (2q for `u128`).
    const MAX_MODULUS_BITS: u32;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// All bits set.
    const MAX: Self;

    /// The word of this value; debug builds assert that it fits, release builds truncate.
    fn from_u128(value: u128) -> Self;
    /// The value as `u128`.
    fn to_u128(self) -> u128;
    /// The lowest 64 bits.
    fn low_u64(self) -> u64;
    /// Addition modulo 2^BITS.
    fn wrapping_add(self, other: Self) -> Self;
    /// Subtraction modulo 2^BITS.
    fn wrapping_sub(self, other: Self) -> Self;
    /// Multiplication modulo 2^BITS.
    fn wrapping_mul(self, other: Self) -> Self;
    /// Difference modulo 2^BITS and whether it borrowed.
    fn overflowing_sub(self, other: Self) -> (Self, bool);
    /// The product as `(low, high)` words.
    fn wide_mul(self, other: Self) -> (Self, Self);
    /// Quotient; `None` when `other` is zero. Not constant time.
    fn checked_div(self, other: Self) -> Option<Self>;
    /// Number of bits of the value; 0 for zero.
    fn bit_length(self) -> u32;
    /// All bits set when `bit` is true, else zero; no branch, and none is made of it later.
    fn mask(bit: bool) -> Self;

    /// The high word of the product.
    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        self.wide_mul(other).1
    }

    /// `self - q` if that is not negative, else `self`; no branch.
    #[inline(always)]
    fn subtract_once(self, q: Self) -> Self {
        let (difference, borrow) = self.overflowing_sub(q);
        difference.wrapping_add(q & Self::mask(borrow))
    }
}

macro_rules! word {
    ($t:ty, $max_bits:expr, $wide_mul:expr) => {
        impl Word for $t {
            const BITS: u32 = <$t>::BITS;
            const MAX_MODULUS_BITS: u32 = $max_bits;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MAX: Self = <$t>::MAX;

            #[inline(always)]
            fn from_u128(value: u128) -> Self {
                debug_assert!(value <= <$t>::MAX as u128, "{value} exceeds the word");
                value as $t
            }
            #[inline(always)]
            fn to_u128(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn low_u64(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                <$t>::wrapping_add(self, other)
            }
            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                <$t>::wrapping_sub(self, other)
            }
            #[inline(always)]
            fn wrapping_mul(self, other: Self) -> Self {
                <$t>::wrapping_mul(self, other)
            }
            #[inline(always)]
            fn overflowing_sub(self, other: Self) -> (Self, bool) {
                <$t>::overflowing_sub(self, other)
            }
            #[inline(always)]
            fn wide_mul(self, other: Self) -> (Self, Self) {
                $wide_mul(self, other)
            }
            #[inline(always)]
            fn checked_div(self, other: Self) -> Option<Self> {
                <$t>::checked_div(self, other)
            }
            #[inline(always)]
            fn bit_length(self) -> u32 {
                <$t>::BITS - self.leading_zeros()
            }
            #[inline(always)]
            fn mask(bit: bool) -> Self {
                std::hint::black_box((bit as $t).wrapping_neg())
            }
        }
    };
}

word!(u32, 30, |a: u32, b: u32| {
    let product = u64::from(a) * u64::from(b);
    (product as u32, (product >> 32) as u32)
});
word!(u64, 62, |a: u64, b: u64| {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
});
word!(u128, 127, wide_mul_u128);

/// 128 x 128 -> 256 bits from four 64-bit products.
#[inline(always)]
fn wide_mul_u128(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a0, a1, b0, b1) = (a & LOW, a >> 64, b & LOW, b >> 64);
    let p00 = a0 * b0;
    // Each sum is at most (2^64-1)^2 + 2 (2^64-1) = 2^128 - 1.
    let middle = a0 * b1 + (p00 >> 64);
    let cross = a1 * b0 + (middle & LOW);
    let low = (cross << 64) | (p00 & LOW);
    let high = a1 * b1 + (middle >> 64) + (cross >> 64);
    (low, high)
}
