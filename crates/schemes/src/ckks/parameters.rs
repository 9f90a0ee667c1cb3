//! Checked, immutable CKKS parameters.
//!
//! A [`ParametersLiteral`] is plain data; [`Parameters`] is what survived the checks, with its
//! primes found. Primes are the largest of their bit length that are 1 mod 2N; the special primes
//! take the largest ones, so that P is never smaller than a digit of equal bit length and key
//! switching adds next to no noise. [`Parameters::from_primes`] takes the primes of another library
//! instead, under the same checks.

use super::literal::{GivenPrimes, ParametersLiteral};
use super::presets;
use crate::security::{self, Insecure, Secret, Security, SecurityError};
use ringwright_arith::crt::MAX_TOWERS;
use ringwright_arith::primes::{self, PrimeError};
use sha3::{Digest, Sha3_256};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// log2 of the ring degrees a set may have.
pub const LOG_N: RangeInclusive<u32> = 4..=17;
/// Bits a prime may have.
pub const PRIME_BITS: RangeInclusive<u32> = 20..=61;
/// Bits that the default scale leaves between itself and the first prime.
const HEADROOM_BITS: u32 = 2;

/// Why a literal is not a parameter set, or a set cannot do what was asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
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
    /// Too few primes of this length are 1 mod 2N.
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
    /// No preset of this name.
    #[error("unknown parameter set {given:?}; presets: {known}")]
    UnknownPreset {
        /// The name given.
        given: String,
        /// The names there are.
        known: String,
    },
    /// A depth that no ring of the table carries.
    #[error(
        "depth {asked} takes log2(QP) = {log_qp}, and the {security}-bit tables end at {limit} with \
         N = {n}; allowed without bootstrapping: depth up to {largest}, or a smaller scale"
    )]
    BeyondTable {
        /// Depth asked for.
        asked: usize,
        /// log2 of QP that it takes.
        log_qp: usize,
        /// Bits of security asked for.
        security: u32,
        /// The last limit of the tables.
        limit: usize,
        /// Its ring degree.
        n: usize,
        /// The largest depth within it.
        largest: usize,
    },
    /// No results of this depth can be shared.
    #[error("for_depth: results cannot be shared: {reason}")]
    Sharing {
        /// What keeps them from it.
        reason: String,
    },
    /// Inputs with too few towers left for a depth.
    #[error(
        "ciphertexts at level {level} of {levels} ({name}) carry multiplicative depth {}, not \
         {asked}; encrypt at a higher level, or multiply less before",
        level - 1
    )]
    InputDepth {
        /// The set's name.
        name: String,
        /// Towers that the input has which has most.
        level: usize,
        /// Towers that the set has.
        levels: usize,
        /// Depth asked for.
        asked: usize,
    },
    /// Too few towers for a depth.
    #[error("{name} (N = {n}) carries multiplicative depth {carried}, not {asked}; {advice}")]
    Depth {
        /// The set's name.
        name: String,
        /// The set's ring degree.
        n: usize,
        /// Depth asked for.
        asked: usize,
        /// Depth the set carries.
        carried: usize,
        /// The smallest degree that carries it.
        advice: String,
    },
}

/// The smallest ring degree that carries a depth at 128 bits of security.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// log2 of the ring degree.
    pub log_n: u32,
    /// log2 of QP that the depth takes with this set's primes.
    pub log_qp: u32,
    /// The smallest preset that carries the depth with primes of this length.
    pub preset: Option<&'static str>,
}

/// A parameter set: checked, immutable, cheap to clone.
#[derive(Clone)]
pub struct Parameters(Arc<Checked>);

struct Checked {
    literal: ParametersLiteral,
    q: Vec<u64>,
    p: Vec<u64>,
    security: Security,
    id: [u8; 32],
}

impl Parameters {
    /// Checks a literal and finds its primes.
    ///
    /// # Errors
    /// [`ParameterError`] names the field, what was given and what is allowed.
    pub fn new(literal: ParametersLiteral) -> Result<Self, ParameterError> {
        check_ranges(&literal)?;
        let (q, p) = choose_primes(&literal)?;
        Self::checked(literal, q, p, true)
    }

