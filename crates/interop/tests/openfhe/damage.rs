//! Damaged and foreign objects are refused, and the refusal says what is wrong.

use crate::golden::{ciphertext, file, parameters};
use proptest::prelude::*;
use ringwright_arith::RingKind;
use ringwright_interop::foreign::{Declared, ForeignError};
use ringwright_interop::openfhe::{self, whole};
use ringwright_ring::automorphism::galois_of_rotation;
use ringwright_schemes::ckks::{Parameters, ParametersLiteral};
use ringwright_schemes::security::Insecure;

const FILES: [&str; 6] = [
    "fresh.openfhe",
    "square.openfhe",
    "low.openfhe",
    "public_key.openfhe",
    "relinearisation_key.openfhe",
    "rotation_keys.openfhe",
];
/// Bytes of a ciphertext's tail, and fields from its end.
const TAIL: usize = 48;
const SLOTS: usize = TAIL;
const LEVEL: usize = TAIL - 4;
const SCALE: usize = TAIL - 16;
const ENCODING: usize = TAIL - 32;
const METADATA: usize = TAIL - 40;

fn refusal(bytes: &[u8]) -> String {
    let read = openfhe::read_ciphertext(bytes, &parameters(), &Declared::default());
    read.unwrap_err().to_string()
}

#[test]
fn each_field_is_named() {
    let sound = file("fresh.openfhe");
    let with = |from_end: usize, byte: u8| {
        let mut damaged = sound.clone();
        damaged[sound.len() - from_end] = byte;
        refusal(&damaged)
    };
    let cases = [
        (SLOTS, 3, "OpenFHE: slots = 3, allowed: a power of two to 8"),
        (LEVEL, 1, "OpenFHE: level = 1, allowed: 0: 3 towers of 3"),
        (SCALE - 7, 0xff, "OpenFHE: scale"),
        (
            ENCODING,
            2,
            "OpenFHE: encoding = 2, allowed: 4, packed CKKS",
        ),
        (METADATA, 1, "OpenFHE: metadata = 1, allowed: 0 entries"),
    ];
    for (from_end, byte, expected) in cases {
        let message = with(from_end, byte);
        assert!(message.starts_with(expected), "{message}");
    }
    assert!(refusal(&[]).starts_with("no object of OpenFHE's: it begins with []"));
    assert!(refusal(&file("public_key.openfhe")).contains("ciphertext: not 48 bytes"));
    assert!(refusal(&file("rotation_keys.openfhe")).contains("made under other parameters"));
}

#[test]
fn keys_of_another_kind_or_context_are_refused() {
    let parameters = parameters();
    let (public, mult) = (
        file("public_key.openfhe"),
        file("relinearisation_key.openfhe"),
    );
    let message = openfhe::read_public_key(&mult, &parameters).unwrap_err();
    assert!(matches!(message, ForeignError::ForeignParameters { .. }));
    let message = openfhe::read_relinearisation_key(&public, &parameters).unwrap_err();
    assert!(
        message
            .to_string()
            .contains("expected 1152921504606844513 (golden)"),
        "{message}"
    );
    let rotations = file("rotation_keys.openfhe");
    let message = openfhe::read_relinearisation_key(&rotations, &parameters).unwrap_err();
    assert_eq!(
        message.to_string(),
        "OpenFHE: polynomials of a relinearisation key = 8, allowed: 4"
    );
    let message = openfhe::read_rotation_keys(&mult, &parameters).unwrap_err();
    assert!(message.to_string().starts_with("OpenFHE: "), "{message}");
    let small = openfhe::read_parameters(&public, Some(&mult), "small", 50, None).unwrap_err();
    assert!(matches!(small, ForeignError::Parameters { .. }));
    let swapped = openfhe::read_parameters(&mult, Some(&public), "swapped", 50, Some(Insecure));
    assert!(swapped.is_err());
}

