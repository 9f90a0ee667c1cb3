//! Public keys, relinearisation keys and keys of automorphisms.

use super::archive::{half, word};
use super::towers::Polys;
use super::LIBRARY;
use crate::foreign::ForeignError;
use ringwright_arith::RingKind;
use ringwright_ring::automorphism::eval_permutation;
use ringwright_ring::RnsPoly;
use ringwright_schemes::rlwe::{PublicKey, Ring, SwitchingKey};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The class of evaluation keys, spelt out before the first one.
const CLASS: &[u8] = b"lbcrypto::EvalKeyRelinImpl";
/// From there back to the first index, and to the number of keys: 8 length of the name, 4 its number,
/// 4 the index; 8 the number.
const INDEX_BEFORE_CLASS: usize = 8 + 4 + 4;
const COUNT_BEFORE_CLASS: usize = INDEX_BEFORE_CLASS + 8;

/// Reads a public key.
///
/// # Errors
/// No towers, or others than the parameters'; words that are not reduced.
pub fn read_public_key(bytes: &[u8], ring: &Ring) -> Result<PublicKey, ForeignError> {
    let polys = open_public(bytes, ring)?;
    let [b, a] = [polys.read(0)?, polys.read(1)?];
    PublicKey::new(ring, Arc::new(b), Arc::new(a)).map_err(|reason| LIBRARY.refused(reason))
}

/// Writes a public key in the place of another, `template`.
///
/// # Errors
/// A template that is no public key of these parameters.
pub fn write_public_key(key: &PublicKey, template: &[u8]) -> Result<Vec<u8>, ForeignError> {
    let polys = open_public(template, key.ring())?;
    Ok(polys.replaced([key.b(), key.a()].into_iter().map(Arc::as_ref)))
}

fn open_public<'b>(bytes: &'b [u8], ring: &Ring) -> Result<Polys<'b>, ForeignError> {
    Polys::open(bytes, "public key", ring, ring.q())?
        .expect("polynomials of a public key", 2)?
        .ends_with("public key", 0)
}

/// Reads the relinearisation key: one key of `GetEvalMultKeyVector`, or what
/// `SerializeEvalMultKeyString` gives.
///
/// # Errors
/// No towers, or others than the parameters'; more than one key; words that are not reduced.
pub fn read_relinearisation_key(bytes: &[u8], ring: &Ring) -> Result<SwitchingKey, ForeignError> {
    let polys = open_one(bytes, ring)?;
    read_key(&polys, 0, ring, None)
}

/// Writes the relinearisation key in the place of another, `template`.
///
/// # Errors
/// A template that is no relinearisation key of these parameters.
pub fn write_relinearisation_key(
    key: &SwitchingKey,
    template: &[u8],
) -> Result<Vec<u8>, ForeignError> {
    LIBRARY.require_full(key)?;
    let polys = open_one(template, key.ring())?;
    Ok(polys.replaced(in_their_order(key.polys())))
}

fn open_one<'b>(bytes: &'b [u8], ring: &Ring) -> Result<Polys<'b>, ForeignError> {
    let polys = open_keys(bytes, "relinearisation key", ring)?;
    polys.expect("polynomials of a relinearisation key", key_polys(ring))
}

/// Reads the keys of automorphisms of one secret, by Galois element: `GetEvalAutomorphismKeyMap` or
/// `SerializeEvalAutomorphismKeyString`.
///
/// # Errors
/// No towers, or others than the parameters'; indices that are no ascending Galois elements; words
/// that are not reduced.
pub fn read_rotation_keys(
    bytes: &[u8],
    ring: &Ring,
) -> Result<BTreeMap<u64, SwitchingKey>, ForeignError> {
    let (polys, elements) = open_map(bytes, ring)?;
    let key = |(place, element): (usize, &u64)| {
        let permutation = permutation(ring, *element)?;
        let key = read_key(&polys, place, ring, Some(&permutation))?;
        Ok((*element, key))
    };
    elements.iter().enumerate().map(key).collect()
}

/// Writes keys of automorphisms in the place of others, `template`, which has the same elements.
///
/// # Errors
/// A template that is no map of such keys, or has other elements.
pub fn write_rotation_keys(
    ring: &Ring,
    keys: &BTreeMap<u64, SwitchingKey>,
    template: &[u8],
) -> Result<Vec<u8>, ForeignError> {
    keys.values()
        .try_for_each(|key| LIBRARY.require_full(key))?;
    let (polys, elements) = open_map(template, ring)?;
    if !elements.iter().eq(keys.keys()) {
        let ours: Vec<_> = keys.keys().collect();
        return LIBRARY.field(
            "automorphisms of the template",
            format!("{elements:?}"),
            format!("{ours:?}"),
        );
    }
    let keys = keys.iter();
    let permuted = keys.map(|(element, key)| theirs(ring, *element, key));
    let permuted = permuted.collect::<Result<Vec<_>, _>>()?.concat();
    Ok(polys.replaced(permuted.iter()))
}

