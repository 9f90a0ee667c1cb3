//! Where the error of a value comes from: what is of one origin adds up as it is, what is of two
//! adds up by its squares.
//!
//! An origin is one operation that added an error (an encryption, a key switch, a rounding), turned
//! by the rotations since: errors of different slots are uncorrelated. Conjugates share the real
//! part and count as the same turn. Beyond [`MOST`] shares of one value the turns of each operation are
//! taken together by their squares, and add up as they are with whatever else comes of that operation.
//!
//! **Long programs.** Every value of a program may be used again, so all of them keep their shares: a
//! chain of n operations has n²/2. Beyond a number of shares in all ([`MOST_IN_ALL`]) neighbouring
//! operations of the older half become one source, in every value at once ([`AllOrigins`]). A value has
//! of such a source the root of the squares of what it had of its members. Where two values that have
//! the source meet, these add up as they are: by the triangle inequality no less than what the members,
//! each by itself, would have added up to. So a bound grows, and never falls below what it promises.
//! The oldest sources are merged the most often, as circuits are made of operations near each other.
//!
//! **Calls.** A called function's operations add errors as they would in place of the call: sources are
//! numbered in the order in which operations run, and a call's own values are forgotten when it returns.
//!
//! **What is bounded** in every slot, and is no random number (a curve's distance from a line, what somebody
//! says of a value), adds up as it is with everything ([`BOUNDED`]).
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

/// Shares of one value that are told apart.
const MOST: usize = 1 << 13;
/// Shares of all values of a program that are told apart: 128 MiB of them.
const MOST_IN_ALL: usize = 1 << 23;
/// The turn of what was taken together.
const ANY: u32 = 0;
/// The turn of what no slot exceeds, and any slot may have.
const BOUNDED: u32 = u32::MAX;

/// The group of every input of a program; see [`super::ErrorFlow`].
#[derive(Clone, Debug, Default)]
pub(super) struct Groups(pub Vec<Option<u32>>);

impl Groups {
    fn of(&self, source: u32) -> Option<u32> {
        self.0.get(source as usize).copied().flatten()
    }
}

/// What a value has of one origin.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share {
    /// Which operation, or the newest of those that were merged.
    source: u32,
    /// The Galois element by which it was turned; [`ANY`] for several at once, or [`BOUNDED`].
    turn: u32,
    /// The largest deviation in any slot, in coefficient units.
    deviation: f64,
}

impl Share {
    fn origin(&self) -> (u32, u32) {
        (self.source, self.turn)
    }
}

/// The error of one value, by origin.
#[derive(Clone, Debug)]
pub(super) struct Origins(Vec<Share>);

impl Origins {
    /// An error that only this operation made.
    pub fn new(source: u32, deviation: f64) -> Self {
        Self(vec![Share {
            source,
            turn: 1,
            deviation,
        }])
    }

    /// One that it made of which no more is known than a bound.
    pub fn bounded(source: u32, deviation: f64) -> Self {
        Self(vec![Share {
            source,
            turn: BOUNDED,
            deviation,
        }])
    }

    /// The whole deviation.
    pub fn deviation(&self, groups: &Groups) -> f64 {
        self.of_sources(groups, |_| true)
    }

    /// What is of these sources, as one deviation.
    pub fn of_sources(&self, groups: &Groups, has: impl Fn(u32) -> bool) -> f64 {
        let mut together = BTreeMap::<u32, f64>::new();
        let (mut alone, mut bounded) = (0f64, 0.0);
        for shares in self.by_source().filter(|shares| has(shares[0].source)) {
            let (shares, last) = apart(shares);
            bounded += last;
            let Some(first) = shares.first() else {
                continue;
            };
            match groups.of(first.source) {
                None => alone = alone.hypot(of_one_source(shares)),
                Some(group) => {
                    let sum: f64 = shares.iter().map(|share| share.deviation).sum();
                    *together.entry(group).or_insert(0.0) += sum;
                }
            }
        }
        together.into_values().fold(alone, f64::hypot) + bounded
    }

