//! Parameter sets: the literal, and the primes that were found for it.
//!
//! ```text
//! 1 bytes of name · name (UTF-8) · 1 log2 N · 1 ciphertext primes · 1 bits of each
//! 1 special primes · 1 bits of each · 1 digit · 1 log2 scale · 1 security
//! 8 per prime, ciphertext primes first · from version 4 on 1 kind of ring
//! ```
//! Kind of ring: 1 for the conjugate-invariant one. Parameters of a standard ring are of version 3.
//! Security: bit 0 for primes beyond the gate's table, bit 1 where the special primes are not known.
//! The primes may be another library's ([`Parameters::from_primes`]): a reader checks that they are
//! primes of these lengths and searches for none.

use super::error::{field, WireError};
use super::frame::{file_len, Frame, Reader, Writer};
use super::kind::Kind;
use ringwright_schemes::ckks::{GivenPrimes, Parameters, ParametersLiteral};
use ringwright_schemes::rlwe::RingKind;
use ringwright_schemes::security::{Insecure, Security};
use std::io::Write;

/// Most primes in a file: 2^17 with 44-bit primes carries 80 within the 128-bit table.
const MAX_PRIMES: usize = 128;
/// Most bytes of a name.
const MAX_NAME: usize = 64;

/// Writes parameters.
///
/// # Errors
/// A name that is empty, longer than 64 bytes or has control characters; more than 128 primes;
/// those of `out`.
pub fn write_parameters(parameters: &Parameters, out: &mut impl Write) -> Result<(), WireError> {
    let literal = parameters.literal();
    check_name(&literal.name)?;
    check_count(literal.q_bits.len() + literal.p_bits.len())?;
    let primes = parameters.primes();
    // Every number was checked to fit a byte: bits, levels and digit are at most 64.
    let bytes_of = |bits: &[u32]| bits.iter().map(|bits| *bits as u8).collect::<Vec<_>>();
    let mut payload = vec![literal.name.len() as u8];
    payload.extend_from_slice(literal.name.as_bytes());
    payload.push(literal.log_n as u8);
    for bits in [&literal.q_bits, &literal.p_bits] {
        payload.push(bits.len() as u8);
        payload.extend(bytes_of(bits));
    }
    payload.extend([literal.digit as u8, literal.log_scale as u8]);
    payload.push(standing(&parameters.security()));
    payload.extend(primes.iter().flat_map(|prime| prime.to_le_bytes()));
    payload.extend(kind_number(parameters.kind()));
    let mut writer = Writer::begin_parameters(out, parameters, payload.len() as u64)?;
    writer.bytes(&payload)?;
    writer.finish()
}

/// Reads parameters. Those beyond the security table are refused without `insecure`, whatever the
/// file says.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_parameters(bytes: &[u8], insecure: Option<Insecure>) -> Result<Parameters, WireError> {
    let frame = Frame::of_kind(bytes, Kind::Parameters)?;
    let mut reader = frame.reader();
    let (literal, said) = read_literal(&mut reader)?;
    let primes = literal.q_bits.len() + literal.p_bits.len();
    reader.expect_left(8 * primes as u64 + u64::from(frame.has_ring_kind()))?;
    let q = read_primes(&mut reader, &literal.q_bits)?;
    let p = read_primes(&mut reader, &literal.p_bits)?;
    let kind = match frame.has_ring_kind() {
        true => read_kind(&mut reader)?,
        false => RingKind::Standard,
    };
    let known = said & NOT_KNOWN == 0 || !p.is_empty();
    let parameters = Parameters::from_primes(GivenPrimes {
        q,
        p: known.then_some(p),
        name: literal.name,
        kind,
        log_n: literal.log_n,
        digit: literal.digit,
        log_scale: literal.log_scale,
        insecure: literal.insecure && insecure.is_some(),
    })?;
    let standing = standing(&parameters.security());
    if standing != said {
        return field("security", said, format!("{standing} for these primes"));
    }
    frame.check_id(&parameters)?;
    Ok(parameters)
}

const CONJUGATE_INVARIANT: u8 = 1;

const BEYOND: u8 = 1;
const NOT_KNOWN: u8 = 2;

/// How the set stands to the security table, as a file has it.
fn standing(security: &Security) -> u8 {
    let beyond = BEYOND * u8::from(security.is_beyond());
    beyond | (NOT_KNOWN * u8::from(!security.is_complete()))
}

/// The literal, and how the file says that it stands to the table.
fn read_literal(reader: &mut Reader<'_>) -> Result<(ParametersLiteral, u8), WireError> {
    let length = usize::from(reader.u8()?);
    let Ok(name) = std::str::from_utf8(reader.bytes(length)?) else {
        return field("name", "not UTF-8", NAME_ALLOWED);
    };
    check_name(name)?;
    let log_n = u32::from(reader.u8()?);
    let [q_bits, p_bits] = [read_bits(reader)?, read_bits(reader)?];
    check_count(q_bits.len() + p_bits.len())?;
    let [digit, log_scale, said] = [reader.u8()?, reader.u8()?, reader.u8()?];
    if said > BEYOND | NOT_KNOWN {
        return field("security", said, "0 to 3");
    }
    let literal = ParametersLiteral {
        name: name.to_string(),
        kind: RingKind::Standard,
        log_n,
        q_bits,
        p_bits,
        digit: usize::from(digit),
        log_scale: u32::from(log_scale),
        insecure: said & BEYOND != 0,
    };
    Ok((literal, said))
}

/// The byte of a kind, where it has one.
fn kind_number(kind: RingKind) -> Option<u8> {
    match kind {
        RingKind::Standard => None,
        RingKind::ConjugateInvariant => Some(CONJUGATE_INVARIANT),
    }
}

fn read_kind(reader: &mut Reader<'_>) -> Result<RingKind, WireError> {
    match reader.u8()? {
        CONJUGATE_INVARIANT => Ok(RingKind::ConjugateInvariant),
        other => field("kind of ring", other, "1, conjugate-invariant"),
    }
}

fn read_primes(reader: &mut Reader<'_>, bits: &[u32]) -> Result<Vec<u64>, WireError> {
    let prime = |bits: &u32| match reader.u64()? {
        prime if u64::BITS - prime.leading_zeros() == *bits => Ok(prime),
        other => field("prime", other, format!("{bits} bits")),
    };
    bits.iter().map(prime).collect()
}

fn read_bits(reader: &mut Reader<'_>) -> Result<Vec<u32>, WireError> {
    let count = usize::from(reader.u8()?);
    Ok(reader
        .bytes(count)?
        .iter()
        .map(|bits| u32::from(*bits))
        .collect())
}

const NAME_ALLOWED: &str = "1 to 64 bytes of UTF-8 without control characters";

fn check_name(name: &str) -> Result<(), WireError> {
    match (1..=MAX_NAME).contains(&name.len()) && !name.contains(char::is_control) {
        true => Ok(()),
        false => field("name", format!("{name:?}"), NAME_ALLOWED),
    }
}

fn check_count(primes: usize) -> Result<(), WireError> {
    match primes <= MAX_PRIMES {
        true => Ok(()),
        false => field("number of primes", primes, format!("1 to {MAX_PRIMES}")),
    }
}

/// Bytes of a file of parameters.
pub fn parameters_len(parameters: &Parameters) -> u64 {
    let primes = parameters.primes().len();
    let kind = kind_number(parameters.kind()).iter().len();
    let fields = 1 + parameters.name().len() + 1 + 1 + 1 + primes + 1 + 1 + 1 + kind;
    file_len((fields + 8 * primes) as u64)
}
