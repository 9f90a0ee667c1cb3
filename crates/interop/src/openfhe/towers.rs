//! Finding towers in an object, reading their words and replacing them.

use super::archive::{word, WORD};
use super::opening;
use super::LIBRARY;
use crate::foreign::ForeignError;
use ringwright_ring::RnsPoly;
use ringwright_schemes::rlwe::Ring;

/// A vector that is there and whose class is the declared one, in cereal's words.
const MARK: [u8; 5] = [0, 0, 0, 0x40, 1];
/// A class's version, before its first object.
const VERSION: [u8; 4] = [0; 4];

/// Where the words of a tower are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tower {
    /// Offset of the first word.
    pub(super) at: usize,
    pub(super) n: usize,
    pub(super) prime: u64,
}

impl Tower {
    /// Offset of what follows the tower's prime.
    pub(super) fn end(&self) -> usize {
        self.at + WORD * (self.n + 1)
    }
}

/// The towers of degree `n` (`None`: any) in the order they stand in.
pub(super) fn find(bytes: &[u8], n: Option<usize>) -> Vec<Tower> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(mark) = position(&bytes[from..], &MARK) {
        let after = from + mark + MARK.len();
        match tower_at(bytes, after, n) {
            Some(tower) => {
                from = tower.end();
                found.push(tower);
            }
            None => from += mark + 1,
        }
    }
    found
}

fn position(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

fn tower_at(bytes: &[u8], after: usize, n: Option<usize>) -> Option<Tower> {
    let first = bytes.get(after..)?.starts_with(&VERSION);
    [after, after + VERSION.len()]
        .into_iter()
        .take(1 + usize::from(first))
        .find_map(|at| tower_of(bytes, at, n))
}

fn tower_of(bytes: &[u8], at: usize, n: Option<usize>) -> Option<Tower> {
    let given = usize::try_from(word(bytes, at)?).ok()?;
    let fits = n.map_or(given.is_power_of_two() && given >= 16, |n| n == given);
    let at = at + WORD;
    let prime = word(bytes, given.checked_mul(WORD)?.checked_add(at)?)?;
    // Primes with roots of unity are 1 modulo 2N; a stray number hardly ever is.
    let two_n = 2 * given as u64;
    let tower = Tower {
        at,
        n: given,
        prime,
    };
    (fits && prime > two_n && prime % two_n == 1).then_some(tower)
}

/// An object's polynomials, each under the same primes.
pub(super) struct Polys<'b> {
    bytes: &'b [u8],
    pub(super) towers: Vec<Tower>,
    per_poly: usize,
}

impl<'b> Polys<'b> {
    /// Finds the towers and holds their primes against `primes`, polynomial after polynomial. Rings that
    /// are not standard are refused.
    pub(super) fn open(
        bytes: &'b [u8],
        what: &'static str,
        ring: &Ring,
        primes: &[u64],
    ) -> Result<Self, ForeignError> {
        LIBRARY.require_standard(ring)?;
        opening::check(bytes)?;
        let towers = find(bytes, Some(ring.n()));
        if towers.is_empty() {
            return Err(no_towers(bytes, what, ring));
        }
        let expected = primes.iter().cycle();
        let wrong = towers.iter().zip(expected).position(|(t, q)| t.prime != *q);
        if let Some(index) = wrong {
            let (given, per_poly) = (towers[index].prime, primes.len());
            return Err(ForeignError::ForeignParameters {
                library: LIBRARY,
                what,
                given: format!("tower {index} under {given}"),
                expected: format!("{} ({})", primes[index % per_poly], ring.name()),
            });
        }
        if !towers.len().is_multiple_of(primes.len()) {
            let allowed = format!("a multiple of {}", primes.len());
            return LIBRARY.field("towers", towers.len(), allowed);
        }
        Ok(Self {
            bytes,
            towers,
            per_poly: primes.len(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.towers.len() / self.per_poly
    }

    /// Refuses another number of polynomials.
    pub(super) fn expect(self, what: &'static str, polys: usize) -> Result<Self, ForeignError> {
        match self.len() == polys {
            true => Ok(self),
            false => LIBRARY.field(what, self.len(), polys),
        }
    }

    /// Refuses an object that has another number of bytes after its last polynomial.
    pub(super) fn ends_with(self, what: &'static str, tail: usize) -> Result<Self, ForeignError> {
        match self.end(self.len() - 1) {
            Some(end) if end + tail == self.bytes.len() => Ok(self),
            _ => {
                let reason = format!(
                    "not {tail} bytes after its last polynomial: another object, truncated, or \
                     followed by others"
                );
                Err(LIBRARY.damaged(what, reason))
            }
        }
    }

    /// Where polynomial `index` ends, its basis included.
    pub(super) fn end(&self, index: usize) -> Option<usize> {
        let last = self.towers[(index + 1) * self.per_poly - 1].end();
        opening::end_of_poly(self.bytes, last)
    }

    /// One polynomial; whether its words are reduced is checked by who takes it.
    pub(super) fn read(&self, index: usize) -> Result<RnsPoly, ForeignError> {
        let towers = &self.towers[index * self.per_poly..][..self.per_poly];
        let mut words = Vec::with_capacity(towers[0].n * towers.len());
        for tower in towers {
            let (tower, _) = self.bytes[tower.at..][..WORD * tower.n].as_chunks::<WORD>();
            words.extend(tower.iter().map(|word| u64::from_le_bytes(*word)));
        }
        RnsPoly::from_words(towers[0].n, words)
            .or_else(|error| LIBRARY.field("N", towers[0].n, error))
    }

    /// A copy of the object with other words, as many.
    pub(super) fn replaced<'p>(&self, polys: impl Iterator<Item = &'p RnsPoly>) -> Vec<u8> {
        let mut out = self.bytes.to_vec();
        for (tower, words) in self.towers.iter().zip(polys.flat_map(RnsPoly::iter)) {
            let place = &mut out[tower.at..][..WORD * tower.n];
            for (place, word) in place.chunks_exact_mut(WORD).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
        out
    }
}

fn no_towers(bytes: &[u8], what: &'static str, ring: &Ring) -> ForeignError {
    match find(bytes, None).first() {
        Some(tower) => ForeignError::ForeignParameters {
            library: LIBRARY,
            what,
            given: format!("N = {}", tower.n),
            expected: format!("{} ({})", ring.n(), ring.name()),
        },
        None => ForeignError::Magic {
            library: LIBRARY,
            given: bytes.iter().take(4).copied().collect(),
            expected: "an object serialised with BINARY that holds towers",
        },
    }
}
