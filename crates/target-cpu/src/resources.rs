//! What the programs of one device share while they run: threads and working memory.

use crate::arguments::Checked;
use crate::scratch::ScratchPool;
use crate::threads::Threads;
use std::fmt;

/// What the programs of one device share while they run.
pub struct Resources {
    /// None where the caller's thread works.
    pub threads: Option<Threads>,
    /// Frame slots of functions.
    pub frames: ScratchPool,
    /// Locals of strands.
    pub locals: ScratchPool,
    /// Fills results before they are written, for tests.
    pub poison: bool,
    /// Inputs that were found right.
    pub checked: Checked,
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
