//! Damaged and foreign objects are refused, and the refusal says what is wrong.

use crate::golden::{file, parameters};
use proptest::prelude::*;
use ringwright_interop::foreign::{Declared, ForeignError};
use ringwright_interop::seal::{self, Version};
use ringwright_interop::wire;
use ringwright_ir::interpret::Interpreter;
use ringwright_ring::RnsPoly;
use ringwright_schemes::ckks::{Parameters, ParametersLiteral};
use ringwright_schemes::rlwe::{KeyGenerator, RingKind, SwitchingKey};
use ringwright_schemes::security::Insecure;
use std::io::Write;
use std::sync::Arc;

/// Offsets in an uncompressed ciphertext.
const HEADER: usize = 16;
const PARMS_ID: usize = HEADER;
const EVALUATION_FORM: usize = PARMS_ID + 32;
const PARTS: usize = EVALUATION_FORM + 1;
const DEGREE: usize = PARTS + 8;
const TOWERS: usize = DEGREE + 8;
const SCALE: usize = TOWERS + 8;
const CORRECTION: usize = SCALE + 8;
const ARRAY: usize = CORRECTION + 8;
const COUNT: usize = ARRAY + HEADER;
const WORDS: usize = COUNT + 8;

fn refusal(parameters: &Parameters, bytes: &[u8]) -> String {
    let read = seal::read_ciphertext(bytes, parameters, &Declared::default());
    read.unwrap_err().to_string()
}

#[test]
fn each_field_is_named() {
    let parameters = parameters();
    let sound = file("fresh-none.seal");
    let with = |at: usize, byte: u8| {
        let mut damaged = sound.clone();
        damaged[at] = byte;
        refusal(&parameters, &damaged)
    };
    let n = parameters.n();
    let cases = [
        (
            0,
            0,
            "no object of SEAL's: it begins with [00, a1]".to_string(),
        ),
        (2, 17, "SEAL: size of the header = 17, allowed: 16".into()),
        (3, 3, "SEAL: version = 3.1, allowed: 4.x".into()),
        (5, 9, "SEAL: compression = 9, allowed: 0 (none)".into()),
        (
            8,
            0,
            "SEAL: ciphertext: 881 bytes where the header announces".into(),
        ),
        (
            PARMS_ID,
            !sound[PARMS_ID],
            "SEAL: ciphertext made under other parameters".into(),
        ),
        (
            EVALUATION_FORM,
            0,
            "SEAL: evaluation form = 0, allowed: 1".into(),
        ),
        (PARTS, 4, "SEAL: parts = 4, allowed: 2 or 3".into()),
        (DEGREE, 8, format!("SEAL: N = 8, allowed: {n}")),
        (TOWERS, 4, "SEAL: towers = 4, allowed: 1 to 3".into()),
        (
            CORRECTION,
            2,
            "SEAL: correction factor = 2, allowed: 1".into(),
        ),
        (ARRAY, 0, "no object of SEAL's".into()),
        (ARRAY + 8, 0, "SEAL: size of the words".into()),
        (COUNT, 1, "SEAL: words = 1, allowed: 96".into()),
        (
            WORDS + 7,
            1,
            "SEAL: ciphertext: a word of tower 0 not reduced".into(),
        ),
    ];
    for (at, byte, expected) in cases {
        let message = with(at, byte);
        assert!(message.starts_with(&expected), "byte {at}: {message}");
    }
}

/// An object whose uniform part is a seed: half the words, then the generator's record.
#[test]
fn a_seeded_ciphertext_is_told_apart() {
    let mut seeded = file("fresh-none.seal");
    let words = u64::from_le_bytes(seeded[COUNT..WORDS].try_into().unwrap());
    seeded[COUNT..WORDS].copy_from_slice(&(words / 2).to_le_bytes());
    let message = refusal(&parameters(), &seeded);
    assert!(message.contains("a seed in place of the uniform part; load and save it in SEAL"));
}

