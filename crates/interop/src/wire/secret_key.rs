//! The secret key, in the clear: two bits per coefficient, coefficient + 1.
//!
//! Nothing in this file depends on a coefficient but its bytes: no table, no branch, and an error
//! does not say where.

use super::error::{field, WireError};
use super::frame::{file_len, Frame, Kind, Writer};
use ringwright_schemes::ckks::{KeyGenerator, Parameters, SecretKey};
use zeroize::Zeroizing;

/// Coefficients in a byte.
const PER_BYTE: usize = 4;

/// Bytes of a secret key's file.
pub fn secret_key_len(parameters: &Parameters) -> u64 {
    file_len((parameters.n() / PER_BYTE) as u64)
}

/// **Secret.** The bytes of a secret key, for a file that only its owner can read
/// ([`crate::storage::Access::Owner`]). They are overwritten when dropped.
pub fn expose_secret_key(key: &SecretKey) -> Zeroizing<Vec<u8>> {
    expose_ternary(key.parameters(), key.ternary())
}

/// Reads a secret key that was made under `parameters`, which are the generator's.
///
/// # Errors
/// Anything that [`WireError`] lists; no coefficient is named.
pub fn read_secret_key(
    bytes: &[u8],
    parameters: &Parameters,
    generator: &KeyGenerator,
) -> Result<SecretKey, WireError> {
    Ok(generator.secret_from_ternary(&read_ternary(bytes, parameters)?)?)
}

pub(super) fn expose_ternary(parameters: &Parameters, ternary: &[i8]) -> Zeroizing<Vec<u8>> {
    let mut packed = Zeroizing::new(Vec::with_capacity(ternary.len() / PER_BYTE));
    packed.extend(ternary.chunks(PER_BYTE).map(|four| {
        four.iter()
            .rev()
            .fold(0, |byte, coefficient| byte << 2 | (coefficient + 1) as u8)
    }));
    // The full capacity at once: a vector that grows leaves copies behind.
    let whole = secret_key_len(parameters) as usize;
    let mut bytes = Zeroizing::new(Vec::with_capacity(whole));
    write_packed(parameters, &packed, &mut bytes).expect("a vector takes every byte");
    bytes
}

fn write_packed(
    parameters: &Parameters,
    packed: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), WireError> {
    let (id, payload) = (parameters.id(), packed.len() as u64);
    let mut writer = Writer::begin(out, Kind::SecretKey, &id, payload)?;
    writer.bytes(packed)?;
    writer.finish()
}

pub(super) fn read_ternary(
    bytes: &[u8],
    parameters: &Parameters,
) -> Result<Zeroizing<Vec<i8>>, WireError> {
    let frame = Frame::under(bytes, Kind::SecretKey, parameters)?;
    frame
        .reader()
        .expect_left((parameters.n() / PER_BYTE) as u64)?;
    let mut ternary = Zeroizing::new(Vec::with_capacity(parameters.n()));
    let pairs = frame
        .payload
        .iter()
        .flat_map(|byte| [0, 2, 4, 6].map(|at| byte >> at & 3));
    ternary.extend(pairs.map(|pair| pair as i8 - 1));
    let out_of_range = ternary.iter().fold(0, |seen, coefficient| {
        seen | (coefficient & 2) & !(coefficient >> 7)
    });
    match out_of_range {
        0 => Ok(ternary),
        _ => field("a coefficient of the secret", "2", "-1, 0 or 1"),
    }
}
