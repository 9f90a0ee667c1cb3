//! Objects written whole, around a context of our own ([`super::context`]): for whoever starts here,
//! with parameters of ours. A context for OpenFHE to make keys in, and what we have made under it.
//!
//! `tag` is the name under which OpenFHE holds the keys of one secret: ciphertexts and evaluation keys of
//! one client have one.

use super::archive::Archive;
use super::ciphertext::noise_degree;
use super::context::{self, Basis};
use super::keys;
use super::LIBRARY;
use crate::foreign::ForeignError;
use ringwright_ring::RnsPoly;
use ringwright_schemes::ckks::{Ciphertext, Parameters};
use ringwright_schemes::rlwe::{PublicKey, Ring, SwitchingKey};
use std::collections::BTreeMap;

/// `CKKS_PACKED_ENCODING`.
const PACKED: u32 = 4;
const EVALUATION_KEY: &str = "lbcrypto::EvalKeyRelinImpl<lbcrypto::DCRTPoly>";
/// In evaluation form.
const EVALUATION: u32 = 0;

/// The crypto context of parameters, for `DeserializeCryptoContextString`.
///
/// # Errors
/// Parameters without special primes, or with others than OpenFHE would choose.
pub fn write_context(parameters: &Parameters) -> Result<Vec<u8>, ForeignError> {
    context::require(parameters)?;
    let mut archive = Archive::begin();
    context::context(&mut archive, parameters);
    Ok(archive.finish())
}

/// A ciphertext, for `DeserializeCiphertextString`.
///
/// # Errors
/// As [`write_context`].
pub fn write_ciphertext(ciphertext: &Ciphertext, tag: &str) -> Result<Vec<u8>, ForeignError> {
    let parameters = ciphertext.parameters();
    context::require(parameters)?;
    let level = ciphertext.level();
    let mut archive = Archive::begin();
    archive.declared(("ciphertext", 0), |archive| {
        archive.class("CiphertextImpl", &[1, 0]);
        owned(archive, parameters, tag);
        let parts = ciphertext.parts().iter().map(AsRef::as_ref);
        polys(archive, parameters, Basis::Level(level), parts);
        let dropped = (parameters.levels() - level) as u32;
        let hops = 0;
        archive.u32s(&[parameters.slots() as u32, dropped, hops]);
        archive.u32(noise_degree(ciphertext));
        archive.f64(ciphertext.scale());
        archive.u64(1); // the scale of schemes with integer ones
        archive.u32(PACKED);
        archive.shared(("metadata", 0), |archive| archive.len(0));
    });
    Ok(archive.finish())
}

/// A public key, for `DeserializePublicKeyString`.
///
/// # Errors
/// As [`write_context`].
pub fn write_public_key(
    parameters: &Parameters,
    key: &PublicKey,
    tag: &str,
) -> Result<Vec<u8>, ForeignError> {
    require_ring("public key", key.ring(), parameters)?;
    context::require(parameters)?;
    let mut archive = Archive::begin();
    archive.declared(("public key", 0), |archive| {
        archive.class("PublicKeyImpl", &[0; 3]);
        owned(archive, parameters, tag);
        let pair = [key.b(), key.a()].into_iter().map(AsRef::as_ref);
        polys(archive, parameters, Basis::Level(parameters.levels()), pair);
    });
    Ok(archive.finish())
}

/// The relinearisation key, for `DeserializeEvalMultKeyString`.
///
/// # Errors
/// As [`write_context`].
pub fn write_relinearisation_key(
    parameters: &Parameters,
    key: &SwitchingKey,
    tag: &str,
) -> Result<Vec<u8>, ForeignError> {
    require_ring("relinearisation key", key.ring(), parameters)?;
    context::require(parameters)?;
    let mut archive = Archive::begin();
    archive.len(1);
    archive.text(tag);
    archive.len(1);
    LIBRARY.require_full(key)?;
    let polys: Vec<&RnsPoly> = keys::in_their_order(key.polys()).collect();
    evaluation_key(&mut archive, parameters, tag, 0, &polys);
    Ok(archive.finish())
}

/// Keys of automorphisms by Galois element, for `DeserializeEvalAutomorphismKeyString`.
///
/// # Errors
/// As [`write_context`].
pub fn write_rotation_keys(
    parameters: &Parameters,
    keys: &BTreeMap<u64, SwitchingKey>,
    tag: &str,
) -> Result<Vec<u8>, ForeignError> {
    context::require(parameters)?;
    keys.values()
        .try_for_each(|key| LIBRARY.require_full(key))?;
    let theirs = keys
        .iter()
        .map(|(element, key)| Ok((*element, keys::theirs(parameters, *element, key)?)))
        .collect::<Result<Vec<_>, ForeignError>>()?;
    let mut archive = Archive::begin();
    archive.len(1);
    archive.text(tag);
    archive.shared(("map", 0), |archive| {
        archive.len(theirs.len());
        for (element, key) in &theirs {
            // Below 2N.
            archive.u32(*element as u32);
            let polys: Vec<&RnsPoly> = key.iter().collect();
            evaluation_key(archive, parameters, tag, *element, &polys);
        }
    });
    Ok(archive.finish())
}

/// A key of OpenFHE's: all a, then all b.
fn evaluation_key(
    archive: &mut Archive,
    parameters: &Parameters,
    tag: &str,
    number: u64,
    key: &[&RnsPoly],
) {
    archive.derived(EVALUATION_KEY, ("evaluation key", number), |archive| {
        archive.class("EvalKeyRelinImpl", &[0; 4]);
        owned(archive, parameters, tag);
        for digits in key.chunks_exact(key.len() / 2) {
            polys(archive, parameters, Basis::Extended, digits.iter().copied());
        }
    });
}

/// Whose an object is.
/// Refuses keys of another ring than that of the context they are written under.
fn require_ring(what: &'static str, given: &Ring, expected: &Ring) -> Result<(), ForeignError> {
    match given == expected {
        true => Ok(()),
        false => Err(ForeignError::ForeignParameters {
            library: LIBRARY,
            what,
            given: given.name().to_string(),
            expected: expected.name().to_string(),
        }),
    }
}

fn owned(archive: &mut Archive, parameters: &Parameters, tag: &str) {
    context::context(archive, parameters);
    archive.text(tag);
}

fn polys<'p>(
    archive: &mut Archive,
    parameters: &Parameters,
    basis: Basis,
    polys: impl ExactSizeIterator<Item = &'p RnsPoly>,
) {
    archive.len(polys.len());
    let primes = basis.primes(parameters);
    for poly in polys {
        archive.class("DCRTPolyImpl", &[0]);
        archive.len(primes.len());
        for (tower, prime) in poly.iter().zip(&primes) {
            archive.class("PolyImpl", &[0]);
            archive.owned();
            archive.class("NativeVector", &[0]);
            archive.len(tower.len());
            archive.u64s(tower);
            archive.u64(*prime);
            archive.u32(EVALUATION);
            context::prime(archive, parameters, basis, *prime);
        }
        archive.u32(EVALUATION);
        context::basis(archive, parameters, basis);
    }
}
