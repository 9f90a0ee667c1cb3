//! Polynomials whose words lie in a file and are read through a map of it.
//!
//! The keys of a bootstrapping are 11 GB. Those that are read once a run need not stay in memory: the
//! system brings a page when a word of it is read, and [`Mapped::release`] lets it go again.
//!
//! The file has no name, so nobody but its owner writes it, and it is gone with the last polynomial.
//! Its words are in the order and width of this computer's memory: it is no format to be kept. Do not
//! put secrets there.

use crate::RnsPoly;
use bytemuck::cast_slice;
use memmap2::{Advice, Mmap};
use ringwright_arith::Word;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// A file of words.
pub struct Mapped {
    map: Mmap,
}

impl Mapped {
    /// Writes polynomials of one degree to a file in `folder` and gives them back as they lie there, in
    /// the form that they were in: the short one where it is there.
    ///
    /// # Errors
    /// Those of the file system; a full one among them.
    pub fn keep<W: Word>(polys: &[RnsPoly<W>], folder: &Path) -> io::Result<Vec<RnsPoly<W>>> {
        let Some(first) = polys.first() else {
            return Ok(Vec::new());
        };
        let n = first.n();
        let short = polys.iter().all(|poly| poly.held_short().is_some());
        let mut file = tempfile::tempfile_in(folder)?;
        for poly in polys {
            debug_assert_eq!(poly.n(), n, "polynomials of one degree");
            let bytes: &[u8] = match poly.held_short() {
                Some(words) if short => cast_slice(words),
                _ => cast_slice(poly.words()),
            };
            file.write_all(bytes)?;
        }
        // SAFETY: the file has no name and this is its only handle, so nobody changes or cuts it.
        let map = unsafe { Mmap::map(&file)? };
        let towers: Vec<usize> = polys.iter().map(RnsPoly::towers).collect();
        Ok(RnsPoly::of_file(n, &towers, short, &Arc::new(Self { map })))
    }

    /// All words.
    pub(crate) fn words<W: Word>(&self) -> &[W] {
        cast_slice(&self.map)
    }

    /// Says that all of it will be read: the system maps its pages at once where it can.
    pub fn fetch(&self) {
        #[cfg(target_os = "linux")]
        // Kernels before 5.14 do not know it: the pages come one by one.
        let _ = self.map.advise(Advice::PopulateRead);
    }

    /// Gives its pages back. They are brought again when they are read.
    pub fn release(&self) {
        #[cfg(target_os = "linux")]
        // SAFETY: the map is shared and read only: what is dropped is in the file.
        let _ = unsafe {
            self.map
                .unchecked_advise(memmap2::UncheckedAdvice::DontNeed)
        };
    }
}

impl fmt::Debug for Mapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapped({} bytes)", self.map.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_the_same_in_a_file() {
        let folder = std::env::temp_dir();
        let wide = [3, 1].map(|towers| {
            let words = (0..16 * towers as u64).map(|word| word << 40).collect();
            RnsPoly::from_words(16, words).expect("a polynomial")
        });
        let mut short = RnsPoly::<u64>::unwritten_short(16, 2);
        short.short_mut().expect("short").fill(77);
        let kept = Mapped::keep(&wide, &folder).expect("kept");
        assert_eq!(kept, wide);
        let file = kept[1].home().expect("in a file");
        assert!(Arc::ptr_eq(file, kept[0].home().expect("in the same")));
        file.fetch();
        file.release();
        assert_eq!(kept, wide, "read again");
        assert!(kept[0].clone().home().is_none(), "a copy lies in memory");
        let kept = Mapped::keep(&[short.clone()], &folder).expect("kept");
        assert!(kept[0].held_short().is_some());
        assert_eq!(kept[0], short);
        assert_eq!(Mapped::keep::<u64>(&[], &folder).expect("none"), []);
    }

    #[test]
    fn writing_one_moves_it_to_memory() {
        let poly = RnsPoly::from_words(16, vec![1u64 << 40; 32]).expect("a polynomial");
        let mut kept =
            Mapped::keep(std::slice::from_ref(&poly), &std::env::temp_dir()).expect("kept");
        kept[0].tower_mut(1)[5] = 9;
        assert!(kept[0].home().is_none());
        assert_eq!((kept[0].words()[21], kept[0].words()[20]), (9, 1 << 40));
        let kept = Mapped::keep(std::slice::from_ref(&poly), &std::env::temp_dir()).expect("kept");
        let words: Vec<Vec<u64>> = kept.into_iter().map(RnsPoly::into_words).collect();
        assert_eq!(words, [poly.words()]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let poly = RnsPoly::from_words(16, vec![1u64; 16]).expect("a polynomial");
        let refused = Mapped::keep(&[poly], Path::new("/nowhere/at/all"));
        assert_eq!(
            refused.map_err(|error| error.kind()),
            Err(io::ErrorKind::NotFound)
        );
    }
}
