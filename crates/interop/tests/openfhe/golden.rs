//! What OpenFHE wrote is read, computed on and decrypted here, and written back.

use ringwright_interop::foreign::Declared;
use ringwright_interop::openfhe::{self, whole};
use ringwright_ir::interpret::Interpreter;
use ringwright_schemes::ckks::{
    Ciphertext, Decryptor, Embedding, Encryptor, Evaluator, GivenPrimes, Parameters, ProgramBuilder,
};
use ringwright_schemes::rlwe::{EvaluationKeys, KeyGenerator};
use ringwright_schemes::security::Insecure;
use ringwright_target::Device;
use std::path::PathBuf;
use std::sync::Arc;

/// The generator's.
const LOG_SCALE: u32 = 50;
const STEPS: [i32; 2] = [1, -2];
/// Far above the noise: 2^50 over N coefficients' errors.
const PRECISION: f64 = 1.0 / (1_u64 << 36) as f64;
/// A bound on the slots.
const MAX: f64 = 2.0;

/// A file of the golden data.
pub fn file(name: &str) -> Vec<u8> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/interop/openfhe");
    std::fs::read(root.join(name)).expect("a golden file")
}

/// The parameters that the golden files were made under.
pub fn parameters() -> Parameters {
    let (public, key) = (
        file("public_key.openfhe"),
        file("relinearisation_key.openfhe"),
    );
    openfhe::read_parameters(&public, Some(&key), "golden", LOG_SCALE, Some(Insecure)).unwrap()
}

/// A golden ciphertext.
pub fn ciphertext(name: &str, parameters: &Parameters) -> Ciphertext {
    let declared = Declared {
        max: MAX,
        rms: MAX,
        noise: None,
    };
    openfhe::read_ciphertext(&file(name), parameters, &declared).unwrap()
}

/// Q alone may be within the table where Q·P is beyond it.
#[test]
fn without_an_evaluation_key_security_is_unknown() {
    let public = file("public_key.openfhe");
    let read = |key: Option<&[u8]>| {
        let consent = Some(Insecure);
        openfhe::read_parameters(&public, key, "golden", LOG_SCALE, consent).unwrap()
    };
    let security = read(None).security();
    assert!(!security.is_complete());
    assert!(security.bits() == Some(0) || security.bits().is_none());
    let key = file("relinearisation_key.openfhe");
    assert!(read(Some(&key)).security().is_complete());
}

fn numbers(name: &str) -> Vec<f64> {
    let text = String::from_utf8(file(name)).unwrap();
    let first = |line: &str| line.split(' ').next().unwrap().parse().unwrap();
    text.lines().map(first).collect()
}

/// Decrypts with the golden secret.
fn decrypt(ciphertext: &Ciphertext) -> Vec<f64> {
    let parameters = ciphertext.parameters();
    let device: Arc<dyn Device> = Arc::new(Interpreter);
    let generator = KeyGenerator::new(parameters, device.clone());
    let ternary: Vec<i8> = numbers("secret.txt").iter().map(|c| *c as i8).collect();
    let secret = Arc::new(generator.secret_from_ternary(&ternary).unwrap());
    let decryptor = Decryptor::new(parameters, secret, device).unwrap();
    let plaintext = decryptor.decrypt(ciphertext).unwrap();
    let embedding = Embedding::new(parameters).unwrap();
    embedding.decode_real(&plaintext).unwrap()
}

fn assert_near(given: &[f64], expected: &[f64]) {
    assert_eq!(given.len(), expected.len());
    for (slot, (given, expected)) in given.iter().zip(expected).enumerate() {
        assert!(
            (given - expected).abs() < PRECISION,
            "slot {slot}: {given}, expected {expected}"
        );
    }
}

/// The name of the golden key pair: behind the scheme's name, its number, five versions, the features
/// and the scheme's own number.
pub fn tag(object: &[u8]) -> String {
    let scheme = b"lbcrypto::SchemeCKKSRNS";
    let at = object.windows(scheme.len()).position(|name| name == scheme);
    let length = at.unwrap() + scheme.len() + 4 * (1 + 5 + 1 + 1);
    let text = &object[length + 8..][..usize::from(object[length])];
    String::from_utf8(text.to_vec()).unwrap()
}

