//! Parameters for a depth: the smallest ring that carries it, held to every security table there is.
//!
//! The first prime holds the scale, the integer part of the values, and a sign. Every level has a
//! prime four bits longer than the scale, as the presets have: intervals of functions up to 16 times
//! wider than \[-1, 1\] then take no level of their own; longer where a large ring has too few primes
//! as short as that. One special prime as long as the longest.
//!
//! Where results are to be shared, the scale grows until the flood has room in what `depth` squarings of
//! values up to 1 leave: their noise doubles each time. Values and flood together may be longer than a
//! prime; then the first prime has a second one beside it, which no multiplication is meant to use up.

use super::{
    Error, Flooding, ParameterError, Parameters, ParametersLiteral, ProgramBuilder, Sharing,
};
use crate::rlwe::{RingError, RingKind, LOG_N, PRIME_BITS};
use crate::security::{self, Secret, LEVELS};
use ringwright_arith::primes;

/// Bits of a level's prime beyond the scale.
const PRIME_HEADROOM: u32 = 4;
/// Bits of the first prime beyond scale and integer part: the sign, and room to round.
const FIRST_HEADROOM: u32 = 2;
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
    /// Bits of security: 128, 192 or 256, by every table with a row for the ring.
    pub security: u32,
    /// How fine numbers are.
    pub fineness: Fineness,
    /// Slot values of the results stay below 2^this.
    pub integer_bits: u32,
    /// Slots that are needed.
    pub slots: usize,
    /// What results are shared with, if they are.
    pub share: Option<Sharing>,
}

impl Parameters {
    /// The smallest parameters that carry a depth.
    ///
    /// # Errors
    /// A security that no table has, a scale that no prime holds, or a depth beyond the tables, naming
    /// the largest that there is.
    pub fn for_depth(request: DepthRequest) -> Result<Self, ParameterError> {
        check(&request)?;
        for row in rows(request.security) {
            let enough = 1usize << (row.log_n - 1) >= request.slots;
            if row.log_n < SMALLEST_LOG_N || !enough {
                continue;
            }
            if let Some(found) = smallest(&request, row)? {
                return Ok(found);
            }
        }
        Err(beyond_the_tables(&request)?)
    }
}

/// The shortest primes of a ring that do, if it carries them.
fn smallest(request: &DepthRequest, row: Row) -> Result<Option<Parameters>, ParameterError> {
    let mut request = *request;
    loop {
        let Ok(lengths) = shortest(&request, row.log_n)?.within(row, request.depth) else {
            return Ok(None);
        };
        let found = Parameters::new(lengths.literal(row.log_n, request.depth))?;
        if has_room_to_share(&found, &request)? {
            return Ok(Some(found));
        }
        // Bit by bit: at short scales noise is out of proportion to what it is at long ones.
        request.fineness = Fineness::LogScale(lengths.log_scale + 1);
    }
}

/// Whether results may be shared as asked, if that was.
fn has_room_to_share(
    parameters: &Parameters,
    request: &DepthRequest,
) -> Result<bool, ParameterError> {
    let Some(sharing) = request.share else {
        return Ok(true);
    };
    let of_chain = || {
        let mut builder = ProgramBuilder::new(parameters, "squares");
        let mut value = builder.input("x", parameters.fresh(1.0, 1.0))?;
        for _ in 0..request.depth {
            value = builder.mul_rescale(value, value)?;
        }
        Flooding::size(parameters, builder.ty(value)?, sharing)
    };
    match of_chain() {
        Ok(_) => Ok(true),
        Err(Error::NoRoomToShare { .. } | Error::NoPrecision { .. }) => Ok(false),
        Err(Error::Parameters(error)) => Err(error),
        Err(error) => Err(ParameterError::Sharing {
            reason: error.to_string(),
        }),
    }
}

/// A ring degree with the modulus that every table allows.
#[derive(Clone, Copy)]
struct Row {
    log_n: u32,
    most: usize,
}

/// The rows of a level, smallest ring first.
fn rows(security: u32) -> Vec<Row> {
    let row = |log_n| {
        let most = security::strictest(Secret::Ternary, security, log_n)? as usize;
        Some(Row { log_n, most })
    };
    LOG_N.filter_map(row).collect()
}

