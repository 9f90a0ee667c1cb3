//! Ciphertexts: type, then every part's towers.
//!
//! ```text
//! 16 identity · 4 numbers · 1 zeros beyond? · 1 second part a seed? · 1 parts · 2 level
//! · 8 scale · 8 max · 8 rms · 8 noise · 8 peak (f64) · parts × level packed towers; with a seed, the
//! first part's towers and 32 seed
//! ```
//! Scale, magnitude and noise are public, see [`ringwright_schemes::ckks::Plaintext`]. Version 1 begins
//! with the parts; version 2 has no seeds, and does not say so.

use super::error::{field, WireError};
use super::frame::{file_len, Frame, Reader, Writer, MASK};
use super::kind::Kind;
use super::packing::poly_len;
use ringwright_ir::he::SecretId;
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{Ciphertext, Length, Parameters};
use ringwright_schemes::rlwe::PublicSeed;
use std::io::Write;
use std::sync::Arc;

const FIELDS: u64 = 16 + 4 + 1 + 1 + 1 + 2 + 5 * 8;

/// Bytes of a ciphertext's file: `level` at most the parameters' levels, 2 or 3 parts; `masked` for one
/// whose second part is a seed.
pub fn ciphertext_len(parameters: &Parameters, parts: usize, level: usize, masked: bool) -> u64 {
    file_len(payload_len(parameters, parts, level, masked))
}

fn payload_len(parameters: &Parameters, parts: usize, level: usize, masked: bool) -> u64 {
    let primes = &parameters.q()[..level.min(parameters.levels())];
    let part = poly_len(parameters.n(), primes);
    FIELDS
        + match masked {
            true => part + MASK,
            false => parts as u64 * part,
        }
}

/// Writes a ciphertext.
///
/// # Errors
/// Only those of `out`.
pub fn write_ciphertext(ciphertext: &Ciphertext, out: &mut impl Write) -> Result<(), WireError> {
    let (parameters, ty) = (ciphertext.parameters(), ciphertext.ty());
    let (parts, mask) = (ciphertext.parts(), ciphertext.mask());
    let payload = payload_len(parameters, parts.len(), ciphertext.level(), mask.is_some());
    let mut writer = Writer::begin(out, Kind::Ciphertext, &parameters.id(), payload)?;
    let length = ciphertext.length();
    writer.bytes(&ciphertext.identity().bytes())?;
    // There are at most 2^16 slots.
    writer.bytes(&(length.numbers as u32).to_le_bytes())?;
    let flags = [length.zeros_beyond, mask.is_some()].map(u8::from);
    writer.bytes(&flags)?;
    writer.bytes(&[ty.parts])?;
    writer.bytes(&ty.level.to_le_bytes())?;
    for number in [ty.scale, ty.max, ty.rms, ty.noise, ty.peak] {
        writer.bytes(&number.to_le_bytes())?;
    }
    let written = if mask.is_some() { 1 } else { parts.len() };
    for part in &parts[..written] {
        writer.poly(part, parameters.q())?;
    }
    if let Some(mask) = mask {
        writer.bytes(&mask.bytes())?;
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
    let masked = frame.has_masks() && reader.flag("second part a seed")?;
    let (parts, level) = (reader.u8()?, reader.u16()?);
    match (masked, parts) {
        (_, 2) | (false, 3) => {}
        (true, _) => return field("parts", parts, "2, of which one is a seed"),
        _ => return field("parts", parts, "2 or 3"),
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
    let ty = Estimate {
        parts,
        level,
        secret: SecretId::MAIN,
        scale,
        max,
        rms,
        noise,
        peak,
    };
    let ciphertext = read_parts(&mut reader, parameters, primes, &ty, masked)?;
    let ciphertext = ciphertext.with_identity(identity);
    match length {
        Some(length) => Ok(ciphertext.with_length(length)?),
        None => Ok(ciphertext),
    }
}

fn read_parts(
    reader: &mut Reader<'_>,
    parameters: &Parameters,
    primes: &[u64],
    ty: &Estimate,
    masked: bool,
) -> Result<Ciphertext, WireError> {
    let (n, part) = (parameters.n(), poly_len(parameters.n(), primes));
    if masked {
        reader.expect_left(part + MASK)?;
        let c0 = Arc::new(reader.poly(n, primes)?);
        let mask = PublicSeed::from_bytes(reader.array()?);
        return Ok(Ciphertext::from_mask(parameters, c0, mask, ty)?);
    }
    reader.expect_left(u64::from(ty.parts) * part)?;
    let polys = (0..ty.parts).map(|_| reader.poly(n, primes).map(Arc::new));
    let polys = polys.collect::<Result<_, _>>()?;
    Ok(Ciphertext::new(parameters, polys, ty)?)
}
