//! Parameters for a depth: the smallest ring of the 128-bit table that carries it.
//!
//! The first prime holds the scale, the integer part of the values, and a sign. Every level has a
//! prime four bits longer than the scale, as the presets have: intervals of functions up to 16 times
//! wider than \[-1, 1\] then take no level of their own; longer where a large ring has too few primes
//! as short as that. One special prime as long as the longest.

use super::parameters::PRIME_BITS;
use super::{ParameterError, Parameters, ParametersLiteral};
use crate::security::{self, Limit};
use ringwright_arith::primes;

/// Bits of a level's prime beyond the scale.
const PRIME_HEADROOM: u32 = 4;
/// Bits of the first prime beyond scale and integer part: the sign, and room to round.
const FIRST_HEADROOM: u32 = 2;
/// The security there is a table for.
const SECURITY: u32 = 128;
/// Smallest ring degree with room for a first and a special prime.
const SMALLEST_LOG_N: u32 = 11;
/// The shortest scale: the shortest prime is for a level of it.
const SMALLEST_SCALE: u32 = *PRIME_BITS.start() - PRIME_HEADROOM;

/// How fine numbers are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fineness {
    /// log2 of the scale.
    LogScale(u32),
    /// Bits after the binary point that a fresh encryption keeps at least (root mean square).
    Precision(u32),
}

/// What parameters are to carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthRequest {
    /// Multiplications one after another; with 0, sums and rotations remain.
    pub depth: usize,
    /// Bits of security; 128.
    pub security: u32,
    /// How fine numbers are.
    pub fineness: Fineness,
    /// Slot values of the results stay below 2^this.
    pub integer_bits: u32,
    /// Slots that are needed.
    pub slots: usize,
}

impl Parameters {
    /// The smallest parameters that carry a depth.
    ///
    /// # Errors
    /// Another security than 128, a scale that no prime holds, or a depth beyond the table, naming
    /// the largest that there is.
    pub fn for_depth(request: DepthRequest) -> Result<Self, ParameterError> {
        check(&request)?;
        for limit in security::LIMITS {
            let enough = 1usize << (limit.log_n - 1) >= request.slots;
            if limit.log_n < SMALLEST_LOG_N || !enough {
                continue;
            }
            let shortest = shortest(&request, limit.log_n)?;
            if let Ok(found) = shortest.within(limit, request.depth) {
                return Self::new(found.literal(limit.log_n, request.depth));
            }
        }
        Err(beyond_the_table(&request)?)
    }
}

/// Lengths of primes.
#[derive(Clone, Copy)]
struct Lengths {
    log_scale: u32,
    first: u32,
    level: u32,
}

impl Lengths {
    /// Of the special prime.
    fn special(self) -> u32 {
        self.first.max(self.level)
    }

    /// log2 of QP.
    fn log_qp(self, depth: usize) -> usize {
        let levels = depth.saturating_mul(self.level as usize);
        levels.saturating_add((self.first + self.special()) as usize)
    }

    /// The same with levels as long as there are primes for, if the table's row carries them; else
    /// what it would take.
    fn within(self, limit: Limit, depth: usize) -> Result<Self, usize> {
        for level in self.level..=*PRIME_BITS.end() {
            let lengths = Self { level, ..self };
            if lengths.log_qp(depth) > limit.max_log_qp as usize {
                return Err(lengths.log_qp(depth));
            }
            if lengths.exist(limit.log_n, depth) {
                return Ok(lengths);
            }
        }
        Err(self.log_qp(depth))
    }

    /// Whether there are so many primes.
    fn exist(self, log_n: u32, depth: usize) -> bool {
        let mut all = vec![self.level; depth];
        all.extend([self.first, self.special()]);
        [self.first, self.level].iter().all(|&bits| {
            let count = all.iter().filter(|&&each| each == bits).count();
            count == 0 || primes::ntt_primes(bits, log_n, count).is_ok()
        })
    }

