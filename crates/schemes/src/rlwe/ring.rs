//! A checked, immutable ring: its degree, its primes, and how secrets in it are drawn.
//!
//! A [`RingLiteral`] is plain data; a [`Ring`] is what survived the checks, with its primes found.
//! Primes are the largest of their bit length that are 1 mod 2N, or 4N in a conjugate-invariant ring; the
//! special primes take the largest ones, so that P is never smaller than a digit of equal bit length and key switching adds next to no
//! noise. Primes of another library are taken as they are ([`Moduli::Given`]), under the same checks.

use crate::security::{self, Insecure, Secret, Security, SecurityError};
use ringwright_arith::crt::MAX_TOWERS;
use ringwright_arith::primes::{self, PrimeError};
pub use ringwright_arith::RingKind;
use ringwright_ir::ring::Digits;
use sha3::{Digest, Sha3_256};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// log2 of the ring degrees a set may have.
pub const LOG_N: RangeInclusive<u32> = 4..=17;
/// Bits a prime may have.
pub const PRIME_BITS: RangeInclusive<u32> = 20..=61;

/// Why a literal is not a ring.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RingError {
    /// A number outside its range.
    #[error("{name}: {what} = {given}, allowed: {allowed}")]
    Range {
        /// The set's name.
        name: String,
        /// The field.
        what: &'static str,
        /// The value given.
        given: String,
        /// The values allowed.
        allowed: String,
    },
    /// Too few primes of this length fit the ring.
    #[error("{name}: {reason}")]
    Primes {
        /// The set's name.
        name: String,
        /// What was sought and found.
        reason: PrimeError,
    },
    /// Beyond the security table.
    #[error("{name}: {reason}")]
    Security {
        /// The set's name.
        name: String,
        /// What the table says.
        reason: SecurityError,
    },
}

/// A ring as data, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RingLiteral {
    /// The scheme's word: fingerprints, streams and names of programs begin with it.
    pub scheme: &'static str,
    /// Name for reports and errors.
    pub name: String,
    /// Standard or conjugate-invariant.
    pub kind: RingKind,
    /// log2 of the ring degree N.
    pub log_n: u32,
    /// The primes, or how long they are.
    pub moduli: Moduli,
    /// Towers per digit of a key switch; 0 for as many as the special primes hold, which differ.
    pub digit: usize,
    /// How secrets are drawn; there is a sampler for uniform ternary ones.
    pub secret: Secret,
    /// Accept rings beyond the 128-bit table.
    pub insecure: bool,
}

/// Primes to be found, or found already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moduli {
    /// The largest ones of so many bits.
    Bits {
        /// Of each ciphertext prime; the last is dropped first.
        q: Vec<u32>,
        /// Of each special prime; none for sets that only encrypt and decrypt.
        p: Vec<u32>,
    },
    /// Another library chose them.
    Given {
        /// The ciphertext primes; the last is dropped first.
        q: Vec<u64>,
        /// The special primes; none for sets that only encrypt and decrypt, `None` where nobody said
        /// which there are: such a set is called neither secure nor insecure.
        p: Option<Vec<u64>>,
    },
}

impl Moduli {
    /// Bits of each ciphertext prime and of each special prime.
    pub fn bits(&self) -> (Vec<u32>, Vec<u32>) {
        match self {
            Moduli::Bits { q, p } => (q.clone(), p.clone()),
            Moduli::Given { q, p } => (lengths(q), lengths(p.as_deref().unwrap_or_default())),
        }
    }
}

fn lengths(primes: &[u64]) -> Vec<u32> {
    primes.iter().map(|q| bit_length(*q)).collect()
}

/// A ring: checked, immutable, cheap to clone.
#[derive(Clone)]
pub struct Ring(Arc<Checked>);

struct Checked {
    scheme: &'static str,
    name: String,
    kind: RingKind,
    log_n: u32,
    digit: usize,
    grouping: Digits,
    q: Vec<u64>,
    p: Vec<u64>,
    security: Security,
    consent: Option<Insecure>,
    id: [u8; 32],
}