    /// Every error times a factor.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.0.iter_mut().for_each(|s| s.deviation *= factor);
        self
    }

    /// With another value's.
    pub fn plus(self, other: &Self) -> Self {
        let mut sum = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut left, mut right) = (self.0.into_iter().peekable(), other.0.iter().peekable());
        while let (Some(a), Some(&&b)) = (left.peek().copied(), right.peek()) {
            sum.push(match a.origin().cmp(&b.origin()) {
                std::cmp::Ordering::Less => a,
                std::cmp::Ordering::Greater => b,
                std::cmp::Ordering::Equal => Share {
                    deviation: a.deviation + b.deviation,
                    ..a
                },
            });
            left.next_if(|_| a.origin() <= b.origin());
            right.next_if(|_| b.origin() <= a.origin());
        }
        sum.extend(left);
        sum.extend(right);
        match sum.len() <= MOST {
            true => Self(sum),
            false => Self(sum).merged(Some),
        }
    }

    /// After an automorphism of a ring whose roots of unity have the order 2n.
    pub fn turned(mut self, galois: u64, n: u64) -> Self {
        let turned = |turn: u32| match turn {
            ANY | BOUNDED => turn,
            turn => {
                let product = u64::from(turn) * galois % (2 * n);
                product.min(2 * n - product) as u32 // below n, and orders are smaller than 2^32
            }
        };
        self.0.iter_mut().for_each(|s| s.turn = turned(s.turn));
        self.0.sort_unstable_by_key(Share::origin);
        self.0.dedup_by(|next, kept| {
            let same = next.origin() == kept.origin();
            kept.deviation += if same { next.deviation } else { 0.0 };
            same
        });
        self
    }

    /// Whether two values have errors in common.
    pub fn meet(&self, other: &Self, groups: &Groups) -> bool {
        let in_groups = |origins: &Self| -> BTreeSet<u32> {
            let inputs = groups.0.len() as u32;
            let shares = origins.0.iter().take_while(|s| s.source < inputs);
            shares.filter_map(|s| groups.of(s.source)).collect()
        };
        let (mut left, mut right) = (self.by_source().peekable(), other.by_source().peekable());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let (a, b) = (a[0].source, b[0].source);
            if a == b {
                return true;
            }
            left.next_if(|_| a < b);
            right.next_if(|_| b < a);
        }
        !in_groups(self).is_disjoint(&in_groups(other))
    }

    /// Whether errors of two slots are uncorrelated: no operation's error is there turned twice.
    pub fn slots_are_independent(&self, groups: &Groups) -> bool {
        let once = |s: &[Share]| s.len() == 1 && ![ANY, BOUNDED].contains(&s[0].turn);
        let alone = |s: &[Share]| groups.of(s[0].source).is_none();
        self.by_source().all(|shares| once(shares) && alone(shares))
    }

    /// The shares of each source, in order of the sources.
    fn by_source(&self) -> impl Iterator<Item = &[Share]> {
        self.0.chunk_by(|a, b| a.source == b.source)
    }

    /// Every source as the one that `into` says, if it says one; its turns together. The order of
    /// sources stays.
    fn merged(&self, into: impl Fn(u32) -> Option<u32>) -> Self {
        let mut merged: Vec<Share> = Vec::with_capacity(self.0.len());
        for shares in self.by_source() {
            let Some(source) = into(shares[0].source) else {
                merged.extend(shares);
                continue;
            };
            let (shares, mut bounded) = apart(shares);
            let mut deviation = of_one_source(shares);
            while let Some(last) = merged.pop_if(|last| last.source == source) {
                match last.turn {
                    BOUNDED => bounded += last.deviation,
                    _ => deviation = deviation.hypot(last.deviation),
                }
            }
            let both = [(ANY, deviation), (BOUNDED, bounded)].into_iter();
            let there = both.filter(|&(_, deviation)| deviation > 0.0);
            merged.extend(there.map(|(turn, deviation)| Share {
                source,
                turn,
                deviation,
            }));
        }
        merged.shrink_to_fit();
        Self(merged)
    }
}

/// What one source adds by chance, and what it has that is bounded.
fn apart(shares: &[Share]) -> (&[Share], f64) {
    match shares {
        [others @ .., last] if last.turn == BOUNDED => (others, last.deviation),
        _ => (shares, 0.0),
    }
}

/// Turns by their squares, and as it is what was taken together of any turn.
fn of_one_source(shares: &[Share]) -> f64 {
    let [mut any, mut turned] = [0f64; 2];
    for share in shares {
        match share.turn {
            ANY => any += share.deviation,
            _ => turned = turned.hypot(share.deviation),
        }
    }
    any + turned
}

/// The errors of all values of a program.
#[derive(Debug)]
pub(super) struct AllOrigins {
    /// Of the entry, of what it is calling, and so on.
    frames: Vec<Vec<Known>>,
    groups: Groups,
    /// Inputs of the entry, and operations since.
    sources: u32,
    /// Shares there are, and how many are told apart.
    shares: usize,
    most: usize,
}

