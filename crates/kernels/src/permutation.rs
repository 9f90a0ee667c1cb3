//! Permutations of words that keep blocks together, so that registers can be read whole.
//!
//! In bit-reversed order the words of an aligned block of 2^m are the values at psi^e for all e of
//! one residue class modulo 2N / 2^m. An automorphism multiplies e by an odd number, which maps
//! classes to classes: every aligned block comes from an aligned block.

/// Words of the largest register: the blocks that stay together, and theirs.
const BLOCK: usize = 8;

/// Why positions are no such permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PermutationError {
    /// Not a power of two, or shorter than a block.
    #[error("{0} positions: expected a power of two of at least {BLOCK}")]
    Length(usize),
    /// A block whose words come from several, or twice from one place.
    #[error("positions from {0} on: expected those of one aligned block, each once")]
    Block(usize),
}

/// Where each word of a tower comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation(Vec<u32>);

impl Permutation {
    /// Checks that word i comes from `positions[i]` block by block.
    pub fn new(positions: Vec<u32>) -> Result<Self, PermutationError> {
        let n = positions.len();
        if !n.is_power_of_two() || n < BLOCK {
            return Err(PermutationError::Length(n));
        }
        let mut taken = vec![false; n];
        for size in [BLOCK, BLOCK / 2] {
            for (block, words) in positions.chunks_exact(size).enumerate() {
                let first = words[0] as usize / size;
                let together = words.iter().all(|&p| p as usize / size == first);
                if !together || first >= n / size {
                    return Err(PermutationError::Block(block * size));
                }
            }
        }
        for (i, &position) in positions.iter().enumerate() {
            if std::mem::replace(&mut taken[position as usize], true) {
                return Err(PermutationError::Block(i - i % BLOCK));
            }
        }
        Ok(Self(positions))
    }

    /// Where each word comes from.
    pub fn positions(&self) -> &[u32] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_permutations_of_blocks_are_taken() {
        let identity: Vec<u32> = (0..16).collect();
        assert!(Permutation::new(identity.clone()).is_ok());
        let moved = |from: usize, to: usize| {
            let mut positions = identity.clone();
            positions.swap(from, to);
            Permutation::new(positions)
        };
        assert!(moved(0, 3).is_ok());
        assert_eq!(moved(3, 4), Err(PermutationError::Block(0)));
        assert_eq!(moved(7, 8), Err(PermutationError::Block(0)));
        let twice = [&identity[..8], &identity[..8]].concat();
        assert_eq!(Permutation::new(twice), Err(PermutationError::Block(8)));
        let outside: Vec<u32> = (8..24).collect();
        assert_eq!(Permutation::new(outside), Err(PermutationError::Block(8)));
        assert_eq!(
            Permutation::new((0..4).collect()),
            Err(PermutationError::Length(4))
        );
    }
}
