//! Where index bits lie in memory, and which words a vector takes.

use crate::{Bit, PlanError};

/// A bit permutation between indices and addresses: entry a is the index bit that address bit a
/// carries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout(Vec<Bit>);

impl Layout {
    /// Index = address.
    pub fn natural(bits: u8) -> Self {
        Self((0..bits).collect())
    }

    /// Checks that every bit occurs once.
    pub fn new(bits: Vec<Bit>) -> Result<Self, PlanError> {
        let mut sorted = bits.clone();
        sorted.sort_unstable();
        match sorted.iter().copied().eq(0..bits.len() as u8) {
            true => Ok(Self(bits)),
            false => Err(PlanError::NotAPermutation { bits }),
        }
    }

    /// The index bits by address bit.
    pub fn bits(&self) -> &[Bit] {
        &self.0
    }

    /// Whether index and address are the same.
    pub fn is_natural(&self) -> bool {
        self.0.iter().enumerate().all(|(a, &b)| a == b as usize)
    }

    /// The address of an index.
    pub fn address(&self, index: usize) -> usize {
        let bit = |(a, &b): (usize, &Bit)| (index >> b & 1) << a;
        self.0.iter().enumerate().map(bit).sum()
    }
}

/// Which words, counted from a base address, one vector load or store touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Word i.
    Linear,
    /// Word i 2^s.
    Strided(u8),
    /// Blocks of 2^s words, each followed by 2^s that are left out.
    StridedSkip(u8),
}

impl Access {
    /// The access whose lowest address bit is `s`.
    pub fn strided(s: u8) -> Self {
        match s {
            0 => Access::Linear,
            s => Access::Strided(s),
        }
    }

    /// The address bit of each of `log_vector` element bits.
    pub fn address_bits(self, log_vector: u8) -> Vec<u8> {
        let bit = |p: u8| match self {
            Access::Linear => p,
            Access::Strided(s) => p + s,
            Access::StridedSkip(s) if p < s => p,
            Access::StridedSkip(_) => p + 1,
        };
        (0..log_vector).map(bit).collect()
    }

    /// Distance of element i from the base address.
    pub fn offset(self, i: usize) -> usize {
        match self {
            Access::Linear => i,
            Access::Strided(s) => i << s,
            Access::StridedSkip(s) => ((i >> s) << (s + 1)) | (i & ((1 << s) - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_the_address_bits_of_the_element() {
        let log_vector = 6;
        let modes = (0..7).flat_map(|s| [Access::strided(s), Access::StridedSkip(s)]);
        for access in modes {
            let bits = access.address_bits(log_vector);
            for i in 0..1 << log_vector {
                let address: usize = bits
                    .iter()
                    .enumerate()
                    .map(|(p, &a)| (i >> p & 1) << a)
                    .sum();
                assert_eq!(access.offset(i), address, "{access:?} {i}");
            }
        }
    }

    #[test]
    fn a_layout_is_a_permutation() {
        assert!(Layout::new(vec![1, 0, 2]).is_ok_and(|layout| !layout.is_natural()));
        assert!(Layout::new(vec![1, 1, 2]).is_err());
        assert!(Layout::new(vec![1, 3]).is_err());
        assert!(Layout::natural(5).is_natural());
    }
}
