//! Ciphertexts.

use super::archive::{half, word};
use super::towers::{find, Polys};
use super::LIBRARY;
use crate::foreign::{Declared, ForeignError};
use ringwright_schemes::ckks::{Ciphertext, Parameters};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Polynomials a ciphertext may have.
const PARTS: RangeInclusive<usize> = 2..=3;
/// Bytes after the last tower's own fields.
const TAIL: usize = 48;
/// Offsets in the tail.
const SLOTS: usize = 0;
const LEVEL: usize = 4;
const DEGREE: usize = 12;
const SCALE: usize = 16;
const ENCODING: usize = 32;
const METADATA: usize = 40;
/// `CKKS_PACKED_ENCODING`.
const CKKS: u32 = 4;

/// Reads a ciphertext that was made under these parameters. Bounds and noise are `declared`:
/// OpenFHE's are not in the object.
///
/// # Errors
/// No towers, or others than the parameters'; another encoding; metadata; words that are not reduced.
pub fn read_ciphertext(
    bytes: &[u8],
    parameters: &Parameters,
    declared: &Declared,
) -> Result<Ciphertext, ForeignError> {
    let (polys, level) = open(bytes, parameters)?;
    let tail = Tail::read(bytes)?;
    let dropped = parameters.levels() - level;
    if tail.level as usize != dropped {
        let allowed = format!("{dropped}: {level} towers of {}", parameters.levels());
        return LIBRARY.field("level", tail.level, allowed);
    }
    let slots = tail.slots as usize;
    if !slots.is_power_of_two() || slots > parameters.slots() {
        let allowed = format!("a power of two to {}", parameters.slots());
        return LIBRARY.field("slots", slots, allowed);
    }
    let parts = (0..polys.len()).map(|index| polys.read(index).map(Arc::new));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let ty = declared.ty(parameters, parts.len() as u8, level as u16, tail.scale);
    Ciphertext::new(parameters, parts, &ty).map_err(|reason| LIBRARY.refused(reason))
}

/// Writes a ciphertext in the place of another, `template`, with as many parts and towers. Its scale
/// is written, and how many times the default one it is a product of (OpenFHE's noise degree).
///
/// # Errors
/// A template that is no ciphertext of these parameters, or has another shape.
pub fn write_ciphertext(ciphertext: &Ciphertext, template: &[u8]) -> Result<Vec<u8>, ForeignError> {
    let parameters = ciphertext.parameters();
    let (polys, level) = open(template, parameters)?;
    if level != ciphertext.level() {
        return LIBRARY.field("towers of the template", level, ciphertext.level());
    }
    let polys = polys.expect("parts of the template", ciphertext.parts().len())?;
    Tail::read(template)?;
    let mut out = polys.replaced(ciphertext.parts().iter().map(Arc::as_ref));
    let tail = out.len() - TAIL;
    out[tail + DEGREE..][..4].copy_from_slice(&noise_degree(ciphertext).to_le_bytes());
    out[tail + SCALE..][..8].copy_from_slice(&ciphertext.scale().to_le_bytes());
    Ok(out)
}

/// How many times the default scale its scale is a product of.
pub(super) fn noise_degree(ciphertext: &Ciphertext) -> u32 {
    let factors = ciphertext.scale().log2() / ciphertext.parameters().scale().log2();
    factors.round().max(1.0) as u32
}

/// The polynomials of a ciphertext, and its number of towers.
fn open<'b>(bytes: &'b [u8], parameters: &Parameters) -> Result<(Polys<'b>, usize), ForeignError> {
    super::opening::check(bytes)?;
    // Polynomials begin with the first prime, so its second place says how many towers there are.
    let towers = find(bytes, Some(parameters.n()));
    let first = parameters.q()[0];
    let mut begins = towers.iter().skip(1).take(parameters.levels());
    let level = begins.position(|tower| tower.prime == first);
    let level = level.map_or(parameters.levels(), |others| others + 1);
    let primes = &parameters.q()[..level];
    let polys = Polys::open(bytes, "ciphertext", parameters, primes)?;
    match PARTS.contains(&polys.len()) {
        true => Ok((polys.ends_with("ciphertext", TAIL)?, level)),
        false => LIBRARY.field("parts", polys.len(), "2 or 3"),
    }
}

struct Tail {
    slots: u32,
    level: u32,
    scale: f64,
}

impl Tail {
    /// Of an object that was found to have one.
    fn read(bytes: &[u8]) -> Result<Self, ForeignError> {
        let at = bytes.len() - TAIL;
        // Both are inside: the tail is that long.
        let (half, word) = (
            |offset| half(bytes, at + offset).unwrap_or(0),
            |offset| word(bytes, at + offset).unwrap_or(0),
        );
        if half(ENCODING) != CKKS {
            return LIBRARY.field("encoding", half(ENCODING), "4, packed CKKS");
        }
        if word(METADATA) != 0 {
            return LIBRARY.field("metadata", word(METADATA), "0 entries");
        }
        Ok(Self {
            slots: half(SLOTS),
            level: half(LEVEL),
            scale: f64::from_bits(word(SCALE)),
        })
    }
}
