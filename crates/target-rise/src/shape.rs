//! Where the words of a polynomial are: NTT_swap4 and its form for P butterfly units.
//!
//! Write L = log2 N, p = log2 P, r = 2 + p. A **row** is one word of each of the 4P banks, the bank
//! is the address modulo 4P (RACE section IV-C2 at P = 1: four banks). A transform has L stages.
//! Before stage s the pairs that differ in *logical* bit s are neighbours, at addresses 2i and
//! 2i + 1, so P butterflies read half a row and the halves of the banks take turns. After stage s
//! the reordering unit rotates the address bits of each group of two rows, h = r + (s mod (L-r)):
//!
//! ```text
//! new bits 0 .. r-2 = old bits 1 .. r-1     new bit r-1 = old bit h     new bit h = old bit 0
//! ```
//!
//! At P = 1 that is Algorithm 1 of RACE. For more units the papers give an example only (the
//! dissertation's section 3.4.2, N = 32, P = 2); this rule gives that example.
//! The low bits of an address before stage s hold the logical bits s, s+1, … (modulo L); a bit b
//! that has left them sits at r + (b mod (L-r)), as Algorithm 1's line 26 says for s = L.
//!
//! **Order within a stage.** The rows are taken in the order of a counter c whose lowest bit is
//! address bit h and whose highest ones are the bits that choose the twiddle factor; butterfly
//! number b = (2c + half) P + lane then uses twiddle factor b >> (L-1-s). So every stage takes its
//! 2^s factors in ascending order, each for all its butterflies at once.
//!
//! Algorithm 1 as printed is one stage short (its loop bound must be L, not L - 1) and line 14
//! needs the value of `a[idx]` from before line 13.

use ringwright_arith::bits::bit_reverse;

/// Degree and number of butterfly units; L > r.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// L = log2 N.
    pub log_n: u32,
    /// p = log2 P.
    pub log_p: u32,
}

/// How a polynomial lies in a bank group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layout {
    /// Coefficients before a forward transform: coefficient i is logical word brv(i).
    ForwardIn,
    /// Evaluations after it: word j is logical word brv(j).
    ForwardOut,
    /// Evaluations before an inverse transform: word j is logical word j.
    InverseIn,
    /// Coefficients after it.
    InverseOut,
}

impl Shape {
    /// The ring degree N.
    #[inline]
    pub fn n(self) -> usize {
        1 << self.log_n
    }

    /// Butterfly units P.
    #[inline]
    pub fn bfus(self) -> usize {
        1 << self.log_p
    }

    /// r = log2 of the banks of a group.
    #[inline]
    pub fn log_banks(self) -> u32 {
        self.log_p + 2
    }

    /// Banks of a group, 4P.
    #[inline]
    pub fn banks(self) -> usize {
        1 << self.log_banks()
    }

    /// log2 of the rows that a polynomial takes.
    #[inline]
    pub fn log_rows(self) -> u32 {
        self.log_n - self.log_banks()
    }

    /// Words of each bank that a polynomial takes.
    #[inline]
    pub fn bank_words(self) -> usize {
        1 << self.log_rows()
    }

    /// Cycles in which a stage issues butterflies, N/2P.
    #[inline]
    pub fn issues(self) -> u64 {
        (self.n() / (2 * self.bfus())) as u64
    }

    /// Cycles in which a pass over all words issues operations, N/P.
    #[inline]
    pub fn pass_issues(self) -> u64 {
        (self.n() / self.bfus()) as u64
    }

    /// The row that counter value `c` stands for, its lowest bit at row bit `rotation`.
    #[inline]
    pub fn row(self, c: usize, rotation: u32) -> usize {
        let (bits, by) = (self.log_rows(), rotation % self.log_rows());
        ((c << by) | (c >> (bits - by))) & (self.bank_words() - 1)
    }

    /// First address that issue `i` of a stage reads; the others follow.
    #[inline]
    pub fn stage_address(self, stage: u32, i: u64) -> usize {
        let (c, half) = ((i >> 1) as usize, (i & 1) as usize);
        self.row(c, stage) * self.banks() + half * 2 * self.bfus()
    }

    /// First address that issue `i` of a pass reads or writes; the others follow. Behind an
    /// inverse transform these are coefficients i P, i P + 1, …
    #[inline]
    pub fn pass_address(self, i: u64) -> usize {
        let (c, quarter) = ((i >> 2) as usize, (i & 3) as usize);
        self.row(c, self.log_banks()) * self.banks() + quarter * self.bfus()
    }

    /// Address of logical word `l` before stage `stage`; after the last one for `stage` = L.
    pub fn address(self, stage: u32, l: usize) -> usize {
        let bit = |address: usize, b: u32| address | ((l >> b) & 1) << self.place(stage, b);
        (0..self.log_n).fold(0, bit)
    }

    /// Address bit that holds logical bit `b` before stage `stage`.
    fn place(self, stage: u32, b: u32) -> u32 {
        let (low, rows) = (self.log_banks(), self.log_rows());
        let ahead = (b + self.log_n - stage) % self.log_n;
        match ahead < low {
            true => ahead,
            false if b >= stage => b,
            false => low + b % rows,
        }
    }