impl Ring {
    /// Checks a literal and finds its primes, or checks those that were given. Rings of one scheme
    /// and kind with the same N, primes and digit are equal, whoever chose the primes.
    ///
    /// # Errors
    /// [`RingError`] names the field, what was given and what is allowed; a given number that is
    /// not a prime, not 1 modulo the ring's [`RingKind::order`], or there twice.
    pub fn new(literal: RingLiteral) -> Result<Self, RingError> {
        literal.check_ranges()?;
        let (q, p, complete) = match &literal.moduli {
            Moduli::Bits { q, p } => {
                let (q, p) = choose_primes(&literal, q, p)?;
                (q, p, true)
            }
            Moduli::Given { q, p } => {
                let (complete, p) = (p.is_some(), p.clone().unwrap_or_default());
                check_primes(&literal, q, &p)?;
                (q.clone(), p, complete)
            }
        };
        let security = check_security(&literal, &q, &p, complete)?;
        let id = fingerprint(&literal, &q, &p, complete);
        let grouping = literal.grouping(&lengths(&q), &lengths(&p))?;
        Ok(Self(Arc::new(Checked {
            scheme: literal.scheme,
            name: literal.name,
            kind: literal.kind,
            log_n: literal.log_n,
            digit: literal.digit,
            grouping,
            q,
            p,
            security,
            consent: literal.insecure.then_some(Insecure),
            id,
        })))
    }

    /// The scheme's word.
    pub fn scheme(&self) -> &'static str {
        self.0.scheme
    }

    /// The set's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Standard or conjugate-invariant.
    pub fn kind(&self) -> RingKind {
        self.0.kind
    }

    /// log2 of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.0.log_n
    }

    /// Ring degree N.
    pub fn n(&self) -> usize {
        1 << self.0.log_n
    }

    /// Ciphertext primes; the last that remains is dropped first.
    pub fn q(&self) -> &[u64] {
        &self.0.q
    }

    /// Special primes.
    pub fn p(&self) -> &[u64] {
        &self.0.p
    }

    /// All primes, ciphertext primes first: the tower numbering of every program and key.
    pub fn primes(&self) -> Vec<u64> {
        self.0.q.iter().chain(&self.0.p).copied().collect()
    }

    /// Number of ciphertext primes: the level of a fresh ciphertext.
    pub fn levels(&self) -> usize {
        self.0.q.len()
    }

    /// Towers per digit of a key switch; 0 for as many as the special primes hold.
    pub fn digit(&self) -> usize {
        self.0.digit
    }

    /// The digits of a key switch.
    pub fn grouping(&self) -> Digits {
        self.0.grouping
    }

    /// Digits of a polynomial at a level: polynomials per component of the key that are used.
    pub fn digits(&self, level: usize) -> usize {
        self.grouping().count(level)
    }

    /// How secure the set is, and by which table; how its secrets are drawn.
    pub fn security(&self) -> Security {
        self.0.security
    }

    /// Holds a sparse secret to the table's row for keys under the first ciphertext prime and the first
    /// special prime alone, which is where one lives that ciphertexts are switched to.
    ///
    /// # Errors
    /// A ring without special primes, or a weight beyond the row or without one; whoever made the ring
    /// `insecure` has accepted that.
    pub fn check_encapsulated(&self, weight: u16) -> Result<Security, RingError> {
        let weight = weight.into();
        let secret = Secret::Encapsulated { weight };
        let primes = self.0.q.iter().take(1).chain(self.0.p.iter().take(1));
        let log_qp = primes.map(|&prime| (prime as f64).log2()).sum();
        let security = Security::new(self.log_n(), log_qp, secret, true);
        security::check(security, self.0.consent).map_err(|reason| RingError::Security {
            name: self.name().to_string(),
            reason,
        })
    }

    /// log2 of the product of the first `level` primes.
    pub fn log_q(&self, level: usize) -> f64 {
        let primes = self.0.q.iter().take(level);
        primes.map(|&q| (q as f64).log2()).sum()
    }

    /// [`Ring::log_q`] of every level, from 1 tower to all.
    pub fn log_q_by_level(&self) -> Vec<f64> {
        (1..=self.levels()).map(|level| self.log_q(level)).collect()
    }

    /// Fingerprint over scheme, kind, N, the primes and the digit: ciphertexts and keys carry it, and
    /// those of other rings are refused.
    pub fn id(&self) -> [u8; 32] {
        self.0.id
    }
}

impl PartialEq for Ring {
    /// Two rings are the same when their ciphertexts and keys are interchangeable.
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Ring {}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring")
            .field("scheme", &self.0.scheme)
            .field("name", &self.0.name)
            .field("kind", &self.0.kind)
            .field("log_n", &self.0.log_n)
            .field("digit", &self.0.digit)
            .field("q", &self.0.q)
            .field("p", &self.0.p)
            .field("security", &format_args!("{}", self.0.security))
            .finish()
    }
}

