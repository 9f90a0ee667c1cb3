//! Uniform halves in 32 bytes: what is written reads back to the same words, at half the length.

use crate::holdings::Holdings;
use ringwright_interop::wire::{self, WireError};
use ringwright_ir::he::{KeyId, SecretId};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Basis, Digits};
use ringwright_schemes::ckks::{
    Ciphertext, Embedding, Parameters, ParametersLiteral, SymmetricEncryptor,
};
use ringwright_schemes::rlwe::{
    EvaluationKeys, KeyShape, PublicKey, PublicSeed, RingKind, SwitchingKey,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a file that are neither words nor a seed.
const FIELDS: u64 = 160;

fn symmetric(parameters: &Parameters) -> Ciphertext {
    let held = Holdings::new(parameters.clone());
    let encoded = Embedding::new(parameters).unwrap().encode_real(
        &held.values,
        parameters.scale(),
        parameters.levels(),
    );
    let key = Arc::new(held.secret);
    let encryptor = SymmetricEncryptor::new(parameters, key, Arc::new(Interpreter)).unwrap();
    encryptor.encrypt(&encoded.unwrap()).unwrap()
}

fn written<T>(object: &T, write: fn(&T, &mut Vec<u8>) -> Result<(), WireError>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(object, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_symmetric_ciphertext_takes_half_and_reads_back_to_the_same_words() {
    let parameters = Parameters::preset("4096-2x30").unwrap();
    let whole = symmetric(&parameters);
    for ciphertext in [whole.drop_level(1).unwrap(), whole] {
        let file = written(&ciphertext, wire::write_ciphertext);
        let level = ciphertext.level();
        let promised = wire::ciphertext_len(&parameters, 2, level, true);
        assert_eq!(file.len() as u64, promised);
        let half = 4096 * 30 / 8 * level as u64;
        assert!((half..half + FIELDS).contains(&promised), "{promised}");
        let again = wire::read_ciphertext(&file, &parameters).unwrap();
        assert_eq!(again.parts(), ciphertext.parts());
        assert_eq!(again.ty(), ciphertext.ty());
        assert_eq!(again.mask(), ciphertext.mask());
        assert!(again.mask().is_some());
    }
}

#[test]
fn a_public_key_takes_half_and_one_without_a_seed_is_whole() {
    let held = Holdings::tiny();
    let (public, ring) = (&held.public, &held.parameters);
    let bare = PublicKey::new(ring, public.b().clone(), public.a().clone()).unwrap();
    for key in [public.clone(), bare] {
        let file = written(&key, wire::write_public_key);
        let promised = wire::public_key_len(ring, key.mask().is_some());
        assert_eq!(file.len() as u64, promised);
        let again = wire::read_public_key(&file, ring).unwrap();
        assert_eq!((again.a(), again.b()), (key.a(), key.b()));
        assert_eq!(again.mask(), key.mask());
    }
}

/// Keys of every shape, with seeds and without, between two secrets and not.
fn mixed(held: &Holdings) -> EvaluationKeys {
    let ring = &held.parameters;
    let limited = KeyShape::limited(ring, 1).unwrap();
    let full = KeyShape::full(ring).unwrap();
    let other = held.generator.secret_key().unwrap();
    let between = held
        .generator
        .switching_key_between(&held.secret, &other, &limited);
    let wanted = BTreeMap::from([
        (KeyId::Mult, full),
        (KeyId::Galois(3), limited.clone()),
        (KeyId::Galois(5), limited.clone()),
    ]);
    let keys = held
        .generator
        .evaluation_keys_of(&held.secret, &wanted)
        .unwrap();
    let mut galois = keys.galois().clone();
    let bare = galois[&5].polys().as_ref().clone();
    galois.insert(5, SwitchingKey::of_shape(ring, limited, bare).unwrap());
    EvaluationKeys::new(ring, keys.mult().cloned(), galois)
        .unwrap()
        .with_switch(SecretId(0), SecretId(7), between.unwrap())
        .unwrap()
}

#[test]
fn evaluation_keys_of_every_shape_read_back_to_the_same_words() {
    let held = Holdings::tiny();
    let keys = mixed(&held);
    let file = written(&keys, wire::write_evaluation_keys);
    assert_eq!(file.len() as u64, wire::evaluation_keys_len(&keys));
    let again = wire::read_evaluation_keys(&file, &held.parameters).unwrap();
    assert_eq!(again.ids(), keys.ids());
    assert_eq!(again.ids().len(), 4);
    for (id, key) in keys.iter() {
        let again = again.get(id).unwrap();
        assert_eq!(again.polys(), key.polys(), "{id}");
        assert_eq!(again.shape(), key.shape(), "{id}");
        assert_eq!(again.mask(), key.mask(), "{id}");
    }
    assert!(keys.get(KeyId::Galois(5)).unwrap().mask().is_none());
    wire::check(&file);
    let payload = &file[48..file.len() - 8];
    for at in 0..payload.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = payload.to_vec();
            damaged[at] ^= flip;
            wire::check(&damaged);
        }
    }
}

/// A key whose special primes are ciphertext primes above its levels.
#[test]
fn a_key_that_borrows_primes_reads_back_to_the_same_words() {
    let literal = ParametersLiteral {
        name: "grouped".into(),
        kind: RingKind::Standard,
        log_n: 5,
        q_bits: vec![30; 12],
        p_bits: vec![30; 2],
        digit: 2,
        log_scale: 20,
        insecure: true,
    };
    let parameters = Parameters::new(literal).unwrap();
    let Holdings {
        generator, secret, ..
    } = Holdings::new(parameters.clone());
    let shape = KeyShape::of(&parameters, KeyId::Mult, 6).unwrap();
    assert!(shape.special().iter().any(|tower| tower.index() < 12));
    let wanted = BTreeMap::from([(KeyId::Mult, shape.clone())]);
    let keys = generator.evaluation_keys_of(&secret, &wanted).unwrap();
    let file = written(&keys, wire::write_evaluation_keys);
    assert_eq!(file.len() as u64, wire::evaluation_keys_len(&keys));
    let again = wire::read_evaluation_keys(&file, &parameters).unwrap();
    let (key, again) = (keys.mult().unwrap(), again.mult().unwrap());
    assert_eq!(again.shape(), &shape);
    assert_eq!(again.polys(), key.polys());
}

/// Generated keys have seeds, so a set of them takes half of its words.
#[test]
fn a_set_of_keys_takes_half_of_its_words() {
    let held = Holdings::tiny();
    let shape = KeyShape::full(&held.parameters).unwrap();
    let primes = shape.primes(&held.parameters);
    let bits: u64 = primes
        .iter()
        .map(|prime| u64::from(prime.ilog2() + 1))
        .sum();
    let words = held.parameters.n() as u64 * bits / 8 * shape.polys() as u64;
    let keys = held.evaluation.ids().len() as u64;
    let whole = wire::evaluation_keys_len(&held.evaluation);
    assert!(whole < keys * (words / 2 + 32 + 17) + FIELDS, "{whole}");
}

#[test]
fn descriptions_that_cannot_be_are_refused_by_what_is_allowed() {
    let held = Holdings::tiny();
    let ring = &held.parameters;
    let file = written(&held.evaluation, wire::write_evaluation_keys);
    // Behind header, identity and count: the relinearisation key's description.
    let at = 48 + 16 + 4;
    let refused = |offset: usize, byte: u8, named: &str| {
        let mut payload = file[48..file.len() - 8].to_vec();
        payload[at - 48 + offset] = byte;
        let sealed = resealed(&file, &payload);
        let error = wire::read_evaluation_keys(&sealed, ring).err().unwrap();
        assert!(error.to_string().contains(named), "{error}");
    };
    refused(0, 3, "0 to 2");
    refused(1, 9, "below 2^32");
    refused(9, 3, "the first of 2");
    refused(11, 3, "1 to 2");
    refused(14, 1, "one or more of");
    refused(15, 2, "0 or 1");
    let shape = KeyShape::new(ring, Basis::range(0..2), Digits::Of(1), Basis::range(2..3));
    assert_eq!(shape.unwrap(), KeyShape::full(ring).unwrap());
}

/// A file with another payload of the same length, and the checksum that fits.
fn resealed(file: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut sealed = [&file[..48], payload].concat();
    sealed.extend(crc64_xz(&sealed).to_le_bytes());
    sealed
}

/// CRC-64/XZ, bit by bit.
fn crc64_xz(bytes: &[u8]) -> u64 {
    let step = |crc: u64| crc >> 1 ^ (crc & 1).wrapping_neg() & 0xc96c_5795_d787_0f42;
    let byte = |crc: u64, byte: &u8| (0..8).fold(crc ^ u64::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(!0, byte)
}

/// The words that a reader draws are those that the device drew, whichever tower and digit.
#[test]
fn a_seed_says_nothing_of_the_secret_and_all_of_the_uniform_half() {
    let held = Holdings::tiny();
    let mask = held.public.mask().unwrap();
    let again = PublicKey::from_mask(&held.parameters, held.public.b().clone(), mask).unwrap();
    assert_eq!(again.a(), held.public.a());
    let mut seeds: Vec<[u8; 32]> = held
        .evaluation
        .iter()
        .map(|(_, key)| key.mask().unwrap().bytes())
        .collect();
    seeds.push(mask.bytes());
    seeds.push(*held.secret.birth().unwrap().root.expose());
    let root = &held.secret.birth().unwrap().root;
    for purpose in [
        "public key",
        "switching key mult",
        "errors of the public key",
    ] {
        seeds.push(*root.derive(purpose, &held.parameters.id()).expose());
    }
    let distinct: std::collections::BTreeSet<_> = seeds.iter().collect();
    assert_eq!(distinct.len(), seeds.len());
    let other = PublicSeed::from_bytes([1; 32]);
    let foreign = PublicKey::from_mask(&held.parameters, held.public.b().clone(), other).unwrap();
    assert_ne!(foreign.a(), held.public.a());
}
