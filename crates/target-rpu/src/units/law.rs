//! The arithmetic of a lane (RPU, section IV-B1): products, sums, differences, butterflies modulo
//! the modulus register, exact.
//!
//! Operands are below the modulus, the first factor of a product below 2^(W-1). Words of up to 64
//! bits are kept in `u64` and computed there where the modulus leaves the two bits free that lazy
//! sums need; other moduli are computed in `u128`.

use crate::isa::{Form, Op};
use ringwright_arith::{Modulus, Word};

/// The arithmetic under one modulus.
#[derive(Clone, Copy, Debug)]
pub struct Law<W> {
    /// In the width of the words, where the modulus fits.
    narrow: Option<Modulus<W>>,
    wide: Modulus<u128>,
}

/// The operands of a butterfly.
#[derive(Clone, Copy, Debug)]
pub struct Wings<'a, W> {
    /// VS.
    pub s: &'a [W],
    /// VT.
    pub t: &'a [W],
    /// VT1, the twiddle factors.
    pub w: &'a [W],
}

impl<W: Word> Law<W> {
    /// For an odd modulus of at most 127 bits; `None` otherwise.
    pub fn new(q: u128) -> Option<Self> {
        let fits = u128::BITS - q.leading_zeros() <= W::MAX_MODULUS_BITS;
        Some(Law {
            narrow: fits.then(|| Modulus::new(W::from_u128(q)).ok()).flatten(),
            wide: Modulus::new(q).ok()?,
        })
    }

    /// The modulus.
    pub fn modulus(&self) -> u128 {
        self.wide.value()
    }

    /// An operation on every pair of words.
    pub fn vectors(&self, op: Op, out: &mut [W], s: &[W], t: &[W]) {
        match &self.narrow {
            Some(q) => vectors(q, op, out, s, t, |x| x, |x| x),
            None => vectors(&self.wide, op, out, s, t, W::to_u128, W::from_u128),
        }
    }

    /// An operation on every word and one scalar.
    pub fn scalar(&self, op: Op, out: &mut [W], s: &[W], t: W) {
        match &self.narrow {
            Some(q) => scalar(q, op, out, s, t, |x| x),
            None => {
                let t = vec![t; s.len()];
                self.vectors(op, out, s, &t);
            }
        }
    }

    /// A butterfly of every three words: results for VD and VD1.
    pub fn butterfly(&self, form: Form, sum: &mut [W], difference: &mut [W], wings: Wings<'_, W>) {
        match &self.narrow {
            Some(q) => butterfly(q, form, sum, difference, wings, |x| x, |x| x),
            None => {
                butterfly(
                    &self.wide,
                    form,
                    sum,
                    difference,
                    wings,
                    W::to_u128,
                    W::from_u128,
                );
            }
        }
    }
}

fn vectors<W: Copy, M: Word>(
    q: &Modulus<M>,
    op: Op,
    out: &mut [W],
    s: &[W],
    t: &[W],
    widen: impl Fn(W) -> M,
    narrow: impl Fn(M) -> W,
) {
    let words = out.iter_mut().zip(s.iter().zip(t));
    let words = words.map(|(out, (&s, &t))| (out, widen(s), widen(t)));
    match op {
        Op::Add => words.for_each(|(out, s, t)| *out = narrow(q.add(s, t))),
        Op::Sub => words.for_each(|(out, s, t)| *out = narrow(q.sub(s, t))),
        Op::Mul => words.for_each(|(out, s, t)| *out = narrow(product(q, s, t))),
    }
}

fn scalar<W: Copy, M: Word>(
    q: &Modulus<M>,
    op: Op,
    out: &mut [M],
    s: &[W],
    t: M,
    widen: impl Fn(W) -> M,
) {
    let words = out.iter_mut().zip(s.iter().map(|&s| widen(s)));
    match op {
        Op::Add => words.for_each(|(out, s)| *out = q.add(s, t)),
        Op::Sub => words.for_each(|(out, s)| *out = q.sub(s, t)),
        Op::Mul => {
            let factor = q.shoup(t);
            words.for_each(|(out, s)| *out = q.mul_shoup(s, &factor));
        }
    }
}

/// The first factor may be any word.
#[inline(always)]
fn product<M: Word>(q: &Modulus<M>, s: M, t: M) -> M {
    match s < q.value() {
        true => multiply(q, s, t),
        false => multiply(q, q.reduce(s), t),
    }
}