/// The errors of one value.
#[derive(Clone, Debug)]
struct Known {
    origins: Origins,
    /// The last source when it was made: it has errors of no newer one.
    newest: u32,
    /// Whether its slots are said to have no errors in common, whatever the origins look like.
    even: bool,
}

impl Default for AllOrigins {
    fn default() -> Self {
        Self::of_most(MOST_IN_ALL)
    }
}

impl AllOrigins {
    fn of_most(most: usize) -> Self {
        Self {
            frames: vec![Vec::new()],
            groups: Groups::default(),
            sources: 0,
            shares: 0,
            most,
        }
    }

    /// An input of the entry, before any other value.
    pub fn input(&mut self, group: Option<u32>, deviation: f64) {
        self.groups.0.push(group);
        self.push(Origins::new(self.sources, deviation));
    }

    /// The source that the next operation is.
    pub fn next(&self) -> u32 {
        self.sources
    }

    /// The next value, of an operation that is a source of its own.
    pub fn push(&mut self, origins: Origins) {
        self.sources += 1;
        let newest = self.sources - 1;
        self.define([Known {
            origins,
            newest,
            even: false,
        }]);
    }

    /// Goes into a function that is called, whose inputs are these values.
    pub fn enter(&mut self, args: &[ValueId]) {
        let inputs: Vec<Known> = args.iter().map(|&arg| self.known(arg).clone()).collect();
        self.frames.push(Vec::new());
        self.define(inputs);
    }

    /// Comes back from it; the caller's next values are what it returns.
    pub fn leave(&mut self, returns: &[ValueId]) {
        let returned: Vec<Known> = returns.iter().map(|&v| self.known(v).clone()).collect();
        let left = self.frames.pop().unwrap_or_default();
        self.shares -= left
            .iter()
            .map(|value| value.origins.0.len())
            .sum::<usize>();
        self.define(returned);
    }

    /// Of a value that there is.
    pub fn of(&self, value: ValueId) -> &Origins {
        &self.known(value).origins
    }

    /// The inputs' groups.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Whether two values have errors in common.
    pub fn meet(&self, a: ValueId, b: ValueId) -> bool {
        a == b || self.of(a).meet(self.of(b), &self.groups)
    }

    /// What a value has from the operations that these values have errors of, reduced to `most` in
    /// all; nothing else of the result may be older than the newest of them. The value's deviation.
    pub fn limit(&mut self, value: ValueId, of: &[ValueId], most: f64) -> f64 {
        let newest = of.iter().map(|&x| self.known(x).newest).max().unwrap_or(0);
        let shares = of.iter().flat_map(|x| &self.of(*x).0);
        let sources: BTreeSet<u32> = shares.map(|share| share.source).collect();
        // A source of which newer operations are a part stays as it is: those are not to be reduced.
        let limited = |source: u32| source <= newest && sources.contains(&source);
        let total = self.of(value).of_sources(&self.groups, limited);
        if total > most {
            let top = self.frames.len() - 1;
            let shares = self.frames[top][value.index()].origins.0.iter_mut();
            let inherited = shares.filter(|share| limited(share.source));
            inherited.for_each(|share| share.deviation *= most / total);
        }
        self.of(value).deviation(&self.groups)
    }

    /// Whether the errors of a value's slots have nothing in common.
    pub fn are_even(&self, value: ValueId) -> bool {
        let known = self.known(value);
        known.even || known.origins.slots_are_independent(&self.groups)
    }

    /// Says so.
    pub fn set_even(&mut self, value: ValueId) {
        let top = self.frames.len() - 1;
        self.frames[top][value.index()].even = true;
    }

    /// Gives a value a further error that is bounded, of the operation that made it. The value's deviation.
    pub fn add(&mut self, value: ValueId, deviation: f64) -> f64 {
        let top = self.frames.len() - 1;
        let known = &mut self.frames[top][value.index()];
        let before = known.origins.0.len();
        let own = Origins::bounded(known.newest, deviation);
        (known.origins, known.even) = (known.origins.clone().plus(&own), false);
        self.shares += known.origins.0.len();
        self.shares -= before;
        self.of(value).deviation(&self.groups)
    }

