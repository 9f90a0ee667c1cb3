//! Where the words of a tower lie, and which of them a vector instruction takes.
//!
//! A tower lies in a **slot** of consecutive words of the vector data memory, aligned to its
//! length. A slot holds at least two vectors: a tower of fewer words is written there several times
//! over, so that every operation runs on full vectors and every copy gets the same result.
//!
//! Transforms and automorphisms are passes over pairs of words at a distance t = 2^v. A vector
//! instruction takes 512 pairs, lower words in one register and upper words in another, and the
//! addressing mode gathers them, so no pass needs a shuffle:
//!
//! | distance | mode of both loads and stores | pairs of one instruction |
//! |---|---|---|
//! | t >= 512 | linear | neighbours inside one block of 2t words |
//! | at least 512 blocks | strided, v + 1 | the same position of 512 blocks |
//! | else | strided skip, v | several whole blocks |

use crate::isa::Mode;
use crate::Config;

/// Degree and vector length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// log2 of the ring degree.
    pub log_n: u32,
    /// log2 of the words in a vector register.
    pub log_vector: u32,
}

/// The pairs of one vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// Addressing mode of both halves.
    pub mode: Mode,
    /// Offset of the lower words in the slot.
    pub low: u32,
    /// Offset of the upper words.
    pub high: u32,
}

impl Pairs {
    /// Position in the slot of the lower word of pair `i`.
    pub fn position(&self, i: usize) -> usize {
        self.low as usize + self.mode.offset(i as u64) as usize
    }
}

impl Shape {
    /// Of towers of degree 2^`log_n` on a machine.
    pub fn new(config: &Config, log_n: u32) -> Self {
        Shape {
            log_n,
            log_vector: config.vector_length.trailing_zeros(),
        }
    }

    /// Ring degree.
    pub fn n(self) -> usize {
        1 << self.log_n
    }

    /// Words of a vector register.
    pub fn vector(self) -> usize {
        1 << self.log_vector
    }

    /// log2 of the words of a slot.
    pub fn log_slot(self) -> u32 {
        self.log_n.max(self.log_vector + 1)
    }

    /// Words of a slot.
    pub fn slot(self) -> usize {
        1 << self.log_slot()
    }

    /// How often a slot holds its tower.
    pub fn copies(self) -> usize {
        self.slot() / self.n()
    }

    /// Vectors of a slot.
    pub fn vectors(self) -> usize {
        self.slot() / self.vector()
    }

    /// All pairs at distance 2^`log_distance`, grouped by instruction.
    pub fn pairs(self, log_distance: u32) -> Vec<Pairs> {
        let (vector, distance) = (self.vector(), 1usize << log_distance);
        let blocks = self.slot() / (2 * distance);
        let at = |mode: Mode, low: usize| Pairs {
            mode,
            low: low as u32,
            high: (low + distance) as u32,
        };
        if distance >= vector {
            let chunks = (0..distance).step_by(vector);
            let of_block = |block: usize| {
                let chunks = chunks.clone();
                chunks.map(move |chunk| at(Mode::Linear, block * 2 * distance + chunk))
            };
            (0..blocks).flat_map(of_block).collect()
        } else if blocks >= vector {
            let mode = Mode::Strided(log_distance as u8 + 1);
            let groups = (0..self.slot()).step_by(2 * distance * vector);
            groups
                .flat_map(|group| (0..distance).map(move |word| at(mode, group + word)))
                .collect()
        } else {
            let mode = Mode::StridedSkip(log_distance as u8);
            (0..self.slot())
                .step_by(2 * vector)
                .map(|low| at(mode, low))
                .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_taken_once() {
        for (log_n, log_vector) in [(4, 6), (7, 6), (10, 6), (10, 9), (13, 6)] {
            let shape = Shape { log_n, log_vector };
            for log_distance in 0..log_n {
                let distance = 1 << log_distance;
                let mut taken = vec![0; shape.slot()];
                for pairs in shape.pairs(log_distance) {
                    for i in 0..shape.vector() {
                        let low = pairs.position(i);
                        assert_eq!(low & distance, 0, "{shape:?}, {pairs:?}");
                        taken[low] += 1;
                        taken[low + distance] += 1;
                    }
                    assert_eq!(pairs.high - pairs.low, distance as u32);
                }
                assert!(taken.iter().all(|&times| times == 1), "{shape:?}");
            }
        }
    }
}
