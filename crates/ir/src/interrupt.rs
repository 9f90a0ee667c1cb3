//! Stopping a long computation from outside, between two operations.
//!
//! Whoever starts one may give it an [`Interrupt`]: a question to be asked now and then (has the user
//! pressed Ctrl-C?). Devices ask by [`check`] between operations, and give up with
//! [`RunError::Interrupted`]; work that a device hands to threads of its own carries the interrupt
//! along ([`current`], [`scope`]). Without one, [`check`] costs a look at a thread's variable.
//!
//! Work that knows how many steps it has says so ([`expect`]); the question is told the share that is done.

use crate::RunError;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Between two questions.
pub const PERIOD: Duration = Duration::from_millis(25);

/// What decides whether to stop, told the share of the work that is done, where that is known.
type Question = dyn Fn(Option<f64>) -> bool + Send + Sync;

/// A question that decides whether to stop. It is asked on the thread that made it, and no other.
pub struct Interrupt {
    question: Box<Question>,
    asker: ThreadId,
    asked: Mutex<Instant>,
    stopped: AtomicBool,
    /// Steps of the work; 0 where nobody counts.
    steps: AtomicU64,
    done: AtomicU64,
}

/// Work whose steps are counted, to its end.
pub struct Counted(Option<Arc<Interrupt>>);

impl Counted {
    /// So many more steps are done.
    pub fn advance(&self, steps: u64) {
        if let Some(interrupt) = &self.0 {
            interrupt.done.fetch_add(steps, Ordering::Relaxed);
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if let Some(interrupt) = &self.0 {
            interrupt.steps.store(0, Ordering::Relaxed);
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Interrupt>>> = const { RefCell::new(None) };
}

impl Interrupt {
    /// To be asked on this thread; `true` stops the computation. The question is told the share of the
    /// work that is done, where that is known.
    pub fn new(question: impl Fn(Option<f64>) -> bool + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            question: Box::new(question),
            asker: thread::current().id(),
            asked: Mutex::new(Instant::now()),
            stopped: AtomicBool::new(false),
            steps: AtomicU64::new(0),
            done: AtomicU64::new(0),
        })
    }

    fn share(&self) -> Option<f64> {
        let [steps, done] = [&self.steps, &self.done].map(|count| count.load(Ordering::Relaxed));
        (steps > 0).then(|| (done as f64 / steps as f64).min(1.0))
    }

    /// Asks, if it is time and this is the thread; says whether to stop.
    pub fn is_stopped(&self) -> bool {
        if !self.stopped.load(Ordering::Relaxed)
            && thread::current().id() == self.asker
            && self.is_due()
            && (self.question)(self.share())
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

/// Counts the steps of the work on this thread, unless it is part of work whose steps are counted.
pub fn expect(steps: u64) -> Counted {
    Counted(current().filter(|interrupt| {
        let counts =
            interrupt
                .steps
                .compare_exchange(0, steps, Ordering::Relaxed, Ordering::Relaxed);
        if counts.is_ok() {
            interrupt.done.store(0, Ordering::Relaxed);
        }
        counts.is_ok()
    }))
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
        let interrupt = Interrupt::new(|_| true);
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

    #[test]
    fn the_outermost_work_is_counted() {
        let (said, heard) = std::sync::mpsc::channel();
        let said = Mutex::new(said);
        let interrupt = Interrupt::new(move |share| {
            said.lock().unwrap().send(share).unwrap();
            false
        });
        let ask = || {
            thread::sleep(PERIOD);
            check().unwrap();
            heard.try_recv().unwrap()
        };
        scope(Some(interrupt), || {
            assert_eq!(ask(), None);
            let whole = expect(4);
            whole.advance(1);
            let part = expect(100);
            part.advance(50);
            assert_eq!(ask(), Some(0.25));
            drop(part);
            whole.advance(2);
            assert_eq!(ask(), Some(0.75));
            drop(whole);
            assert_eq!(ask(), None);
        });
    }
}
