//! Working memory that outlives a run, so that a steady state allocates nothing large.
//!
//! Memory that held secrets is zeroised before anyone else can take it, also when a run unwinds.

use rayon::prelude::*;
use ringwright_arith::Word;
use ringwright_kernels::AlignedWords;
use std::sync::{Mutex, PoisonError};
use zeroize::optimization_barrier;

/// Bytes between the towers of a block: nine cache lines, so that the same words of several towers
/// of 2^k words do not take each other's places in the first two caches. Keys and ciphertexts lie
/// as they lie; sums of products read these and towers from here in turn.
const GAP: usize = 9 * 64;

/// Bytes that a thread zeroises at a time.
const WIPED: usize = 128 << 10;

/// Words from the start of a tower to the start of the next.
pub fn stride<W>(n: usize) -> usize {
    n + GAP / size_of::<W>()
}

/// The towers of a block.
pub fn towers<W>(block: &mut [W], n: usize) -> impl Iterator<Item = &mut [W]> {
    block
        .chunks_exact_mut(stride::<W>(n))
        .map(move |tower| &mut tower[..n])
}

/// Blocks of words that wait for the next run.
#[derive(Debug)]
pub struct ScratchPool<W> {
    waiting: Mutex<Vec<AlignedWords<W>>>,
    poison: bool,
}

impl<W: Word> ScratchPool<W> {
    /// An empty pool. `poison` fills every block before it is handed out with words that are unreduced
    /// under every prime, so that kernels that read them trip their assertions; for tests.
    pub fn new(poison: bool) -> Self {
        ScratchPool {
            waiting: Mutex::default(),
            poison,
        }
    }

    /// A block of `len` words with any contents.
    pub fn take(&self, len: usize, secret: bool) -> Scratch<'_, W> {
        let waiting = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut words = waiting
            .filter(|words| words.len() >= len)
            .unwrap_or_else(|| AlignedWords::zeros(len));
        if self.poison {
            words.fill(W::MAX);
        }
        Scratch {
            words,
            len,
            secret,
            pool: self,
        }
    }
}

/// A block that returns to its pool.
#[derive(Debug)]
pub struct Scratch<'p, W: Word> {
    words: AlignedWords<W>,
    len: usize,
    secret: bool,
    pool: &'p ScratchPool<W>,
}

impl<W: Word> Scratch<'_, W> {
    /// The words.
    pub fn words(&mut self) -> &mut [W] {
        &mut self.words[..self.len]
    }

    /// Zeroises what held secrets by all threads of the pool that this one belongs to.
    pub fn wiped_in_parallel(mut self) {
        if self.secret {
            let chunks = self.words().par_chunks_mut(WIPED / size_of::<W>());
            chunks.for_each(wipe);
            self.secret = false;
        }
    }
}

/// Whole registers at a time; the trait `Zeroize` writes word by word, which took a sixth of an
/// encryption.
fn wipe<W: Word>(words: &mut [W]) {
    words.fill(W::ZERO);
    optimization_barrier(words);
}

impl<W: Word> Drop for Scratch<'_, W> {
    fn drop(&mut self) {
        if self.secret {
            wipe(self.words());
        }
        let words = std::mem::take(&mut self.words);
        self.pool
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 64;

    #[test]
    fn secrets_are_gone_when_a_block_is_taken_again() {
        let pool = ScratchPool::<u64>::new(false);
        pool.take(LEN, true).words().fill(7);
        assert!(pool.take(LEN, false).words().iter().all(|&word| word == 0));
    }

    #[test]
    fn all_threads_zeroise_all_of_a_block_that_held_secrets() {
        let len = 2 * WIPED / size_of::<u64>() + 1;
        let pool = ScratchPool::<u64>::new(false);
        for (secret, left) in [(true, 0), (false, 7)] {
            let mut block = pool.take(len, secret);
            block.words().fill(7);
            block.wiped_in_parallel();
            assert!(pool
                .take(len, false)
                .words()
                .iter()
                .all(|&word| word == left));
        }
    }

    #[test]
    fn a_block_is_used_again_and_poisoned() {
        let pool = ScratchPool::<u32>::new(true);
        let first = pool.take(LEN, false).words().as_ptr();
        let mut second = pool.take(LEN, false);
        assert_eq!(second.words().as_ptr(), first);
        assert!(second.words().iter().all(|&word| word == u32::MAX));
    }
}