#[test]
fn a_template_of_another_shape_is_refused() {
    let parameters = parameters();
    let fresh = ciphertext("fresh.openfhe", &parameters);
    let into = |name| {
        openfhe::write_ciphertext(&fresh, &file(name))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        into("low.openfhe"),
        "OpenFHE: towers of the template = 2, allowed: 3"
    );
    assert_eq!(
        into("square.openfhe"),
        "OpenFHE: parts of the template = 3, allowed: 2"
    );
    let template = file("rotation_keys.openfhe");
    let mut keys = openfhe::read_rotation_keys(&template, &parameters).unwrap();
    keys.remove(&galois_of_rotation(
        RingKind::Standard,
        1,
        parameters.log_n(),
    ));
    let message = openfhe::write_rotation_keys(&parameters, &keys, &template).unwrap_err();
    assert!(message
        .to_string()
        .starts_with("OpenFHE: automorphisms of the template = ["));
}

/// Without a checksum, what is cut off is all that a truncation shows.
#[test]
fn every_truncation_is_refused() {
    let parameters = parameters();
    for name in &FILES[..3] {
        let sound = file(name);
        (0..sound.len()).for_each(|len| drop(refusal(&sound[..len])));
    }
    let rotations = file("rotation_keys.openfhe");
    for len in 0..rotations.len() {
        assert!(
            openfhe::read_rotation_keys(&rotations[..len], &parameters).is_err(),
            "{len}"
        );
    }
}

/// Towers are found wherever they stand; an object is one from its first byte to its last.
#[test]
fn what_does_not_begin_or_end_as_an_object_is_refused() {
    let parameters = parameters();
    type Reads = fn(&[u8], &Parameters) -> Result<(), ForeignError>;
    let readers: [(&str, Reads); 4] = [
        ("fresh.openfhe", |b, p| {
            openfhe::read_ciphertext(b, p, &Declared::default()).map(drop)
        }),
        ("public_key.openfhe", |b, p| {
            openfhe::read_public_key(b, p).map(drop)
        }),
        ("relinearisation_key.openfhe", |b, p| {
            openfhe::read_relinearisation_key(b, p).map(drop)
        }),
        ("rotation_keys.openfhe", |b, p| {
            openfhe::read_rotation_keys(b, p).map(drop)
        }),
    ];
    for (name, read) in readers {
        let sound = file(name);
        read(&sound, &parameters).unwrap();
        for missing in [1, 8, 24, 100] {
            let refused = read(&sound[missing..], &parameters).unwrap_err();
            assert!(
                matches!(refused, ForeignError::Magic { .. }),
                "{name}: {refused}"
            );
        }
        for garbage in [&[0; 24][..], &[1; 24], &sound[..24], &sound[..9]] {
            let refused = read(&[garbage, &sound].concat(), &parameters).unwrap_err();
            assert!(
                matches!(refused, ForeignError::Magic { .. }),
                "{name}: {refused}"
            );
        }
        let refused = read(&[&sound[..], &[0; 24]].concat(), &parameters).unwrap_err();
        assert!(
            refused.to_string().contains("followed by others"),
            "{name}: {refused}"
        );
    }
    let public = file("public_key.openfhe");
    let shape = |bytes: &[u8]| openfhe::read_parameters(bytes, None, "p", 50, Some(Insecure));
    assert!(shape(&public).is_ok() && shape(&public[100..]).is_err());
}

/// The bounded smoke test of the fuzz target `openfhe`: the same `check`, on damaged objects.
#[test]
fn readers_accept_only_what_reads_the_same_again() {
    for name in FILES {
        let sound = file(name);
        openfhe::check(&sound);
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1 << (at % 8);
            openfhe::check(&damaged);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn readers_survive_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        openfhe::check(&bytes);
        openfhe::check(&[&[0, 0, 0, 0x40, 1, 16, 0, 0, 0, 0, 0, 0, 0], &bytes[..]].concat());
    }
}

/// OpenFHE has standard rings alone, whoever made the template.
#[test]
fn a_ring_that_is_not_standard_is_refused() {
    let golden = parameters();
    let parameters = Parameters::new(ParametersLiteral {
        kind: RingKind::ConjugateInvariant,
        insecure: true,
        ..golden.literal().clone()
    })
    .unwrap();
    let message = whole::write_context(&parameters).unwrap_err().to_string();
    assert!(
        message.starts_with("OpenFHE: parameters of a conjugate-invariant ring"),
        "{message}"
    );
    let key = openfhe::read_public_key(&file("public_key.openfhe"), &parameters);
    assert_eq!(key.unwrap_err().to_string(), message);
}
