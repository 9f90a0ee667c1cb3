//! Parameters for a depth: the smallest ring of the 128-bit table that carries it.
//!
//! The first prime holds the scale, the integer part of the values, and a sign. Every level has a
//! prime four bits longer than the scale, as the presets have: intervals of functions up to 16 times
//! wider than \[-1, 1\] then take no level of their own. One special prime as long as the longest.

use super::parameters::PRIME_BITS;
use super::{ParameterError, Parameters, ParametersLiteral};
use crate::security;

/// Bits of a level's prime beyond the scale.
const PRIME_HEADROOM: u32 = 4;
/// Bits of the first prime beyond scale and integer part: the sign, and room to round.
const FIRST_HEADROOM: u32 = 2;
/// The security there is a table for.
const SECURITY: u32 = 128;
/// Smallest ring degree with room for a level, a first and a special prime.
const SMALLEST_LOG_N: u32 = 11;

/// How fine numbers are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fineness {
    /// log2 of the scale.
    LogScale(u32),
    /// Bits after the binary point that a fresh encryption keeps (root mean square).
    Precision(u32),
}

/// What parameters are to carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthRequest {
    /// Multiplications one after another, at least 1.
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
    /// A depth of 0, another security than 128, a scale that no prime holds, or a depth beyond the
    /// table, naming the largest that there is.
    pub fn for_depth(request: DepthRequest) -> Result<Self, ParameterError> {
        check(&request)?;
        for limit in security::LIMITS {
            let enough = 1usize << (limit.log_n - 1) >= request.slots;
            if limit.log_n < SMALLEST_LOG_N || !enough {
                continue;
            }
            let literal = literal(&request, request.depth, limit.log_n)?;
            if bits(&literal) <= limit.max_log_qp {
                return Self::new(literal);
            }
        }
        Err(beyond_the_table(&request))
    }
}

fn literal(
    request: &DepthRequest,
    depth: usize,
    log_n: u32,
) -> Result<ParametersLiteral, ParameterError> {
    let log_scale = match request.fineness {
        Fineness::LogScale(bits) => bits,
        Fineness::Precision(bits) => bits.saturating_add(log_noise(log_n)),
    };
    let smallest = *PRIME_BITS.start() - PRIME_HEADROOM;
    let largest = PRIME_BITS.end() - PRIME_HEADROOM.max(request.integer_bits + FIRST_HEADROOM);
    if !(smallest..=largest).contains(&log_scale) {
        let allowed = format!(
            "{smallest} to {largest} with {} integer bits",
            request.integer_bits
        );
        return Err(range("log_scale", log_scale, allowed));
    }
    let first = (log_scale + request.integer_bits + FIRST_HEADROOM).max(*PRIME_BITS.start());
    let level = log_scale + PRIME_HEADROOM;
    let mut q_bits = vec![first];
    q_bits.resize(depth + 1, level);
    Ok(ParametersLiteral {
        name: format!("{}-depth{depth}-scale{log_scale}", 1u32 << log_n),
        log_n,
        q_bits,
        p_bits: vec![first.max(level)],
        digit: 1,
        log_scale,
        insecure: false,
    })
}

/// log2 of the slot error of a fresh encryption at scale 1, rounded up: √(σ²·4N/3)·√(N/2) with
/// σ² = 21/2 is √7·N.
fn log_noise(log_n: u32) -> u32 {
    log_n + 7f64.sqrt().log2().ceil() as u32
}

fn bits(literal: &ParametersLiteral) -> u32 {
    literal.q_bits.iter().chain(&literal.p_bits).sum()
}

fn check(request: &DepthRequest) -> Result<(), ParameterError> {
    let largest = 1usize << (largest_log_n() - 1);
    if request.security != SECURITY {
        return Err(range("security", request.security, SECURITY.to_string()));
    }
    if request.depth == 0 {
        return Err(range("depth", 0, "at least 1".to_string()));
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

fn beyond_the_table(request: &DepthRequest) -> ParameterError {
    let limit = security::LIMITS[security::LIMITS.len() - 1];
    let carried = |depth: &usize| {
        literal(request, *depth, limit.log_n).is_ok_and(|l| bits(&l) <= limit.max_log_qp)
    };
    let largest = (1..request.depth).take_while(carried).last().unwrap_or(0);
    let needed = literal(request, request.depth, limit.log_n).map_or(0, |l| bits(&l));
    ParameterError::BeyondTable {
        asked: request.depth,
        log_qp: needed,
        limit: limit.max_log_qp,
        n: 1 << limit.log_n,
        source_text: limit.source,
        largest,
    }
}
