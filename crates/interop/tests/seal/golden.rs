//! What SEAL wrote is read, computed on and decrypted here.

use ringwright_interop::foreign::Declared;
use ringwright_interop::seal;
use ringwright_ir::interpret::Interpreter;
use ringwright_schemes::ckks::{
    Ciphertext, Decryptor, Embedding, Encryptor, Evaluator, Parameters, ProgramBuilder,
};
use ringwright_schemes::rlwe::{EvaluationKeys, KeyGenerator};
use ringwright_schemes::security::Insecure;
use ringwright_target::Device;
use std::path::PathBuf;
use std::sync::Arc;

/// The generator's.
const LOG_SCALE: u32 = 30;
/// Bits of a slot that survive, far above the noise: 2^30 over N coefficients' errors.
const PRECISION: f64 = 1.0 / (1 << 16) as f64;
/// The largest slot's size, for a margin.
const MAX: f64 = 2.0;

/// A file of the golden data.
pub fn file(name: &str) -> Vec<u8> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/interop/seal");
    std::fs::read(root.join(name)).expect("a golden file")
}

/// The parameters that the golden files were made under.
pub fn parameters() -> Parameters {
    seal::read_parameters(
        &file("parameters.seal"),
        "golden",
        LOG_SCALE,
        Some(Insecure),
    )
    .unwrap()
}

/// A golden ciphertext.
pub fn ciphertext(name: &str, parameters: &Parameters) -> Ciphertext {
    let declared = Declared {
        max: MAX,
        rms: MAX,
        noise: None,
    };
    seal::read_ciphertext(&file(name), parameters, &declared).unwrap()
}

fn numbers(name: &str) -> Vec<Vec<f64>> {
    let text = String::from_utf8(file(name)).unwrap();
    let row = |line: &str| line.split(' ').map(|n| n.parse().unwrap()).collect();
    text.lines().map(row).collect()
}

/// The message: SEAL's slots, as (real, imaginary).
fn message() -> Vec<[f64; 2]> {
    let rows = numbers("slots.txt");
    rows.iter().map(|row| [row[0], row[1]]).collect()
}

/// Decrypts with the golden secret; slots in SEAL's order.
fn decrypt(ciphertext: &Ciphertext) -> Vec<[f64; 2]> {
    let parameters = ciphertext.parameters();
    let device: Arc<dyn Device> = Arc::new(Interpreter);
    let generator = KeyGenerator::new(parameters, device.clone());
    let ternary: Vec<i8> = numbers("secret.txt").iter().map(|c| c[0] as i8).collect();
    let secret = Arc::new(generator.secret_from_ternary(&ternary).unwrap());
    let decryptor = Decryptor::new(parameters, secret, device).unwrap();
    let plaintext = decryptor.decrypt(ciphertext).unwrap();
    let embedding = Embedding::new(parameters).unwrap();
    let (re, im) = embedding.decode_complex(&plaintext).unwrap();
    let slots = seal::slots::slots(parameters.slots());
    let ours = |slot: &seal::slots::Slot| match slot.conjugated {
        false => [re[slot.index], im[slot.index]],
        true => [re[slot.index], -im[slot.index]],
    };
    slots.iter().map(ours).collect()
}

fn assert_near(given: &[[f64; 2]], expected: &[[f64; 2]]) {
    assert_eq!(given.len(), expected.len());
    for (slot, (g, e)) in given.iter().zip(expected).enumerate() {
        let off = (g[0] - e[0]).hypot(g[1] - e[1]);
        assert!(off < PRECISION, "slot {slot}: {g:?}, expected {e:?}");
    }
}

fn squared(slots: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let square = |[re, im]: &[f64; 2]| [re * re - im * im, 2.0 * re * im];
    slots.iter().map(square).collect()
}

#[test]
fn parameters_are_seals() {
    let parameters = parameters();
    let bits = |primes: &[u64]| primes.iter().map(|q| q.ilog2() + 1).collect::<Vec<_>>();
    assert_eq!(bits(parameters.q()), [40, 40, 40]);
    assert_eq!(bits(parameters.p()), [41]);
    assert!(parameters.security().is_beyond());
}

