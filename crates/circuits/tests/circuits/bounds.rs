//! What no slot's error exceeds after a circuit, over several keys: never too small, and not too
//! large either.

use crate::check::Build;
use crate::client::{literal, max_error, small, uniform, Client};
use crate::linear_transforms::product;
use ringwright_circuits::{chebyshev, inner_sum, LinearTransform, Polynomial, Sign};
use ringwright_schemes::ckks::{Parameters, ProgramBuilder};
use ringwright_schemes::Insecure;

/// Keys and errors that are tried.
const SEEDS: u8 = 3;
/// The bound is below the largest error of all slots and seeds, times this: twice to four times is
/// how far 2^-20 lies from what happens in some hundred slots, and few slots show less than many.
pub const FACTOR: f64 = 24.0;
/// The same where all slots have nearly one error: there is one for every seed.
pub const OF_ONE_ERROR: f64 = 128.0;

/// Runs a circuit on uniform values up to `max`; slots of which `counts` says so are compared.
pub fn check(
    parameters: &Parameters,
    name: &str,
    max: f64,
    build: &Build,
    plain: &dyn Fn(&[f64]) -> Vec<f64>,
    counts: &dyn Fn(usize, f64) -> bool,
    factor: f64,
) {
    let mut builder = ProgramBuilder::new(parameters, "bound");
    let x = builder.input("x", parameters.fresh(max, max)).unwrap();
    let result = build(&mut builder, x).unwrap();
    let program = builder.finish(&[result]).unwrap();
    let mut x: Vec<f64> = uniform(parameters.slots(), 1)
        .iter()
        .map(|x| x * max)
        .collect();
    (x[0], x[1]) = (max, -max);
    let expected = plain(&x);
    let (mut largest, mut bound) = (0f64, 0.0);
    for seed in 1..=SEEDS {
        let client = Client::of_seed(parameters, [seed; 32]);
        let plaintext = client.encode(&x).with_bounds(max, max).unwrap();
        let input = client
            .encryptor
            .encrypt_with_seed(&plaintext, [40 + seed; 32], Insecure)
            .unwrap();
        let result = client.run(&program, &[input]).remove(0);
        bound = result.error_bound();
        let got = client.decrypt(&result);
        let errors = (0..x.len()).filter(|&i| counts(i, x[i]));
        largest = errors
            .map(|i| (got[i] - expected[i]).abs())
            .fold(largest, f64::max);
    }
    println!(
        "{name}: 2^{:.1}, bound 2^{:.1}, {:.1}",
        largest.log2(),
        bound.log2(),
        bound / largest
    );
    assert!(largest <= bound, "{name}: {largest}, bound {bound}");
    assert!(
        bound <= factor * largest,
        "{name}: {largest}, bound {bound}"
    );
}

pub fn everywhere(_: usize, _: f64) -> bool {
    true
}

fn long_primes(levels: usize) -> Parameters {
    Parameters::new(literal(8, &vec![54; levels], &[60], 40)).unwrap()
}

#[test]
fn of_polynomials() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let exponential: Vec<f64> = (0..=10)
        .scan(1.0, |f, i: i32| {
            *f /= f64::from(i.max(1));
            Some(*f)
        })
        .collect();
    let parameters = long_primes(7);
    for (name, max, polynomial) in [
        ("exp", 1.0, Polynomial::power(&exponential).unwrap()),
        (
            "cubic",
            6.0,
            Polynomial::power(&[1.0, -0.5, 0.125, 0.0625]).unwrap(),
        ),
        (
            "sigmoid, 7",
            3.0,
            chebyshev(sigmoid, [-3.0, 3.0], 7).unwrap(),
        ),
        (
            "sigmoid, 31",
            8.0,
            chebyshev(sigmoid, [-8.0, 8.0], 31).unwrap(),
        ),
        (
            "sine, 15",
            1.0,
            chebyshev(f64::sin, [-1.0, 5.0], 15).unwrap(),
        ),
    ] {
        let p = polynomial.clone();
        check(
            &parameters,
            name,
            max,
            &move |b, x| p.evaluate(b, x),
            &|x| x.iter().map(|&x| polynomial.value(x)).collect(),
            &everywhere,
            FACTOR,
        );
    }
}

