//! The constants of a Barrett product in registers.
//!
//! After [`Modulus`], with k bits of q and words of B bits: the product of x 2^(B-k) and 2y has
//! floor(x y / 2^(k-1)) as its high word, so no register pair has to be shifted.

use crate::vector::Lanes;
use ringwright_arith::{Modulus, Word};

/// Shift and reciprocal in every lane.
#[derive(Clone, Copy)]
pub struct Barrett<R> {
    /// Width of the word less k.
    pub shift: R,
    /// floor(2^(k-1+width) / q), for the body's word width.
    pub reciprocal: R,
}

impl<R: Copy> Barrett<R> {
    /// For products of `width` bits a word.
    #[inline(always)]
    pub fn new<V>(v: V, q: &Modulus<V::Word>, width: u32) -> Self
    where
        V: Lanes<Reg = R>,
        V::Word: Word,
    {
        let reciprocal = q.barrett_reciprocal() >> (V::Word::BITS - width);
        let shift = V::Word::from_u128(u128::from(width - q.bits()));
        Self {
            shift: v.splat(shift),
            reciprocal: v.splat(reciprocal),
        }
    }
}
