//! Divisions, key switches and automorphisms on towers under primes joined.
//!
//! A word that holds the product M of several primes holds a residue modulo each of them, and the
//! ring modulo M is the product of the rings modulo the primes. So one transform, one weighted sum
//! and one product modulo M are those of all the primes, in every bit: a machine with words of 128
//! bits works on two towers of 60 bits at once.
//!
//! * A tower is joined by one product with a constant for each prime, and split by reducing it. What was
//!   split of one tower is joined by taking that.
//! * The fast extension of a digit to one of its own primes a is the tower itself: in the sum of
//!   lifted A/a' every term but that of a has the factor a. So primes are joined in the order of the
//!   basis, whatever digit they belong to; where all primes of a group are a digit's own, the joined
//!   tower is used as it comes.
//! * The last primes of Q may be joined with the first special one: that is a transform of each digit less.
//! * Key parts are joined as digits are. They are operands that do not change, so a target may have them
//!   joined in memory before the graph runs; one sum of products is then that of all primes of a group.

use super::{Fused, KeySwitch};
use crate::graph::{Kind, TowerId};
use crate::invalid;
use ringwright_arith::Modulus;
use ringwright_ir::ring::{Basis, Domain, TowerIdx};
use ringwright_ir::RunError;
use std::collections::HashMap;
use std::sync::Arc;

/// Primes that are one modulus.
#[derive(Clone)]
struct Group {
    /// Their index in the graph.
    under: TowerIdx,
    primes: Arc<[TowerIdx]>,
    modulus: Modulus<u128>,
    /// Position of the first in its basis.
    first: usize,
}

impl Group {
    fn places(&self) -> impl Iterator<Item = (usize, TowerIdx)> + '_ {
        (self.first..).zip(self.primes.iter().copied())
    }

    fn is_joined(&self) -> bool {
        self.primes.len() > 1
    }
}

/// A polynomial in coefficients, ready to be brought under other primes: x (A/a)^-1 + (a - 1)/2 under
/// each prime a.
struct Lifted {
    from: Basis,
    towers: Vec<TowerId>,
}

