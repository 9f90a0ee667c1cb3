//! Every operation against the plain computation.

use crate::client::{literal, rms_error, small, uniform, Client};
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::{Error, NoiseModel, Parameters, ProgramBuilder};

type Build = dyn Fn(&mut ProgramBuilder, ValueId, ValueId) -> Result<ValueId, Error>;
type Plain = dyn Fn(&[f64], &[f64]) -> Vec<f64>;

/// Builds a program of two fresh inputs.
pub fn program(client: &Client, build: &Build) -> Analysed {
    let mut builder = ProgramBuilder::new(&client.parameters, "test");
    let a = builder.input("a", client.fresh()).unwrap();
    let b = builder.input("b", client.fresh()).unwrap();
    let result = build(&mut builder, a, b).unwrap();
    builder.finish(&[result]).unwrap()
}

/// Runs it on uniform values; the error must be what was predicted, to within 2 bits.
pub fn check(client: &Client, name: &str, build: &Build, plain: &Plain) {
    let slots = client.parameters.slots();
    let (a, b) = (uniform(slots, 11), uniform(slots, 12));
    let program = program(client, build);
    let inputs = [client.encrypt(&a, 21), client.encrypt(&b, 22)];
    let result = client.run(&program, &inputs).remove(0);
    let error = rms_error(&client.decrypt(&result), &plain(&a, &b));
    let model = NoiseModel::new(&client.parameters);
    let bits = (error / model.slot_error(result.noise(), result.scale())).log2();
    assert!(
        bits.abs() <= 2.0,
        "{name}: error 2^{:.2}, off by {bits:.2} bits",
        error.log2()
    );
    let max = plain(&a, &b).iter().fold(0f64, |max, v| max.max(v.abs()));
    assert!(
        max <= result.max() * 1.000_001,
        "{name}: {max} above the bound {}",
        result.max()
    );
}

fn each(f: impl Fn(f64, f64) -> f64 + 'static) -> Box<Plain> {
    Box::new(move |a, b| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect())
}

pub fn rotated(values: &[f64], steps: i32) -> Vec<f64> {
    let slots = values.len();
    let index = |i: usize| (i as i64 + i64::from(steps)).rem_euclid(slots as i64) as usize;
    (0..slots).map(|i| values[index(i)]).collect()
}

#[test]
fn sums() {
    let client = Client::new(&small());
    check(&client, "add", &|p, a, b| p.add(a, b), &each(|a, b| a + b));
    check(&client, "sub", &|p, a, b| p.sub(a, b), &each(|a, b| a - b));
    check(
        &client,
        "double",
        &|p, a, _| p.add(a, a),
        &each(|a, _| a + a),
    );
    check(&client, "neg", &|p, a, _| p.neg(a), &each(|a, _| -a));
    check(
        &client,
        "add one",
        &|p, a, _| p.add_constant(a, &[1.25]),
        &each(|a, _| a + 1.25),
    );
    check(
        &client,
        "add many",
        &|p, a, _| p.add_constant(a, &[0.5, -0.25]),
        &|a, _| {
            a.iter()
                .enumerate()
                .map(|(i, a)| a + [0.5, -0.25][i % 2])
                .collect()
        },
    );
}

#[test]
fn products_with_constants() {
    let client = Client::new(&small());
    check(
        &client,
        "one value",
        &|p, a, _| p.mul_constant_rescale(a, &[-0.375]),
        &each(|a, _| a * -0.375),
    );
    check(
        &client,
        "a vector",
        &|p, a, _| p.mul_constant_rescale(a, &[0.5, -0.25, 1.5, 0.75]),
        &|a, _| {
            a.iter()
                .enumerate()
                .map(|(i, a)| a * [0.5, -0.25, 1.5, 0.75][i % 4])
                .collect()
        },
    );
}

#[test]
fn products() {
    let client = Client::new(&small());
    let product = each(|a, b| a * b);
    let square = each(|a, _| a * a);
    check(&client, "mul", &|p, a, b| p.mul(a, b), &product);
    check(&client, "square", &|p, a, _| p.mul(a, a), &square);
    check(
        &client,
        "mul, rescale",
        &|p, a, b| {
            let c = p.mul(a, b)?;
            p.rescale(c)
        },
        &product,
    );
    check(
        &client,
        "mul_rescale",
        &|p, a, b| p.mul_rescale(a, b),
        &product,
    );
    check(
        &client,
        "square_rescale",
        &|p, a, _| p.mul_rescale(a, a),
        &square,
    );
    check(
        &client,
        "three parts",
        &|p, a, b| p.mul_no_relin(a, b),
        &product,
    );
    check(
        &client,
        "three parts, rescaled, relinearised",
        &|p, a, b| {
            let ab = p.mul_no_relin(a, b)?;
            let aa = p.mul_no_relin(a, a)?;
            let sum = p.add(ab, aa)?;
            let negated = p.neg(sum)?;
            let rescaled = p.rescale(negated)?;
            p.relinearise(rescaled)
        },
        &each(|a, b| -(a * b + a * a)),
    );
}

