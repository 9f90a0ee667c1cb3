//! The threads of a device.
//!
//! A process that forks leaves its child the memory of its threads and none of them: work handed to
//! such a pool is never done. So the pool belongs to a process, and a child makes its own with the
//! first work it has. What another thread had locked while the process forked stays locked there;
//! that is any program's lot that forks beside running threads.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// A pool of this many threads, in whatever process.
pub struct Threads {
    count: usize,
    started: Mutex<Started>,
}

struct Started {
    process: u32,
    pool: Arc<ThreadPool>,
}

impl Threads {
    /// Starts them.
    pub fn new(count: usize) -> Result<Self, ThreadPoolBuildError> {
        let started = Mutex::new(start(count)?);
        Ok(Self { count, started })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs on them; on rayon's common ones where a child cannot start its own.
    pub fn install<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        match self.pool() {
            Ok(pool) => pool.install(run),
            Err(_) => run(),
        }
    }

    fn pool(&self) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if started.process != std::process::id() {
            let parents = std::mem::replace(&mut *started, start(self.count)?);
            // Its end would be announced to threads that are not there.
            std::mem::forget(parents);
        }
        Ok(started.pool.clone())
    }
}

fn start(count: usize) -> Result<Started, ThreadPoolBuildError> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(|index| format!("ringwright-cpu-{index}"));
    Ok(Started {
        process: std::process::id(),
        pool: Arc::new(builder.build()?),
    })
}
