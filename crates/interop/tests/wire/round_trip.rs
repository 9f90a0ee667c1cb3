//! What is written reads back the same, in exactly the bytes that were promised.

use crate::holdings::Holdings;
use ringwright_interop::wire::{self, Kind, WireError};
use ringwright_ir::interpret::Interpreter;
use ringwright_schemes::ckks::{Decryptor, Embedding, GivenPrimes, Parameters, ParametersLiteral};
use ringwright_schemes::rlwe::{KeyGenerator, RingKind, SecretKey};
use ringwright_schemes::security::Insecure;
use std::sync::Arc;

/// Two primes, one of them above 32 bits, and a digit of two towers.
fn uneven() -> Parameters {
    let literal = ParametersLiteral {
        name: "uneven".to_string(),
        kind: RingKind::Standard,
        log_n: 5,
        q_bits: vec![41, 30, 20],
        p_bits: vec![40, 33],
        digit: 2,
        log_scale: 20,
        insecure: true,
    };
    Parameters::new(literal).unwrap()
}

/// The same lengths, of a conjugate-invariant ring.
fn real() -> Parameters {
    Parameters::new(ParametersLiteral {
        name: "real".to_string(),
        kind: RingKind::ConjugateInvariant,
        ..uneven().literal().clone()
    })
    .unwrap()
}

/// The same primes in another order, as another library may choose them.
fn given() -> Parameters {
    let (found, mut q) = (uneven(), uneven().q().to_vec());
    q.swap(1, 2);
    Parameters::from_primes(GivenPrimes {
        name: "given".to_string(),
        kind: RingKind::Standard,
        log_n: found.log_n(),
        q,
        p: Some(found.p().to_vec()),
        digit: 2,
        log_scale: 20,
        insecure: true,
    })
    .unwrap()
}

/// Only what an older reader would take for a standard ring has a newer version.
#[test]
fn a_ring_that_is_not_standard_has_a_version_of_its_own() {
    let file = |parameters: &Parameters| {
        let mut file = Vec::new();
        wire::write_parameters(parameters, &mut file).unwrap();
        file
    };
    let version = |file: &[u8]| u16::from_le_bytes([file[4], file[5]]);
    let (standard, real) = (file(&uneven()), file(&real()));
    assert_eq!((version(&standard), version(&real)), (3, 4));
    let again = wire::read_parameters(&real, Some(Insecure)).unwrap();
    assert_eq!(again.kind(), RingKind::ConjugateInvariant);
    assert_eq!(again.id(), self::real().id());
}

#[test]
fn parameters_whose_special_primes_are_not_known_stay_so() {
    let known = given();
    let of = |p| {
        let literal = known.literal().clone();
        Parameters::from_primes(GivenPrimes {
            name: literal.name,
            kind: literal.kind,
            log_n: literal.log_n,
            q: known.q().to_vec(),
            p,
            digit: 1,
            log_scale: literal.log_scale,
            insecure: true,
        })
        .unwrap()
    };
    let (none, unknown) = (of(Some(Vec::new())), of(None));
    assert_ne!(none.id(), unknown.id());
    let mut file = Vec::new();
    wire::write_parameters(&unknown, &mut file).unwrap();
    let again = wire::read_parameters(&file, Some(Insecure)).unwrap();
    assert_eq!(again.id(), unknown.id());
    assert!(!again.security().is_complete());
}

