//! Where the error of a value comes from: what is of one origin adds up as it is, what is of two
//! adds up by its squares.
//!
//! An origin is one operation that added an error (an encryption, a key switch, a rounding), turned
//! by the rotations since: errors of different slots are uncorrelated. Conjugates share the real
//! part and count as the same turn. Beyond [`MOST`] origins the turns of each operation are taken
//! together by their squares, and add up as they are with whatever else comes of that operation.
//!
//! **Inputs** that may have errors in common are of one group ([`Groups`]): whatever they and their
//! turns contribute adds up as it is. So does what one such input contributes by several turns, since
//! what made it may have correlated its slots. Which inputs these are says
//! [`super::Lineage`] of the ciphertexts at hand.
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

/// The group of every input of a program; see [`ringwright_ir::he::ErrorFlow`].
#[derive(Clone, Debug, Default)]
pub(super) struct Groups(pub Vec<Option<u32>>);

impl Groups {
    fn of(&self, source: u32) -> Option<u32> {
        self.0.get(source as usize).copied().flatten()
    }
}

/// The error of one value: its largest deviation in any slot, by origin; in coefficient units.
#[derive(Clone, Debug)]
pub(super) struct Origins(BTreeMap<Origin, f64>);

impl Origins {
    /// An error that only this operation made.
    pub fn new(source: ValueId, deviation: f64) -> Self {
        Self(BTreeMap::from([((source.0, 1), deviation)]))
    }

    /// The whole deviation.
    pub fn deviation(&self, groups: &Groups) -> f64 {
        total(self.0.iter(), groups)
    }

    /// What is of these sources, as one deviation.
    pub fn of_sources(&self, groups: &Groups, has: impl Fn(u32) -> bool) -> f64 {
        total(
            self.0.iter().filter(|((source, _), _)| has(*source)),
            groups,
        )
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

    /// Whether two values have errors in common.
    pub fn meet(&self, other: &Self, groups: &Groups) -> bool {
        let kinds = |origins: &Self| -> BTreeSet<_> {
            let sources = origins.0.keys().map(|&(source, _)| source);
            let kind = |source| match groups.of(source) {
                Some(group) => (true, group),
                None => (false, source),
            };
            sources.map(kind).collect()
        };
        !kinds(self).is_disjoint(&kinds(other))
    }

    /// Whether errors of two slots are uncorrelated: no operation's error is there turned twice.
    pub fn slots_are_independent(&self, groups: &Groups) -> bool {
        let sources = self.0.keys().map(|&(source, _)| source);
        let repeated = sources.clone().zip(sources.skip(1)).any(|(a, b)| a == b);
        let alone = |&(source, turn): &Origin| turn != ANY && groups.of(source).is_none();
        !repeated && self.0.keys().all(alone)
    }

    /// What comes from the operations of these origins reduced to `most` in all.
    pub fn limited(&mut self, of: &[Self], most: f64, groups: &Groups) {
        let sources = of.iter().flat_map(|origins| origins.0.keys());
        let sources: BTreeSet<u32> = sources.map(|&(source, _)| source).collect();
        let total = self.of_sources(groups, |source| sources.contains(&source));
        if total > most {
            let inherited = self.0.iter_mut();
            let inherited = inherited.filter(|((source, _), _)| sources.contains(source));
            inherited.for_each(|(_, v)| *v *= most / total);
        }
    }

    fn within_bounds(self) -> Self {
        if self.0.len() <= MOST {
            return self;
        }
        let mut together = BTreeMap::<Origin, f64>::new();
        for (source, turns) in by_source(self.0.iter()) {
            together.insert((source, ANY), of_one_source(&turns));
        }
        Self(together)
    }
}

type Entry<'a> = (&'a Origin, &'a f64);

/// What every source contributes, by turn.
fn by_source<'a>(entries: impl Iterator<Item = Entry<'a>>) -> Vec<(u32, Vec<(u64, f64)>)> {
    let mut found: Vec<(u32, Vec<(u64, f64)>)> = Vec::new();
    for (&(source, turn), &v) in entries {
        match found.last_mut() {
            Some((last, turns)) if *last == source => turns.push((turn, v)),
            _ => found.push((source, vec![(turn, v)])),
        }
    }
    found
}