impl Fused<'_> {
    /// Whether the target joins any primes of a basis.
    pub(super) fn joins(&self, basis: &Basis) -> Result<bool, RunError> {
        Ok(self.runs(basis)?.iter().any(|run| run.len() > 1))
    }

    /// A basis in runs, each as long as the target takes.
    fn runs(&self, basis: &Basis) -> Result<Vec<Vec<TowerIdx>>, RunError> {
        let mut runs: Vec<Vec<TowerIdx>> = Vec::new();
        for tower in basis.iter() {
            let longer = runs.last().map(|run| [run.as_slice(), &[tower]].concat());
            match longer.filter(|longer| self.takes(longer)) {
                Some(longer) => *runs.last_mut().ok_or_else(|| invalid("no run"))? = longer,
                None => runs.push(vec![tower]),
            }
        }
        Ok(runs)
    }

    fn takes(&self, primes: &[TowerIdx]) -> bool {
        let mut factors = primes.iter().map(|&prime| self.module.prime(prime));
        let product = factors.try_fold(1u128, |product, q| product.checked_mul(q));
        let is_modulus = product.is_some_and(|product| Modulus::new(product).is_ok());
        let constants = crate::graph::ConstantId(0);
        let from = primes.into();
        is_modulus && (self.supports)(&Kind::Join { from, constants })
    }

    fn groups(&mut self, basis: &Basis) -> Result<Vec<Group>, RunError> {
        let mut first = 0;
        let mut groups = Vec::new();
        for run in self.runs(basis)? {
            let group = self.group(run, first)?;
            first += group.primes.len();
            groups.push(group);
        }
        Ok(groups)
    }

    fn group(&mut self, primes: Vec<TowerIdx>, first: usize) -> Result<Group, RunError> {
        let product = primes.iter().map(|&p| self.module.prime(p)).product();
        let modulus = Modulus::new(product).map_err(|error| invalid(&error.to_string()))?;
        Ok(Group {
            under: self.graph.join(&primes),
            primes: primes.into(),
            modulus,
            first,
        })
    }

    /// The joined tower of a group's towers.
    fn join(&mut self, group: &Group, towers: Vec<TowerId>) -> Result<TowerId, RunError> {
        if let ([tower], false) = (towers.as_slice(), group.is_joined()) {
            return Ok(*tower);
        }
        if let Some(whole) = self.whole(group, &towers) {
            return Ok(whole);
        }
        let q = &group.modulus;
        let mut first = None;
        for &prime in group.primes.iter() {
            let others = group.modulus.value() / self.module.prime(prime);
            let own = self.modulus(prime)?;
            let inverse = own.inv(own.reduce(others));
            let inverse = inverse.ok_or_else(|| invalid("a prime twice in one basis"))?;
            let constant = self.graph.add_constant(q.mul(others, inverse));
            first.get_or_insert(constant);
        }
        let constants = first.ok_or_else(|| invalid("a group of no prime"))?;
        let from = group.primes.clone();
        Ok(self.push(group.under, Kind::Join { from, constants }, towers))
    }

    /// The tower under a group that all of these were split from.
    fn whole(&self, group: &Group, towers: &[TowerId]) -> Option<TowerId> {
        let nodes = &self.graph.nodes;
        let split_from = |tower: &TowerId| {
            let node = nodes.binary_search_by_key(tower, |node| node.result).ok()?;
            let node = &nodes[node];
            let from = group.under;
            (node.kind == Kind::SwitchModulus { from }).then(|| node.args[0])
        };
        let whole = split_from(towers.first()?)?;
        let all = towers
            .iter()
            .map(split_from)
            .all(|from| from == Some(whole));
        all.then_some(whole)
    }

    /// A joined tower under one of its primes.
    fn split(&mut self, group: &Group, prime: TowerIdx, tower: TowerId) -> TowerId {
        let from = group.under;
        match group.is_joined() {
            true => self.push(prime, Kind::SwitchModulus { from }, vec![tower]),
            false => tower,
        }
    }

    /// Brings a tower under a group under another group, of some of its primes.
    fn narrowed(&mut self, from: &Group, to: &Group, tower: TowerId) -> Result<TowerId, RunError> {
        if from.under == to.under {
            return Ok(tower);
        }
        let split = to.primes.iter().map(|&p| self.split(from, p, tower));
        let split = split.collect();
        self.join(to, split)
    }

    /// `towers`: those of the groups, in coefficients.
    fn lifted(
        &mut self,
        from: Basis,
        groups: &[Group],
        towers: &[TowerId],
    ) -> Result<Lifted, RunError> {
        let mut lifted = Vec::with_capacity(from.len());
        for (group, &tower) in groups.iter().zip(towers) {
            for &prime in group.primes.iter().filter(|&&p| from.position(p).is_some()) {
                let inverse = self.inverse_of_product(&super::others(&from, prime), prime)?;
                let constants = self.graph.add_constant(inverse);
                self.graph.add_constant(self.module.prime(prime) / 2);
                let from = [group.under].into();
                let kind = Kind::WeightedSum { from, constants };
                lifted.push(self.push(prime, kind, vec![tower]));
            }
        }
        let towers = lifted;
        Ok(Lifted { from, towers })
    }

    /// A lifted polynomial under a group.
    fn raise(&mut self, lifted: &Lifted, group: &Group, domain: Domain) -> TowerId {
        let (constants, _) = self.weights(&lifted.from, &group.modulus);
        let from = lifted.from.0.as_slice().into();
        let kind = Kind::WeightedSum { from, constants };
        let raised = self.push(group.under, kind, lifted.towers.clone());
        match domain {
            Domain::Eval => self.push(group.under, Kind::Ntt, vec![raised]),
            Domain::Coeff => raised,
        }
    }

    fn coefficients(&mut self, group: &Group, tower: TowerId, domain: Domain) -> TowerId {
        match domain {
            Domain::Eval => self.push(group.under, Kind::Intt, vec![tower]),
            Domain::Coeff => tower,
        }
    }

    /// (x - remainder) / P under one prime.
    fn divided(
        &mut self,
        prime: TowerIdx,
        p: &Basis,
        difference: TowerId,
    ) -> Result<TowerId, RunError> {
        let inverse = self.inverse_of_product(p, prime)?;
        let inverse = self.graph.add_constant(inverse);
        Ok(self.push(prime, Kind::MulScalar(inverse), vec![difference]))
    }
}