/// The polynomials of an automorphism's key as OpenFHE holds them.
pub(super) fn theirs(
    ring: &Ring,
    element: u64,
    key: &SwitchingKey,
) -> Result<Vec<RnsPoly>, ForeignError> {
    let permutation = permutation(ring, inverse(element, 2 * ring.n() as u64))?;
    in_their_order(key.polys())
        .map(|poly| permute(poly, &permutation))
        .collect()
}

fn open_keys<'b>(
    bytes: &'b [u8],
    what: &'static str,
    ring: &Ring,
) -> Result<Polys<'b>, ForeignError> {
    if ring.p().is_empty() {
        return Err(ForeignError::Unsupported {
            library: LIBRARY,
            given: format!("{what} under parameters without a special prime"),
            advice: "give read_parameters an evaluation key, which has them",
        });
    }
    Polys::open(bytes, what, ring, &ring.primes())?.ends_with(what, 0)
}

/// The polynomials of a map's keys, and the Galois element of each.
fn open_map<'b>(bytes: &'b [u8], ring: &Ring) -> Result<(Polys<'b>, Vec<u64>), ForeignError> {
    let polys = open_keys(bytes, "rotation keys", ring)?;
    let per_key = key_polys(ring);
    let class = bytes.windows(CLASS.len()).position(|name| name == CLASS);
    let Some(first) = class.and_then(|class| class.checked_sub(COUNT_BEFORE_CLASS)) else {
        return LIBRARY.field("class of the keys", "none", "lbcrypto::EvalKeyRelinImpl");
    };
    let count = word(bytes, first).unwrap_or(0);
    let polys = polys.expect("polynomials of rotation keys", {
        let allowed = (count as usize).checked_mul(per_key);
        allowed.unwrap_or(usize::MAX)
    })?;
    let index = |place: usize| match place {
        0 => Some(first + COUNT_BEFORE_CLASS - INDEX_BEFORE_CLASS),
        _ => polys.end(place * per_key - 1),
    };
    let elements = (0..polys.len() / per_key)
        .map(|place| {
            index(place)
                .and_then(|at| half(bytes, at))
                .map_or(0, u64::from)
        })
        .collect::<Vec<_>>();
    let order = 2 * ring.n() as u64;
    let rising = elements.windows(2).all(|pair| pair[0] < pair[1]);
    match rising && elements.iter().all(|g| g % 2 == 1 && *g < order) {
        true => Ok((polys, elements)),
        false => {
            let allowed = format!("odd, below {order}, ascending");
            LIBRARY.field("automorphisms", format!("{elements:?}"), allowed)
        }
    }
}

fn key_polys(ring: &Ring) -> usize {
    2 * ring.digits(ring.levels())
}

/// Key `place`: all a, then all b; ours has b0, a0, b1, a1, …
fn read_key(
    polys: &Polys<'_>,
    place: usize,
    ring: &Ring,
    permutation: Option<&[u32]>,
) -> Result<SwitchingKey, ForeignError> {
    let (first, digits) = (place * key_polys(ring), key_polys(ring) / 2);
    let indices = (0..digits).flat_map(|digit| [first + digits + digit, first + digit]);
    let read = |index| {
        let poly = polys.read(index)?;
        permutation.map_or(Ok(poly.clone()), |order| permute(&poly, order))
    };
    let key = indices.map(read).collect::<Result<Vec<_>, _>>()?;
    SwitchingKey::new(ring, key).map_err(|reason| LIBRARY.refused(reason))
}

/// Our polynomials as OpenFHE orders them.
pub(super) fn in_their_order(polys: &[RnsPoly]) -> impl Iterator<Item = &RnsPoly> {
    polys
        .iter()
        .skip(1)
        .step_by(2)
        .chain(polys.iter().step_by(2))
}

fn permutation(ring: &Ring, element: u64) -> Result<Vec<u32>, ForeignError> {
    eval_permutation(RingKind::Standard, ring.log_n(), element)
        .or_else(|error| LIBRARY.field("automorphism", element, error))
}

/// The image of a polynomial in evaluation form.
fn permute(poly: &RnsPoly, permutation: &[u32]) -> Result<RnsPoly, ForeignError> {
    let image = |tower: &[u64]| -> Vec<u64> {
        permutation
            .iter()
            .map(|from| tower[*from as usize])
            .collect()
    };
    RnsPoly::from_words(poly.n(), poly.iter().flat_map(image).collect())
        .or_else(|error| LIBRARY.field("N", poly.n(), error))
}

/// 1/element modulo `order`, a power of two: by Newton's iteration, which doubles the bits.
fn inverse(element: u64, order: u64) -> u64 {
    let step = |x: u64, _| x.wrapping_mul(2_u64.wrapping_sub(element.wrapping_mul(x)));
    (0..6).fold(element, step) % order
}
