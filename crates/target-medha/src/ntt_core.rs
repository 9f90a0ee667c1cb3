//! An NTT core at work: butterflies row by row, out of the banks and back into them.
//!
//! Forward, a butterfly makes a + z b and a - z b of a and b (Cooley, Tukey); inverse (a + b) / 2 and
//! (a - b) / 2z (Gentleman, Sande), so that 1/N takes no cycle of its own. Factors are powers of psi
//! in reversed order: stage s of the forward transform has 2^s of them.

use crate::shape::Shape;
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;

/// A bank, its row, and the word that is written there.
pub type Written = (usize, usize, u64);

/// Factors for one prime and degree.
pub struct NttCore {
    shape: Shape,
    q: Modulus<u64>,
    /// psi to the power brv(i).
    factors: Vec<u64>,
    /// Their inverses, halved.
    inverses: Vec<u64>,
    /// 1/2.
    half: u64,
}

impl NttCore {
    /// The tables; why there are none.
    pub fn new(shape: &Shape, q: u64) -> Result<Self, String> {
        let q = Modulus::new(q).map_err(|error| error.to_string())?;
        let psi = minimal_primitive_root_2n(&q, shape.log_n).map_err(|error| error.to_string())?;
        let half = q.value().div_ceil(2);
        let inverse = q.inv(psi).ok_or("psi has no inverse")?;
        let power = |base: u64, i: usize| q.pow(base, bit_reverse(i, shape.log_n) as u128);
        let all = 0..shape.n();
        Ok(NttCore {
            factors: all.clone().map(|i| power(psi, i)).collect(),
            inverses: all.map(|i| q.mul(power(inverse, i), half)).collect(),
            shape: shape.clone(),
            half,
            q,
        })
    }

    /// The tables, forward and inverse, as the hardware holds them.
    pub fn tables(&self) -> [&[u64]; 2] {
        [&self.factors, &self.inverses]
    }

    /// Transforms a tower.
    pub fn run(&self, words: &[u64], inverse: bool) -> Vec<u64> {
        self.watch(words, inverse, &mut |_, _, _| {})
    }

    /// The same; each row that is written is shown with its stage, as banks, rows and words.
    pub fn watch(
        &self,
        words: &[u64],
        inverse: bool,
        watch: &mut dyn FnMut(usize, usize, &[Written]),
    ) -> Vec<u64> {
        let mut banks = self.spread(words);
        for (stage, pair) in self.shape.stages(inverse).into_iter().enumerate() {
            for row in 0..self.shape.rows() as usize {
                let written = self.row(&mut banks, pair, row, inverse);
                watch(stage, row, &written);
            }
        }
        self.collect(&banks)
    }

    /// One row of butterflies.
    fn row(&self, banks: &mut [Vec<u64>], pair: u32, row: usize, inverse: bool) -> Vec<Written> {
        let mut written = Vec::new();
        let (shape, q) = (&self.shape, &self.q);
        let words = shape.row(pair, row);
        for &low in words.iter().filter(|word| *word >> pair & 1 == 0) {
            let at = [low, low | 1 << pair].map(|word| (shape.bank(word), word >> shape.log_banks));
            let [a, b] = at.map(|(bank, row)| banks[bank][row]);
            let factor = (1 << (shape.log_n - 1 - pair)) + (low >> (pair + 1));
            let made = match inverse {
                false => {
                    let product = q.mul(b, self.factors[factor]);
                    [q.add(a, product), q.sub(a, product)]
                }
                true => [
                    q.mul(q.add(a, b), self.half),
                    q.mul(q.sub(a, b), self.inverses[factor]),
                ],
            };
            for ((bank, row), word) in at.into_iter().zip(made) {
                banks[bank][row] = word;
                written.push((bank, row, word));
            }
        }
        written
    }

    fn spread(&self, words: &[u64]) -> Vec<Vec<u64>> {
        let shape = &self.shape;
        let mut banks = vec![vec![0; shape.rows() as usize]; 1 << shape.log_banks];
        for (i, &word) in words.iter().enumerate() {
            banks[shape.bank(i)][i >> shape.log_banks] = word;
        }
        banks
    }

    fn collect(&self, banks: &[Vec<u64>]) -> Vec<u64> {
        let shape = &self.shape;
        let word = |i: usize| banks[shape.bank(i)][i >> shape.log_banks];
        (0..shape.n()).map(word).collect()
    }
}
