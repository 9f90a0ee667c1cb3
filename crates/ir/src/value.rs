//! Values that enter and leave a program.

use ringwright_ring::{RnsPoly, Seed};
use std::sync::Arc;

/// An input or result. Basis and domain are the program's business; a value holds words only.
/// `W` is the machine word: u64 for primes below 2^62, u128 up to 2^127.
#[derive(Clone)]
pub enum Value<W = u64> {
    /// A polynomial.
    Poly(Arc<RnsPoly<W>>),
    /// Polynomials of one type.
    Array(Arc<Vec<RnsPoly<W>>>),
    /// The secret seed of this run.
    Seed(Arc<Seed>),
}
