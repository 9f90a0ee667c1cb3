//! Where a ciphertext's error comes from, across runs, as far as this process knows.
//!
//! Every encryption here, and every run, adds an origin of its own. What meets itself again in a later
//! program adds up as it is: a running sum of one ciphertext n times has n times its error, not √n.
//! A ciphertext that was read from elsewhere may have errors in common with any other.
//!
//! Nothing of it is written anywhere: who reads a ciphertext back knows no more than a stranger.

use super::ResultErrors;
use ringwright_ring::Seed;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Origins that a ciphertext remembers; one with more has none, and meets everything.
const MOST: usize = 1 << 13;

/// Where an error comes from; cheap to clone.
#[derive(Clone, Debug)]
pub struct Lineage(Option<Arc<Known>>);

#[derive(Debug)]
struct Known {
    /// Deviation in the worst slot, in coefficient units, by origin.
    shares: BTreeMap<Origin, f64>,
    /// Whether the errors of its slots have nothing to do with each other.
    even: bool,
}

impl Lineage {
    /// Of what was not made here.
    pub fn unknown() -> Self {
        Self(None)
    }

    /// Of an encryption, whose error has this deviation.
    pub(super) fn fresh(origin: Origin, deviation: f64) -> Self {
        let shares = BTreeMap::from([(origin, deviation)]);
        Self(Some(Arc::new(Known { shares, even: true })))
    }

    /// Whether it was made here, so that its noise is what this process predicted.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Whether two errors may have something in common.
    pub fn meets(&self, other: &Self) -> bool {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return true;
        };
        let (few, many) = match a.shares.len() < b.shares.len() {
            true => (a, b),
            false => (b, a),
        };
        few.shares.keys().any(|id| many.shares.contains_key(id))
    }

    fn is_even(&self) -> bool {
        self.0.as_ref().is_some_and(|known| known.even)
    }

    /// The groups of a program's inputs, as [`super::ErrorFlow::inputs`] has them.
    pub fn groups(inputs: &[&Self]) -> Vec<Option<u32>> {
        let count = inputs.len();
        // Small numbers of inputs: every pair is asked, and the smaller number wins.
        let mut group: Vec<usize> = (0..count).collect();
        for a in 0..count {
            for b in 0..a {
                if group[a] != group[b] && inputs[a].meets(inputs[b]) {
                    let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
                    group
                        .iter_mut()
                        .filter(|g| **g == from)
                        .for_each(|g| *g = to);
                }
            }
        }
        let alone = |index: usize| {
            let members = group.iter().filter(|g| **g == group[index]).count();
            members == 1 && inputs[index].is_even()
        };
        (0..count)
            .map(|index| (!alone(index)).then_some(group[index] as u32))
            .collect()
    }

    /// Of a run's result. `peaks`: the inputs' deviations, which the program was built for.
    pub(super) fn of_result(inputs: &[(&Self, f64)], errors: &ResultErrors, own: Origin) -> Self {
        let mut shares = BTreeMap::new();
        for ((lineage, peak), inherited) in inputs.iter().zip(&errors.inherited) {
            let Some(known) = &lineage.0 else {
                return Self::unknown();
            };
            for (&origin, share) in &known.shares {
                let part = if *peak > 0.0 { share / peak } else { 0.0 };
                *shares.entry(origin).or_insert(0.0) += inherited * part;
            }
        }
        shares.insert(own, errors.own);
        match shares.len() <= MOST {
            true => Self(Some(Arc::new(Known {
                shares,
                even: errors.even,
            }))),
            false => Self::unknown(),
        }
    }
}

/// What adds an error: a run, an encryption with fresh randomness, or encryptions with one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    Numbered(u64),
    Seeded([u8; 16]),
}

impl Origin {
    /// One that nothing else has.
    pub fn next() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self::Numbered(COUNT.fetch_add(1, Ordering::Relaxed))
    }

    /// That of a caller's own seed: whoever encrypts with it again adds the same error.
    pub fn of_seed(seed: &Seed) -> Self {
        let mut bytes = [0; 16];
        let derived = seed.derive("origin", b"");
        bytes.copy_from_slice(&derived.expose()[..16]);
        Self::Seeded(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(deviation: f64) -> Lineage {
        Lineage::fresh(Origin::next(), deviation)
    }

    #[test]
    fn one_seed_is_one_origin() {
        let of = |byte| Lineage::fresh(Origin::of_seed(&Seed::from_bytes([byte; 32])), 1.0);
        assert!(of(1).meets(&of(1)) && !of(1).meets(&of(2)));
    }

    #[test]
    fn what_was_read_meets_everything() {
        let (a, b) = (fresh(1.0), fresh(1.0));
        assert_eq!(Lineage::groups(&[&a, &b]), [None, None]);
        assert_eq!(Lineage::groups(&[&a, &b, &a]), [Some(0), None, Some(0)]);
        let read = Lineage::unknown();
        assert_eq!(Lineage::groups(&[&a, &read, &b]), [Some(0); 3]);
        assert_eq!(Lineage::groups(&[&read]), [Some(0)]);
    }

    #[test]
    fn a_sum_meets_its_terms() {
        let (a, b, c) = (fresh(3.0), fresh(4.0), fresh(1.0));
        let errors = ResultErrors {
            inherited: vec![3.0, 4.0],
            own: 0.5,
            even: true,
        };
        let sum = Lineage::of_result(&[(&a, 3.0), (&b, 4.0)], &errors, Origin::next());
        assert!(sum.meets(&a) && sum.meets(&b) && !sum.meets(&c));
        // Through the sum, b and a are of one group too.
        assert_eq!(
            Lineage::groups(&[&c, &a, &sum, &b]),
            [None, Some(1), Some(1), Some(1)]
        );
    }
}
