//! Public keys and evaluation keys.
//!
//! ```text
//! public key        16 identity · 1 a a seed? · b · a, packed under the ciphertext primes, or 32 seed
//! evaluation keys   16 identity · 4 number of keys · each, ascending: 1 kind · 8 what it is for · 2 level ·
//!                   2 digit, or 2 zeros and 8 grouping · 1 number of special primes · 1 each · 1 a a seed?
//!                   · the keys in this order under the primes of their shapes, each b0 a0 b1 a1 …,
//!                   or 32 seed b0 b1 …
//! ```
//! Grouping: bit i where a digit begins at tower i, which is not the first.
//! Kinds: 0 relinearisation (for 0), 1 the automorphism of an element, 2 from one secret to another (the
//! first's number, and 2^16 times the second's). Special primes are numbered from 0; ciphertext primes that
//! are special ones of a key for lower levels, from 128.
//!
//! Versions 1 and 2 have no seeds, and evaluation keys for every level alone: 1 relinearisation key there? ·
//! 4 number of Galois keys · 8 per Galois element, ascending · the keys.

use super::error::{field, WireError};
use super::frame::{file_len, Frame, Reader, Writer, MASK};
use super::kind::Kind;
use super::packing::poly_len;
use ringwright_ir::he::{KeyId, SecretId};
use ringwright_ir::ring::{Basis, Digits, TowerIdx};
use ringwright_ring::RnsPoly;
use ringwright_schemes::rlwe::{
    EvaluationKeys, KeyShape, KeyStore, PublicKey, PublicSeed, Ring, SwitchingKey,
};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Bytes of the identity.
const IDENTITY: u64 = 16;
/// From here on numbers of special primes are those of ciphertext primes, of which there are at most 128.
const BORROWED: u8 = 128;
/// Most evaluation keys for each coefficient of the ring: all automorphisms, and as many others.
const MOST_PER_N: usize = 2;

/// Bytes of a public key's file; `masked` for one whose uniform half is a seed.
pub fn public_key_len(ring: &Ring, masked: bool) -> u64 {
    let half = poly_len(ring.n(), ring.q());
    file_len(IDENTITY + 1 + half + if masked { MASK } else { half })
}

/// Writes a public key.
///
/// # Errors
/// Only those of `out`.
pub fn write_public_key(key: &PublicKey, out: &mut impl Write) -> Result<(), WireError> {
    let (ring, mask) = (key.ring(), key.mask());
    let payload = public_key_len(ring, mask.is_some()) - file_len(0);
    let mut writer = Writer::begin(out, Kind::PublicKey, &ring.id(), payload)?;
    writer.bytes(&key.identity().bytes())?;
    writer.bytes(&[u8::from(mask.is_some())])?;
    writer.poly(key.b(), ring.q())?;
    match mask {
        Some(mask) => writer.bytes(&mask.bytes())?,
        None => writer.poly(key.a(), ring.q())?,
    }
    writer.finish()
}

/// Reads a public key that was made under these parameters.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_public_key(bytes: &[u8], ring: &Ring) -> Result<PublicKey, WireError> {
    let frame = Frame::under(bytes, Kind::PublicKey, ring)?;
    let (identity, mut reader) = frame.owned()?;
    let masked = frame.has_masks() && reader.flag("uniform half a seed")?;
    let half = poly_len(ring.n(), ring.q());
    reader.expect_left(half + if masked { MASK } else { half })?;
    let b = Arc::new(reader.poly(ring.n(), ring.q())?);
    let key = match masked {
        true => PublicKey::from_mask(ring, b, PublicSeed::from_bytes(reader.array()?))?,
        false => PublicKey::new(ring, b, Arc::new(reader.poly(ring.n(), ring.q())?))?,
    };
    Ok(key.with_identity(identity))
}

/// Bytes of the file of evaluation keys.
pub fn evaluation_keys_len(keys: &EvaluationKeys) -> u64 {
    let ring = keys.ring();
    let key = |(id, key): (KeyId, &SwitchingKey)| {
        let described = description(ring, id, key).len() as u64;
        described + words_len(ring, key.shape(), key.mask().is_some())
    };
    file_len(IDENTITY + 4 + keys.iter().map(key).sum::<u64>())
}