    /// Checks primes that another library chose; the literal is what they amount to. Sets with the
    /// same N, primes and digit are equal, whoever chose the primes.
    ///
    /// # Errors
    /// As [`Parameters::new`]; a number that is not a prime, not 1 mod 2N, or there twice.
    pub fn from_primes(given: GivenPrimes) -> Result<Self, ParameterError> {
        let bits = |primes: &[u64]| primes.iter().map(|q| bit_length(*q)).collect();
        let (complete, p) = (given.p.is_some(), given.p.unwrap_or_default());
        let literal = ParametersLiteral {
            q_bits: bits(&given.q),
            p_bits: bits(&p),
            name: given.name,
            log_n: given.log_n,
            digit: given.digit,
            log_scale: given.log_scale,
            insecure: given.insecure,
        };
        check_ranges(&literal)?;
        check_primes(&literal, &given.q, &p)?;
        Self::checked(literal, given.q, p, complete)
    }

    fn checked(
        literal: ParametersLiteral,
        q: Vec<u64>,
        p: Vec<u64>,
        complete: bool,
    ) -> Result<Self, ParameterError> {
        let security = check_security(&literal, &q, &p, complete)?;
        let id = fingerprint(&literal, &q, &p, complete);
        Ok(Self(Arc::new(Checked {
            literal,
            q,
            p,
            security,
            id,
        })))
    }

    /// A preset by name.
    ///
    /// # Errors
    /// An unknown name; the error lists the known ones.
    pub fn preset(name: &str) -> Result<Self, ParameterError> {
        let literal = presets::literal(name).ok_or_else(|| ParameterError::UnknownPreset {
            given: name.to_string(),
            known: Self::presets().join(", "),
        })?;
        Self::new(literal)
    }