#[test]
fn everything_reads_back_to_the_same_words() {
    for parameters in [wire::check_parameters(), uneven(), given(), real()] {
        let held = Holdings::new(parameters.clone());
        let files = held.files();
        let again = wire::read_parameters(&files[0].1, Some(Insecure)).unwrap();
        assert_eq!(
            (again.literal(), again.primes()),
            (parameters.literal(), parameters.primes())
        );
        let again = wire::read_ciphertext(&files[1].1, &parameters).unwrap();
        assert_eq!(
            (again.parts(), again.ty()),
            (held.ciphertext.parts(), held.ciphertext.ty())
        );
        assert_eq!(again.length(), held.ciphertext.length());
        assert_eq!(again.identity(), held.secret.identity());
        assert!(!again.lineage().is_known() && held.ciphertext.lineage().is_known());
        let again = wire::read_public_key(&files[2].1, &parameters).unwrap();
        assert_eq!((again.a(), again.b()), (held.public.a(), held.public.b()));
        assert_eq!(again.identity(), held.secret.identity());
        let again = wire::read_evaluation_keys(&files[3].1, &parameters).unwrap();
        assert_eq!(again.ids(), held.evaluation.ids());
        for id in again.ids() {
            assert_eq!(
                again.get(id).unwrap().polys(),
                held.evaluation.get(id).unwrap().polys()
            );
        }
        let again = read_secret(&held, &files[4].1).unwrap();
        assert!(again.ternary() == held.secret.ternary(), "another secret");
        assert_eq!(again.identity(), held.secret.identity());
        assert!(again.birth().unwrap().root.expose() == held.secret.birth().unwrap().root.expose());
        assert_eq!(again.shared(), held.secret.shared());
        assert_eq!(again.shared().len(), 1);
        let again = wire::read_expected(&files[5].1, &parameters).unwrap();
        assert_eq!(again, held.expected);
    }
}

fn read_secret(held: &Holdings, bytes: &[u8]) -> Result<SecretKey, WireError> {
    wire::read_secret_key(bytes, &held.parameters, &held.generator)
}

#[test]
fn a_ciphertext_decrypts_after_the_journey() {
    let held = Holdings::new(uneven());
    let files = held.files();
    let ciphertext = wire::read_ciphertext(&files[1].1, &held.parameters).unwrap();
    let secret = Arc::new(read_secret(&held, &files[4].1).unwrap());
    let decryptor = Decryptor::new(&held.parameters, secret, Arc::new(Interpreter)).unwrap();
    let plaintext = decryptor.decrypt(&ciphertext).unwrap();
    let decoded = Embedding::new(&held.parameters)
        .unwrap()
        .decode_real(&plaintext)
        .unwrap();
    // Coefficient noise grows to a slot by at most N.
    let allowed = 10.0 * ciphertext.noise() * held.parameters.n() as f64 / ciphertext.scale();
    for (got, sent) in decoded.iter().zip(&held.values) {
        assert!((got - sent).abs() < allowed, "{got} for {sent}");
    }
}

#[test]
fn lengths_are_known_before_anything_is_encrypted() {
    for parameters in [wire::check_parameters(), uneven()] {
        let held = Holdings::new(parameters.clone());
        let (parts, level) = (held.ciphertext.parts().len(), held.ciphertext.level());
        let promised = [
            wire::parameters_len(&parameters),
            wire::ciphertext_len(&parameters, parts, level, false),
            wire::public_key_len(&parameters, true),
            wire::evaluation_keys_len(&held.evaluation),
            wire::secret_key_len(&parameters, held.secret.shared().len()),
        ];
        for ((name, file), promised) in held.files().iter().zip(promised) {
            assert_eq!(file.len() as u64, promised, "{name}");
        }
    }
}

/// A link carries the words' bits and next to nothing else.
#[test]
fn a_tower_takes_n_words_of_the_prime_s_bits() {
    let parameters = uneven();
    let bits: u64 = [41, 30, 20]
        .iter()
        .map(|bits| bits * parameters.n() as u64)
        .sum();
    let overhead = wire::ciphertext_len(&parameters, 0, 0, false);
    assert_eq!(
        wire::ciphertext_len(&parameters, 2, 3, false),
        overhead + 2 * bits / 8
    );
    assert!(overhead < 160);
}

