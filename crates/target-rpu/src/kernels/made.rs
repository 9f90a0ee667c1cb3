//! Things that are made once and kept.

use ringwright_ir::{interrupt, RunError};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Things by what they are of. Several are made at a time; who asks for one that is being made waits for it.
pub struct Made<K, V>(Mutex<BTreeMap<K, Arc<Place<V>>>>);

/// Of one thing.
struct Place<V> {
    thing: Mutex<Thing<V>>,
    changed: Condvar,
}

enum Thing<V> {
    Absent,
    InTheMaking,
    Kept(V),
}

/// Puts there what was made, or that nothing was, however the making ends.
struct Making<'a, V> {
    place: &'a Place<V>,
    made: Option<V>,
}

impl<K, V> Default for Made<K, V> {
    fn default() -> Self {
        Made(Mutex::default())
    }
}

impl<V> Default for Place<V> {
    fn default() -> Self {
        Place {
            thing: Mutex::new(Thing::Absent),
            changed: Condvar::new(),
        }
    }
}

impl<K: Ord, V: Clone> Made<K, V> {
    /// What is kept of this, or else what `make` gives, unless that was interrupted: then it may be cut short.
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<V, RunError>) -> Result<V, RunError> {
        let place = held(&self.0).entry(key).or_default().clone();
        if let Some(known) = place.known()? {
            return Ok(known);
        }
        let mut making = Making {
            place: &place,
            made: None,
        };
        let made = make()?;
        interrupt::check()?;
        making.made = Some(made.clone());
        Ok(made)
    }

    /// All that is kept, in the order of what it is of.
    pub fn all(&self) -> Vec<V> {
        let places: Vec<_> = held(&self.0).values().cloned().collect();
        let kept = places
            .iter()
            .filter_map(|place| match &*held(&place.thing) {
                Thing::Kept(thing) => Some(thing.clone()),
                Thing::Absent | Thing::InTheMaking => None,
            });
        kept.collect()
    }
}

impl<V: Clone> Place<V> {
    /// The thing, as soon as nobody makes it; without one it is for the caller to make. Who waits asks whether to
    /// stop: whoever makes it may be on a thread that cannot.
    fn known(&self) -> Result<Option<V>, RunError> {
        loop {
            let mut thing = held(&self.thing);
            match &*thing {
                Thing::Kept(thing) => return Ok(Some(thing.clone())),
                Thing::InTheMaking => drop(self.changed.wait_timeout(thing, interrupt::PERIOD)),
                Thing::Absent => {
                    *thing = Thing::InTheMaking;
                    return Ok(None);
                }
            }
            interrupt::check()?;
        }
    }
}

impl<V> Drop for Making<'_, V> {
    fn drop(&mut self) {
        *held(&self.place.thing) = self.made.take().map_or(Thing::Absent, Thing::Kept);
        self.place.changed.notify_all();
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
    #[test]
    fn who_waits_asks_whether_to_stop() {
        let made = Made::default();
        let (making, stopped) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|scope| {
            let maker = scope.spawn(|| {
                made.get((), || {
                    making.wait();
                    stopped.wait();
                    Ok(1)
                })
            });
            making.wait();
            let stops = interrupt::scope(Some(Interrupt::new(|_| true)), || {
                made.get((), || unreachable!("another makes it"))
            });
            assert!(matches!(stops, Err(RunError::Interrupted)));
            stopped.wait();
            assert_eq!(maker.join().unwrap().unwrap(), 1);
        });
    }
}