    /// Makes a deviation that no slot exceeds all there is of a value's error.
    pub fn settle(&mut self, value: ValueId, deviation: f64) {
        let top = self.frames.len() - 1;
        let known = &mut self.frames[top][value.index()];
        self.shares -= known.origins.0.len();
        let all = Origins::bounded(known.newest, deviation);
        (known.origins, known.even) = (all, false);
        self.shares += 1;
    }

    /// Makes another value's error, so many times as large, all there is of a value's.
    pub fn copy(&mut self, value: ValueId, of: ValueId, factor: f64) {
        let (origins, even) = (self.of(of).clone().scaled(factor), self.known(of).even);
        let top = self.frames.len() - 1;
        let known = &mut self.frames[top][value.index()];
        self.shares += origins.0.len();
        self.shares -= known.origins.0.len();
        (known.origins, known.even) = (origins, even);
    }

    /// A value of the function that is being analysed.
    fn known(&self, value: ValueId) -> &Known {
        &self.frames[self.frames.len() - 1][value.index()]
    }

    /// The next values, all there before sources are merged.
    fn define(&mut self, values: impl IntoIterator<Item = Known>) {
        let top = self.frames.len() - 1;
        for value in values {
            self.shares += value.origins.0.len();
            self.frames[top].push(value);
        }
        if self.shares > self.most {
            self.merge();
        }
    }