#[test]
fn fresh_ciphertexts_decrypt_whatever_their_compression() {
    let parameters = parameters();
    for name in ["fresh.seal", "fresh-zlib.seal", "fresh-none.seal"] {
        let fresh = ciphertext(name, &parameters);
        assert_eq!(fresh.level(), parameters.levels());
        assert_eq!(fresh.scale(), parameters.scale());
        assert_near(&decrypt(&fresh), &message());
    }
}

#[test]
fn products_and_lower_levels_decrypt() {
    let parameters = parameters();
    let square = ciphertext("square.seal", &parameters);
    assert_eq!(square.parts().len(), 3);
    assert_near(&decrypt(&square), &squared(&message()));
    let low = ciphertext("low.seal", &parameters);
    assert_eq!(low.level(), parameters.levels() - 1);
    assert_near(&decrypt(&low), &message());
}

#[test]
fn the_public_key_encrypts_here() {
    let parameters = parameters();
    let public = seal::read_public_key(&file("public_key.seal"), &parameters).unwrap();
    let values = [0.5, -0.25];
    let embedding = Embedding::new(&parameters).unwrap();
    let message = embedding
        .encode_real(&values, parameters.scale(), parameters.levels())
        .unwrap();
    let key = public.restricted().unwrap();
    let encryptor = Encryptor::new(&parameters, key, Arc::new(Interpreter)).unwrap();
    let decrypted = decrypt(&encryptor.encrypt(&message).unwrap());
    let slots = seal::slots::slots(parameters.slots());
    let expected: Vec<_> = slots
        .iter()
        .map(|slot| [values.get(slot.index).copied().unwrap_or(0.0), 0.0])
        .collect();
    assert_near(&decrypted, &expected);
}

#[test]
fn seals_keys_relinearise_and_rotate_here() {
    let parameters = parameters();
    let mult =
        seal::read_relinearisation_key(&file("relinearisation_key.seal"), &parameters).unwrap();
    let galois = seal::read_galois_keys(&file("galois_keys.seal"), &parameters).unwrap();
    let two_n = 2 * parameters.n() as u64;
    assert_eq!(
        galois.keys().copied().collect::<Vec<_>>(),
        [3, 9, two_n - 1]
    );
    let keys = EvaluationKeys::new(&parameters, Some(mult), galois).unwrap();

    let fresh = ciphertext("fresh.seal", &parameters);
    // One step of SEAL's is 3, which conjugates as well, two are 3^2.
    let slots = seal::slots::slots(parameters.slots());
    assert!(slots[1].conjugated && !slots[2].conjugated);
    let [one, two] = [slots[1].index as i32, slots[2].index as i32];
    let mut builder = ProgramBuilder::new(&parameters, "all keys");
    let x = builder.input_of_group("x", fresh.ty(), Some(0)).unwrap();
    let square = builder.mul(x, x).unwrap();
    let rotated = builder.rotate(x, two).unwrap();
    let conjugated = builder.conjugate(x).unwrap();
    let turned = builder.rotate_conjugate(x, one).unwrap();
    let program = builder
        .finish(&[square, rotated, conjugated, turned])
        .unwrap();
    let evaluator = Evaluator::new(&parameters, Arc::new(Interpreter));
    let results = evaluator
        .prepare(&program)
        .unwrap()
        .run(&[fresh], &keys)
        .unwrap();

    let message = message();
    assert_near(&decrypt(&results[0]), &squared(&message));
    let mut expected = message.clone();
    expected.rotate_left(1);
    assert_near(&decrypt(&results[3]), &expected);
    expected.rotate_left(1);
    assert_near(&decrypt(&results[1]), &expected);
    let expected: Vec<_> = message.iter().map(|[re, im]| [*re, -im]).collect();
    assert_near(&decrypt(&results[2]), &expected);
}
