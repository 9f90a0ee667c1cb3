//! Values that enter and leave a program.

use ringwright_arith::Word;
use ringwright_ring::{RnsPoly, Seed};
use std::sync::Arc;
use zeroize::Zeroize;

/// An input or result. Basis and domain are the program's business; a value holds words only.
/// `W` is the machine word: u64 for primes below 2^62, u128 up to 2^127.
#[derive(Clone)]
pub enum Value<W: Word = u64> {
    /// A polynomial.
    Poly(Arc<RnsPoly<W>>),
    /// Polynomials of one type.
    Array(Arc<Vec<RnsPoly<W>>>),
    /// The secret seed of this run.
    Seed(Arc<Seed>),
}

impl<W: Word> Value<W> {
    /// Every tower, item by item, in memory order; none of a seed.
    pub fn towers(&self) -> impl Iterator<Item = &[W]> {
        let polys = match self {
            Value::Poly(poly) => std::slice::from_ref(&**poly),
            Value::Array(items) => items,
            Value::Seed(_) => &[],
        };
        polys.iter().flat_map(RnsPoly::iter)
    }

    /// Overwrites the words, unless somebody else holds them too.
    pub fn wipe(self) {
        match self {
            Value::Poly(poly) => {
                if let Some(mut poly) = Arc::into_inner(poly) {
                    poly.zeroize();
                }
            }
            Value::Array(items) => {
                if let Some(items) = Arc::into_inner(items) {
                    items.into_iter().for_each(|mut item| item.zeroize());
                }
            }
            // It does so by itself.
            Value::Seed(_) => {}
        }
    }
}
