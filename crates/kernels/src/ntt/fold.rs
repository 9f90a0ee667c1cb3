//! The conjugate-invariant ring's polynomials modulo X^N - iota, and back.
//!
//! a = a_0 + a_1 (X + X^-1) + .. + a_(N-1) (X^(N-1) + X^-(N-1)) modulo X^2N + 1 is a polynomial of
//! degree below 2N. Of its values at the odd powers of psi, of order 4N, those at exponents 1 and -1
//! modulo 4 are the same numbers, so what it is modulo X^N - iota, iota = psi^N, says all. There
//! X^-i = -iota X^(N-i), so that its coefficients are
//!
//! > b_0 = a_0, b_i = a_i - iota a_(N-i)  and  2 a_i = b_i + iota b_(N-i), since iota^2 = -1.
//!
//! The transform of b is the tree below node 2 of that of degree 2N (`table`).
//!
//! Source: Kim and Song, "Approximate homomorphic encryption over the conjugate-invariant ring",
//! ICISC 2018, for the ring; the fold is the first level of the transform of degree 2N.

use ringwright_arith::{Modulus, Shoup, Word};

/// The fold under one prime.
#[derive(Clone, Debug)]
pub struct Fold<W: Word> {
    modulus: Modulus<W>,
    iota: Shoup<W>,
}

impl<W: Word> Fold<W> {
    /// With the square root of -1 that psi has as its N-th power.
    pub fn new(modulus: &Modulus<W>, iota: W) -> Self {
        Self {
            modulus: *modulus,
            iota: modulus.shoup(iota),
        }
    }

    /// a to b, reduced; `lazy` words may be any.
    pub fn apply(&self, words: &mut [W], lazy: bool) {
        let q = &self.modulus;
        if lazy {
            words.iter_mut().for_each(|word| *word = q.reduce(*word));
        }
        each_pair(words, |x, y| {
            let (turned_x, turned_y) = (self.turned(x), self.turned(y));
            (q.sub(x, turned_y), q.sub(y, turned_x))
        });
    }

    /// b/2 to a; words in [0, q).
    pub fn undo(&self, words: &mut [W]) {
        let q = &self.modulus;
        words[0] = q.double(words[0]);
        each_pair(words, |x, y| {
            let (turned_x, turned_y) = (self.turned(x), self.turned(y));
            (q.add(x, turned_y), q.add(y, turned_x))
        });
    }

    fn turned(&self, x: W) -> W {
        self.modulus.mul_shoup(x, &self.iota)
    }
}

/// Changes words i and N - i together, for i in 1..N/2, and word N/2 with itself.
fn each_pair<W: Word>(words: &mut [W], change: impl Fn(W, W) -> (W, W)) {
    let (low, high) = words.split_at_mut(words.len() / 2);
    (high[0], _) = change(high[0], high[0]);
    for (x, y) in low[1..].iter_mut().zip(high[1..].iter_mut().rev()) {
        (*x, *y) = change(*x, *y);
    }
}