    /// The names of all presets, smallest ring first.
    pub fn presets() -> Vec<&'static str> {
        presets::names()
    }

    /// The literal these parameters were made from, or that their primes amount to.
    pub fn literal(&self) -> &ParametersLiteral {
        &self.0.literal
    }

    /// The set's name.
    pub fn name(&self) -> &str {
        &self.0.literal.name
    }

    /// log2 of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.0.literal.log_n
    }

    /// Ring degree N.
    pub fn n(&self) -> usize {
        1 << self.0.literal.log_n
    }

    /// Slots of a ciphertext, N/2.
    pub fn slots(&self) -> usize {
        self.n() / 2
    }

    /// Ciphertext primes; rescaling drops the last that remains.
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

    /// Towers per digit of a key switch.
    pub fn digit(&self) -> usize {
        self.0.literal.digit
    }

    /// Digits of a polynomial at a level: polynomials per component of the key that are used.
    pub fn digits(&self, level: usize) -> usize {
        level.div_ceil(self.digit())
    }

    /// Default scale.
    pub fn scale(&self) -> f64 {
        f64::from(self.0.literal.log_scale).exp2()
    }

    /// How secure the set is, and by which table.
    pub fn security(&self) -> Security {
        self.0.security
    }

    /// Ciphertext multiplications one after another that the set carries: levels - 1, or 0
    /// without special primes.
    pub fn depth(&self) -> usize {
        if self.0.p.is_empty() {
            0
        } else {
            self.levels() - 1
        }
    }

    /// log2 of the product of the first `level` primes.
    pub fn log_q(&self, level: usize) -> f64 {
        self.0
            .q
            .iter()
            .take(level)
            .map(|&q| (q as f64).log2())
            .sum()
    }

    /// [`Parameters::log_q`] of every level, from 1 tower to all.
    pub fn log_q_by_level(&self) -> Vec<f64> {
        (1..=self.levels()).map(|level| self.log_q(level)).collect()
    }

    /// Fingerprint over N, the primes and the digit: ciphertexts and keys carry it, and those of
    /// other parameters are refused.
    pub fn id(&self) -> [u8; 32] {
        self.0.id
    }

    /// The same with more levels, whatever the security: to see how deep a program is, and for no key.
    ///
    /// # Errors
    /// More primes than there are, or than a set may have.
    pub fn extended(&self, levels: usize) -> Result<Self, ParameterError> {
        let mut literal = self.0.literal.clone();
        let last = literal.q_bits.last().copied().unwrap_or(*PRIME_BITS.end());
        literal.q_bits.resize(literal.q_bits.len() + levels, last);
        literal.name = format!("{} with {levels} more levels", literal.name);
        literal.insecure = true;
        Self::new(literal)
    }

    /// The smallest ring degree that carries a depth with primes as long as this set's, at 128
    /// bits; `None` beyond the table.
    pub fn smallest_for_depth(&self, depth: usize) -> Option<Fit> {
        let literal = &self.0.literal;
        let tower_bits = literal.q_bits.iter().copied().max().unwrap_or(0);
        let special_bits = match literal.p_bits.iter().sum::<u32>() {
            0 => tower_bits,
            bits => bits,
        };
        let towers = u32::try_from(depth).ok()?.checked_add(1)?;
        let log_qp = towers.checked_mul(tower_bits)?.checked_add(special_bits)?;
        let log_n = security::smallest_log_n(f64::from(log_qp))?;
        Some(Fit {
            log_n,
            log_qp,
            preset: presets::smallest_with(tower_bits, depth),
        })
    }

    /// Refuses a depth that the set does not carry.
    ///
    /// # Errors
    /// [`ParameterError::Depth`] names the smallest N that carries it.
    pub fn require_depth(&self, asked: usize) -> Result<(), ParameterError> {
        if asked <= self.depth() {
            return Ok(());
        }
        Err(self.insufficient_depth(asked))
    }

    /// Refuses a depth that the set does not carry, or ciphertexts of a level do not.
    ///
    /// # Errors
    /// [`ParameterError::Depth`], or [`ParameterError::InputDepth`] where other inputs would do.
    pub fn require_depth_at(&self, level: usize, asked: usize) -> Result<(), ParameterError> {
        self.require_depth(asked)?;
        match asked < level {
            true => Ok(()),
            false => Err(self.too_deep(level, asked)),
        }
    }

    /// The refusal of a program that takes more levels than its highest input has to spend.
    pub(super) fn too_deep(&self, level: usize, asked: usize) -> ParameterError {
        if level == self.levels() {
            return self.insufficient_depth(asked);
        }
        ParameterError::InputDepth {
            name: self.name().to_string(),
            level,
            levels: self.levels(),
            asked,
        }
    }

    fn insufficient_depth(&self, asked: usize) -> ParameterError {
        ParameterError::Depth {
            name: self.name().to_string(),
            n: self.n(),
            asked,
            carried: self.depth(),
            advice: self.depth_advice(asked),
        }
    }

    fn depth_advice(&self, asked: usize) -> String {
        match self.smallest_for_depth(asked) {
            Some(Fit {
                log_n,
                log_qp,
                preset,
            }) => format!(
                "the smallest N that carries it is {} (log2(QP) = {log_qp}){}",
                1usize << log_n,
                preset.map_or(String::new(), |name| format!(
                    ", for instance the preset {name}"
                ))
            ),
            None => "no N of the 128-bit tables carries it without bootstrapping".to_string(),
        }
    }
}

impl PartialEq for Parameters {
    /// Two sets are the same when their ciphertexts and keys are interchangeable.
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Parameters {}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parameters")
            .field("literal", &self.0.literal)
            .field("q", &self.0.q)
            .field("p", &self.0.p)
            .field("security", &format_args!("{}", self.0.security))
            .finish()
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: N = {}, {} + {} primes, log2(QP) = {:.1}, scale 2^{}",
            self.name(),
            self.n(),
            self.q().len(),
            self.p().len(),
            self.security().log_qp,
            self.0.literal.log_scale
        )
    }
}

