//! One circuit on one encrypted vector, against the plain computation.

use crate::client::{rms_error, uniform, Client, UNIFORM_RMS};
use ringwright_circuits::Error;
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{Ciphertext, NoiseModel, Parameters, ProgramBuilder};
use ringwright_schemes::Insecure;

pub type Build = dyn Fn(&mut ProgramBuilder, ValueId) -> Result<ValueId, Error>;

/// The program of a circuit, for values up to `max`, uniform.
pub fn program(parameters: &Parameters, max: f64, build: &Build) -> Analysed {
    let mut builder = ProgramBuilder::new(parameters, "test");
    let ty = parameters.fresh(max, max * UNIFORM_RMS);
    let x = builder.input("x", ty).unwrap();
    let result = build(&mut builder, x).unwrap();
    builder.finish(&[result]).unwrap()
}

/// Runs it on uniform values up to `max`: the error must be what was predicted, to within 2 bits,
/// and the values within the declared bound. Returns what is known of the result.
pub fn check(
    client: &Client,
    name: &str,
    max: f64,
    build: &Build,
    plain: &dyn Fn(&[f64]) -> Vec<f64>,
) -> Estimate {
    check_cautious(client, (name, 2.0), max, build, plain)
}

/// The same where the prediction may be this many bits too cautious: averages of rotations of one value
/// are added as they are, though their errors meet in no slot.
pub fn check_cautious(
    client: &Client,
    (name, cautious): (&str, f64),
    max: f64,
    build: &Build,
    plain: &dyn Fn(&[f64]) -> Vec<f64>,
) -> Estimate {
    let parameters = &client.parameters;
    let x: Vec<f64> = uniform(parameters.slots(), 11)
        .iter()
        .map(|v| v * max)
        .collect();
    let (got, result) = run(client, &program(parameters, max, build), max, &x);
    let expected = plain(&x);
    let error = rms_error(&got, &expected);
    let model = NoiseModel::new(parameters);
    let bits = (error / model.slot_error(result.noise(), result.scale())).log2();
    assert!(
        (-cautious..=2.0).contains(&bits),
        "{name}: error 2^{:.2}, off by {bits:.2} bits",
        error.log2()
    );
    let largest = expected.iter().fold(0f64, |max, v| max.max(v.abs()));
    assert!(
        largest <= result.max() * 1.000_001,
        "{name}: {largest} above the bound {}",
        result.max()
    );
    result.ty()
}

/// What a program makes of values up to `max`, and the ciphertext.
pub fn run(client: &Client, program: &Analysed, max: f64, x: &[f64]) -> (Vec<f64>, Ciphertext) {
    let rms = rms_error(x, &vec![0.0; x.len()]).max(max * UNIFORM_RMS);
    let plaintext = client.encode(x).with_bounds(max, rms).unwrap();
    let input = client
        .encryptor
        .encrypt_with_seed(&plaintext, [21; 32], Insecure)
        .unwrap();
    let result = client.run(program, &[input]).remove(0);
    (client.decrypt(&result), result)
}

/// A refusal that names these words.
pub fn says<T>(result: Result<T, Error>, words: &[&str]) {
    let Err(error) = result else {
        panic!("accepted; expected a refusal with {words:?}")
    };
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{word:?} not in {text:?}");
    }
}