impl RingLiteral {
    /// Refuses numbers outside their ranges; no prime is sought.
    ///
    /// # Errors
    /// [`RingError::Range`].
    pub(crate) fn check_ranges(&self) -> Result<(), RingError> {
        let span = |range: &RangeInclusive<u32>| format!("{} to {}", range.start(), range.end());
        if !LOG_N.contains(&self.log_n) {
            return self.refuse("log_n", self.log_n.to_string(), span(&LOG_N));
        }
        let (q_bits, p_bits) = self.moduli.bits();
        if !(1..=MAX_TOWERS).contains(&q_bits.len()) {
            let (given, allowed) = (q_bits.len(), format!("1 to {MAX_TOWERS}"));
            return self.refuse("number of ciphertext primes", given.to_string(), allowed);
        }
        let mut all_bits = q_bits.iter().chain(&p_bits);
        if let Some(bits) = all_bits.find(|bits| !PRIME_BITS.contains(bits)) {
            return self.refuse("bits of a prime", bits.to_string(), span(&PRIME_BITS));
        }
        self.grouping(&q_bits, &p_bits)?;
        match self.secret {
            Secret::Ternary => Ok(()),
            other => self.refuse("secret", other.to_string(), Secret::Ternary.to_string()),
        }
    }

    /// How primes of these lengths are grouped.
    fn grouping(&self, q_bits: &[u32], p_bits: &[u32]) -> Result<Digits, RingError> {
        let many = q_bits.len() > Digits::MOST_TOWERS;
        if !(usize::from(many)..=q_bits.len()).contains(&self.digit) {
            let allowed = format!("{} to {}", usize::from(many), q_bits.len());
            return self.refuse("digit", self.digit.to_string(), allowed);
        }
        let special_bits: u32 = p_bits.iter().sum();
        let grouping = match self.digit {
            // Nothing is switched without special primes.
            0 if special_bits == 0 => Some(Digits::Of(1)),
            0 => Digits::longest(q_bits, special_bits),
            digit => Some(Digits::Of(digit as u16)),
        };
        let digits = grouping.unwrap_or(Digits::Of(1)).cut(q_bits);
        let digit_bits = digits
            .iter()
            .map(|digit| digit.iter().sum())
            .max()
            .unwrap_or(0);
        match grouping {
            Some(grouping) if special_bits == 0 || special_bits >= digit_bits => Ok(grouping),
            _ => {
                let allowed = format!("at least {digit_bits}, the bits of the largest digit");
                let given = special_bits.to_string();
                self.refuse("bits of all special primes", given, allowed)
            }
        }
    }

    fn refuse<T>(
        &self,
        what: &'static str,
        given: String,
        allowed: String,
    ) -> Result<T, RingError> {
        Err(RingError::Range {
            name: self.name.clone(),
            what,
            given,
            allowed,
        })
    }
}

/// Ciphertext primes and special primes, each in the literal's order.
fn choose_primes(
    literal: &RingLiteral,
    q_bits: &[u32],
    p_bits: &[u32],
) -> Result<(Vec<u64>, Vec<u64>), RingError> {
    let mut chosen: Vec<u64> = Vec::new();
    for &bits in p_bits.iter().chain(q_bits) {
        chosen.push(largest_unused(literal, bits, &chosen)?);
    }
    let q = chosen.split_off(p_bits.len());
    Ok((q, chosen))
}

fn largest_unused(literal: &RingLiteral, bits: u32, used: &[u64]) -> Result<u64, RingError> {
    let taken = |prime: &&u128| used.iter().any(|&u| u128::from(u) == **prime);
    let same_length = used.iter().filter(|u| u.ilog2() + 1 == bits).count();
    let log_half_order = literal.kind.log_order(literal.log_n) - 1;
    let found = primes::ntt_primes(bits, log_half_order, same_length + 1).map_err(|reason| {
        RingError::Primes {
            name: literal.name.clone(),
            reason,
        }
    })?;
    let free = found.iter().find(|prime| !taken(prime));
    Ok(free.map_or(0, |&prime| prime as u64))
}