/// Lengths of primes.
#[derive(Clone, Copy)]
struct Lengths {
    log_scale: u32,
    first: u32,
    /// Beside the first, where that is not long enough; else 0.
    second: u32,
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
        levels.saturating_add((self.first + self.second + self.special()) as usize)
    }

    /// The same with levels as long as there are primes for, if the row carries them; else
    /// what it would take.
    fn within(self, row: Row, depth: usize) -> Result<Self, usize> {
        for level in self.level..=*PRIME_BITS.end() {
            let lengths = Self { level, ..self };
            if lengths.log_qp(depth) > row.most {
                return Err(lengths.log_qp(depth));
            }
            if lengths.exist(row.log_n, depth) {
                return Ok(lengths);
            }
        }
        Err(self.log_qp(depth))
    }

    /// Whether there are so many primes.
    fn exist(self, log_n: u32, depth: usize) -> bool {
        let mut all = self.of_ciphertexts(depth);
        all.push(self.special());
        all.iter().all(|bits| {
            let count = all.iter().filter(|each| *each == bits).count();
            primes::ntt_primes(*bits, log_n, count).is_ok()
        })
    }

    fn of_ciphertexts(self, depth: usize) -> Vec<u32> {
        let mut bits = vec![self.first];
        bits.extend((self.second > 0).then_some(self.second));
        bits.resize(bits.len() + depth, self.level);
        bits
    }

    fn literal(self, log_n: u32, depth: usize) -> ParametersLiteral {
        let q_bits = self.of_ciphertexts(depth);
        ParametersLiteral {
            name: format!("{}-depth{depth}-scale{}", 1u32 << log_n, self.log_scale),
            kind: RingKind::Standard,
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
    // With a second prime the first need not hold the integer part, and levels do with less beyond the
    // longest scales.
    let room = match request.share {
        Some(_) => FIRST_HEADROOM,
        None => PRIME_HEADROOM.max(integer_bits + FIRST_HEADROOM),
    };
    let largest = PRIME_BITS.end() - room;
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
    let bottom = (log_scale + integer_bits + FIRST_HEADROOM).max(*PRIME_BITS.start());
    let first = bottom.min(*PRIME_BITS.end());
    let second = match bottom - first {
        0 => 0,
        rest => rest.max(*PRIME_BITS.start()),
    };
    Ok(Lengths {
        log_scale,
        first,
        second,
        level: (log_scale + PRIME_HEADROOM).min(*PRIME_BITS.end()),
    })
}

/// log2 of the slot error of a fresh encryption at scale 1, rounded up: √(σ²·4N/3)·√(N/2) with
/// σ² = 21/2 is √7·N.
fn log_noise(log_n: u32) -> u32 {
    log_n + 7f64.sqrt().log2().ceil() as u32
}

fn check(request: &DepthRequest) -> Result<(), ParameterError> {
    if !LEVELS.contains(&request.security) {
        let allowed = "128, 192 or 256".to_string();
        return Err(range("security", request.security, allowed));
    }
    let largest = 1usize << (largest(request.security)?.log_n - 1);
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

/// The row of the largest ring.
fn largest(security: u32) -> Result<Row, ParameterError> {
    let last = rows(security).pop();
    last.ok_or_else(|| range("security", security, "a level with a row".to_string()))
}

fn range(what: &'static str, given: impl ToString, allowed: String) -> ParameterError {
    ParameterError::Ring(RingError::Range {
        name: "for_depth".to_string(),
        what,
        given: given.to_string(),
        allowed,
    })
}

fn beyond_the_tables(request: &DepthRequest) -> Result<ParameterError, ParameterError> {
    let row = largest(request.security)?;
    let shortest = shortest(request, row.log_n)?;
    let log_qp = shortest.within(row, request.depth).err();
    let most = row.most / shortest.level as usize;
    let carried = |depth: &usize| shortest.within(row, *depth).is_ok();
    let largest = (0..most.min(request.depth)).rev().find(carried);
    Ok(ParameterError::BeyondTable {
        asked: request.depth,
        log_qp: log_qp.unwrap_or_default(),
        security: request.security,
        limit: row.most,
        n: 1 << row.log_n,
        largest: largest.unwrap_or(0),
    })
}