/// What we write around a context of our own is what OpenFHE writes, to the last byte.
#[test]
fn whole_objects_are_openfhes() {
    let parameters = parameters();
    assert_eq!(
        whole::write_context(&parameters).unwrap(),
        file("context.openfhe")
    );
    for name in ["fresh.openfhe", "square.openfhe"] {
        let (golden, given) = (file(name), ciphertext(name, &parameters));
        assert_eq!(
            whole::write_ciphertext(&given, &tag(&golden)).unwrap(),
            golden
        );
    }
    let golden = file("public_key.openfhe");
    let key = openfhe::read_public_key(&golden, &parameters).unwrap();
    assert_eq!(
        whole::write_public_key(&parameters, &key, &tag(&golden)).unwrap(),
        golden
    );
}

/// Evaluation keys are in the maps that OpenFHE's context holds: one tag; and a vector of one.
#[test]
fn whole_evaluation_keys_are_openfhes() {
    let parameters = parameters();
    let golden = file("relinearisation_key.openfhe");
    let (tag, one) = (tag(&golden), 1_u64.to_le_bytes());
    let length = (tag.len() as u64).to_le_bytes();
    let map = [&golden[..1], &one, &length, tag.as_bytes()].concat();
    let key = openfhe::read_relinearisation_key(&golden, &parameters).unwrap();
    let written = whole::write_relinearisation_key(&parameters, &key, &tag).unwrap();
    assert_eq!(written, [&map, &one[..], &golden[1..]].concat());

    let golden = file("rotation_keys.openfhe");
    let keys = openfhe::read_rotation_keys(&golden, &parameters).unwrap();
    let written = whole::write_rotation_keys(&parameters, &keys, &tag).unwrap();
    assert_eq!(written, [&map, &golden[1..]].concat());
}

#[test]
fn a_lower_level_has_a_basis_of_its_own() {
    let parameters = parameters();
    let low = ciphertext("low.openfhe", &parameters);
    let written = whole::write_ciphertext(&low, "a client").unwrap();
    let declared = Declared::default();
    let again = openfhe::read_ciphertext(&written, &parameters, &declared).unwrap();
    assert_eq!((again.level(), again.parts()), (low.level(), low.parts()));
}

/// OpenFHE computes the special primes itself, so that others cannot be handed over.
#[test]
fn parameters_without_a_context_are_refused() {
    let golden = openfhe::check_parameters();
    let with = |p: &[u64], digit| {
        let given = GivenPrimes {
            name: "other".to_string(),
            kind: golden.kind(),
            log_n: golden.log_n(),
            q: golden.q().to_vec(),
            p: Some(p.to_vec()),
            digit,
            log_scale: LOG_SCALE,
            insecure: true,
        };
        let parameters = Parameters::from_primes(given).unwrap();
        whole::write_context(&parameters).map_err(|error| error.to_string())
    };
    assert!(with(golden.p(), 2).is_ok());
    let swapped = with(&[golden.p()[1], golden.p()[0]], 2).unwrap_err();
    assert!(
        swapped.starts_with("OpenFHE: special primes ["),
        "{swapped}"
    );
    assert!(with(golden.p(), 1).unwrap_err().contains("special primes"));
    assert!(with(&golden.p()[..1], 1).is_ok());
    assert!(with(&[], 1).unwrap_err().contains("without special primes"));
}

#[test]
fn parameters_are_openfhes() {
    let (parameters, checked) = (parameters(), openfhe::check_parameters());
    assert_eq!(parameters, checked);
    assert_eq!(parameters.digit(), 2);
    let encrypting = openfhe::read_parameters(
        &file("public_key.openfhe"),
        None,
        "p",
        LOG_SCALE,
        Some(Insecure),
    );
    assert!(encrypting.unwrap().p().is_empty());
}

#[test]
fn ciphertexts_decrypt() {
    let (parameters, message) = (parameters(), numbers("slots.txt"));
    let fresh = ciphertext("fresh.openfhe", &parameters);
    assert_eq!((fresh.level(), fresh.scale()), (3, parameters.scale()));
    assert_near(&decrypt(&fresh), &message);
    let low = ciphertext("low.openfhe", &parameters);
    assert_eq!(low.level(), 2);
    assert_near(&decrypt(&low), &message);
    let square = ciphertext("square.openfhe", &parameters);
    assert_eq!(square.parts().len(), 3);
    assert_eq!(square.scale(), parameters.scale().powi(2));
    let squares: Vec<f64> = message.iter().map(|x| x * x).collect();
    assert_near(&decrypt(&square), &squares);
}

