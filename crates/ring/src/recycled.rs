//! Memory of polynomials that were dropped, for those that come next.
//!
//! Fresh memory comes a page at a time, cleared: 2 GB/s on a Zen 4 under KVM, where words are written
//! at 30 GB/s. Eight rotations at 24 primes of 2^16 words give 201 MB; an encryption of 2^13 slots under
//! seven primes took a third of its time for 2.8 MB. So the words of a dropped polynomial wait here for
//! one of the same length.
//!
//! Nothing is cleared here: owners of secrets overwrite them before they drop them, and whoever takes
//! memory with [`take`] writes every word before anybody reads it. Short polynomials are not kept, the
//! allocator has them at hand. Nobody waits for the lock: where it is held, memory is fresh.

use ringwright_arith::Word;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Mutex, TryLockError};

/// Words that make a polynomial long: where the system's allocator begins to ask for pages each time.
const LONG: usize = 1 << 14;
/// The most words that wait, the oldest going first: two runs of those eight rotations, as a loop drops
/// the results of one when it has those of the next.
const MOST: usize = 1 << 26;

static WAITING: Mutex<Waiting<u64>> = Mutex::new(Waiting::new(MOST));
static SHORT: Mutex<Waiting<u32>> = Mutex::new(Waiting::new(MOST));

/// Words that nobody has, in the order in which they came.
#[derive(Debug)]
struct Waiting<W> {
    words: VecDeque<Vec<W>>,
    total: usize,
    most: usize,
}

impl<W> Waiting<W> {
    const fn new(most: usize) -> Self {
        Self {
            words: VecDeque::new(),
            total: 0,
            most,
        }
    }

    /// The last that came of this length: it is the likeliest to be in a cache.
    fn take(&mut self, len: usize) -> Option<Vec<W>> {
        let index = self.words.iter().rposition(|words| words.len() == len)?;
        self.total -= len;
        self.words.remove(index)
    }

    fn give(&mut self, words: Vec<W>) {
        self.total += words.len();
        self.words.push_back(words);
        while self.total > self.most {
            self.total -= self
                .words
                .pop_front()
                .map_or(self.total, |words| words.len());
        }
    }
}

/// So many words of any value, if some wait.
pub fn take<W: Word>(len: usize) -> Option<Vec<W>> {
    if len < LONG {
        return None;
    }
    let mut found = Vec::<W>::new();
    let place: &mut dyn Any = &mut found;
    if let Some(place) = place.downcast_mut() {
        *place = with(&WAITING, |waiting| waiting.take(len)).flatten()?;
    } else if let Some(place) = place.downcast_mut() {
        *place = with(&SHORT, |waiting| waiting.take(len)).flatten()?;
    } else {
        return None;
    }
    Some(found)
}

/// Leaves words for others.
pub fn give<W: Word>(mut words: Vec<W>) {
    if words.len() < LONG {
        return;
    }
    let words: &mut dyn Any = &mut words;
    if let Some(words) = words.downcast_mut() {
        let words = std::mem::take(words);
        with(&WAITING, |waiting| waiting.give(words));
    } else if let Some(words) = words.downcast_mut() {
        let words = std::mem::take(words);
        with(&SHORT, |waiting| waiting.give(words));
    }
}

/// Does it with what waits; nothing where another thread is at it, which after a fork may be for ever.
fn with<W, T>(all: &Mutex<Waiting<W>>, act: impl FnOnce(&mut Waiting<W>) -> T) -> Option<T> {
    match all.try_lock() {
        Ok(mut waiting) => Some(act(&mut waiting)),
        Err(TryLockError::Poisoned(poisoned)) => Some(act(&mut poisoned.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_by_their_number_the_last_first() {
        let mut waiting = Waiting::new(100);
        for (len, word) in [(8, 1), (4, 2), (8, 3)] {
            waiting.give(vec![word; len]);
        }
        assert_eq!(waiting.take(5), None);
        assert_eq!(waiting.take(8), Some(vec![3; 8]));
        assert_eq!(waiting.take(8), Some(vec![1; 8]));
        assert_eq!(waiting.take(8), None);
        assert_eq!(waiting.total, 4);
    }

    #[test]
    fn the_oldest_go_beyond_the_most() {
        let mut waiting = Waiting::new(10);
        for (len, word) in [(4, 1), (4, 2), (4, 3)] {
            waiting.give(vec![word; len]);
        }
        assert_eq!(waiting.total, 8);
        assert_eq!(waiting.take(4), Some(vec![3; 4]));
        assert_eq!(waiting.take(4), Some(vec![2; 4]));
        waiting.give(vec![7; 11]);
        assert_eq!((waiting.total, waiting.words.len()), (0, 0));
    }

    #[test]
    fn short_polynomials_and_other_words_are_left_to_the_allocator() {
        give(vec![1u64; LONG - 1]);
        assert_eq!(take::<u64>(LONG - 1), None);
        // A length that no other test has.
        give(vec![1u128; LONG + 7]);
        assert_eq!(take::<u128>(LONG + 7), None);
        assert_eq!(take::<u64>(LONG + 7), None);
        give(vec![1u64; LONG + 7]);
        assert_eq!(take::<u128>(LONG + 7), None);
        assert_eq!(take::<u32>(LONG + 7), None);
    }
}
