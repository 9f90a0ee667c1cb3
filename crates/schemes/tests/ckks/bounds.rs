//! What no slot's error exceeds, over several keys: never too small, and not too large either.

use crate::client::{literal, max_error, small, uniform, Client, UNIFORM_RMS};
use crate::operations::rotated;
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::{Ciphertext, Error, Lineage, Parameters, ProgramBuilder};

type Build = dyn Fn(&mut ProgramBuilder, ValueId, ValueId) -> Result<ValueId, Error>;
type Plain = dyn Fn(&[f64], &[f64]) -> Vec<f64>;

/// Keys and errors that are tried.
const SEEDS: u8 = 4;
/// The bound is below the largest error of all slots and seeds, times this: two is how far 2^-20
/// lies from what happens once in a thousand slots, and few slots show less than many.
const FACTOR: f64 = 8.0;

/// Values of which every second one is as large as declared.
fn values(slots: usize, stream: u64) -> Vec<f64> {
    let every_second = |(i, x): (usize, f64)| if i % 2 == 0 { x.signum() } else { x };
    uniform(slots, stream)
        .into_iter()
        .enumerate()
        .map(every_second)
        .collect()
}

pub fn check(parameters: &Parameters, name: &str, build: &Build, plain: &Plain) {
    let mut builder = ProgramBuilder::new(parameters, "bound");
    let ty = parameters.fresh(1.0, 1.0);
    let (a, b) = (
        builder.input("a", ty.clone()).unwrap(),
        builder.input("b", ty).unwrap(),
    );
    let result = build(&mut builder, a, b).unwrap();
    let program = builder.finish(&[result]).unwrap();
    let (x, y) = (values(parameters.slots(), 1), values(parameters.slots(), 2));
    let expected = plain(&x, &y);
    let (mut largest, mut bound) = (0f64, 0.0);
    for seed in 1..=SEEDS {
        let client = Client::of_seed(parameters, [seed; 32]);
        let inputs = [
            client.encrypt(&x, 2 * seed),
            client.encrypt(&y, 2 * seed + 1),
        ];
        let result = client.run(&program, &inputs).remove(0);
        bound = result.error_bound();
        largest = largest.max(max_error(&client.decrypt(&result), &expected));
    }
    println!(
        "{name}: 2^{:.1}, bound 2^{:.1}, {:.1}",
        largest.log2(),
        bound.log2(),
        bound / largest
    );
    assert!(largest <= bound, "{name}: {largest}, bound {bound}");
    assert!(
        bound <= FACTOR * largest,
        "{name}: {largest}, bound {bound}"
    );
}

fn each(f: impl Fn(f64, f64) -> f64 + 'static) -> Box<Plain> {
    Box::new(move |a, b| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect())
}

#[test]
fn of_encryption_and_sums() {
    let p = &small();
    check(p, "fresh", &|p, a, _| p.neg(a), &each(|a, _| -a));
    check(p, "sum", &|p, a, b| p.add(a, b), &each(|a, b| a + b));
    check(p, "double", &|p, a, _| p.add(a, a), &each(|a, _| a + a));
    check(
        p,
        "a sum with what it was rotated to",
        &|p, a, _| {
            let moved = p.rotate(a, 3)?;
            p.add(a, moved)
        },
        &|a, _| a.iter().zip(rotated(a, 3)).map(|(a, b)| a + b).collect(),
    );
    check(
        p,
        "a sum with the conjugate",
        &|p, a, _| {
            let conjugate = p.conjugate(a)?;
            p.add(a, conjugate)
        },
        &each(|a, _| a + a),
    );
}