#[test]
fn other_parameters_and_schemes_are_refused() {
    let other = wire::check_parameters();
    let message = refusal(&other, &file("fresh.seal"));
    assert!(
        message.contains("towers = 3") || message.contains("other parameters"),
        "{message}"
    );
    let mut bfv = seal::write_parameters(&other, Version::default()).unwrap();
    bfv[HEADER] = 1;
    let message = seal::read_parameters(&bfv, "bfv", 10, Some(Insecure)).unwrap_err();
    assert_eq!(
        message.to_string(),
        "SEAL: scheme = BFV (1), allowed: CKKS (2)"
    );
    let message = seal::read_parameters(&file("parameters.seal"), "small", 30, None).unwrap_err();
    assert!(matches!(message, ForeignError::Parameters { .. }));
}

#[test]
fn every_truncation_and_every_appendix_is_refused() {
    let parameters = parameters();
    for name in ["fresh.seal", "fresh-zlib.seal", "fresh-none.seal"] {
        let sound = file(name);
        for len in 0..sound.len() {
            let mut cut = sound[..len].to_vec();
            refusal(&parameters, &cut);
            if len >= HEADER {
                cut[8..HEADER].copy_from_slice(&(len as u64).to_le_bytes());
                refusal(&parameters, &cut);
            }
        }
        refusal(&parameters, &[&sound[..], &[0]].concat());
    }
}

/// Keys of zeros, which shrink a thousandfold, and a frame that wants more memory than any of SEAL's.
#[test]
fn small_bytes_do_not_unpack_to_large_objects() {
    let parameters = Parameters::new(ParametersLiteral {
        name: "roomy".to_string(),
        kind: RingKind::Standard,
        log_n: 10,
        q_bits: vec![30; 3],
        p_bits: vec![31],
        digit: 1,
        log_scale: 20,
        insecure: true,
    })
    .unwrap();
    let zero = RnsPoly::from_words(1024, vec![0; 1024 * parameters.primes().len()]).unwrap();
    let zeros = SwitchingKey::new(&parameters, vec![zero; 2 * parameters.levels()]).unwrap();
    let keys = (0..16)
        .map(|index| (2 * index + 1, zeros.clone()))
        .collect();
    let plain = seal::write_galois_keys(&parameters, &keys, Version::default()).unwrap();
    seal::read_galois_keys(&plain, &parameters).unwrap();
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&plain[HEADER..]).unwrap();
    let bomb = headed(1, &packer.finish().unwrap());
    let message = seal::read_galois_keys(&bomb, &parameters).unwrap_err();
    assert_eq!(
        message.to_string(),
        "SEAL: Galois keys: unpacks to more than 16 times its bytes"
    );
    // zstd's magic number, no flags, a window of 2^(10 + 17) bytes.
    let window = [0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3, 1, 0, 0];
    let message = refusal(&parameters, &headed(2, &window));
    assert!(message.contains("window"), "{message}");
}

/// An object with this compression and compressed body.
fn headed(compression: u8, body: &[u8]) -> Vec<u8> {
    let mut object = vec![0x5e, 0xa1, HEADER as u8, 4, 1, compression, 0, 0];
    object.extend(((HEADER + body.len()) as u64).to_le_bytes());
    object.extend(body);
    object
}

/// The bounded smoke test of the fuzz target `seal`: the same `check`, on damaged objects.
#[test]
fn readers_accept_only_what_reads_the_same_again() {
    for object in samples() {
        seal::check(&object);
        for at in 0..object.len().min(300) {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = object.clone();
                damaged[at] ^= flip;
                seal::check(&damaged);
            }
        }
    }
}

/// Objects under the parameters of `check`, with and without compression.
fn samples() -> Vec<Vec<u8>> {
    let parameters = seal::check_parameters();
    let generator = KeyGenerator::new(&parameters, Arc::new(Interpreter));
    let secret = generator.secret_key().unwrap();
    let public = generator.extended_public_key(&secret).unwrap();
    vec![
        seal::write_parameters(&parameters, Version::default()).unwrap(),
        seal::write_public_key(&public, Version::default()).unwrap(),
        file("fresh.seal"),
        file("fresh-zlib.seal"),
        file("galois_keys.seal"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn readers_survive_any_bytes(
        compression in 0_u8..3, bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        seal::check(&bytes);
        seal::check(&headed(compression, &bytes));
    }
}