#[test]
fn rotations() {
    let client = Client::new(&small());
    for steps in [1, -1, 3, 100, -37, 256 + 5] {
        check(
            &client,
            &format!("rotate {steps}"),
            &move |p, a, _| p.rotate(a, steps),
            &move |a, _| rotated(a, steps),
        );
    }
    check(&client, "conjugate", &|p, a, _| p.conjugate(a), &|a, _| {
        a.to_vec()
    });
    check(
        &client,
        "rotate_conjugate",
        &|p, a, _| p.rotate_conjugate(a, -3),
        &|a, _| rotated(a, -3),
    );
    check(
        &client,
        "rotate by nothing",
        &|p, a, _| p.rotate(a, 256),
        &|a, _| a.to_vec(),
    );
}

#[test]
fn conjugation_negates_imaginary_parts() {
    let client = Client::new(&small());
    let parameters = &client.parameters;
    let (re, im) = (
        uniform(parameters.slots(), 1),
        uniform(parameters.slots(), 2),
    );
    let plaintext = client
        .embedding
        .encode_complex(&re, &im, parameters.scale(), 5)
        .unwrap();
    let ciphertext = client.encryptor.encrypt(&plaintext).unwrap();
    let mut builder = ProgramBuilder::new(parameters, "conjugate");
    let a = builder.input("a", ciphertext.ty()).unwrap();
    const STEPS: [i32; 3] = [0, 1, -37];
    let conjugates = STEPS.map(|steps| builder.rotate_conjugate(a, steps).unwrap());
    let program = builder.finish(&conjugates).unwrap();
    let results = client.run(&program, &[ciphertext]);
    let negated: Vec<f64> = im.iter().map(|im| -im).collect();
    let model = NoiseModel::new(parameters);
    for (steps, result) in STEPS.into_iter().zip(results) {
        let decrypted = client.decryptor.decrypt(&result).unwrap();
        let (got_re, got_im) = client.embedding.decode_complex(&decrypted).unwrap();
        let expected = (rotated(&re, steps), rotated(&negated, steps));
        let bound = 4.0 * model.slot_error(result.noise(), result.scale());
        let errors = (
            rms_error(&got_re, &expected.0),
            rms_error(&got_im, &expected.1),
        );
        assert!(errors.0 < bound && errors.1 < bound, "{steps}: {errors:?}");
    }
}

#[test]
fn levels_are_aligned_and_scales_matched() {
    let client = Client::new(&small());
    check(
        &client,
        "a·b + a",
        &|p, a, b| {
            let product = p.mul_rescale(a, b)?;
            let matched = p.match_scale(a, product)?;
            p.add(product, matched)
        },
        &each(|a, b| a * b + a),
    );
    check(
        &client,
        "(a·b)·a",
        &|p, a, b| {
            let product = p.mul_rescale(a, b)?;
            p.mul_rescale(product, a)
        },
        &each(|a, b| a * b * a),
    );
    check(
        &client,
        "dropped",
        &|p, a, b| {
            let dropped = p.drop_level(a, 2)?;
            p.sub(dropped, b)
        },
        &each(|a, b| a - b),
    );
}

#[test]
fn lower_levels_use_the_same_keys() {
    let client = Client::new(&small());
    for level in 2..5 {
        check(
            &client,
            &format!("level {level}"),
            &move |p, a, b| {
                let a = p.drop_level(a, level)?;
                let product = p.mul(a, b)?;
                let rotated = p.rotate(product, 2)?;
                p.rescale(rotated)
            },
            &|a, b| rotated(&a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<_>>(), 2),
        );
    }
}

#[test]
fn digits_of_several_towers_and_several_special_primes() {
    let digit = |digit, q: &[u32], p: &[u32]| {
        let mut literal = literal(8, q, p, 26);
        literal.digit = digit;
        Parameters::new(literal).unwrap()
    };
    for parameters in [
        digit(2, &[30; 5], &[30, 30]),
        digit(2, &[30; 4], &[30, 30, 30]),
        digit(3, &[30; 5], &[45, 45]),
        digit(5, &[30; 5], &[50, 50, 50]),
        digit(1, &[40, 30, 30], &[40, 40]),
        digit(0, &[40, 30, 30, 30, 45, 30], &[51, 51]),
    ] {
        let client = Client::new(&parameters);
        check(
            &client,
            &format!("{parameters}, digit {}", parameters.digit()),
            &|p, a, b| {
                let product = p.mul_rescale(a, b)?;
                p.rotate(product, 1)
            },
            &|a, b| rotated(&a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<_>>(), 1),
        );
    }
}
