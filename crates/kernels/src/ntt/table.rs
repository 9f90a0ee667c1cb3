//! Twiddle tables as binary heaps.
//!
//! The forward transform descends a binary tree. Node k works modulo X^(2t) - r_k^2 and splits it
//! into X^t - r_k (child 2k) and X^t + r_k (child 2k + 1); the root is node 1 with X^N + 1. Entry
//! k of the table is r_k = psi^brv(k), brv reversing the log2 N bits of k: for a node and all
//! that is below it the twiddles are found from k alone, whatever the order of the walk. Leaves
//! come in bit-reversed order. Entry 0 is unused (it is 1).
//!
//! Values and quotients are kept apart: the last passes read both as whole registers. 2N words
//! for each direction; tables expanded for every lane (5N words) were dropped, they push the
//! coefficients out of the first-level cache from N = 2^11 on.

use crate::arch::KernelWord;
use crate::vector::{Modular, Twiddle};
use ringwright_arith::{bits::bit_reverse, Modulus, Shoup};

/// The heap of one direction.
#[derive(Clone, Debug)]
pub struct Twiddles<W> {
    values: Vec<W>,
    quotients: Vec<W>,
}

impl<W: KernelWord> Twiddles<W> {
    /// Powers of `root`, with quotients of the given scale.
    pub fn new(modulus: &Modulus<W>, root: W, log_n: u32, quotient_bits: u32) -> Self {
        let n = 1 << log_n;
        let mut values = vec![W::ZERO; n];
        let step = modulus.shoup(root);
        let mut power = W::ONE;
        for i in 0..n {
            values[bit_reverse(i, log_n)] = power;
            power = modulus.mul_shoup(power, &step);
        }
        let quotients = values
            .iter()
            .map(|&value| quotient(modulus, value, quotient_bits))
            .collect();
        Self { values, quotients }
    }

    /// Borrows it for a kernel.
    pub fn view(&self) -> Table<'_, W> {
        Table {
            values: &self.values,
            quotients: &self.quotients,
        }
    }
}

/// A factor with the quotient of a body's scale.
pub fn factor<W: KernelWord>(modulus: &Modulus<W>, value: W, quotient_bits: u32) -> Shoup<W> {
    Shoup {
        value,
        quotient: quotient(modulus, value, quotient_bits),
    }
}

/// floor(value 2^quotient_bits / q): the word-wide quotient, shortened.
fn quotient<W: KernelWord>(modulus: &Modulus<W>, value: W, quotient_bits: u32) -> W {
    modulus.shoup(value).quotient >> (W::BITS - quotient_bits)
}

/// A borrowed heap.
#[derive(Clone, Copy)]
pub struct Table<'a, W> {
    values: &'a [W],
    quotients: &'a [W],
}

impl<W: Copy> Table<'_, W> {
    /// r_k in every lane.
    #[inline(always)]
    pub fn at<V: Modular<Word = W>>(self, v: V, k: usize) -> Twiddle<V::Reg> {
        Twiddle {
            value: v.splat(self.values[k]),
            quotient: v.splat(self.quotients[k]),
        }
    }

    /// r_k, r_(k+1), …, each in `G` neighbouring lanes.
    #[inline(always)]
    pub fn spread<V: Modular<Word = W>, const G: usize>(self, v: V, k: usize) -> Twiddle<V::Reg> {
        let end = k + V::LANES / G;
        Twiddle {
            value: v.spread::<G>(&self.values[k..end]),
            quotient: v.spread::<G>(&self.quotients[k..end]),
        }
    }
}
