//! What a switching key covers.
//!
//! The primes that a key has more of than a program needs are memory, bandwidth and time to draw: a
//! key that serves low levels only is held under the first ciphertext primes and the special ones.
//! With the ring's own digits and special primes such a key is, word by word, a part of the full one;
//! a key of other digits or special primes lifts by another factor, and is drawn from a seed of its own.
//!
//! A ciphertext prime above all levels of a key can be one of its special primes. With more of these its
//! digits are longer and fewer, so that a switch takes fewer transforms and products and the key is
//! smaller, at the same security: no key is under more than all primes. The key for products is of this
//! kind where the ring groups its primes (digits of one prime are those of small hardware, and stay so).
//! Automorphisms share digits with each other, so their keys are all of the ring's own digits.

use super::residues::require_special_primes;
use super::towers::{all_towers, ciphertext_towers, special_towers};
use super::{Error, Ring};
use ringwright_ir::he::KeyId;
use ringwright_ir::ring::{Basis, Digits};
use std::fmt;

/// Which ciphertext primes a switching key covers, how many of them are a digit, and which special
/// primes it is held under. Checked against a ring.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyShape {
    basis: Basis,
    grouping: Digits,
    special: Basis,
}

impl KeyShape {
    /// A key for ciphertexts under the towers of `basis` and fewer of them.
    ///
    /// # Errors
    /// A basis that is not the first ciphertext primes, one or more; digits of no tower or of more
    /// than there are; special primes that are not the ring's other primes, each once, or smaller
    /// together than the largest digit.
    pub fn new(ring: &Ring, basis: Basis, grouping: Digits, special: Basis) -> Result<Self, Error> {
        require_special_primes(ring, "key switching")?;
        let shape = Self {
            basis,
            grouping,
            special,
        };
        shape.check_towers(ring)?;
        shape.check_digits(ring)?;
        Ok(shape)
    }

    /// A key for every level.
    ///
    /// # Errors
    /// [`Error::NoSpecialPrimes`].
    pub fn full(ring: &Ring) -> Result<Self, Error> {
        Self::limited(ring, ring.levels())
    }

    /// A key for levels up to `level`, of the ring's own digits and special primes.
    ///
    /// # Errors
    /// A level the ring does not have, or [`Error::NoSpecialPrimes`].
    pub fn limited(ring: &Ring, level: usize) -> Result<Self, Error> {
        super::check_level(ring, level)?;
        Self::new(
            ring,
            ciphertext_towers(level),
            ring.grouping(),
            special_towers(ring),
        )
    }

    /// A key for ciphertexts of one tower, under the first special prime alone: what takes them to a
    /// sparse secret, which is under no other prime.
    ///
    /// # Errors
    /// [`Error::NoSpecialPrimes`], or a special prime that is shorter than the ciphertext prime.
    pub fn encapsulated(ring: &Ring) -> Result<Self, Error> {
        let special = special_towers(ring).0.into_iter().take(1).collect();
        Self::new(ring, ciphertext_towers(1), Digits::Of(1), Basis(special))
    }

    /// A key for levels up to `level` with special primes among those above, as many as make a switch at
    /// this level the least work.
    ///
    /// # Errors
    /// As [`KeyShape::limited`].
    pub fn borrowing(ring: &Ring, level: usize) -> Result<Self, Error> {
        let limited = Self::limited(ring, level)?;
        let [levels, all] = [ring.levels(), ring.primes().len()].map(|primes| primes as u16);
        let bits = bits_of(ring, &limited.basis);
        // With these special primes, of the longest digits that they hold.
        let longest = |first: u16| {
            let special = Basis::range(first..all);
            let most = bits_of(ring, &special).iter().sum();
            let grouping = Digits::longest(&bits, most)?;
            let basis = limited.basis.clone();
            Some(Self {
                basis,
                grouping,
                special,
            })
        };
        let borrowing = (level as u16..levels).rev().filter_map(longest);
        let least = borrowing.min_by_key(|shape| shape.work(ring));
        Ok(match least {
            Some(least) if least.work(ring) < limited.work(ring) => least,
            _ => limited,
        })
    }

    /// The shape of a key for levels up to `level`.
    ///
    /// # Errors
    /// As [`KeyShape::limited`] and [`KeyShape::encapsulated`].
    pub fn of(ring: &Ring, key: KeyId, level: usize) -> Result<Self, Error> {
        match key {
            KeyId::Switch { to, .. } if to.weight().is_some() => Self::encapsulated(ring),
            KeyId::Mult if ring.digit() != 1 => Self::borrowing(ring, level),
            _ => Self::limited(ring, level),
        }
    }

