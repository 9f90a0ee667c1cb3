//! A polynomial under several primes: words only, tower after tower.
//!
//! Which primes, and whether the words are coefficients or evaluations, is written in the type of
//! the program that uses it; the container stays plain. It may hold a secret, so its `Debug` form
//! shows the shape and never a word, and it can be zeroised. It does not zeroise itself on drop:
//! most polynomials are ciphertexts. Owners of secrets do.

use crate::recycled;
use ringwright_arith::Word;
use std::fmt;
use zeroize::Zeroize;

/// Smallest and largest log2 of the ring degree.
pub const LOG_N_RANGE: std::ops::RangeInclusive<u32> = 4..=17;

/// Words that are no polynomial, or polynomials that do not fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The ring degree is not one that we support.
    #[error("ring degree {0}: must be a power of two, 16 to 131072")]
    Degree(usize),
    /// The words are not whole towers.
    #[error("{words} words are not whole towers of {n} words")]
    PartialTower {
        /// Words given.
        words: usize,
        /// Ring degree.
        n: usize,
    },
    /// A different number of words than needed.
    #[error("{what}: {given} given, {expected} needed")]
    Length {
        /// What was counted.
        what: &'static str,
        /// The count given.
        given: usize,
        /// The count needed.
        expected: usize,
    },
}

/// A polynomial of degree below `n` under `towers` primes.
#[derive(PartialEq, Eq)]
pub struct RnsPoly<W: Word = u64> {
    n: usize,
    words: Vec<W>,
}

impl<W: Word> RnsPoly<W> {
    /// All words zero. `n` is a ring degree; a wrong one gives a polynomial that nothing accepts.
    pub fn zero(n: usize, towers: usize) -> Self {
        debug_assert!(is_degree(n), "{}", ShapeError::Degree(n));
        let words = match recycled::take(n * towers) {
            Some(mut words) => {
                words.fill(W::ZERO);
                words
            }
            None => vec![W::ZERO; n * towers],
        };
        Self { n, words }
    }

    /// The same with any words, those of a dropped polynomial or zeros: for whoever writes all of them.
    pub fn unwritten(n: usize, towers: usize) -> Self {
        match recycled::take(n * towers) {
            Some(words) => Self { n, words },
            None => Self::zero(n, towers),
        }
    }

    /// Tower-major words, a whole number of towers of `n` words each.
    pub fn from_words(n: usize, words: Vec<W>) -> Result<Self, ShapeError> {
        if !is_degree(n) {
            return Err(ShapeError::Degree(n));
        }
        if !words.len().is_multiple_of(n) {
            return Err(ShapeError::PartialTower {
                words: words.len(),
                n,
            });
        }
        Ok(Self { n, words })
    }

    /// The ring degree N.
    pub fn n(&self) -> usize {
        self.n
    }

    /// log2 of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.n.trailing_zeros()
    }

    /// Number of towers.
    pub fn towers(&self) -> usize {
        self.words.len() / self.n
    }

    /// The words of one tower.
    ///
    /// # Panics
    /// As a slice does, when `index` is not below [`RnsPoly::towers`].
    pub fn tower(&self, index: usize) -> &[W] {
        &self.words[index * self.n..(index + 1) * self.n]
    }

    /// The words of one tower.
    ///
    /// # Panics
    /// As a slice does, when `index` is not below [`RnsPoly::towers`].
    pub fn tower_mut(&mut self, index: usize) -> &mut [W] {
        &mut self.words[index * self.n..(index + 1) * self.n]
    }

    /// The towers in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, W> {
        self.words.chunks_exact(self.n)
    }

    /// The towers in order.
    pub fn iter_mut(&mut self) -> std::slice::ChunksExactMut<'_, W> {
        self.words.chunks_exact_mut(self.n)
    }

    /// All words, tower-major.
    pub fn words(&self) -> &[W] {
        &self.words
    }

    /// All words, tower-major.
    pub fn words_mut(&mut self) -> &mut [W] {
        &mut self.words
    }

    /// All words, tower-major.
    pub fn into_words(mut self) -> Vec<W> {
        std::mem::take(&mut self.words)
    }
}

impl<W: Word> Clone for RnsPoly<W> {
    fn clone(&self) -> Self {
        let mut copy = Self::unwritten(self.n, self.towers());
        copy.words.copy_from_slice(&self.words);
        copy
    }
}

impl<W: Word> Drop for RnsPoly<W> {
    /// Leaves its memory for the next.
    fn drop(&mut self) {
        recycled::give(std::mem::take(&mut self.words));
    }
}

impl<W: Word> Zeroize for RnsPoly<W> {
    /// Sets every word to zero; the shape stays.
    fn zeroize(&mut self) {
        self.words.as_mut_slice().zeroize();
    }
}

impl<W: Word> fmt::Debug for RnsPoly<W> {
    /// The shape only: the words may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let towers = self.words.len() / self.n.max(1);
        write!(f, "RnsPoly({towers} towers of {} words)", self.n)
    }
}

/// Whether `n` is a ring degree: a power of two with its log2 in [`LOG_N_RANGE`].
pub fn is_degree(n: usize) -> bool {
    n.is_power_of_two() && LOG_N_RANGE.contains(&n.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn towers_are_contiguous() {
        let words: Vec<u64> = (0..48).collect();
        let mut poly = RnsPoly::from_words(16, words.clone()).unwrap();
        assert_eq!((poly.n(), poly.log_n(), poly.towers()), (16, 4, 3));
        assert_eq!(poly.tower(1), &words[16..32]);
        assert_eq!(
            poly.iter().collect::<Vec<_>>(),
            words.chunks(16).collect::<Vec<_>>()
        );
        poly.tower_mut(2)[15] = 99;
        assert_eq!(poly.words()[47], 99);
        assert_eq!(poly.into_words().len(), words.len());
    }

    #[test]
    fn refuses_what_is_no_polynomial() {
        assert_eq!(
            RnsPoly::<u64>::from_words(24, vec![]),
            Err(ShapeError::Degree(24))
        );
        assert_eq!(
            RnsPoly::<u64>::from_words(0, vec![]),
            Err(ShapeError::Degree(0))
        );
        assert_eq!(
            RnsPoly::<u64>::from_words(1 << 18, vec![]),
            Err(ShapeError::Degree(1 << 18))
        );
        let partial = RnsPoly::from_words(16, vec![0u32; 17]).unwrap_err();
        assert_eq!(partial, ShapeError::PartialTower { words: 17, n: 16 });
        assert_eq!(
            partial.to_string(),
            "17 words are not whole towers of 16 words"
        );
    }

    #[test]
    fn debug_shows_no_word_and_zeroize_clears_all() {
        let mut poly = RnsPoly::from_words(16, vec![123_456_789u64; 32]).unwrap();
        assert_eq!(format!("{poly:?}"), "RnsPoly(2 towers of 16 words)");
        poly.zeroize();
        assert_eq!(poly, RnsPoly::zero(16, 2));
    }
}