/// Bytes of a key's words, or of half of them and a seed.
fn words_len(ring: &Ring, shape: &KeyShape, masked: bool) -> u64 {
    let halves = shape.digits() as u64 * poly_len(ring.n(), &shape.primes(ring));
    halves + if masked { MASK } else { halves }
}

/// Writes evaluation keys.
///
/// # Errors
/// Only those of `out`.
pub fn write_evaluation_keys(keys: &EvaluationKeys, out: &mut impl Write) -> Result<(), WireError> {
    let ring = keys.ring();
    let payload = evaluation_keys_len(keys) - file_len(0);
    let mut writer = Writer::begin(out, Kind::EvaluationKeys, &ring.id(), payload)?;
    writer.bytes(&keys.identity().bytes())?;
    // At most 2^17 automorphisms, and one key between any two of few secrets.
    writer.bytes(&(keys.iter().count() as u32).to_le_bytes())?;
    for (id, key) in keys.iter() {
        writer.bytes(&description(ring, id, key))?;
    }
    for (_, key) in keys.iter() {
        if let Some(mask) = key.mask() {
            writer.bytes(&mask.bytes())?;
        }
        let step = if key.mask().is_some() { 2 } else { 1 };
        for poly in key.polys().iter().step_by(step) {
            writer.poly(poly, &key.shape().primes(ring))?;
        }
    }
    writer.finish()
}

fn description(ring: &Ring, id: KeyId, key: &SwitchingKey) -> Vec<u8> {
    let (kind, value) = match id {
        KeyId::Mult => (0, 0),
        KeyId::Galois(element) => (1, element),
        KeyId::Switch { from, to } => (2, u64::from(from.0) | u64::from(to.0) << 16),
    };
    let shape = key.shape();
    let special = shape.special().iter();
    let special = special.map(|tower| match tower.index().checked_sub(ring.levels()) {
        Some(number) => number as u8,
        None => BORROWED + tower.index() as u8,
    });
    let mut bytes = vec![kind];
    bytes.extend(value.to_le_bytes());
    bytes.extend((shape.level() as u16).to_le_bytes());
    match shape.grouping() {
        Digits::Of(size) => bytes.extend(size.to_le_bytes()),
        Digits::At(starts) => {
            bytes.extend([0; 2]);
            bytes.extend(starts.to_le_bytes());
        }
    }
    bytes.push(special.len() as u8);
    bytes.extend(special);
    bytes.push(u8::from(key.mask().is_some()));
    bytes
}

/// Reads evaluation keys that were made under these parameters.
///
/// # Errors
/// Anything that [`WireError`] lists.
pub fn read_evaluation_keys(bytes: &[u8], ring: &Ring) -> Result<EvaluationKeys, WireError> {
    read_evaluation_keys_into(bytes, ring, KeyStore::memory())
}

/// The same, where the store has the keys lie.
///
/// # Errors
/// Anything that [`WireError`] lists; a store that takes no more.
pub fn read_evaluation_keys_into(
    bytes: &[u8],
    ring: &Ring,
    mut store: KeyStore,
) -> Result<EvaluationKeys, WireError> {
    let frame = Frame::under(bytes, Kind::EvaluationKeys, ring)?;
    let (identity, mut reader) = frame.owned()?;
    let described = match frame.has_masks() {
        true => read_descriptions(&mut reader, ring)?,
        false => read_old_descriptions(&mut reader, ring)?,
    };
    let lengths = described.iter();
    let words = lengths
        .map(|key| words_len(ring, &key.shape, key.masked))
        .sum();
    reader.expect_left(words)?;
    store.check(ring, described.iter().map(|key| &key.shape))?;
    let (mut mult, mut galois) = (None, BTreeMap::new());
    let mut switch = Vec::new();
    for described in described {
        let key = read_key(&mut reader, ring, described.shape, described.masked)?;
        let key = store.keep(key)?;
        match described.id {
            KeyId::Mult => mult = Some(key),
            KeyId::Galois(element) => {
                galois.insert(element, key);
            }
            KeyId::Switch { from, to } => switch.push((from, to, key)),
        }
    }
    let mut keys = EvaluationKeys::new(ring, mult, galois)?;
    for (from, to, key) in switch {
        keys = keys.with_switch(from, to, key)?;
    }
    Ok(keys.with_identity(identity))
}