#[test]
fn of_products() {
    let p = &small();
    check(
        p,
        "product",
        &|p, a, b| p.mul_rescale(a, b),
        &each(|a, b| a * b),
    );
    check(
        p,
        "square",
        &|p, a, _| p.mul_rescale(a, a),
        &each(|a, _| a * a),
    );
    check(
        p,
        "a value met again",
        &|p, a, _| {
            let square = p.mul_rescale(a, a)?;
            let cube = p.mul_rescale(square, a)?;
            p.mul_rescale(cube, square)
        },
        &each(|a, _| a.powi(5)),
    );
    check(
        p,
        "three parts",
        &|p, a, b| {
            let ab = p.mul_no_relin(a, b)?;
            let aa = p.mul_no_relin(a, a)?;
            let sum = p.add(ab, aa)?;
            let rescaled = p.rescale(sum)?;
            p.relinearise(rescaled)
        },
        &each(|a, b| a * b + a * a),
    );
}

#[test]
fn of_products_with_constants() {
    let p = &small();
    let c = uniform(p.slots(), 3);
    let times = c.clone();
    check(
        p,
        "a vector",
        &move |p, a, _| p.mul_constant_rescale(a, &times),
        &move |a, _| a.iter().zip(&c).map(|(a, c)| a * c).collect(),
    );
    check(
        p,
        "one number",
        &|p, a, _| p.mul_constant_rescale(a, &[0.3]),
        &each(|a, _| a * 0.3),
    );
    let mut ones = vec![0.0; p.slots()];
    ones[4..8].fill(1.0);
    let mask = ones.clone();
    check(
        p,
        "a mask of four slots",
        &move |p, a, _| p.mul_constant_rescale(a, &mask),
        &move |a, _| a.iter().zip(&ones).map(|(a, c)| a * c).collect(),
    );
    let mut ones = vec![0.0; p.slots()];
    ones[0] = 1.0;
    let mask = ones.clone();
    check(
        p,
        "the square of one slot",
        &move |p, a, _| {
            let masked = p.mul_constant_rescale(a, &mask)?;
            p.mul_rescale(masked, masked)
        },
        &move |a, _| a.iter().zip(&ones).map(|(a, c)| a * a * c).collect(),
    );
}

#[test]
fn of_key_switches_with_digits() {
    let digit = |digit, q: &[u32], p: &[u32]| {
        let mut literal = literal(8, q, p, 26);
        literal.digit = digit;
        Parameters::new(literal).unwrap()
    };
    for parameters in [
        digit(1, &[30; 4], &[30]),
        digit(2, &[30; 5], &[30, 30]),
        digit(3, &[30; 5], &[45, 45]),
        digit(1, &[40, 30, 30], &[40, 40]),
        digit(0, &[40, 30, 30, 30, 45, 30], &[51, 51]),
    ] {
        let name = format!("{parameters}, digits of {}", parameters.digit());
        check(
            &parameters,
            &format!("{name}, rotation"),
            &|p, a, _| p.rotate(a, 1),
            &|a, _| rotated(a, 1),
        );
        check(
            &parameters,
            &format!("{name}, product"),
            &|p, a, b| p.mul_rescale(a, b),
            &each(|a, b| a * b),
        );
    }
}

/// Correlated and uncorrelated sums side by side: 64 slots of one vector.
#[test]
fn of_sums_of_slots() {
    let p = &small();
    check(
        p,
        "64 slots",
        &|p, a, _| {
            (0..6).try_fold(a, |sum, doubling| {
                let moved = p.rotate(sum, 1 << doubling)?;
                p.add(sum, moved)
            })
        },
        &|a, _| {
            let n = a.len();
            let from = |i: usize| (i..i + 64).map(|k| a[k % n]).sum();
            (0..n).map(from).collect()
        },
    );
}

#[test]
fn the_mean_and_the_peak_of_a_fresh_ciphertext_are_one() {
    let parameters = small();
    let ty = parameters.fresh(1.0, UNIFORM_RMS);
    assert_eq!(ty.noise, ty.peak);
}