/// Turns by their squares, and as it is what was taken together of any turn.
fn of_one_source(turns: &[(u64, f64)]) -> f64 {
    let [mut any, mut turned] = [0f64; 2];
    for &(turn, v) in turns {
        match turn {
            ANY => any += v,
            _ => turned = turned.hypot(v),
        }
    }
    any + turned
}

fn total<'a>(entries: impl Iterator<Item = Entry<'a>>, groups: &Groups) -> f64 {
    let mut together = BTreeMap::<u32, f64>::new();
    let mut alone = 0f64;
    for (source, turns) in by_source(entries) {
        match groups.of(source) {
            None => alone = alone.hypot(of_one_source(&turns)),
            Some(group) => {
                let sum: f64 = turns.iter().map(|(_, v)| v).sum();
                *together.entry(group).or_insert(0.0) += sum;
            }
        }
    }
    together.into_values().fold(alone, f64::hypot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-12, "{a}, {b}");
    }

    fn deviation(origins: &Origins) -> f64 {
        origins.deviation(&Groups::default())
    }

    #[test]
    fn equal_origins_add_up_others_by_their_squares() {
        let (a, b) = (Origins::new(ValueId(0), 3.0), Origins::new(ValueId(1), 4.0));
        close(deviation(&a.clone().plus(&b)), 5.0);
        close(deviation(&a.clone().plus(&a)), 6.0);
        let turned = a.turned(5, 16);
        close(deviation(&a.clone().plus(&turned)), 18f64.sqrt());
        let back = turned.turned(13, 16); // 5·13 = 65, 1 modulo 32
        close(deviation(&a.clone().plus(&back)), 6.0);
        let conjugate = a.turned(31, 16);
        close(deviation(&a.clone().plus(&conjugate)), 6.0);
    }

    #[test]
    fn a_group_adds_up_as_it_is_whatever_its_turns() {
        let groups = Groups(vec![Some(0), Some(0), None]);
        let of = |source, v| Origins::new(ValueId(source), v);
        let pair = of(0, 3.0).plus(&of(1, 4.0));
        close(pair.deviation(&groups), 7.0);
        let turned = pair.turned(5, 16).plus(&of(0, 1.0));
        close(turned.deviation(&groups), 8.0);
        close(turned.plus(&of(2, 15.0)).deviation(&groups), 17.0);
        assert!(of(0, 1.0).meet(&of(1, 1.0), &groups));
        assert!(!of(0, 1.0).meet(&of(2, 1.0), &groups));
        assert!(of(2, 1.0).slots_are_independent(&groups));
        assert!(!of(0, 1.0).slots_are_independent(&groups));
    }

    #[test]
    fn what_is_inherited_is_limited_and_nothing_else() {
        let none = Groups::default();
        let x = Origins::new(ValueId(0), 1.0);
        let mut result = x.scaled(30.0).plus(&Origins::new(ValueId(7), 4.0));
        result.limited(std::slice::from_ref(&x), 3.0, &none);
        close(result.deviation(&none), 5.0);
        result.limited(&[x], 100.0, &none);
        close(result.deviation(&none), 5.0);
    }

    #[test]
    fn slots_of_a_window_are_not_independent() {
        let none = Groups::default();
        let x = Origins::new(ValueId(0), 1.0);
        assert!(x.slots_are_independent(&none));
        let window = x.clone().plus(&x.turned(5, 16));
        assert!(!window.slots_are_independent(&none));
    }

    #[test]
    fn a_crowd_is_taken_together_and_meets_itself_as_it_is() {
        let n = 1u64 << 20;
        let x = Origins::new(ValueId(0), 1.0);
        let turns = (0..=MOST as u64).map(|k| x.turned(2 * k + 1, n));
        let crowd = turns.reduce(|sum, turn| sum.plus(&turn)).unwrap();
        let together = ((MOST + 1) as f64).sqrt();
        close(deviation(&crowd), together);
        assert!(!crowd.slots_are_independent(&Groups::default()));
        let doubled = crowd.turned(5, n).plus(&crowd);
        close(deviation(&doubled), 2.0 * together);
        // The crowd has turn 1 in it: the two do not add up by their squares.
        close(deviation(&crowd.plus(&x)), together + 1.0);
    }
}
