//! Where the error of a value comes from: what is of one origin adds up as it is, what is of two
//! adds up by its squares.
//!
//! An origin is one operation that added an error (an encryption, a key switch, a rounding), turned
//! by the rotations since: errors of different slots are uncorrelated. Conjugates share the real
//! part and count as the same turn. Beyond [`MOST`] origins the turns of each operation are taken
//! together by their squares, and add up as they are with whatever comes after.
//!
//! A program's inputs count as of different origins, their slots as independent. What an earlier
//! program or single operations computed may be otherwise: in one program, the bound is better kept.
//!
//! Tried and dropped: taking all errors as independent, as averages may; powers of one value then
//! come out too small by a factor up to √2 at every level. Taking none as independent makes the sum
//! of n slots √n too large.

use ringwright_ir::ring::ValueId;
use std::collections::{BTreeMap, BTreeSet};

/// Origins that are told apart.
const MOST: usize = 1 << 13;
/// The turn of what was taken together.
const ANY: u64 = 0;

/// One origin: which operation, and the Galois element by which it was turned.
type Origin = (u32, u64);

/// The error of one value: its largest deviation in any slot, by origin; in coefficient units.
#[derive(Clone, Debug)]
pub(super) struct Origins(BTreeMap<Origin, f64>);

impl Origins {
    /// An error that only this operation made.
    pub fn new(source: ValueId, deviation: f64) -> Self {
        Self(BTreeMap::from([((source.0, 1), deviation)]))
    }

    /// The whole deviation.
    pub fn deviation(&self) -> f64 {
        self.0.values().fold(0.0, |sum: f64, v| sum.hypot(*v))
    }

    /// Every error times a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        let scaled = self.0.iter().map(|(&origin, v)| (origin, v * factor));
        Self(scaled.collect())
    }

    /// With another value's.
    pub fn plus(mut self, other: &Self) -> Self {
        for (&origin, v) in &other.0 {
            *self.0.entry(origin).or_insert(0.0) += v;
        }
        self.within_bounds()
    }

    /// After an automorphism of a ring of degree `n`.
    pub fn turned(&self, galois: u64, n: u64) -> Self {
        let turned = |turn: u64| match turn {
            ANY => ANY,
            turn => {
                let product = turn * galois % (2 * n);
                product.min(2 * n - product)
            }
        };
        let mut found = BTreeMap::new();
        for (&(source, turn), v) in &self.0 {
            *found.entry((source, turned(turn))).or_insert(0.0) += v;
        }
        Self(found)
    }

    /// Whether errors of two slots are uncorrelated: no operation's error is there turned twice.
    pub fn slots_are_independent(&self) -> bool {
        let sources = self.0.keys().map(|&(source, _)| source);
        let repeated = sources.clone().zip(sources.skip(1)).any(|(a, b)| a == b);
        !repeated && self.0.keys().all(|&(_, turn)| turn != ANY)
    }

    /// What comes from the operations of these origins reduced to `most` in all.
    pub fn limited(&mut self, of: &[Self], most: f64) {
        let sources = of.iter().flat_map(|origins| origins.0.keys());
        let sources: BTreeSet<u32> = sources.map(|&(source, _)| source).collect();
        let inherited = self.0.iter_mut();
        let inherited = inherited.filter(|((source, _), _)| sources.contains(source));
        let mut inherited: Vec<&mut f64> = inherited.map(|(_, v)| v).collect();
        let total = inherited.iter().fold(0.0, |sum: f64, v| sum.hypot(**v));
        if total > most {
            inherited.iter_mut().for_each(|v| **v *= most / total);
        }
    }

    fn within_bounds(self) -> Self {
        if self.0.len() <= MOST {
            return self;
        }
        let mut together = BTreeMap::<Origin, f64>::new();
        for ((source, _), v) in self.0 {
            let sum = together.entry((source, ANY)).or_insert(0.0);
            *sum = sum.hypot(v);
        }
        Self(together)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-12, "{a}, {b}");
    }

    #[test]
    fn equal_origins_add_up_others_by_their_squares() {
        let (a, b) = (Origins::new(ValueId(0), 3.0), Origins::new(ValueId(1), 4.0));
        close(a.clone().plus(&b).deviation(), 5.0);
        close(a.clone().plus(&a).deviation(), 6.0);
        let turned = a.turned(5, 16);
        close(a.clone().plus(&turned).deviation(), 18f64.sqrt());
        let back = turned.turned(13, 16); // 5·13 = 65, 1 modulo 32
        close(a.clone().plus(&back).deviation(), 6.0);
        let conjugate = a.turned(31, 16);
        close(a.clone().plus(&conjugate).deviation(), 6.0);
    }

    #[test]
    fn what_is_inherited_is_limited_and_nothing_else() {
        let x = Origins::new(ValueId(0), 1.0);
        let mut result = x.scaled(30.0).plus(&Origins::new(ValueId(7), 4.0));
        result.limited(std::slice::from_ref(&x), 3.0);
        close(result.deviation(), 5.0);
        result.limited(&[x], 100.0);
        close(result.deviation(), 5.0);
    }

    #[test]
    fn slots_of_a_window_are_not_independent() {
        let x = Origins::new(ValueId(0), 1.0);
        assert!(x.slots_are_independent());
        assert!(!x.clone().plus(&x.turned(5, 16)).slots_are_independent());
    }

    #[test]
    fn a_crowd_is_taken_together() {
        let n = 1u64 << 20;
        let x = Origins::new(ValueId(0), 1.0);
        let turns = (0..=MOST as u64).map(|k| x.turned(2 * k + 1, n));
        let crowd = turns.reduce(|sum, turn| sum.plus(&turn)).unwrap();
        close(crowd.deviation(), ((MOST + 1) as f64).sqrt());
        assert!(!crowd.slots_are_independent());
        let doubled = crowd.turned(5, n).plus(&crowd);
        close(doubled.deviation(), 2.0 * crowd.deviation());
    }
}