/// A key that follows.
struct Described {
    id: KeyId,
    shape: KeyShape,
    masked: bool,
}

fn read_descriptions(reader: &mut Reader<'_>, ring: &Ring) -> Result<Vec<Described>, WireError> {
    let count = reader.u32()? as usize;
    let most = MOST_PER_N * ring.n();
    // A count beyond all that there may be lies, and is not allocated.
    if count > most {
        return field("number of evaluation keys", count, format!("0 to {most}"));
    }
    let keys = (0..count).map(|_| read_description(reader, ring));
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    match keys.windows(2).find(|pair| pair[0].id >= pair[1].id) {
        Some(pair) => field(
            "evaluation key",
            pair[1].id,
            format!("behind {}, the one before", pair[0].id),
        ),
        None => Ok(keys),
    }
}

fn read_description(reader: &mut Reader<'_>, ring: &Ring) -> Result<Described, WireError> {
    let (kind, value) = (reader.u8()?, reader.u64()?);
    let id = match (kind, value) {
        (0, 0) => KeyId::Mult,
        (1, element) => KeyId::Galois(element),
        (2, both) if both >> 32 == 0 => KeyId::Switch {
            from: SecretId(both as u16),
            to: SecretId((both >> 16) as u16),
        },
        (0..=2, other) => return field("what an evaluation key is for", other, "0, or below 2^32"),
        (other, _) => return field("kind of evaluation key", other, "0 to 2"),
    };
    let (level, digit) = (reader.u16()?, reader.u16()?);
    let grouping = match digit {
        0 => Digits::At(reader.u64()?),
        size => Digits::Of(size),
    };
    let special = usize::from(reader.u8()?);
    let tower = |number: &u8| match number.checked_sub(BORROWED) {
        Some(tower) => TowerIdx(tower.into()),
        None => TowerIdx((ring.levels() + usize::from(*number)) as u16),
    };
    let special = Basis(reader.bytes(special)?.iter().map(tower).collect());
    let shape = KeyShape::new(ring, Basis::range(0..level), grouping, special)?;
    let masked = reader.flag("uniform half a seed")?;
    Ok(Described { id, shape, masked })
}

fn read_old_descriptions(
    reader: &mut Reader<'_>,
    ring: &Ring,
) -> Result<Vec<Described>, WireError> {
    let mult = reader.flag("relinearisation key there")?;
    let elements = read_elements(reader, ring)?;
    let mult = mult.then_some(KeyId::Mult).into_iter();
    let described = |id| {
        Ok(Described {
            id,
            shape: KeyShape::full(ring)?,
            masked: false,
        })
    };
    mult.chain(elements.into_iter().map(KeyId::Galois))
        .map(described)
        .collect()
}

fn read_elements(reader: &mut Reader<'_>, ring: &Ring) -> Result<Vec<u64>, WireError> {
    let count = reader.u32()? as usize;
    // There are N automorphisms: a count beyond that lies, and is not allocated.
    if count > ring.n() {
        let allowed = format!("0 to {}", ring.n());
        return field("number of Galois keys", count, allowed);
    }
    let elements = (0..count)
        .map(|_| reader.u64())
        .collect::<Result<Vec<_>, _>>()?;
    match elements.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => field(
            "Galois element",
            pair[1],
            format!("above {}, the one before", pair[0]),
        ),
        None => Ok(elements),
    }
}

fn read_key(
    reader: &mut Reader<'_>,
    ring: &Ring,
    shape: KeyShape,
    masked: bool,
) -> Result<SwitchingKey, WireError> {
    let mask = match masked {
        true => Some(PublicSeed::from_bytes(reader.array()?)),
        false => None,
    };
    let primes = shape.primes(ring);
    let count = if masked {
        shape.digits()
    } else {
        shape.polys()
    };
    let polys = (0..count).map(|_| reader.poly(ring.n(), &primes));
    let polys = polys.collect::<Result<Vec<RnsPoly>, _>>()?;
    Ok(match mask {
        Some(mask) => SwitchingKey::from_mask(ring, shape, polys, mask)?,
        None => SwitchingKey::of_shape(ring, shape, polys)?,
    })
}
