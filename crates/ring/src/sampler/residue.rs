//! Small signed integers as residues, in constant time.

use ringwright_arith::{Modulus, Word};

mod sealed {
    pub trait Sealed {}
    impl Sealed for i8 {}
    impl Sealed for i64 {}
}

/// A sampled integer: `i8` or `i64`.
pub trait SmallInteger: sealed::Sealed + Copy + Into<i64> {
    /// Largest magnitude.
    const MAX_MAGNITUDE: u64;
}

impl SmallInteger for i8 {
    const MAX_MAGNITUDE: u64 = i8::MIN.unsigned_abs() as u64;
}

impl SmallInteger for i64 {
    const MAX_MAGNITUDE: u64 = i64::MIN.unsigned_abs();
}

/// Writes the residues of `values` modulo q; both slices have one length.
///
/// Whether a reduction is needed is decided by q and the integer type, never by a value.
pub fn to_tower<T: SmallInteger, W: Word>(values: &[T], q: &Modulus<W>, out: &mut [W]) {
    debug_assert_eq!(values.len(), out.len());
    if q.value().to_u128() > u128::from(T::MAX_MAGNITUDE) {
        for (residue, &value) in out.iter_mut().zip(values) {
            *residue = add_if_negative(value.into(), q.value());
        }
    } else {
        for (residue, &value) in out.iter_mut().zip(values) {
            *residue = q.from_i128(i128::from(value.into()));
        }
    }
}

/// The residue of a value that is above -q and below q.
#[inline(always)]
fn add_if_negative<W: Word>(value: i64, q: W) -> W {
    let negative = W::mask(value < 0);
    let magnitude = W::from_u128(u128::from(value.unsigned_abs()));
    let signed =
        (W::ZERO.wrapping_sub(magnitude) & negative) | (magnitude & W::MAX.wrapping_sub(negative));
    signed.wrapping_add(q & negative)
}
