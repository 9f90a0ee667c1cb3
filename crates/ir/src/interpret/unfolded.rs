//! Polynomials of the conjugate-invariant ring as those of the standard ring of degree 2N that they
//! are: what X -> X^-1 leaves unchanged. Its operations are that ring's, by definition.

use ringwright_arith::{Modulus, RingKind, Word};

/// The coefficients of X^0 .. X^(2N-1): X^i + X^-i is X^i - X^(2N-i).
pub(super) fn coefficients<W: Word>(q: &Modulus<W>, words: &[W]) -> Vec<W> {
    let n = words.len();
    let mirrored = (n..2 * n).map(|i| words.get(2 * n - i).map_or(W::ZERO, |&word| q.neg(word)));
    words.iter().copied().chain(mirrored).collect()
}

/// The values at all odd powers of psi: that at psi^-e is that at psi^e.
pub(super) fn evaluations<W: Word>(words: &[W]) -> Vec<W> {
    let log_n = words.len().ilog2();
    let order = RingKind::ConjugateInvariant.order(log_n);
    let value = |i| {
        let exponent = RingKind::Standard.exponent(log_n + 1, i);
        let among = if exponent % 4 == 1 {
            exponent
        } else {
            order - exponent
        };
        words[RingKind::ConjugateInvariant.word_of(log_n, among)]
    };
    (0..2 * words.len()).map(value).collect()
}