    /// Makes one source of two, among the older half and until a quarter of the room is free again.
    /// Inputs keep a source each. A program of so many values that one source each is too many gets
    /// twice the room.
    fn merge(&mut self) {
        let inputs = self.groups.0.len();
        loop {
            let mut there = vec![false; self.sources as usize];
            let values = self.frames.iter().flatten();
            let shares = values.flat_map(|value| &value.origins.0);
            shares.for_each(|share| there[share.source as usize] = true);
            let made: Vec<usize> = (inputs..there.len()).filter(|&at| there[at]).collect();
            let older = &made[..made.len().div_ceil(2).max(2).min(made.len())];
            let mut into: Vec<Option<u32>> = vec![None; there.len()];
            (0..inputs).for_each(|input| into[input] = Some(input as u32));
            for pair in older.chunks(2) {
                pair.iter()
                    .for_each(|&source| into[source] = pair.last().map(|&newer| newer as u32));
            }
            self.shares = 0;
            for value in self.frames.iter_mut().flatten() {
                value.origins = value.origins.merged(|source| into[source as usize]);
                self.shares += value.origins.0.len();
            }
            if self.shares <= self.most / 4 * 3 {
                return;
            }
            if made.len() < 2 {
                self.most = 2 * self.shares;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::Choices;

    fn close(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-12, "{a}, {b}");
    }

    fn deviation(origins: &Origins) -> f64 {
        origins.deviation(&Groups::default())
    }

    #[test]
    fn equal_origins_add_up_others_by_their_squares() {
        let (a, b) = (Origins::new(0, 3.0), Origins::new(1, 4.0));
        close(deviation(&a.clone().plus(&b)), 5.0);
        close(deviation(&a.clone().plus(&a)), 6.0);
        let turned = a.clone().turned(5, 16);
        close(deviation(&a.clone().plus(&turned)), 18f64.sqrt());
        let back = turned.clone().turned(13, 16); // 5·13 = 65, 1 modulo 32
        close(deviation(&a.clone().plus(&back)), 6.0);
        let conjugate = a.clone().turned(31, 16);
        close(deviation(&a.clone().plus(&conjugate)), 6.0);
    }

    #[test]
    fn what_is_bounded_adds_up_as_it_is_with_everything() {
        let (a, b) = (Origins::bounded(0, 3.0), Origins::bounded(1, 4.0));
        let noise = Origins::new(2, 5.0).plus(&Origins::new(1, 12.0));
        close(deviation(&a.clone().plus(&b)), 7.0);
        let all = a.clone().plus(&b).plus(&noise);
        close(deviation(&all), 7.0 + 13.0);
        close(deviation(&all.clone().turned(5, 16).plus(&a)), 10.0 + 13.0);
        assert!(!a.slots_are_independent(&Groups::default()));
        let merged = all.merged(|source| Some(source.max(1)));
        assert_eq!(merged.0.len(), 3);
        close(deviation(&merged), 7.0 + 13.0);
        close(deviation(&merged.merged(|_| Some(2))), 7.0 + 13.0);
        // A group's noise, and what is bounded beside it.
        let groups = Groups(vec![Some(0), Some(0)]);
        let pair = Origins::new(0, 1.0).plus(&Origins::new(1, 2.0)).plus(&a);
        close(pair.deviation(&groups), 6.0);
    }

    #[test]
    fn a_group_adds_up_as_it_is_whatever_its_turns() {
        let groups = Groups(vec![Some(0), Some(0), None]);
        let of = |source, v| Origins::new(source, v);
        let pair = of(0, 3.0).plus(&of(1, 4.0));
        close(pair.deviation(&groups), 7.0);
        let turned = pair.clone().turned(5, 16).plus(&of(0, 1.0));
        close(turned.deviation(&groups), 8.0);
        close(turned.plus(&of(2, 15.0)).deviation(&groups), 17.0);
        assert!(of(0, 1.0).meet(&of(1, 1.0), &groups));
        assert!(!of(0, 1.0).meet(&of(2, 1.0), &groups));
        assert!(of(2, 1.0).slots_are_independent(&groups));
        assert!(!of(0, 1.0).slots_are_independent(&groups));
    }

    #[test]
    fn what_is_inherited_is_limited_and_nothing_else() {
        let (x, result) = (ValueId(0), ValueId(1));
        let mut all = AllOrigins::default();
        all.input(None, 1.0);
        all.push(
            all.of(x)
                .clone()
                .scaled(30.0)
                .plus(&Origins::new(result.0, 4.0)),
        );
        close(all.limit(result, &[x], 3.0), 5.0);
        close(all.limit(result, &[x], 100.0), 5.0);
    }

    /// The same steps with all the room that they take, and with little of it.
    #[test]
    fn what_was_merged_is_no_smaller() {
        let (values, inputs, most) = (3000, 3, 40_000);
        let mut exact = AllOrigins::of_most(usize::MAX);
        let mut merged = AllOrigins::of_most(most);
        let mut choices = Choices::new(1);
        for all in [&mut exact, &mut merged] {
            all.input(None, 1.0);
            all.input(Some(0), 2.0);
            all.input(Some(0), 3.0);
        }
        let mut looser = 0;
        for index in inputs..values {
            let [kind, a, b, turn] = std::array::from_fn(|_| choices.word());
            // Mostly what was made last, as programs do.
            let recent =
                |word: u64| ValueId((index - 1 - (word as usize % 8).min(index - 1)) as u32);
            let (a, b, own) = (recent(a), recent(b), ValueId(index as u32));
            let step = |all: &AllOrigins| {
                let (a, b) = (all.of(a).clone().scaled(0.5), all.of(b).clone());
                let inherited = match kind % 3 {
                    0 => a.plus(&b.scaled(0.5)),
                    1 => a.plus(&all.of(ValueId((index / 2) as u32)).clone().scaled(0.5)),
                    _ => a.turned(2 * (turn % 4) + 1, 4),
                };
                inherited.plus(&Origins::new(own.0, 1.0))
            };
            for all in [&mut exact, &mut merged] {
                let origins = step(all);
                all.push(origins);
            }
            let of = |all: &AllOrigins| all.of(own).deviation(all.groups());
            let (exact, merged) = (of(&exact), of(&merged));
            assert!(
                merged >= exact * (1.0 - 1e-12),
                "{index}: {merged}, {exact}"
            );
            looser += usize::from(merged > exact * 1.001);
        }
        assert!(merged.shares <= most && exact.shares > 10 * most);
        assert!(looser > 0, "nothing was merged that met");
    }

    #[test]
    fn slots_of_a_window_are_not_independent() {
        let none = Groups::default();
        let x = Origins::new(0, 1.0);
        assert!(x.slots_are_independent(&none));
        let window = x.clone().plus(&x.clone().turned(5, 16));
        assert!(!window.slots_are_independent(&none));
    }

    #[test]
    fn a_crowd_is_taken_together_and_meets_itself_as_it_is() {
        let n = 1u64 << 20;
        let x = Origins::new(0, 1.0);
        let turns = (0..=MOST as u64).map(|k| x.clone().turned(2 * k + 1, n));
        let crowd = turns.reduce(|sum, turn| sum.plus(&turn)).unwrap();
        let together = ((MOST + 1) as f64).sqrt();
        close(deviation(&crowd), together);
        assert!(!crowd.slots_are_independent(&Groups::default()));
        let doubled = crowd.clone().turned(5, n).plus(&crowd);
        close(deviation(&doubled), 2.0 * together);
        // The crowd has turn 1 in it: the two do not add up by their squares.
        close(deviation(&crowd.plus(&x)), together + 1.0);
    }
}