/// A program of sums for the ciphertexts at hand, as a server builds it.
fn sum_of(client: &Client, inputs: &[Ciphertext]) -> Ciphertext {
    let mut builder = ProgramBuilder::new(&client.parameters, "sum");
    let lineages: Vec<_> = inputs.iter().map(Ciphertext::lineage).collect();
    let mut values = Vec::new();
    for (index, group) in Lineage::groups(&lineages).into_iter().enumerate() {
        let (name, ty) = (format!("x{index}"), inputs[index].ty());
        values.push(builder.input_of_group(&name, ty, group).unwrap());
    }
    let total = values.into_iter();
    let total = total.reduce(|sum, x| builder.add(sum, x).unwrap()).unwrap();
    let program = builder.finish(&[total]).unwrap();
    client.run(&program, inputs).remove(0)
}

/// The error may be as large as predicted, and is not much smaller.
fn assert_bounded(client: &Client, name: &str, result: &Ciphertext, expected: &[f64]) {
    let error = max_error(&client.decrypt(result), expected);
    let bound = result.error_bound();
    println!("{name}: 2^{:.1}, bound 2^{:.1}", error.log2(), bound.log2());
    assert!(error <= bound, "{name}: {error}, bound {bound}");
    assert!(bound <= FACTOR * error, "{name}: {error}, bound {bound}");
}

#[test]
fn one_ciphertext_as_several_inputs_meets_itself() {
    let client = Client::new(&small());
    let x = values(client.parameters.slots(), 1);
    let encrypted = client.encrypt(&x, 1);
    let result = sum_of(&client, &vec![encrypted; 12]);
    let expected: Vec<f64> = x.iter().map(|x| 12.0 * x).collect();
    assert_bounded(&client, "one, twelve times", &result, &expected);
}

#[test]
fn a_running_sum_meets_itself_across_programs() {
    let client = Client::new(&small());
    let x: Vec<f64> = values(client.parameters.slots(), 1);
    let x: Vec<f64> = x.iter().map(|x| x / 16.0).collect();
    let fresh = client.encrypt(&x, 1);
    let mut total = fresh.clone();
    for terms in 2..=100 {
        total = sum_of(&client, &[total, fresh.clone()]);
        let drift = total.noise() / (f64::from(terms) * fresh.noise());
        assert!((drift - 1.0).abs() < 1e-6, "{terms}: {drift}");
    }
    let expected: Vec<f64> = x.iter().map(|x| 100.0 * x).collect();
    // The default bound of 1 a term leaves no room for a hundred.
    assert!(total.max() >= 100.0 / 16.0);
    assert_bounded(&client, "a hundred times", &total, &expected);
    // Different ciphertexts add up by their squares still.
    let others: Vec<_> = (0..16).map(|seed| client.encrypt(&x, 10 + seed)).collect();
    let sum = sum_of(&client, &others);
    assert!((sum.noise() / (4.0 * fresh.noise()) - 1.0).abs() < 1e-6);
    // Read from elsewhere, nobody knows.
    let read =
        |c: &Ciphertext| Ciphertext::new(&client.parameters, c.parts().to_vec(), &c.ty()).unwrap();
    let read: Vec<_> = others.iter().map(read).collect();
    let sum = sum_of(&client, &read);
    assert!((sum.noise() / (16.0 * fresh.noise()) - 1.0).abs() < 1e-6);
}

#[test]
fn large_values_at_a_large_scale_are_off_by_double_precision() {
    let parameters = Parameters::new(literal(9, &[60; 3], &[60], 52)).unwrap();
    let client = Client::new(&parameters);
    let large = 2f64.powi(20);
    let x: Vec<f64> = values(parameters.slots(), 1)
        .iter()
        .map(|x| x * large)
        .collect();
    let plaintext = client.encode(&x).with_bounds(large, large).unwrap();
    let encrypted = client.encryptor.encrypt(&plaintext).unwrap();
    let error = max_error(&client.decrypt(&encrypted), &x);
    let noise = 12.0 * encrypted.noise() * 16.0 / encrypted.scale();
    println!("large: {error:e}, bound {:e}", encrypted.error_bound());
    assert!(error <= encrypted.error_bound(), "{error:e}");
    assert!(encrypted.error_bound() > noise, "{noise:e}");
}
