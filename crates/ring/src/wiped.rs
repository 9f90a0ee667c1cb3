//! Secret vectors that are overwritten before their memory is given back.
//!
//! Whole registers at a time: `zeroize::Zeroizing` writes element by element, for bytes a sixteenth
//! of what a store takes even without AVX.

use std::ops::{Deref, DerefMut};
use zeroize::optimization_barrier;

/// So many secrets, zeros at first and at the end.
#[derive(Default)]
pub struct Wiped<T: Copy + Default>(Vec<T>);

impl<T: Copy + Default> Wiped<T> {
    /// Zeros.
    pub fn zeros(len: usize) -> Self {
        Self(vec![T::default(); len])
    }
}

impl<T: Copy + Default> Deref for Wiped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy + Default> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Copy + Default> Drop for Wiped<T> {
    fn drop(&mut self) {
        self.0.fill(T::default());
        optimization_barrier(&*self.0);
    }
}
