//! Checked, immutable CKKS parameters: a ring with a scale.
//!
//! A [`ParametersLiteral`] is plain data; [`Parameters`] is what survived the checks of the ring
//! ([`crate::rlwe`]) and of the scale. [`Parameters::from_primes`] takes the primes of another library,
//! under the same checks.

use super::literal::{GivenPrimes, ParametersLiteral};
use super::presets;
use crate::rlwe::{Moduli, Ring, RingError, RingKind, RingLiteral, PRIME_BITS};
use crate::security::{self, Secret};
use ringwright_kernels::MAX_LOG_N;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The word with which fingerprints, streams and names of programs begin.
const SCHEME: &str = "ckks";
/// Bits that the default scale leaves between itself and the first prime.
const HEADROOM_BITS: u32 = 2;

/// Why a literal is not a parameter set, or a set cannot do what was asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// No ring.
    #[error(transparent)]
    Ring(#[from] RingError),
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
    /// Something that real slots have not.
    #[error(
        "{what}: the slots of {name} are real, its ring is conjugate-invariant; allowed with a \
         standard ring, whose N/2 slots are complex"
    )]
    RealSlots {
        /// What was asked for.
        what: &'static str,
        /// The set's name.
        name: String,
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
    /// The smallest preset that carries the depth with primes of this length; presets have standard
    /// rings.
    pub preset: Option<&'static str>,
}

/// A parameter set: checked, immutable, cheap to clone.
#[derive(Clone)]
pub struct Parameters(Arc<Checked>);

struct Checked {
    literal: ParametersLiteral,
    ring: Ring,
}

impl Parameters {
    /// Checks a literal and finds its primes.
    ///
    /// # Errors
    /// [`ParameterError`] names the field, what was given and what is allowed.
    pub fn new(literal: ParametersLiteral) -> Result<Self, ParameterError> {
        let moduli = Moduli::Bits {
            q: literal.q_bits.clone(),
            p: literal.p_bits.clone(),
        };
        Self::checked(literal, moduli)
    }

    /// Checks primes that another library chose; the literal is what they amount to. Sets with the
    /// same N, primes and digit are equal, whoever chose the primes.
    ///
    /// # Errors
    /// As [`Parameters::new`]; a number that is not a prime, not 1 mod 2N, or there twice.
    pub fn from_primes(given: GivenPrimes) -> Result<Self, ParameterError> {
        let moduli = Moduli::Given {
            q: given.q,
            p: given.p,
        };
        let (q_bits, p_bits) = moduli.bits();
        let literal = ParametersLiteral {
            q_bits,
            p_bits,
            name: given.name,
            kind: given.kind,
            log_n: given.log_n,
            digit: given.digit,
            log_scale: given.log_scale,
            insecure: given.insecure,
        };
        Self::checked(literal, moduli)
    }

    fn checked(literal: ParametersLiteral, moduli: Moduli) -> Result<Self, ParameterError> {
        let ring = RingLiteral {
            scheme: SCHEME,
            name: literal.name.clone(),
            kind: literal.kind,
            log_n: literal.log_n,
            moduli,
            digit: literal.digit,
            secret: Secret::Ternary,
            insecure: literal.insecure,
        };
        ring.check_ranges()?;
        check_embedding(&literal)?;
        check_scale(&literal)?;
        let ring = Ring::new(ring)?;
        Ok(Self(Arc::new(Checked { literal, ring })))
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

    /// Slots of a ciphertext: N/2 complex ones, or N real ones of a conjugate-invariant ring.
    pub fn slots(&self) -> usize {
        1 << (self.log_embedding() - 1)
    }

    /// Refuses what takes complex slots.
    ///
    /// # Errors
    /// [`ParameterError::RealSlots`] where the ring is conjugate-invariant.
    pub fn require_complex(&self, what: &'static str) -> Result<(), ParameterError> {
        match self.kind() {
            RingKind::Standard => Ok(()),
            RingKind::ConjugateInvariant => Err(ParameterError::RealSlots {
                what,
                name: self.name().to_string(),
            }),
        }
    }

    /// log2 of the degree of the standard ring whose slots these are: 2N of a conjugate-invariant ring.
    pub(super) fn log_embedding(&self) -> u32 {
        self.kind().log_order(self.log_n()) - 1
    }

    /// Default scale.
    pub fn scale(&self) -> f64 {
        f64::from(self.0.literal.log_scale).exp2()
    }

    /// Ciphertext multiplications one after another that the set carries: levels - 1, or 0
    /// without special primes.
    pub fn depth(&self) -> usize {
        if self.p().is_empty() {
            0
        } else {
            self.levels() - 1
        }
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
            preset: (self.kind() == RingKind::Standard)
                .then(|| presets::smallest_with(tower_bits, depth))
                .flatten(),
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

impl Deref for Parameters {
    type Target = Ring;

    /// A parameter set is a ring with a scale: whatever takes a ring takes it.
    fn deref(&self) -> &Ring {
        &self.0.ring
    }
}

impl PartialEq for Parameters {
    /// Two sets are the same when their ciphertexts and keys are interchangeable.
    fn eq(&self, other: &Self) -> bool {
        self.0.ring == other.0.ring
    }
}

impl Eq for Parameters {}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parameters")
            .field("literal", &self.0.literal)
            .field("ring", &self.0.ring)
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
        )?;
        match self.kind() {
            RingKind::Standard => Ok(()),
            kind => write!(f, ", {kind} ring"),
        }
    }
}

/// The embedding of a conjugate-invariant ring is that of the standard ring of degree 2N.
fn check_embedding(literal: &ParametersLiteral) -> Result<(), RingError> {
    let log_degree = literal.kind.log_order(literal.log_n) - 1;
    match log_degree <= MAX_LOG_N {
        true => Ok(()),
        false => Err(RingError::Range {
            name: literal.name.clone(),
            what: "log_n",
            given: literal.log_n.to_string(),
            allowed: format!("up to {} in a {} ring", MAX_LOG_N - 1, literal.kind),
        }),
    }
}

fn check_scale(literal: &ParametersLiteral) -> Result<(), RingError> {
    let scales = 1..=literal.q_bits[0] - HEADROOM_BITS;
    match scales.contains(&literal.log_scale) {
        true => Ok(()),
        false => Err(RingError::Range {
            name: literal.name.clone(),
            what: "log_scale",
            given: literal.log_scale.to_string(),
            allowed: format!("{} to {}", scales.start(), scales.end()),
        }),
    }
}