#[test]
fn of_inner_sums() {
    let parameters = small();
    for (count, stride) in [(7, 3), (64, 1), (256, 1)] {
        check(
            &parameters,
            &format!("{count} slots, {stride} apart"),
            1.0 / 16.0,
            &move |b, x| inner_sum(b, x, count, stride),
            &|x| {
                let at = |i: usize, k: usize| x[(i + k * stride) % x.len()];
                (0..x.len())
                    .map(|i| (0..count).map(|k| at(i, k)).sum())
                    .collect()
            },
            &everywhere,
            if count < 256 { FACTOR } else { OF_ONE_ERROR },
        );
    }
}

/// All rows that there are; not the slots beyond, which have less.
#[test]
fn of_matrices() {
    let parameters = small();
    // Averages of four columns each: on every diagonal one entry of many is not zero.
    let pooled: Vec<f64> = (0..32 * 128)
        .map(|at| if at % 128 / 4 == at / 128 { 0.25 } else { 0.0 })
        .collect();
    for (rows, columns, entries) in [
        (1, 7, uniform(7, 3)),
        (5, 9, uniform(45, 3)),
        (9, 5, uniform(45, 3)),
        (64, 64, uniform(64 * 64, 3)),
        (32, 128, pooled),
    ] {
        let matrix = LinearTransform::new(rows, columns, &entries).unwrap();
        check(
            &parameters,
            &format!("{rows} by {columns}"),
            1.0,
            &move |b, x| matrix.apply(b, x),
            &|x| product(rows, columns, &entries, x),
            &|i, _| i < rows,
            FACTOR,
        );
    }
}

/// A matrix of sums of a window: errors of neighbouring slots are nearly the same.
#[test]
fn of_a_matrix_of_windows() {
    let parameters = small();
    let (rows, columns) = (4, 16);
    let entries = vec![0.25; rows * columns];
    let matrix = LinearTransform::new(rows, columns, &entries).unwrap();
    check(
        &parameters,
        "sums of windows",
        1.0 / 16.0,
        &move |b, x| {
            let windows = inner_sum(b, x, 64, 1)?;
            matrix.apply(b, windows)
        },
        &|x| {
            let window = |i: usize| (i..i + 64).map(|k| x[k % x.len()]).sum();
            let windows: Vec<f64> = (0..x.len()).map(window).collect();
            product(rows, columns, &entries, &windows)
        },
        &|i, _| i < rows,
        OF_ONE_ERROR,
    );
}

/// Beyond the threshold, errors shrink.
#[test]
fn of_signs() {
    let threshold = 0.1;
    let sign = Sign::new(threshold, 1.0, 0.01).unwrap();
    let parameters = long_primes(sign.depth() + 1);
    for (name, sign) in [("sign", sign.clone()), ("step", sign.step().unwrap())] {
        let evaluated = sign.clone();
        check(
            &parameters,
            name,
            1.0,
            &move |b, x| evaluated.evaluate(b, x),
            &|x| x.iter().map(|&x| sign.value(x)).collect(),
            &|_, x| x.abs() >= threshold,
            FACTOR,
        );
    }
}

/// Outside an interval a polynomial may be far steeper than inside: arguments at its very ends.
#[test]
fn of_polynomials_at_the_ends_of_their_interval() {
    let parameters = Parameters::new(literal(10, &[36; 9], &[36], 22)).unwrap();
    let mut wave = vec![0.0; 64];
    wave[63] = 1.0;
    let arc = |x: f64| (1.0 - x * x).max(0.0).sqrt();
    for (name, polynomial) in [
        ("arc, 127", chebyshev(arc, [-1.0, 1.0], 127).unwrap()),
        ("T_63", Polynomial::chebyshev(&wave, [-1.0, 1.0]).unwrap()),
    ] {
        let mut builder = ProgramBuilder::new(&parameters, "ends");
        let x = builder.input("x", parameters.fresh(1.0, 1.0)).unwrap();
        let result = polynomial.evaluate(&mut builder, x).unwrap();
        let program = builder.finish(&[result]).unwrap();
        let client = Client::new(&parameters);
        let x: Vec<f64> = (0..parameters.slots())
            .map(|i| if i % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let result = client.run(&program, &[client.encrypt(&x, 1)]).remove(0);
        let expected: Vec<f64> = x.iter().map(|&x| polynomial.value(x)).collect();
        let error = max_error(&client.decrypt(&result), &expected);
        println!("{name}: {error}, bound {}", result.error_bound());
        assert!(error <= result.error_bound(), "{name}: {error}");
    }
}
