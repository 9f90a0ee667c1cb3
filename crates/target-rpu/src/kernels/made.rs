//! Things that are made once and kept.

use ringwright_ir::{interrupt, RunError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A thing, once it is made; whoever makes it holds the lock.
type Place<V> = Arc<Mutex<Option<V>>>;

/// Things by what they are of. Several are made at a time; who asks for one that is being made waits for it.
pub struct Made<K, V>(Mutex<BTreeMap<K, Place<V>>>);

impl<K, V> Default for Made<K, V> {
    fn default() -> Self {
        Made(Mutex::default())
    }
}

impl<K: Ord, V: Clone> Made<K, V> {
    /// What is kept of this, or else what `make` gives, unless that was interrupted: then it may be cut short.
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<V, RunError>) -> Result<V, RunError> {
        let place = held(&self.0).entry(key).or_default().clone();
        let mut place = held(&place);
        if let Some(known) = &*place {
            return Ok(known.clone());
        }
        let made = make()?;
        interrupt::check()?;
        *place = Some(made.clone());
        Ok(made)
    }

    /// All that is kept, in the order of what it is of.
    pub fn all(&self) -> Vec<V> {
        let places: Vec<Place<V>> = held(&self.0).values().cloned().collect();
        places
            .iter()
            .filter_map(|place| held(place).clone())
            .collect()
    }
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_ir::interrupt::Interrupt;
    use std::sync::Barrier;
    use std::thread;

    #[test]
    fn two_things_are_made_at_a_time_and_each_once() {
        let made = Made::default();
        let both = Barrier::new(2);
        let make = |key: usize| {
            made.get(key, || {
                both.wait();
                Ok(10 * key)
            })
        };
        thread::scope(|scope| {
            let other = scope.spawn(|| make(1));
            assert_eq!(make(2).unwrap(), 20);
            assert_eq!(other.join().unwrap().unwrap(), 10);
        });
        assert_eq!(made.get(1, || unreachable!("it is kept")).unwrap(), 10);
        assert_eq!(made.all(), [10, 20]);
    }

    #[test]
    fn nothing_is_kept_of_what_failed_or_was_interrupted() {
        let made = Made::default();
        let fails = made.get((), || Err(RunError::Invalid("no".to_owned())));
        assert!(matches!(fails, Err(RunError::Invalid(what)) if what == "no"));
        let stops = interrupt::scope(Some(Interrupt::new(|_| true)), || {
            made.get((), || {
                thread::sleep(interrupt::PERIOD);
                Ok(1)
            })
        });
        assert!(matches!(stops, Err(RunError::Interrupted)));
        assert_eq!(made.get((), || Ok(2)).unwrap(), 2);
    }
}
