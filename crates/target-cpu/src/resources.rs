//! What the programs of one device share while they run: threads and working memory.

use crate::arguments::Checked;
use crate::scratch::ScratchPool;
use crate::threads::Threads;
use ringwright_arith::Word;
use std::fmt;

/// What the programs of one device share while they run.
pub struct Resources {
    /// None where the caller's thread works.
    pub threads: Option<Threads>,
    /// Of programs on 64-bit words.
    pub wide: Memory<u64>,
    /// Of programs on 32-bit words.
    pub short: Memory<u32>,
    /// Fills results before they are written, for tests.
    pub poison: bool,
    /// Inputs that were found right.
    pub checked: Checked,
}

/// Working memory.
#[derive(Debug)]
pub struct Memory<W> {
    /// Frame slots of functions.
    pub frames: ScratchPool<W>,
    /// Locals of strands.
    pub locals: ScratchPool<W>,
}

impl<W: Word> Memory<W> {
    /// None yet; `poison` as in [`ScratchPool::new`].
    pub fn new(poison: bool) -> Self {
        Self {
            frames: ScratchPool::new(poison),
            locals: ScratchPool::new(poison),
        }
    }
}

impl Resources {
    /// Whether stages are shared among threads.
    pub fn is_parallel(&self) -> bool {
        self.threads.is_some()
    }

    /// Runs on the device's threads.
    pub fn install<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        match &self.threads {
            Some(threads) => threads.install(run),
            None => run(),
        }
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.threads.as_ref().map_or(1, Threads::count);
        f.debug_struct("Resources")
            .field("threads", &threads)
            .finish_non_exhaustive()
    }
}
