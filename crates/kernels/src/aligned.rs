//! Words that start at a cache line.

use ringwright_arith::Word;
use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest register.
const LINE: usize = 64;

/// A buffer whose first word starts a cache line. Large allocations begin 16 bytes after one, where
/// every register of 64 bytes lies in two lines, and every second one of 32.
#[derive(Debug, Default)]
pub struct AlignedWords<W> {
    words: Vec<W>,
    start: usize,
    len: usize,
}

impl<W: Word> AlignedWords<W> {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let spare = LINE / size_of::<W>() - 1;
        let words = vec![W::ZERO; len + spare];
        let start = words.as_ptr().align_offset(LINE).min(spare);
        AlignedWords { words, start, len }
    }
}

impl<W> Deref for AlignedWords<W> {
    type Target = [W];

    fn deref(&self) -> &[W] {
        &self.words[self.start..self.start + self.len]
    }
}

impl<W> DerefMut for AlignedWords<W> {
    fn deref_mut(&mut self) -> &mut [W] {
        &mut self.words[self.start..self.start + self.len]
    }
}

impl<W: Word> From<&[W]> for AlignedWords<W> {
    fn from(words: &[W]) -> Self {
        let mut aligned = Self::zeros(words.len());
        aligned.copy_from_slice(words);
        aligned
    }
}

impl<W: Word> Clone for AlignedWords<W> {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<W: Word>() {
        for len in [0, 1, 63, 4096] {
            let words = vec![W::ONE; len];
            let aligned = AlignedWords::from(&words[..]);
            for buffer in [&aligned, &aligned.clone(), &AlignedWords::zeros(len)] {
                assert_eq!(buffer.as_ptr() as usize % LINE, 0);
                assert_eq!(buffer.len(), len);
            }
            assert_eq!(*aligned.clone(), words[..]);
        }
    }

    #[test]
    fn every_buffer_starts_at_a_line_and_keeps_its_words() {
        check::<u32>();
        check::<u64>();
        check::<u128>();
    }
}
