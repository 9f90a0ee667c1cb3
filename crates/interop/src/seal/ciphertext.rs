//! Ciphertexts, and the layout that keys share with them.

use super::header::{Header, Version, HEADER};
use super::parms_id::{self, require_seals};
use super::stream::Stream;
use super::LIBRARY;
use crate::foreign::{Declared, ForeignError};
use ringwright_ring::RnsPoly;
use ringwright_schemes::ckks::{Ciphertext, Parameters};
use std::sync::Arc;

/// Bytes of a body before its words: the fields, and header and length of the array.
const FIELDS: usize = 32 + 1 + 3 * 8 + 8 + 8 + HEADER + 8;

/// Reads a SEAL `Ciphertext` that was made under these parameters. Bounds and noise are `declared`:
/// SEAL keeps neither.
///
/// # Errors
/// Damage, other parameters, coefficient form, a seed in place of the uniform part, words that are
/// not reduced.
pub fn read_ciphertext(
    bytes: &[u8],
    parameters: &Parameters,
    declared: &Declared,
) -> Result<Ciphertext, ForeignError> {
    require_seals(parameters)?;
    let mut stream = Stream::open(bytes, "ciphertext")?;
    let fields = Fields::read(&mut stream, parameters.n())?;
    if !(2..=3).contains(&fields.parts) {
        return LIBRARY.field("parts", fields.parts, "2 or 3");
    }
    let levels = parameters.levels() as u64;
    if !(1..=levels).contains(&fields.towers) {
        return LIBRARY.field("towers", fields.towers, format!("1 to {levels}"));
    }
    let (parts, level) = (fields.parts as u8, fields.towers as u16);
    let expected = parms_id::of_level(parameters, level.into());
    parms_id::expect("ciphertext", &fields.parms_id, &expected, parameters)?;
    let polys = fields.polys(&mut stream, parameters.n())?;
    stream.finish()?;
    let ty = declared.ty(parameters, parts, level, fields.scale);
    let polys = polys.into_iter().map(Arc::new).collect();
    Ciphertext::new(parameters, polys, &ty).map_err(|reason| LIBRARY.refused(reason))
}

/// Writes a `Ciphertext` for this version of SEAL; bounds and noise stay here.
///
/// # Errors
/// Parameters that SEAL has no place for.
pub fn write_ciphertext(
    ciphertext: &Ciphertext,
    version: Version,
) -> Result<Vec<u8>, ForeignError> {
    let parameters = ciphertext.parameters();
    require_seals(parameters)?;
    let parms_id = parms_id::of_level(parameters, ciphertext.level());
    let parts: Vec<&RnsPoly> = ciphertext.parts().iter().map(Arc::as_ref).collect();
    Ok(object(&parms_id, &parts, ciphertext.scale(), version))
}

/// The fields before a ciphertext's words.
pub(super) struct Fields {
    pub(super) parms_id: [u8; 32],
    pub(super) parts: u64,
    pub(super) towers: u64,
    scale: f64,
}

impl Fields {
    pub(super) fn read(stream: &mut Stream<'_>, n: usize) -> Result<Self, ForeignError> {
        let parms_id = stream.array()?;
        match stream.u8()? {
            1 => {}
            other => return LIBRARY.field("evaluation form", other, "1: CKKS has no other"),
        }
        let parts = stream.u64()?;
        stream.expect("N", n as u64)?;
        let towers = stream.u64()?;
        let scale = stream.f64()?;
        stream.expect("correction factor", 1)?;
        Ok(Self {
            parms_id,
            parts,
            towers,
            scale,
        })
    }

    /// The words that follow. Parts and towers are already known to be small.
    pub(super) fn polys(
        &self,
        stream: &mut Stream<'_>,
        n: usize,
    ) -> Result<Vec<RnsPoly>, ForeignError> {
        let words = self.parts * self.towers * n as u64;
        let size = stream.nested_size()?;
        match stream.u64()? {
            count if count == words => {}
            // The array then holds the first part, and a generator's record follows.
            half if self.parts == 2 && half == words / 2 => return Err(seeded()),
            other => return LIBRARY.field("words", other, words),
        }
        let expected = HEADER as u64 + 8 + 8 * words;
        if size != expected {
            return LIBRARY.field("size of the words", size, expected);
        }
        (0..self.parts)
            .map(|_| stream.poly(n, self.towers as usize))
            .collect()
    }
}

fn seeded() -> ForeignError {
    ForeignError::Unsupported {
        library: LIBRARY,
        given: "a seed in place of the uniform part".to_string(),
        advice: "load and save it in SEAL, which writes it out",
    }
}

/// Bytes of a body.
pub(super) fn body_len(n: usize, parts: usize, towers: usize) -> usize {
    FIELDS + 8 * n * parts * towers
}

/// A whole object.
pub(super) fn object(
    parms_id: &[u8; 32],
    parts: &[&RnsPoly],
    scale: f64,
    version: Version,
) -> Vec<u8> {
    let (n, towers) = (parts[0].n(), parts[0].towers());
    let words = n * parts.len() * towers;
    let body = body_len(n, parts.len(), towers);
    let mut out = Vec::with_capacity(HEADER + body);
    out.extend(Header::write(body, version));
    out.extend(parms_id);
    out.push(1);
    for field in [parts.len(), n, towers] {
        out.extend((field as u64).to_le_bytes());
    }
    out.extend(scale.to_le_bytes());
    out.extend(1_u64.to_le_bytes());
    out.extend(Header::write(8 + 8 * words, version));
    out.extend((words as u64).to_le_bytes());
    for part in parts {
        out.extend(part.words().iter().flat_map(|word| word.to_le_bytes()));
    }
    out
}