    fn literal(self, log_n: u32, depth: usize) -> ParametersLiteral {
        let mut q_bits = vec![self.first];
        q_bits.resize(depth + 1, self.level);
        ParametersLiteral {
            name: format!("{}-depth{depth}-scale{}", 1u32 << log_n, self.log_scale),
            log_n,
            q_bits,
            p_bits: vec![self.special()],
            digit: 1,
            log_scale: self.log_scale,
            insecure: false,
        }
    }
}

/// The shortest primes for the scale that is wanted.
fn shortest(request: &DepthRequest, log_n: u32) -> Result<Lengths, ParameterError> {
    let integer_bits = request.integer_bits;
    let largest = PRIME_BITS.end() - PRIME_HEADROOM.max(integer_bits + FIRST_HEADROOM);
    let refuse = |what, given, smallest, largest: u32, at: &str| {
        let allowed = format!("{smallest} to {largest} with {integer_bits} integer bits{at}");
        Err(range(what, given, allowed))
    };
    let log_scale = match request.fineness {
        Fineness::LogScale(bits) if !(SMALLEST_SCALE..=largest).contains(&bits) => {
            return refuse("log_scale", bits, SMALLEST_SCALE, largest, "");
        }
        Fineness::LogScale(bits) => bits,
        Fineness::Precision(bits) => {
            let finest = largest.saturating_sub(log_noise(log_n));
            if bits > finest {
                let at = format!(" at N = {}", 1u32 << log_n);
                return refuse("precision", bits, 0, finest, &at);
            }
            SMALLEST_SCALE.max(bits + log_noise(log_n))
        }
    };
    Ok(Lengths {
        log_scale,
        first: (log_scale + integer_bits + FIRST_HEADROOM).max(*PRIME_BITS.start()),
        level: log_scale + PRIME_HEADROOM,
    })
}

/// log2 of the slot error of a fresh encryption at scale 1, rounded up: √(σ²·4N/3)·√(N/2) with
/// σ² = 21/2 is √7·N.
fn log_noise(log_n: u32) -> u32 {
    log_n + 7f64.sqrt().log2().ceil() as u32
}

fn check(request: &DepthRequest) -> Result<(), ParameterError> {
    let largest = 1usize << (largest_log_n() - 1);
    if request.security != SECURITY {
        return Err(range("security", request.security, SECURITY.to_string()));
    }
    if !(1..=largest).contains(&request.slots) {
        return Err(range("slots", request.slots, format!("1 to {largest}")));
    }
    let most = PRIME_BITS.end() - PRIME_BITS.start();
    if request.integer_bits > most {
        let allowed = format!("0 to {most}");
        return Err(range("integer_bits", request.integer_bits, allowed));
    }
    Ok(())
}

fn largest_log_n() -> u32 {
    security::LIMITS[security::LIMITS.len() - 1].log_n
}

fn range(what: &'static str, given: impl ToString, allowed: String) -> ParameterError {
    ParameterError::Range {
        name: "for_depth".to_string(),
        what,
        given: given.to_string(),
        allowed,
    }
}

fn beyond_the_table(request: &DepthRequest) -> Result<ParameterError, ParameterError> {
    let limit = security::LIMITS[security::LIMITS.len() - 1];
    let shortest = shortest(request, limit.log_n)?;
    let log_qp = shortest.within(limit, request.depth).err();
    let most = limit.max_log_qp as usize / shortest.level as usize;
    let carried = |depth: &usize| shortest.within(limit, *depth).is_ok();
    let largest = (0..most.min(request.depth)).rev().find(carried);
    Ok(ParameterError::BeyondTable {
        asked: request.depth,
        log_qp: log_qp.unwrap_or_default(),
        limit: limit.max_log_qp,
        n: 1 << limit.log_n,
        source_text: limit.source,
        largest: largest.unwrap_or(0),
    })
}
