//! What functions are called with.

use ringwright_ir::interrupt;
use ringwright_ring::{Mapped, Seed};
use std::sync::Arc;

/// What a function is called with.
pub struct Arguments<'a, W> {
    /// Parameter towers.
    pub towers: Vec<&'a [W]>,
    /// Seed parameters.
    pub seeds: Vec<&'a Seed>,
    /// The file in which each tower lies, where any lies in one; empty otherwise.
    pub homes: Vec<Option<&'a Arc<Mapped>>>,
}

impl<W> Arguments<'_, W> {
    /// Has them brought for a call that reads them all, unless the run is stopped.
    pub fn fetch(&self) {
        self.files()
            .for_each(|file| file.fetch(|| interrupt::check().is_ok()));
    }

    /// Says that it has read them.
    pub fn release(&self) {
        self.files().for_each(Mapped::release);
    }

    /// Each file once: its towers stand side by side.
    fn files(&self) -> impl Iterator<Item = &Mapped> {
        let mut last = std::ptr::null();
        let homes = self.homes.iter().copied().flatten().map(|home| &**home);
        homes.filter(move |&home| !std::ptr::eq(std::mem::replace(&mut last, home), home))
    }
}