    /// Address of the word that memory holds at position `index`.
    pub fn word_address(self, layout: Layout, index: usize) -> usize {
        let reversed = || bit_reverse(index, self.log_n);
        match layout {
            Layout::ForwardIn => self.address(0, reversed()),
            Layout::ForwardOut => self.address(self.log_n, reversed()),
            Layout::InverseIn => self.address(0, index),
            Layout::InverseOut => self.address(self.log_n, index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> impl Iterator<Item = Shape> {
        (0..=5).flat_map(|log_p| (log_p + 3..=12).map(move |log_n| Shape { log_n, log_p }))
    }

    /// Applies the rotation of the module's header to one address.
    fn rotated(shape: Shape, stage: u32, address: usize) -> usize {
        let low = shape.log_banks();
        let h = low + stage % shape.log_rows();
        let bit = |b: u32| (address >> b) & 1;
        let shifted = (address & (shape.banks() - 1)) >> 1 | bit(h) << (low - 1);
        (address & !(shape.banks() - 1) & !(1 << h)) | shifted | bit(0) << h
    }

    #[test]
    fn each_stage_rotates_the_layout_into_the_next() {
        for shape in shapes() {
            for stage in 0..shape.log_n {
                for l in 0..shape.n() {
                    let here = shape.address(stage, l);
                    assert_eq!(
                        here & 1,
                        (l >> stage) & 1,
                        "{shape:?}: pairs are neighbours"
                    );
                    assert_eq!(rotated(shape, stage, here), shape.address(stage + 1, l));
                }
            }
        }
    }

    /// Lines 2 to 23 of RACE's Algorithm 1 as printed, with `stages` for its bound, on the names of
    /// the words instead of their values: which pair each butterfly takes, and where words end.
    fn algorithm_1(log_n: u32, stages: u32) -> (Vec<Vec<usize>>, Vec<usize>) {
        let n = 1usize << log_n;
        let (mut a, mut pairs): (Vec<usize>, _) = ((0..n).collect(), Vec::new());
        let mut m = 2;
        for _ in 0..stages {
            let mut stage = Vec::new();
            for j in (0..2 * m).step_by(4) {
                for k in (0..n).step_by(4 * m) {
                    let i0 = [0, 2, 2 * m, 2 * m + 2].map(|offset| j + k + offset);
                    let i1 = i0.map(|index| index + 1);
                    stage.extend(i0);
                    let values = [i0, i1].concat().into_iter().map(|index| a[index]);
                    let values: Vec<usize> = values.collect();
                    for l in 0..4 {
                        (a[i0[l]], a[i1[l]]) = (values[2 * l], values[2 * l + 1]);
                    }
                }
            }
            pairs.push(stage);
            m = if m == n / 4 { 2 } else { 2 * m };
        }
        (pairs, a)
    }

    #[test]
    fn one_unit_is_algorithm_1_with_one_more_stage() {
        for log_n in 5..=12 {
            let shape = Shape { log_n, log_p: 0 };
            let (pairs, names) = algorithm_1(log_n, log_n);
            for (stage, pairs) in (0..).zip(&pairs) {
                let ours = (0..shape.issues()).map(|i| shape.stage_address(stage, i));
                assert!(
                    ours.eq(pairs.iter().copied()),
                    "N = 2^{log_n}, stage {stage}"
                );
            }
            let ends =
                |names: &[usize]| (0..shape.n()).all(|l| names[shape.address(log_n, l)] == l);
            assert!(ends(&names), "N = 2^{log_n}");
            let (_, printed) = algorithm_1(log_n, log_n - 1);
            assert!(!ends(&printed), "the printed bound would do");
        }
    }

    #[test]
    fn one_unit_ends_as_line_26_of_algorithm_1() {
        for log_n in 5..=12 {
            let shape = Shape { log_n, log_p: 0 };
            for i in 0..shape.n() {
                let middle = (i & ((1 << (log_n - 2)) - 1)) >> 2;
                let printed = (middle << 4) | (i >> (log_n - 2)) << 2 | i & 3;
                assert_eq!(shape.address(log_n, i), printed, "N = 2^{log_n}, word {i}");
            }
        }
    }

    #[test]
    fn butterflies_take_their_twiddle_factors_in_order() {
        for shape in shapes() {
            for stage in 0..shape.log_n {
                let mut logical = vec![0; shape.n()];
                (0..shape.n()).for_each(|l| logical[shape.address(stage, l)] = l);
                for i in 0..shape.issues() {
                    for lane in 0..shape.bfus() {
                        let lower = logical[shape.stage_address(stage, i) + 2 * lane];
                        let number = (i as usize) * shape.bfus() + lane;
                        let factor = number >> (shape.log_n - 1 - stage);
                        assert_eq!(lower & ((1 << stage) - 1), factor);
                    }
                }
            }
        }
    }

    #[test]
    fn a_pass_meets_coefficients_in_order() {
        for shape in shapes() {
            for i in 0..shape.pass_issues() {
                for lane in 0..shape.bfus() {
                    let coefficient = i as usize * shape.bfus() + lane;
                    let address = shape.word_address(Layout::InverseOut, coefficient);
                    assert_eq!(address, shape.pass_address(i) + lane);
                }
            }
        }
    }
}