#[test]
fn a_file_says_what_it_is_and_whose() {
    let held = Holdings::tiny();
    let kinds = [
        Kind::Parameters,
        Kind::Ciphertext,
        Kind::PublicKey,
        Kind::EvaluationKeys,
        Kind::SecretKey,
    ];
    for ((_, file), kind) in held.files().iter().zip(kinds) {
        assert_eq!(wire::kind_of(file).unwrap(), kind);
        assert_eq!(wire::parameters_id_of(file).unwrap(), held.parameters.id());
    }
    let public_key = &held.files()[2].1;
    let message = wire::read_ciphertext(public_key, &held.parameters)
        .unwrap_err()
        .to_string();
    assert_eq!(message, "this is a public key, expected a ciphertext");
}

#[test]
fn keys_and_ciphertexts_of_other_parameters_are_refused_by_name() {
    let (held, other) = (Holdings::tiny(), uneven());
    let files = held.files();
    let generator = Holdings::new(other.clone()).generator;
    let refusals = [
        wire::read_ciphertext(&files[1].1, &other).map(drop),
        wire::read_public_key(&files[2].1, &other).map(drop),
        wire::read_evaluation_keys(&files[3].1, &other).map(drop),
        wire::read_secret_key(&files[4].1, &other, &generator).map(drop),
    ];
    for refusal in refusals {
        let error = refusal.unwrap_err();
        assert!(
            matches!(error, WireError::ForeignParameters { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("(uneven)"), "{error}");
    }
}

#[test]
fn insecure_parameters_need_the_reader_s_consent_too() {
    let files = Holdings::tiny().files();
    let refused = wire::read_parameters(&files[0].1, None)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("insecure"), "{refused}");
    let secure = Parameters::preset("1024-27").unwrap();
    let mut file = Vec::new();
    wire::write_parameters(&secure, &mut file).unwrap();
    assert_eq!(wire::read_parameters(&file, None).unwrap(), secure);
}

/// What was written before keys had identities is read: of unknown keys, all slots counting.
#[test]
fn files_of_version_1_are_read() {
    read_version("v1", false);
}

/// What was written before uniform halves were seeds is read.
#[test]
fn files_of_version_2_are_read() {
    read_version("v2", true);
}

fn read_version(version: &str, has_identity: bool) {
    let file = |name: &str| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/wire");
        std::fs::read(format!("{root}/{version}/{name}")).unwrap()
    };
    let parameters = wire::read_parameters(&file("parameters.rw"), Some(Insecure)).unwrap();
    let device = Arc::new(Interpreter);
    let generator = KeyGenerator::new(&parameters, device.clone());
    let secret = wire::read_secret_key(&file("secret_key.rw"), &parameters, &generator).unwrap();
    assert_eq!(secret.birth().is_some(), has_identity);
    let public = wire::read_public_key(&file("public_key.rw"), &parameters).unwrap();
    let keys = wire::read_evaluation_keys(&file("evaluation_keys.rw"), &parameters).unwrap();
    let ciphertext = wire::read_ciphertext(&file("ciphertext.rw"), &parameters).unwrap();
    for identity in [public.identity(), keys.identity(), ciphertext.identity()] {
        assert_eq!(identity, secret.identity());
        assert_eq!(identity.is_known(), has_identity);
    }
    assert!(public.mask().is_none() && ciphertext.mask().is_none());
    assert_eq!(ciphertext.length().numbers, parameters.slots());
    assert_eq!(keys.ids().len(), 2);
    let decryptor = Decryptor::new(&parameters, Arc::new(secret), device).unwrap();
    let plaintext = decryptor.decrypt(&ciphertext).unwrap();
    let decoded = Embedding::new(&parameters).unwrap().decode_real(&plaintext);
    let text = String::from_utf8(file("slots.txt")).unwrap();
    for (got, sent) in decoded.unwrap().iter().zip(text.lines()) {
        let sent: f64 = sent.parse().unwrap();
        assert!(
            (got - sent).abs() < ciphertext.error_bound(),
            "{got} for {sent}"
        );
    }
    for name in [
        "parameters",
        "secret_key",
        "public_key",
        "evaluation_keys",
        "ciphertext",
    ] {
        wire::check(&file(&format!("{name}.rw")));
    }
}