/// Refuses given numbers that are not different primes with the ring's roots of unity.
fn check_primes(literal: &RingLiteral, q: &[u64], p: &[u64]) -> Result<(), RingError> {
    let RingLiteral { kind, log_n, .. } = *literal;
    let mut seen = BTreeSet::new();
    let wrong = q.iter().chain(p).find(|prime| {
        *prime % kind.order(log_n) != 1
            || !primes::is_prime(u128::from(**prime))
            || !seen.insert(**prime)
    });
    match wrong {
        None => Ok(()),
        Some(given) => literal.refuse(
            "prime",
            given.to_string(),
            format!("different primes that are 1 mod {}", kind.order_text(log_n)),
        ),
    }
}

fn bit_length(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

fn check_security(
    literal: &RingLiteral,
    q: &[u64],
    p: &[u64],
    complete: bool,
) -> Result<Security, RingError> {
    let log_qp = q.iter().chain(p).map(|&prime| (prime as f64).log2()).sum();
    let security = Security::new(literal.log_n, log_qp, literal.secret, complete);
    let consent = literal.insecure.then_some(Insecure);
    security::check(security, consent).map_err(|reason| RingError::Security {
        name: literal.name.clone(),
        reason,
    })
}

/// Sets whose special primes are not known are no others' equals. A standard ring is not named: its
/// fingerprints are older than the other kind.
fn fingerprint(literal: &RingLiteral, q: &[u64], p: &[u64], complete: bool) -> [u8; 32] {
    let mut hash = Sha3_256::new();
    hash.update(format!("ringwright {} 1", literal.scheme));
    hash.update(literal.log_n.to_le_bytes());
    hash.update((literal.digit as u64).to_le_bytes());
    for list in [q, p] {
        hash.update((list.len() as u64).to_le_bytes());
        for prime in list {
            hash.update(prime.to_le_bytes());
        }
    }
    if !complete {
        hash.update(b"special primes not known");
    }
    if literal.kind != RingKind::Standard {
        hash.update(literal.kind.name());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(scheme: &'static str, secret: Secret) -> RingLiteral {
        RingLiteral {
            scheme,
            name: "tiny".to_string(),
            kind: RingKind::Standard,
            log_n: 4,
            moduli: Moduli::Bits {
                q: vec![20, 20],
                p: vec![21],
            },
            digit: 1,
            secret,
            insecure: true,
        }
    }

    #[test]
    fn schemes_do_not_share_a_fingerprint() {
        let [a, b] = ["a", "b"].map(|scheme| Ring::new(literal(scheme, Secret::Ternary)).unwrap());
        assert_eq!(a.primes(), b.primes());
        assert_ne!(a, b);
    }

    #[test]
    fn kinds_do_not_share_a_fingerprint() {
        let primes = Moduli::Given {
            q: vec![1_073_741_441],
            p: Some(vec![1_073_740_609]),
        };
        let ring = |kind| {
            let (moduli, literal) = (primes.clone(), literal("a", Secret::Ternary));
            Ring::new(RingLiteral {
                kind,
                moduli,
                ..literal
            })
            .unwrap()
        };
        let [standard, real] = RingKind::ALL.map(ring);
        assert_eq!(standard.primes(), real.primes());
        assert_ne!(standard, real);
    }

    #[test]
    fn primes_fit_the_kind() {
        let of_kind = |kind, prime| {
            let moduli = Moduli::Given {
                q: vec![prime],
                p: None,
            };
            Ring::new(RingLiteral {
                kind,
                moduli,
                ..literal("a", Secret::Ternary)
            })
        };
        // 1 modulo 2N = 32 and 33 modulo 4N = 64.
        const ODD: u64 = 1_073_739_937;
        assert!(of_kind(RingKind::Standard, ODD).is_ok());
        let refused = of_kind(RingKind::ConjugateInvariant, ODD).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "tiny: prime = 1073739937, allowed: different primes that are 1 mod 4N = 64"
        );
        let found = Ring::new(RingLiteral {
            kind: RingKind::ConjugateInvariant,
            ..literal("a", Secret::Ternary)
        });
        assert!(found.unwrap().primes().iter().all(|q| q % 64 == 1));
    }

    #[test]
    fn a_secret_that_nobody_can_draw_is_refused() {
        let sparse = Secret::Sparse { weight: 192 };
        let refused = Ring::new(literal("a", sparse)).unwrap_err().to_string();
        let named = "secret = secret of Hamming weight 192, allowed: uniform ternary secret";
        assert!(refused.contains(named), "{refused}");
    }
}
