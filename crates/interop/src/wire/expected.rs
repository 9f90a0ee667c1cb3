//! What a key holder expects of a server.
//!
//! ```text
//! 16 identity · 32 program · 4 queries · 4 inputs · 32 each · 4 results · each 1 parts · 2 level
//! · 8 scale · 8 max · 8 rms · 8 noise · 8 peak · at the end 32 code
//! ```
//! The code is the secret key's: a changed record is refused when something is shared against it.

use super::error::{field, WireError};
use super::frame::{file_len, Frame, Reader, Writer};
use super::kind::Kind;
use ringwright_ir::he::SecretId;
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{Expected, ExpectedParts, Parameters};
use std::io::Write;

const DIGEST: usize = 32;
const TYPE: usize = 1 + 2 + 5 * 8;

/// Bytes of a record's file.
pub fn expected_len(expected: &Expected) -> u64 {
    file_len(payload_len(expected))
}

fn payload_len(expected: &Expected) -> u64 {
    let parts = expected.parts();
    let lists = DIGEST * parts.inputs.len() + TYPE * parts.results.len();
    (16 + DIGEST + 4 + 4 + 4 + lists + DIGEST) as u64
}

/// Writes a record.
///
/// # Errors
/// Only those of `out`.
pub fn write_expected(expected: &Expected, out: &mut impl Write) -> Result<(), WireError> {
    let (id, len) = (expected.parameters().id(), payload_len(expected));
    let parts = expected.parts();
    let mut writer = Writer::begin(out, Kind::Expected, &id, len)?;
    writer.bytes(&parts.identity.bytes())?;
    writer.bytes(&parts.program)?;
    writer.bytes(&parts.queries.to_le_bytes())?;
    // One each per argument and result of a program: few.
    writer.bytes(&(parts.inputs.len() as u32).to_le_bytes())?;
    parts
        .inputs
        .iter()
        .try_for_each(|input| writer.bytes(input))?;
    writer.bytes(&(parts.results.len() as u32).to_le_bytes())?;
    for ty in &parts.results {
        writer.bytes(&[ty.parts])?;
        writer.bytes(&ty.level.to_le_bytes())?;
        for number in [ty.scale, ty.max, ty.rms, ty.noise, ty.peak] {
            writer.bytes(&number.to_le_bytes())?;
        }
    }
    writer.bytes(expected.code())?;
    writer.finish()
}

/// Reads a record that was made under these parameters. Whether the key holder made it shows when
/// something is shared.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_expected(bytes: &[u8], parameters: &Parameters) -> Result<Expected, WireError> {
    let frame = Frame::under(bytes, Kind::Expected, parameters)?;
    if !frame.has_identity() {
        return field("version of a record", 1, 2);
    }
    let (identity, mut reader) = frame.owned()?;
    let (program, queries) = (reader.array()?, reader.u32()?);
    let inputs = list(&mut reader, DIGEST, Reader::array)?;
    let results = list(&mut reader, TYPE, read_type)?;
    let code = reader.array()?;
    reader.expect_left(0)?;
    let parts = ExpectedParts {
        identity,
        program,
        inputs,
        results,
        queries,
    };
    Ok(Expected::from_parts(parameters, parts, code))
}

/// A count and so many items of `size` bytes.
fn list<'b, T>(
    reader: &mut Reader<'b>,
    size: usize,
    item: impl Fn(&mut Reader<'b>) -> Result<T, WireError>,
) -> Result<Vec<T>, WireError> {
    let count = reader.u32()? as usize;
    // Asked before anything of that size is allocated.
    let mut items = Reader::of(reader.bytes(count.saturating_mul(size))?);
    (0..count).map(|_| item(&mut items)).collect()
}

fn read_type(reader: &mut Reader<'_>) -> Result<Estimate, WireError> {
    let (parts, level) = (reader.u8()?, reader.u16()?);
    let mut numbers = [0.0; 5];
    for number in &mut numbers {
        *number = reader.f64()?;
    }
    let [scale, max, rms, noise, peak] = numbers;
    Ok(Estimate {
        parts,
        level,
        secret: SecretId::MAIN,
        scale,
        max,
        rms,
        noise,
        peak,
    })
}