/// An operation on each tower alone, the same under all primes.
pub(super) fn each(
    fused: &mut Fused<'_>,
    x: &[TowerId],
    basis: &Basis,
    kind: &Kind,
) -> Result<Vec<TowerId>, RunError> {
    let mut results = Vec::with_capacity(basis.len());
    for group in &fused.groups(basis)? {
        let towers = group.places().map(|(place, _)| x[place]).collect();
        let joined = fused.join(group, towers)?;
        let image = fused.push(group.under, kind.clone(), vec![joined]);
        for &prime in group.primes.iter() {
            results.push(fused.split(group, prime, image));
        }
    }
    Ok(results)
}

/// `x`: towers under `to`, then under `p`.
pub(super) fn mod_down(
    fused: &mut Fused<'_>,
    x: &[TowerId],
    to: &Basis,
    p: &Basis,
    domain: Domain,
) -> Result<Vec<TowerId>, RunError> {
    let (kept, special) = x.split_at(to.len());
    let groups = fused.groups(p)?;
    let mut towers = Vec::with_capacity(groups.len());
    for group in &groups {
        let joined = group.places().map(|(place, _)| special[place]).collect();
        let joined = fused.join(group, joined)?;
        towers.push(fused.coefficients(group, joined, domain));
    }
    let lifted = fused.lifted(p.clone(), &groups, &towers)?;
    let mut results = Vec::with_capacity(to.len());
    for group in &fused.groups(to)? {
        let remainder = fused.raise(&lifted, group, domain);
        for (place, prime) in group.places() {
            let remainder = fused.split(group, prime, remainder);
            let difference = fused.push(prime, Kind::Sub, vec![kept[place], remainder]);
            results.push(fused.divided(prime, p, difference)?);
        }
    }
    Ok(results)
}

/// A group of the primes of a key, in those of Q and those of P.
struct Split {
    whole: Group,
    /// In Q, where there are any.
    kept: Option<Group>,
    /// In P.
    special: Option<Group>,
}

/// The groups of Q and P together: the last primes of Q may be joined with the first of P.
fn splits(fused: &mut Fused<'_>, switch: &KeySwitch<'_>) -> Result<Vec<Split>, RunError> {
    let levels = switch.q.len();
    let mut splits = Vec::new();
    for whole in fused.groups(&switch.q.join(switch.p))? {
        let of_q = levels.saturating_sub(whole.first).min(whole.primes.len());
        let (kept, special) = whole.primes.split_at(of_q);
        let mut part = |primes: &[TowerIdx], first: usize| match primes {
            [] => Ok(None),
            some => fused.group(some.to_vec(), first).map(Some),
        };
        splits.push(Split {
            kept: part(kept, whole.first)?,
            special: part(special, (whole.first + of_q).saturating_sub(levels))?,
            whole,
        });
    }
    Ok(splits)
}

/// `x`: towers under Q in evaluation form; `key`: item by item.
pub(super) fn key_switch(
    fused: &mut Fused<'_>,
    switch: &KeySwitch<'_>,
    x: &[TowerId],
    key: &[TowerId],
) -> Result<Vec<Vec<TowerId>>, RunError> {
    let (mut products, own) = Products::new(fused, switch, x, key)?;
    let splits = splits(fused, switch)?;
    let (mut special, mut remainders) = (Vec::new(), [Vec::new(), Vec::new()]);
    let (mut dividing, mut others) = (Vec::new(), Vec::new());
    for split in &splits {
        let Some(group) = &split.special else {
            others.push((split, None));
            continue;
        };
        let both = products.under(fused, &split.whole, None)?;
        for (towers, sum) in remainders.iter_mut().zip(both) {
            let sum = fused.narrowed(&split.whole, group, sum)?;
            towers.push(fused.coefficients(group, sum, Domain::Eval));
        }
        special.push(group.clone());
        dividing.push((split, Some(both)));
    }
    let p = switch.p.clone();
    let [b, a] = remainders.map(|towers| fused.lifted(p.clone(), &special, &towers));
    let lifted = [b?, a?];
    let mut results = [0, 1].map(|_| vec![None; switch.q.len()]);
    // The sums that are there already are used up first.
    for (split, sums) in dividing.into_iter().chain(others) {
        let Some(group) = &split.kept else { continue };
        let both = match sums {
            Some(both) => both,
            None => products.under(fused, &split.whole, own.get(&group.under).copied())?,
        };
        for ((result, lifted), sum) in results.iter_mut().zip(&lifted).zip(both) {
            let sum = fused.narrowed(&split.whole, group, sum)?;
            let remainder = fused.raise(lifted, group, Domain::Eval);
            let difference = fused.push(group.under, Kind::Sub, vec![sum, remainder]);
            for (place, prime) in group.places() {
                let difference = fused.split(group, prime, difference);
                result[place] = Some(fused.divided(prime, switch.p, difference)?);
            }
        }
    }
    let all = results.map(|half| half.into_iter().collect::<Option<Vec<TowerId>>>());
    let all: Option<Vec<_>> = all.into_iter().collect();
    all.ok_or_else(|| invalid("a prime in no group"))
}

