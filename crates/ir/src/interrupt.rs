//! Stopping a long computation from outside, between two operations.
//!
//! Whoever starts one may give it an [`Interrupt`]: a question to be asked now and then (has the user
//! pressed Ctrl-C?). Devices ask by [`check`] between operations, and give up with
//! [`RunError::Interrupted`]; work that a device hands to threads of its own carries the interrupt
//! along ([`current`], [`scope`]). Without one, [`check`] costs a look at a thread's variable.

use crate::RunError;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Between two questions.
pub const PERIOD: Duration = Duration::from_millis(50);

/// A question that decides whether to stop. It is asked on the thread that made it, and no other.
pub struct Interrupt {
    question: Box<dyn Fn() -> bool + Send + Sync>,
    asker: ThreadId,
    asked: Mutex<Instant>,
    stopped: AtomicBool,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Interrupt>>> = const { RefCell::new(None) };
}

impl Interrupt {
    /// To be asked on this thread; `true` stops the computation.
    pub fn new(question: impl Fn() -> bool + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            question: Box::new(question),
            asker: thread::current().id(),
            asked: Mutex::new(Instant::now()),
            stopped: AtomicBool::new(false),
        })
    }

    /// Asks, if it is time and this is the thread; says whether to stop.
    pub fn is_stopped(&self) -> bool {
        if !self.stopped.load(Ordering::Relaxed)
            && thread::current().id() == self.asker
            && self.is_due()
            && (self.question)()
        {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    fn is_due(&self) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let due = asked.elapsed() >= PERIOD;
        if due {
            *asked = Instant::now();
        }
        due
    }
}

/// The interrupt of what runs on this thread.
pub fn current() -> Option<Arc<Interrupt>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Runs work under an interrupt, on this thread.
pub fn scope<R>(interrupt: Option<Arc<Interrupt>>, work: impl FnOnce() -> R) -> R {
    /// Puts the interrupt before back, however the work ends.
    struct Restore(Option<Arc<Interrupt>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _restore = Restore(CURRENT.replace(interrupt));
    work()
}

/// Whether the work on this thread is to go on.
///
/// # Errors
/// [`RunError::Interrupted`] once its interrupt says so.
pub fn check() -> Result<(), RunError> {
    let stopped = CURRENT.with_borrow(|current| {
        let current = current.as_ref();
        current.is_some_and(|interrupt| interrupt.is_stopped())
    });
    match stopped {
        true => Err(RunError::Interrupted),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_stops_on_every_thread_once_the_asker_says_so() {
        check().unwrap();
        let interrupt = Interrupt::new(|| true);
        scope(Some(interrupt.clone()), || {
            // Not yet asked.
            check().unwrap();
            thread::scope(|threads| {
                let other = interrupt.clone();
                let other = threads.spawn(move || {
                    thread::sleep(PERIOD);
                    scope(Some(other), check)
                });
                other.join().unwrap().unwrap();
            });
            assert!(matches!(check(), Err(RunError::Interrupted)));
            let seen = thread::spawn(move || scope(Some(interrupt), check));
            assert!(matches!(seen.join().unwrap(), Err(RunError::Interrupted)));
        });
        check().unwrap();
    }
}