fn check_ranges(literal: &ParametersLiteral) -> Result<(), ParameterError> {
    let refuse = |what, given: String, allowed: String| {
        Err(ParameterError::Range {
            name: literal.name.clone(),
            what,
            given,
            allowed,
        })
    };
    let span = |range: &RangeInclusive<u32>| format!("{} to {}", range.start(), range.end());
    if !LOG_N.contains(&literal.log_n) {
        return refuse("log_n", literal.log_n.to_string(), span(&LOG_N));
    }
    if !(1..=MAX_TOWERS).contains(&literal.q_bits.len()) {
        let (given, allowed) = (literal.q_bits.len(), format!("1 to {MAX_TOWERS}"));
        return refuse("number of ciphertext primes", given.to_string(), allowed);
    }
    let all_bits = || literal.q_bits.iter().chain(&literal.p_bits);
    if let Some(bits) = all_bits().find(|bits| !PRIME_BITS.contains(bits)) {
        return refuse("bits of a prime", bits.to_string(), span(&PRIME_BITS));
    }
    let digits = 1..=literal.q_bits.len();
    if !digits.contains(&literal.digit) {
        return refuse(
            "digit",
            literal.digit.to_string(),
            format!("1 to {}", digits.end()),
        );
    }
    let digit_bits = literal
        .q_bits
        .chunks(literal.digit)
        .map(|d| d.iter().sum::<u32>())
        .max()
        .unwrap_or(0);
    let special_bits: u32 = literal.p_bits.iter().sum();
    if special_bits != 0 && special_bits < digit_bits {
        return refuse(
            "bits of all special primes",
            special_bits.to_string(),
            format!("at least {digit_bits}, the bits of the largest digit"),
        );
    }
    let scales = 1..=literal.q_bits[0] - HEADROOM_BITS;
    if !scales.contains(&literal.log_scale) {
        return refuse("log_scale", literal.log_scale.to_string(), span(&scales));
    }
    Ok(())
}

/// Ciphertext primes and special primes, each in the literal's order.
fn choose_primes(literal: &ParametersLiteral) -> Result<(Vec<u64>, Vec<u64>), ParameterError> {
    let mut chosen: Vec<u64> = Vec::new();
    for &bits in literal.p_bits.iter().chain(&literal.q_bits) {
        chosen.push(largest_unused(literal, bits, &chosen)?);
    }
    let q = chosen.split_off(literal.p_bits.len());
    Ok((q, chosen))
}

fn largest_unused(
    literal: &ParametersLiteral,
    bits: u32,
    used: &[u64],
) -> Result<u64, ParameterError> {
    let taken = |prime: &&u128| used.iter().any(|&u| u128::from(u) == **prime);
    let same_length = used.iter().filter(|u| u.ilog2() + 1 == bits).count();
    let found = primes::ntt_primes(bits, literal.log_n, same_length + 1).map_err(|reason| {
        ParameterError::Primes {
            name: literal.name.clone(),
            reason,
        }
    })?;
    let free = found.iter().find(|prime| !taken(prime));
    Ok(free.map_or(0, |&prime| prime as u64))
}

/// Refuses given numbers that are not different primes with 2N-th roots of unity.
fn check_primes(literal: &ParametersLiteral, q: &[u64], p: &[u64]) -> Result<(), ParameterError> {
    let two_n = 2 << literal.log_n;
    let mut seen = BTreeSet::new();
    let wrong = q.iter().chain(p).find(|prime| {
        *prime % two_n != 1 || !primes::is_prime(u128::from(**prime)) || !seen.insert(**prime)
    });
    match wrong {
        None => Ok(()),
        Some(given) => Err(ParameterError::Range {
            name: literal.name.clone(),
            what: "prime",
            given: given.to_string(),
            allowed: format!("different primes that are 1 mod 2N = {two_n}"),
        }),
    }
}

fn bit_length(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

fn check_security(
    literal: &ParametersLiteral,
    q: &[u64],
    p: &[u64],
    complete: bool,
) -> Result<Security, ParameterError> {
    let log_qp = q.iter().chain(p).map(|&prime| (prime as f64).log2()).sum();
    let security = Security::new(literal.log_n, log_qp, Secret::Ternary, complete);
    let consent = literal.insecure.then_some(Insecure);
    security::check(security, consent).map_err(|reason| ParameterError::Security {
        name: literal.name.clone(),
        reason,
    })
}

/// Sets whose special primes are not known are no others' equals.
fn fingerprint(literal: &ParametersLiteral, q: &[u64], p: &[u64], complete: bool) -> [u8; 32] {
    let mut hash = Sha3_256::new();
    hash.update(b"ringwright ckks 1");
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
    hash.finalize().into()
}
