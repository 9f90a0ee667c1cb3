//! Work on independent things by all processors.

use ringwright_ir::{interrupt, RunError};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::thread;

/// Makes the things numbered 0 to `count` - 1, each by `make`, in this order. The first error that is
/// met ends it.
pub fn in_parallel<T: Send>(
    count: usize,
    make: impl Fn(usize) -> Result<T, RunError> + Sync,
) -> Result<Vec<T>, RunError> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(usize, T)>, RunError> {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(made);
            }
            match interrupt::check().and_then(|()| make(index)) {
                Ok(thing) => made.push((index, thing)),
                Err(error) => {
                    next.store(count, Ordering::Relaxed);
                    return Err(error);
                }
            }
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
        // Nobody else asks whether to stop: the others are told at their next operation.
        while ended.recv_timeout(interrupt::PERIOD) == Err(RecvTimeoutError::Timeout) {
            made = made.and_then(|made| interrupt::check().map(|()| made));
        }
        for other in others {
            let more = other.join().unwrap_or_else(|panic| resume_unwind(panic));
            made = made.and_then(|made| Ok([made, more?].into_iter().flatten().collect()));
        }
        made
    })?;
    made.sort_by_key(|(index, _)| *index);
    Ok(made.into_iter().map(|(_, thing)| thing).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_made_once_and_in_order() {
        for count in [0, 1, 2, 1000] {
            let made = in_parallel(count, |index| Ok(index * index)).expect("no error");
            let expected: Vec<usize> = (0..count).map(|index| index * index).collect();
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn an_error_ends_it() {
        let made = in_parallel(1000, |index| match index {
            500 => Err(RunError::Invalid("500".to_owned())),
            index => Ok(index),
        });
        assert!(matches!(made, Err(RunError::Invalid(what)) if what == "500"));
    }
}
