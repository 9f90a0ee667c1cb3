//! Words that lie in a file and are read through a map of it.
//!
//! The keys of a bootstrapping are 11 GB. Those that are read once a run need not stay in memory: the
//! system brings a page when a word of it is read, and [`Mapped::release`] lets it go again.
//!
//! The file has no name, so nobody but its owner writes it, and it is gone when nobody reads it any more.
//! Its words are in the order and width of this computer's memory: it is no format to be kept. Do not
//! put secrets there.

use bytemuck::cast_slice;
use memmap2::Mmap;
use ringwright_arith::Word;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// A file of words.
pub struct Mapped {
    map: Mmap,
}

impl Mapped {
    /// Writes pieces one behind the other to a file in `folder`, as they are drawn from the iterator.
    ///
    /// # Errors
    /// Those of the file system; a full one among them.
    pub(crate) fn write<'w, W: Word>(
        pieces: impl Iterator<Item = &'w [W]>,
        folder: &Path,
    ) -> io::Result<Self> {
        let mut file = tempfile::tempfile_in(folder)?;
        for piece in pieces {
            file.write_all(cast_slice(piece))?;
        }
        // SAFETY: the file has no name and this is its only handle, so nobody changes or cuts it.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self { map })
    }

    /// All words.
    pub(crate) fn words<W: Word>(&self) -> &[W] {
        cast_slice(&self.map)
    }

    /// Has its pages brought, as long as it `goes_on`: asked between pieces, as from a disk all of it may
    /// take a second. Where the system cannot do that pages come one by one, when they are read.
    pub fn fetch(&self, mut goes_on: impl FnMut() -> bool) {
        const PIECE: usize = 32 << 20;
        for from in (0..self.map.len()).step_by(PIECE) {
            if !goes_on() {
                return;
            }
            self.populate(from, PIECE.min(self.map.len() - from));
        }
    }

    #[cfg(target_os = "linux")]
    fn populate(&self, from: usize, len: usize) {
        // Kernels before 5.14 do not know it.
        let _ = self
            .map
            .advise_range(memmap2::Advice::PopulateRead, from, len);
    }

    #[cfg(not(target_os = "linux"))]
    fn populate(&self, _: usize, _: usize) {}

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
