//! Work on independent things by all processors.

use ringwright_ir::{interrupt, RunError};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::thread;

/// Makes the things numbered 0 to `count` - 1, each by `make`, in this order. An error ends it: of those
/// that are met the first, in this order, which is the same each time unless it is an interrupt's.
pub fn in_parallel<T: Send, E: Send + From<RunError>>(
    count: usize,
    make: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let work = || -> Vec<(usize, Result<T, E>)> {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return made;
            }
            let thing = interrupt::check()
                .map_err(E::from)
                .and_then(|()| make(index));
            if thing.is_err() {
                next.store(count, Ordering::Relaxed);
            }
            made.push((index, thing));
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let interrupt = interrupt::current();
    let mut made = thread::scope(|scope| {
        let (running, ended) = channel::<()>();
        let others: Vec<_> = (1..processors.min(count))
            .map(|_| {
                let (interrupt, running) = (interrupt.clone(), running.clone());
                scope.spawn(move || {
                    let _running = running;
                    interrupt::scope(interrupt, work)
                })
            })
            .collect();
        drop(running);
        let mut made = work();
        // Nobody else asks whether to stop: the others hear of it at their next look.
        while ended.recv_timeout(interrupt::PERIOD) == Err(RecvTimeoutError::Timeout) {
            let _heard = interrupt::check();
        }
        for other in others {
            made.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        made
    });
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, thing)| thing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_made_once_and_in_order() {
        for count in [0, 1, 2, 1000] {
            let made = in_parallel(count, |index| Ok::<_, RunError>(index * index));
            let made = made.expect("no error");
            let expected: Vec<usize> = (0..count).map(|index| index * index).collect();
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn the_first_error_ends_it() {
        for _ in 0..100 {
            let made = in_parallel(1000, |index| match index {
                500.. => Err(RunError::Invalid(index.to_string())),
                index => Ok(index),
            });
            assert!(matches!(made, Err(RunError::Invalid(what)) if what == "500"));
        }
    }
}
