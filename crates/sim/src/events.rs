//! Events in a fixed order.
//!
//! Two events of the same cycle are taken in the order of their units, and two of the same unit in
//! the order in which they were scheduled. Without that rule the result of a simulation depends on
//! how a heap breaks ties.

use crate::clock::Cycle;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The unit that an event belongs to; units are numbered by whoever builds the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u32);

/// Something that happens at a unit in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<T> {
    /// When.
    pub cycle: Cycle,
    /// Where.
    pub unit: UnitId,
    /// How many events were scheduled before this one.
    pub sequence: u64,
    /// What.
    pub payload: T,
}

/// An event was scheduled before the present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event for unit {} at cycle {}, but the simulation has reached cycle {}", .unit.0, .cycle.0, .now.0)]
pub struct PastEvent {
    /// Its unit.
    pub unit: UnitId,
    /// Its cycle.
    pub cycle: Cycle,
    /// The present.
    pub now: Cycle,
}

/// Events waiting to happen, taken in the order (cycle, unit, sequence).
#[derive(Debug)]
pub struct EventQueue<T> {
    heap: BinaryHeap<Reverse<Entry<T>>>,
    scheduled: u64,
    now: Cycle,
}

impl<T> EventQueue<T> {
    /// An empty queue at cycle 0.
    pub fn new() -> Self {
        Self {
            heap: BinaryHeap::new(),
            scheduled: 0,
            now: Cycle(0),
        }
    }

    /// The cycle of the event taken last.
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// Adds an event at or after the present.
    pub fn schedule(&mut self, cycle: Cycle, unit: UnitId, payload: T) -> Result<(), PastEvent> {
        if cycle < self.now {
            return Err(PastEvent {
                unit,
                cycle,
                now: self.now,
            });
        }
        let sequence = self.scheduled;
        self.scheduled += 1;
        self.heap.push(Reverse(Entry(Event {
            cycle,
            unit,
            sequence,
            payload,
        })));
        Ok(())
    }

    /// Takes the next event and moves the present to its cycle.
    pub fn take(&mut self) -> Option<Event<T>> {
        let Reverse(Entry(event)) = self.heap.pop()?;
        self.now = event.cycle;
        Some(event)
    }

    /// Takes the next event if it belongs to the present cycle.
    pub fn take_in_cycle(&mut self) -> Option<Event<T>> {
        match self.heap.peek() {
            Some(Reverse(Entry(event))) if event.cycle == self.now => self.take(),
            _ => None,
        }
    }
}

impl<T> Default for EventQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Compares events by their place in time alone.
#[derive(Debug)]
struct Entry<T>(Event<T>);

impl<T> Entry<T> {
    fn key(&self) -> (Cycle, UnitId, u64) {
        (self.0.cycle, self.0.unit, self.0.sequence)
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_past_is_closed_and_the_present_is_open() {
        let mut queue = EventQueue::new();
        queue.schedule(Cycle(3), UnitId(0), "a").unwrap();
        assert_eq!(queue.take().unwrap().payload, "a");
        let refused = queue.schedule(Cycle(2), UnitId(1), "b").unwrap_err();
        assert_eq!(
            refused,
            PastEvent {
                unit: UnitId(1),
                cycle: Cycle(2),
                now: Cycle(3)
            }
        );
        queue.schedule(Cycle(3), UnitId(0), "c").unwrap();
        assert_eq!(queue.take_in_cycle().unwrap().payload, "c");
        assert!(queue.take_in_cycle().is_none() && queue.take().is_none());
    }

    proptest! {
        #[test]
        fn events_come_by_cycle_then_unit_then_arrival(
            given in prop::collection::vec((0_u64..8, 0_u32..4), 0..64),
        ) {
            let mut queue = EventQueue::new();
            for (arrival, (cycle, unit)) in given.iter().enumerate() {
                queue.schedule(Cycle(*cycle), UnitId(*unit), arrival).unwrap();
            }
            let taken: Vec<_> = std::iter::from_fn(|| queue.take())
                .map(|event| (event.cycle.0, event.unit.0, event.payload))
                .collect();
            let mut expected: Vec<_> =
                given.iter().enumerate().map(|(i, (cycle, unit))| (*cycle, *unit, i)).collect();
            expected.sort();
            prop_assert_eq!(taken, expected);
        }
    }
}
