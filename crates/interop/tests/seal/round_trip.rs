//! What is written reads back, and is what SEAL would have written.

use crate::golden::{ciphertext, file, parameters};
use ringwright_interop::foreign::Declared;
use ringwright_interop::seal::{self, Version};
use ringwright_ir::interpret::Interpreter;
use ringwright_schemes::ckks::{Parameters, ParametersLiteral};
use ringwright_schemes::rlwe::{KeyGenerator, RingKind};
use std::sync::Arc;

/// Fields and words of an uncompressed object are SEAL's, byte for byte.
#[test]
fn a_ciphertext_is_written_as_seal_writes_it() {
    let written =
        seal::write_ciphertext(&ciphertext("fresh.seal", &parameters()), Version::default())
            .unwrap();
    assert_eq!(written, file("fresh-none.seal"));
}

#[test]
fn parameters_round_trip() {
    let parameters = parameters();
    let written = seal::write_parameters(&parameters, Version::default()).unwrap();
    let insecure = Some(ringwright_schemes::security::Insecure);
    let again = seal::read_parameters(&written, "again", 30, insecure).unwrap();
    assert_eq!(again.primes(), parameters.primes());
    assert_eq!(again, parameters);
}

#[test]
fn keys_round_trip() {
    let parameters = parameters();
    let generator = KeyGenerator::new(&parameters, Arc::new(Interpreter));
    let secret = generator.secret_key().unwrap();
    let public = generator.extended_public_key(&secret).unwrap();
    let written = seal::write_public_key(&public, Version::default()).unwrap();
    let again = seal::read_public_key(&written, &parameters).unwrap();
    assert_eq!((again.b(), again.a()), (public.b(), public.a()));

    let galois = seal::read_galois_keys(&file("galois_keys.seal"), &parameters).unwrap();
    let written = seal::write_galois_keys(&parameters, &galois, Version::default()).unwrap();
    let again = seal::read_galois_keys(&written, &parameters).unwrap();
    assert!(again.keys().eq(galois.keys()));
    for (key, again) in galois.values().zip(again.values()) {
        assert_eq!(key.polys(), again.polys());
    }
    let mult = file("relinearisation_key.seal");
    let mult = seal::read_relinearisation_key(&mult, &parameters).unwrap();
    let written = seal::write_relinearisation_key(&mult, Version::default()).unwrap();
    let again = seal::read_relinearisation_key(&written, &parameters).unwrap();
    assert_eq!(again.polys(), mult.polys());
}

/// SEAL has one special prime and digits of one tower.
#[test]
fn parameters_without_a_place_in_seal_are_refused() {
    let literal = |q_bits: &[u32], p_bits: &[u32], digit| ParametersLiteral {
        name: "ours".to_string(),
        kind: RingKind::Standard,
        log_n: 5,
        q_bits: q_bits.to_vec(),
        p_bits: p_bits.to_vec(),
        digit,
        log_scale: 20,
        insecure: true,
    };
    let refused = [
        literal(&[30, 30], &[], 1),
        literal(&[30, 30], &[30, 30], 1),
        literal(&[30, 30], &[61], 2),
    ];
    for literal in refused {
        let parameters = Parameters::new(literal).unwrap();
        let message = seal::write_parameters(&parameters, Version::default())
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("SEAL: parameters with"), "{message}");
        let read = seal::read_ciphertext(&file("fresh.seal"), &parameters, &Declared::default());
        assert_eq!(read.unwrap_err().to_string(), message);
    }
    let real = Parameters::new(ParametersLiteral {
        kind: RingKind::ConjugateInvariant,
        ..literal(&[30, 30], &[30], 1)
    });
    let message = seal::write_parameters(&real.unwrap(), Version::default()).unwrap_err();
    let named = "SEAL: parameters of a conjugate-invariant ring";
    assert!(message.to_string().starts_with(named), "{message}");
    let alone = Parameters::new(literal(&[30], &[], 1)).unwrap();
    assert!(seal::write_parameters(&alone, Version::default()).is_ok());
}