/// Both factors are reduced. [`Modulus::mul`] keeps secrets from the clock, which for words of 128
/// bits costs as much as the product; a simulator has none, so this is the same Barrett reduction
/// with ordinary comparisons.
#[inline(always)]
fn multiply<M: Word>(q: &Modulus<M>, a: M, b: M) -> M {
    let (low, high) = a.wide_mul(b);
    let shift = q.bits() - 1;
    let top = (low >> shift) | (high << (M::BITS - shift));
    let (product_low, product_high) = top.mul_high(q.barrett_reciprocal()).wide_mul(q.value());
    // The difference is below 3q, which has at most one bit more than a word.
    let (rest, borrow) = low.overflowing_sub(product_low);
    let borrow = if borrow { M::ONE } else { M::ZERO };
    let above = high.wrapping_sub(product_high).wrapping_sub(borrow);
    let twice = q.value().wrapping_add(q.value());
    let (less, borrow) = rest.overflowing_sub(twice);
    let rest = if above != M::ZERO || !borrow {
        less
    } else {
        rest
    };
    let (less, borrow) = rest.overflowing_sub(q.value());
    if borrow {
        rest
    } else {
        less
    }
}

fn butterfly<W: Copy, M: Word>(
    q: &Modulus<M>,
    form: Form,
    sum: &mut [W],
    difference: &mut [W],
    wings: Wings<'_, W>,
    widen: impl Fn(W) -> M,
    narrow: impl Fn(M) -> W,
) {
    let operands = wings.s.iter().zip(wings.t.iter().zip(wings.w));
    let results = sum.iter_mut().zip(difference);
    for ((sum, difference), (&s, (&t, &w))) in results.zip(operands) {
        let (s, t, w) = (widen(s), widen(t), widen(w));
        match form {
            Form::CooleyTukey => {
                let t = multiply(q, t, w);
                *sum = narrow(q.add(s, t));
                *difference = narrow(q.sub(s, t));
            }
            Form::GentlemanSande => {
                *sum = narrow(q.add(s, t));
                *difference = narrow(multiply(q, q.sub(s, t), w));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest odd number of this many bits, and some below: odd is enough for the lanes.
    fn moduli(bits: u32) -> [u128; 2] {
        [(1 << bits) - 1, (1 << (bits - 1)) + 1]
    }

    fn words(q: u128) -> Vec<u128> {
        vec![0, 1, 2, q / 2, q - 2, q - 1]
    }

    fn product_by_doubling(q: u128, s: u128, t: u128) -> u128 {
        let s = s % q;
        (0..128).rev().fold(0, |sum: u128, bit| {
            let sum = (sum + sum) % q;
            (sum + if t >> bit & 1 == 1 { s } else { 0 }) % q
        })
    }

    fn check<W: Word>(q: u128, widest: u128) {
        let law = Law::<W>::new(q).expect("odd");
        let all = |x: &[u128]| x.iter().map(|&x| W::from_u128(x)).collect::<Vec<_>>();
        let one = |x: u128| [W::from_u128(x)];
        for t in words(q) {
            let mut factors = words(q);
            factors.extend([q, widest]);
            let mut out = all(&factors);
            law.scalar(Op::Mul, &mut out, &all(&factors), W::from_u128(t));
            let expected: Vec<u128> = factors
                .iter()
                .map(|&s| product_by_doubling(q, s, t))
                .collect();
            assert_eq!(out, all(&expected));
            for s in words(q) {
                let mut results = [[W::ZERO], [W::ZERO], [W::ZERO]];
                for (op, out) in [Op::Add, Op::Sub, Op::Mul].into_iter().zip(&mut results) {
                    law.vectors(op, out, &one(s), &one(t));
                }
                let (sum, difference) = ((s + t) % q, (q + s - t) % q);
                assert_eq!(results[0], one(sum));
                assert_eq!(results[1], one(difference));
                assert_eq!(results[2], one(product_by_doubling(q, s, t)));
                let w = q - 2;
                let wings = Wings {
                    s: &one(s),
                    t: &one(t),
                    w: &one(w),
                };
                let (mut a, mut b) = (one(0), one(0));
                law.butterfly(Form::CooleyTukey, &mut a, &mut b, wings);
                let tw = product_by_doubling(q, t, w);
                assert_eq!((a, b), (one((s + tw) % q), one((q + s - tw) % q)));
                law.butterfly(Form::GentlemanSande, &mut a, &mut b, wings);
                assert_eq!(
                    (a, b),
                    (one(sum), one(product_by_doubling(q, difference, w)))
                );
            }
        }
    }

    #[test]
    fn every_width_is_exact() {
        for bits in [3, 30, 61, 62, 63] {
            for q in moduli(bits) {
                check::<u64>(q, (1 << 63) - 1);
                check::<u128>(q, (1 << 127) - 1);
            }
        }
        // Above, twice a word does not fit the test's own arithmetic.
        for q in moduli(126) {
            check::<u128>(q, (1 << 127) - 1);
        }
    }
}