/// The same sums, under Q and P, as they are.
pub(super) fn key_product(
    fused: &mut Fused<'_>,
    switch: &KeySwitch<'_>,
    x: &[TowerId],
    key: &[TowerId],
) -> Result<Vec<Vec<TowerId>>, RunError> {
    let (mut products, own) = Products::new(fused, switch, x, key)?;
    let mut results = vec![Vec::new(), Vec::new()];
    for group in &fused.groups(&switch.q.join(switch.p))? {
        let both = products.under(fused, group, own.get(&group.under).copied())?;
        for (towers, sum) in results.iter_mut().zip(both) {
            let each = group.primes.iter();
            towers.extend(each.map(|&prime| fused.split(group, prime, sum)));
        }
    }
    Ok(results)
}

/// Digits times key.
struct Products<'a> {
    digits: Vec<Lifted>,
    switch: &'a KeySwitch<'a>,
    key: &'a [TowerId],
}

impl<'a> Products<'a> {
    /// Of a polynomial in evaluation form, with its own joined towers by what they are under.
    fn new(
        fused: &mut Fused<'_>,
        switch: &'a KeySwitch<'a>,
        x: &[TowerId],
        key: &'a [TowerId],
    ) -> Result<(Self, HashMap<TowerIdx, TowerId>), RunError> {
        let groups = fused.groups(switch.q)?;
        let (mut own, mut coefficients) = (HashMap::new(), Vec::new());
        for group in &groups {
            let towers = group.places().map(|(place, _)| x[place]).collect();
            let joined = fused.join(group, towers)?;
            own.insert(group.under, joined);
            coefficients.push(fused.coefficients(group, joined, Domain::Eval));
        }
        let digits = switch.digits.cut(&switch.q.0).into_iter();
        let digits =
            digits.map(|digit| fused.lifted(Basis(digit.to_vec()), &groups, &coefficients));
        let digits = digits.collect::<Result<_, _>>()?;
        Ok((
            Products {
                digits,
                switch,
                key,
            },
            own,
        ))
    }

    /// Both sums under a group. `own`: the operand there, where it has a tower there.
    fn under(
        &mut self,
        fused: &mut Fused<'_>,
        group: &Group,
        own: Option<TowerId>,
    ) -> Result<[TowerId; 2], RunError> {
        let digits = self.digits.iter().map(|digit| {
            let all = group
                .primes
                .iter()
                .all(|&p| digit.from.position(p).is_some());
            match own.filter(|_| all) {
                Some(own) => own,
                None => fused.raise(digit, group, Domain::Eval),
            }
        });
        let digits: Vec<TowerId> = digits.collect();
        let [b, a] = [0, 1].map(|half| self.sum(fused, group, &digits, half));
        Ok([b?, a?])
    }

    /// Digits times one half of the key.
    fn sum(
        &self,
        fused: &mut Fused<'_>,
        group: &Group,
        digits: &[TowerId],
        half: usize,
    ) -> Result<TowerId, RunError> {
        let items = self.key.chunks_exact(self.switch.full.len());
        let items: Vec<&[TowerId]> = items.skip(half).step_by(2).collect();
        if items.len() < digits.len() {
            return Err(invalid("a key with fewer items than the digits need"));
        }
        let mut args = Vec::with_capacity(2 * digits.len());
        for (&digit, item) in digits.iter().zip(items) {
            let part = |&prime| match self.switch.full.position(prime) {
                Some(place) => Ok(item[place]),
                None => Err(invalid("a tower that the key does not have")),
            };
            let parts = group.primes.iter().map(part);
            let part = fused.join(group, parts.collect::<Result<_, _>>()?)?;
            args.extend([digit, part]);
        }
        let pairs = u8::try_from(digits.len());
        let pairs = pairs.map_err(|_| invalid("more digits than a sum has products"))?;
        let plus = false;
        Ok(fused.push(group.under, Kind::InnerProduct { pairs, plus }, args))
    }
}