    /// The shape of a key for every level that it may serve.
    ///
    /// # Errors
    /// As [`KeyShape::of`].
    pub fn whole(ring: &Ring, key: KeyId) -> Result<Self, Error> {
        Self::of(ring, key, ring.levels())
    }

    /// The ciphertext primes: the first [`KeyShape::level`] of them.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The highest level that it serves.
    pub fn level(&self) -> usize {
        self.basis.len()
    }

    /// How the ciphertext primes are grouped.
    pub fn grouping(&self) -> Digits {
        self.grouping
    }

    /// The special primes.
    pub fn special(&self) -> &Basis {
        &self.special
    }

    /// All towers, special ones last.
    pub fn towers(&self) -> Basis {
        self.basis.join(&self.special)
    }

    /// Digits of the key.
    pub fn digits(&self) -> usize {
        self.grouping.count(self.level())
    }

    /// Polynomials of the key: two per digit.
    pub fn polys(&self) -> usize {
        2 * self.digits()
    }

    /// The primes of its towers.
    pub fn primes(&self, ring: &Ring) -> Vec<u64> {
        let primes = ring.primes();
        let towers = self.towers();
        towers.iter().map(|tower| primes[tower.index()]).collect()
    }

    /// Bytes of the key in memory.
    pub fn bytes(&self, ring: &Ring) -> u64 {
        (self.polys() * self.towers().len() * ring.n() * size_of::<u64>()) as u64
    }

    /// Products for every coefficient of a switch at the key's level: log2(N)/2 in a transform, each of
    /// which raised digits and the division by the special primes take, one for each prime that a tower is
    /// extended from, two with the key.
    fn work(&self, ring: &Ring) -> usize {
        let (level, special) = (self.level(), self.special.len());
        let raised = self.digits() * (level + special);
        let transforms = raised + 2 * (level + special);
        let digits = self.grouping.cut(&self.basis.0).into_iter();
        let extended = digits.map(|digit| digit.len() * (level + special - digit.len()));
        let extensions = extended.sum::<usize>() + 2 * special * level;
        transforms * ring.log_n() as usize / 2 + extensions + 2 * raised
    }

    /// Whether it lifts by the same factor as the other: of keys for one secret, drawn from one seed,
    /// the smaller is then a part of the larger.
    pub fn lifts_like(&self, other: &Self) -> bool {
        (self.grouping, &self.special) == (other.grouping, &other.special)
    }

    fn check_towers(&self, ring: &Ring) -> Result<(), Error> {
        if self.basis.is_empty()
            || self.level() > ring.levels()
            || self.basis != ciphertext_towers(self.level())
        {
            let allowed = format!("the first of {}, one or more", ring.levels());
            return refuse(format!("ciphertext primes [{}]", self.basis), allowed);
        }
        let all = all_towers(ring).without(&self.basis);
        let ascending = self.special.0.windows(2).all(|pair| pair[0] < pair[1]);
        match !self.special.is_empty() && ascending && self.special.is_subset_of(&all) {
            true => Ok(()),
            false => refuse(
                format!("special primes [{}]", self.special),
                format!("one or more of [{all}], ascending"),
            ),
        }
    }

    fn check_digits(&self, ring: &Ring) -> Result<(), Error> {
        if matches!(self.grouping, Digits::Of(size) if !(1..=ring.levels()).contains(&size.into()))
        {
            let given = format!("digits of {} primes", self.grouping);
            return refuse(given, format!("1 to {}", ring.levels()));
        }
        let bits = bits_of(ring, &self.basis);
        let digits = self.grouping.cut(&bits).into_iter();
        let largest = digits.map(|digit| digit.iter().sum::<u32>()).max();
        let special: u32 = bits_of(ring, &self.special).iter().sum();
        let largest = largest.unwrap_or(0);
        match special >= largest {
            true => Ok(()),
            false => refuse(
                format!("special primes of {special} bits together"),
                format!("at least {largest}, the bits of the largest digit"),
            ),
        }
    }
}

impl fmt::Display for KeyShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (level, digits) = (self.level(), self.grouping);
        write!(
            f,
            "levels 1 to {level}, digits of {digits}, special primes [{}]",
            self.special
        )
    }
}

/// Bits of these towers' primes.
fn bits_of(ring: &Ring, towers: &Basis) -> Vec<u32> {
    let primes = ring.primes();
    let bits = towers.iter().map(|tower| primes[tower.index()].ilog2() + 1);
    bits.collect()
}

fn refuse<T>(given: String, expected: String) -> Result<T, Error> {
    Err(Error::Shape {
        what: "shape of an evaluation key".into(),
        given,
        expected,
    })
}