#[test]
fn the_public_key_encrypts_here() {
    let parameters = parameters();
    let public = openfhe::read_public_key(&file("public_key.openfhe"), &parameters).unwrap();
    let embedding = Embedding::new(&parameters).unwrap();
    let values: Vec<f64> = numbers("slots.txt").iter().map(|x| -x).collect();
    let message = embedding
        .encode_real(&values, parameters.scale(), parameters.levels())
        .unwrap();
    let encryptor = Encryptor::new(&parameters, public, Arc::new(Interpreter)).unwrap();
    assert_near(&decrypt(&encryptor.encrypt(&message).unwrap()), &values);
}

#[test]
fn their_keys_relinearise_and_rotate_here() {
    let parameters = parameters();
    let mult = file("relinearisation_key.openfhe");
    let mult = openfhe::read_relinearisation_key(&mult, &parameters).unwrap();
    let galois = openfhe::read_rotation_keys(&file("rotation_keys.openfhe"), &parameters).unwrap();
    let keys = EvaluationKeys::new(&parameters, Some(mult), galois).unwrap();

    let fresh = ciphertext("fresh.openfhe", &parameters);
    let mut builder = ProgramBuilder::new(&parameters, "all keys");
    let x = builder.input_of_group("x", fresh.ty(), Some(0)).unwrap();
    let mut results = vec![builder.mul_rescale(x, x).unwrap()];
    results.extend(STEPS.map(|steps| builder.rotate(x, steps).unwrap()));
    let program = builder.finish(&results).unwrap();
    let evaluator = Evaluator::new(&parameters, Arc::new(Interpreter));
    let prepared = evaluator.prepare(&program).unwrap();
    let results = prepared.run(&[fresh], &keys).unwrap();

    let message = numbers("slots.txt");
    let squares: Vec<f64> = message.iter().map(|x| x * x).collect();
    assert_near(&decrypt(&results[0]), &squares);
    for (result, steps) in results[1..].iter().zip(STEPS) {
        let mut expected = message.clone();
        expected.rotate_left(steps.rem_euclid(message.len() as i32) as usize);
        assert_near(&decrypt(result), &expected);
    }
}

/// Into the object that it was read from, everything goes back byte for byte.
#[test]
fn what_is_read_is_written_as_it_was() {
    let parameters = parameters();
    for name in ["fresh.openfhe", "square.openfhe", "low.openfhe"] {
        let template = file(name);
        let ciphertext = ciphertext(name, &parameters);
        let written = openfhe::write_ciphertext(&ciphertext, &template).unwrap();
        assert_eq!(written, template, "{name}");
    }
    let template = file("public_key.openfhe");
    let key = openfhe::read_public_key(&template, &parameters).unwrap();
    assert_eq!(
        openfhe::write_public_key(&key, &template).unwrap(),
        template
    );
    let template = file("relinearisation_key.openfhe");
    let key = openfhe::read_relinearisation_key(&template, &parameters).unwrap();
    assert_eq!(
        openfhe::write_relinearisation_key(&key, &template).unwrap(),
        template
    );
    let template = file("rotation_keys.openfhe");
    let keys = openfhe::read_rotation_keys(&template, &parameters).unwrap();
    let written = openfhe::write_rotation_keys(&parameters, &keys, &template).unwrap();
    assert_eq!(written, template);
}

/// Other words at another scale, in the template's place.
#[test]
fn a_ciphertext_of_ours_takes_a_template_s_place() {
    let parameters = parameters();
    let mut scaled = ciphertext("square.openfhe", &parameters).ty();
    scaled.scale *= 2.0;
    let parts = ciphertext("square.openfhe", &parameters).parts().to_vec();
    let ours = Ciphertext::new(&parameters, parts, &scaled).unwrap();
    let written = openfhe::write_ciphertext(&ours, &file("square.openfhe")).unwrap();
    let again = openfhe::read_ciphertext(&written, &parameters, &Declared::default()).unwrap();
    assert_eq!((again.scale(), again.parts()), (ours.scale(), ours.parts()));
}
