//! Ciphertexts: type, then every part's towers.
//!
//! ```text
//! 16 identity · 4 numbers · 1 zeros beyond? · 1 parts · 2 level
//! · 8 scale · 8 max · 8 rms · 8 noise · 8 peak (f64) · parts × level packed towers
//! ```
//! Scale, magnitude and noise are public, see [`ringwright_schemes::ckks::Plaintext`]. Version 1 begins
//! with the parts.

use super::error::{field, WireError};
use super::frame::{file_len, Frame, Writer};
use super::kind::Kind;
use super::packing::poly_len;
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{Ciphertext, Length, Parameters};
use std::io::Write;
use std::sync::Arc;

const FIELDS: u64 = 16 + 4 + 1 + 1 + 2 + 5 * 8;

/// Bytes of a ciphertext's file: `level` at most the parameters' levels, 2 or 3 parts.
pub fn ciphertext_len(parameters: &Parameters, parts: usize, level: usize) -> u64 {
    file_len(payload_len(parameters, parts, level))
}

fn payload_len(parameters: &Parameters, parts: usize, level: usize) -> u64 {
    let primes = &parameters.q()[..level.min(parameters.levels())];
    FIELDS + parts as u64 * poly_len(parameters.n(), primes)
}

/// Writes a ciphertext.
///
/// # Errors
/// Only those of `out`.
pub fn write_ciphertext(ciphertext: &Ciphertext, out: &mut impl Write) -> Result<(), WireError> {
    let (parameters, ty) = (ciphertext.parameters(), ciphertext.ty());
    let payload = payload_len(parameters, ciphertext.parts().len(), ciphertext.level());
    let mut writer = Writer::begin(out, Kind::Ciphertext, &parameters.id(), payload)?;
    let length = ciphertext.length();
    writer.bytes(&ciphertext.identity().bytes())?;
    // There are at most 2^16 slots.
    writer.bytes(&(length.numbers as u32).to_le_bytes())?;
    writer.bytes(&[u8::from(length.zeros_beyond), ty.parts])?;
    writer.bytes(&ty.level.to_le_bytes())?;
    for number in [ty.scale, ty.max, ty.rms, ty.noise, ty.peak] {
        writer.bytes(&number.to_le_bytes())?;
    }
    for part in ciphertext.parts() {
        writer.poly(part, parameters.q())?;
    }
    writer.finish()
}

/// Reads a ciphertext that was made under these parameters.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_ciphertext(bytes: &[u8], parameters: &Parameters) -> Result<Ciphertext, WireError> {
    let frame = Frame::under(bytes, Kind::Ciphertext, parameters)?;
    let (identity, mut reader) = frame.owned()?;
    let length = match frame.has_identity() {
        true => Some(Length {
            numbers: reader.u32()? as usize,
            zeros_beyond: reader.flag("zeros beyond its length")?,
        }),
        false => None,
    };
    let (parts, level) = (reader.u8()?, reader.u16()?);
    if !(2..=3).contains(&parts) {
        return field("parts", parts, "2 or 3");
    }
    let primes = match usize::from(level) {
        0 => None,
        towers => parameters.q().get(..towers),
    };
    let Some(primes) = primes else {
        return field("level", level, format!("1 to {}", parameters.levels()));
    };
    let mut numbers = [0.0; 5];
    for number in &mut numbers {
        *number = reader.f64()?;
    }
    let [scale, max, rms, noise, peak] = numbers;
    reader.expect_left(u64::from(parts) * poly_len(parameters.n(), primes))?;
    let polys = (0..parts).map(|_| reader.poly(parameters.n(), primes).map(Arc::new));
    let polys = polys.collect::<Result<_, _>>()?;
    let ty = Estimate {
        parts,
        level,
        scale,
        max,
        rms,
        noise,
        peak,
    };
    let ciphertext = Ciphertext::new(parameters, polys, &ty)?.with_identity(identity);
    match length {
        Some(length) => Ok(ciphertext.with_length(length)?),
        None => Ok(ciphertext),
    }
}
