//! The threads of a device.
//!
//! A process that forks leaves its child the memory of its threads and none of them: work handed to
//! such a pool is never done. So the pool belongs to a process, and a child makes its own with the
//! first work it has. What another thread had locked while the process forked stays locked there;
//! that is any program's lot that forks beside running threads.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use ringwright_ir::interrupt::{self, Interrupt};
use std::sync::mpsc::{self, RecvTimeoutError};
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

    /// Runs on them; on rayon's common ones where a child cannot start its own. Work that may be
    /// interrupted is waited for by asking whether it is.
    pub fn install<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        let Ok(pool) = self.pool() else {
            return run();
        };
        match interrupt::current() {
            None => pool.install(run),
            Some(current) => install_asking(&pool, current, run),
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

/// Runs on the pool while this thread, which alone may ask, asks.
fn install_asking<R: Send>(
    pool: &ThreadPool,
    current: Arc<Interrupt>,
    run: impl FnOnce() -> R + Send,
) -> R {
    let (done, result) = mpsc::sync_channel(1);
    let carried = current.clone();
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let outcome = interrupt::scope(Some(carried), run);
            // The other end waits.
            let _ = done.send(outcome);
        });
        loop {
            match result.recv_timeout(interrupt::PERIOD) {
                Ok(outcome) => return Some(outcome),
                Err(RecvTimeoutError::Timeout) => drop(current.is_stopped()),
                // It panicked; the scope passes that on.
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    })
    .expect("work that ended without a result has panicked")
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
