//! The secret key, in the clear, with what is saved beside it.
//!
//! ```text
//! 1 drawn here? · 16 identity · 32 root · 4 shared results · each 32 result · 32 record · 4 statistical
//! bits · 4 queries · two bits per coefficient, coefficient + 1
//! ```
//! Version 1 is the coefficients alone. A key of another library has no identity and no root, and shares
//! nothing; what stands there is zero.
//!
//! Nothing in this file depends on a coefficient but its bytes: no table, no branch, and an error
//! does not say where.

use super::error::{field, WireError};
use super::frame::{file_len, Frame, Reader, Writer};
use super::kind::Kind;
use ringwright_ring::Seed;
use ringwright_schemes::rlwe::{Birth, Identity, KeyGenerator, Ring, SecretKey, SharedResult};
use zeroize::Zeroizing;

/// Coefficients in a byte.
const PER_BYTE: usize = 4;
/// Bytes before the shared results.
const FIELDS: usize = 1 + 16 + 32 + 4;
/// Bytes of a shared result.
const SHARED: usize = 32 + 32 + 4 + 4;

/// A secret key's file, taken apart.
pub(super) struct Contents {
    birth: Option<Birth>,
    shared: Vec<SharedResult>,
    ternary: Zeroizing<Vec<i8>>,
}

/// Bytes of a secret key's file under which this many results were shared.
pub fn secret_key_len(ring: &Ring, shared: usize) -> u64 {
    file_len((FIELDS + SHARED * shared + ring.n() / PER_BYTE) as u64)
}

/// **Secret.** The bytes of a secret key, for a file that only its owner can read
/// ([`crate::storage::Access::Owner`]). They are overwritten when dropped.
pub fn expose_secret_key(key: &SecretKey) -> Zeroizing<Vec<u8>> {
    expose(key.ring(), key.birth(), &key.shared(), key.ternary())
}

/// Reads a secret key that was made under `parameters`, which are the generator's.
///
/// # Errors
/// Anything that [`WireError`] lists; no coefficient is named.
pub fn read_secret_key(
    bytes: &[u8],
    ring: &Ring,
    generator: &KeyGenerator,
) -> Result<SecretKey, WireError> {
    let contents = read(bytes, ring)?;
    let key = generator.secret_restored(&contents.ternary, contents.birth)?;
    key.count_shared(&contents.shared);
    Ok(key)
}

/// What a secret key's file says was shared under it, and which key it is.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn shared_in_file(
    bytes: &[u8],
    ring: &Ring,
) -> Result<(Identity, Vec<SharedResult>), WireError> {
    let contents = read(bytes, ring)?;
    let birth = contents.birth.as_ref();
    let identity = birth.map_or(Identity::UNKNOWN, |birth| birth.identity);
    Ok((identity, contents.shared))
}

/// Bytes to contents to bytes again, for [`super::check`].
pub(super) fn read_and_expose(bytes: &[u8], ring: &Ring) -> Result<Zeroizing<Vec<u8>>, WireError> {
    let Contents {
        birth,
        shared,
        ternary,
    } = read(bytes, ring)?;
    Ok(expose(ring, birth.as_ref(), &shared, &ternary))
}

fn expose(
    ring: &Ring,
    birth: Option<&Birth>,
    shared: &[SharedResult],
    ternary: &[i8],
) -> Zeroizing<Vec<u8>> {
    // The full capacity at once: a vector that grows leaves copies behind.
    let whole = secret_key_len(ring, shared.len()) as usize;
    let mut bytes = Zeroizing::new(Vec::with_capacity(whole));
    let mut payload = Zeroizing::new(Vec::with_capacity(whole));
    payload.push(u8::from(birth.is_some()));
    payload.extend(birth.map_or([0; 16], |birth| birth.identity.bytes()));
    match birth {
        Some(birth) => payload.extend(birth.root.expose()),
        None => payload.extend([0; 32]),
    }
    // Each took a decryption: fewer than 2^32.
    payload.extend((shared.len() as u32).to_le_bytes());
    for result in shared {
        payload.extend(result.result);
        payload.extend(result.record);
        payload.extend(result.statistical_bits.to_le_bytes());
        payload.extend(result.queries.to_le_bytes());
    }
    payload.extend(ternary.chunks(PER_BYTE).map(|four| {
        four.iter()
            .rev()
            .fold(0, |byte, coefficient| byte << 2 | (coefficient + 1) as u8)
    }));
    write_payload(ring, &payload, &mut bytes).expect("a vector takes every byte");
    bytes
}

fn write_payload(ring: &Ring, payload: &[u8], out: &mut Vec<u8>) -> Result<(), WireError> {
    let len = payload.len() as u64;
    let mut writer = Writer::begin(out, Kind::SecretKey, &ring.id(), len)?;
    writer.bytes(payload)?;
    writer.finish()
}

fn read(bytes: &[u8], ring: &Ring) -> Result<Contents, WireError> {
    let frame = Frame::under(bytes, Kind::SecretKey, ring)?;
    let mut reader = frame.reader();
    let (birth, shared) = match frame.has_identity() {
        true => (read_birth(&mut reader)?, read_shared(&mut reader)?),
        false => (None, Vec::new()),
    };
    if birth.is_none() && !shared.is_empty() {
        return field("shared results", shared.len(), "0 for a key without a root");
    }
    let packed = ring.n() / PER_BYTE;
    reader.expect_left(packed as u64)?;
    let ternary = unpacked(reader.bytes(packed)?)?;
    Ok(Contents {
        birth,
        shared,
        ternary,
    })
}

fn read_birth(reader: &mut Reader<'_>) -> Result<Option<Birth>, WireError> {
    let drawn_here = reader.flag("drawn here")?;
    let identity = Identity::from_bytes(reader.array()?);
    let root = Zeroizing::new(reader.array::<32>()?);
    let zero = root.iter().fold(0, |seen, byte| seen | byte) == 0;
    match drawn_here {
        true if identity.is_known() => Ok(Some(Birth {
            identity,
            root: Seed::from_bytes(*root),
        })),
        false if !identity.is_known() && zero => Ok(None),
        _ => field(
            "identity",
            identity,
            "known for a key that was drawn here, else zero",
        ),
    }
}

fn read_shared(reader: &mut Reader<'_>) -> Result<Vec<SharedResult>, WireError> {
    let count = reader.u32()? as usize;
    // Asked before anything of that size is allocated.
    let mut results = Reader::of(reader.bytes(count.saturating_mul(SHARED))?);
    let result = |_| {
        let shared = SharedResult {
            result: results.array()?,
            record: results.array()?,
            statistical_bits: results.u32()?,
            queries: results.u32()?,
        };
        match shared.queries {
            0 => field("queries", 0, "1 or more"),
            _ => Ok(shared),
        }
    };
    (0..count).map(result).collect()
}

fn unpacked(packed: &[u8]) -> Result<Zeroizing<Vec<i8>>, WireError> {
    let mut ternary = Zeroizing::new(Vec::with_capacity(packed.len() * PER_BYTE));
    let pairs = packed
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
