//! Polynomials: values, depth, scale, noise.

use crate::check::{check, program};
use crate::client::{literal, Client};
use ringwright_circuits::{chebyshev, Polynomial};
use ringwright_schemes::ckks::Parameters;

/// Nine 30-bit primes, scale 2^26.
fn short_primes() -> Parameters {
    Parameters::new(literal(8, &[30; 8], &[30], 26)).unwrap()
}

/// Seven 54-bit primes, scale 2^40.
fn long_primes() -> Parameters {
    Parameters::new(literal(8, &[54; 7], &[60], 40)).unwrap()
}

/// Evaluates it, and holds level and scale to what was promised.
fn evaluates(client: &Client, name: &str, max: f64, polynomial: &Polynomial) {
    let p = polynomial.clone();
    let ty = check(
        client,
        name,
        max,
        &move |builder, x| p.evaluate(builder, x),
        &|x| x.iter().map(|&x| polynomial.value(x)).collect(),
    );
    let levels = client.parameters.levels();
    assert_eq!(usize::from(ty.level), levels - polynomial.depth(), "{name}");
    assert!(
        (ty.scale / client.parameters.scale() - 1.0).abs() < 1e-12,
        "{name}"
    );
}

#[test]
fn power_series() {
    for parameters in [short_primes(), long_primes()] {
        let client = Client::new(&parameters);
        for degree in [1, 2, 3, 4, 5, 7, 10, 15, 20] {
            let inverse_factorials = (0..=degree).scan(1.0, |f, i: i32| {
                *f /= f64::from(i.max(1));
                Some(*f)
            });
            let exponential = Polynomial::power(&inverse_factorials.collect::<Vec<_>>()).unwrap();
            evaluates(
                &client,
                &format!("{}, exp, degree {degree}", parameters.name()),
                1.0,
                &exponential,
            );
        }
    }
}

#[test]
fn power_series_of_large_and_small_values_keep_modulus_and_precision() {
    let client = Client::new(&long_primes());
    let cubic = Polynomial::power(&[1.0, -0.5, 0.125, 0.0625]).unwrap();
    evaluates(&client, "cubic of values up to 6", 6.0, &cubic);
    let power = Polynomial::power(&[0.0, 0.0, 0.0, 0.0, 0.0, 1e6]).unwrap();
    evaluates(
        &client,
        "fifth power of values up to 1/16",
        1.0 / 16.0,
        &power,
    );
}

#[test]
fn chebyshev_series() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    for parameters in [short_primes(), long_primes()] {
        let client = Client::new(&parameters);
        for degree in [1, 2, 3, 6, 7, 12, 15, 31] {
            let series = chebyshev(sigmoid, [-3.0, 3.0], degree).unwrap();
            evaluates(
                &client,
                &format!("{}, sigmoid, degree {degree}", parameters.name()),
                3.0,
                &series,
            );
        }
    }
}

#[test]
fn an_interval_that_the_scale_does_not_hold_takes_a_level() {
    let parameters = short_primes();
    let series = chebyshev(f64::sin, [-40.0, 60.0], 3).unwrap();
    let program = program(&parameters, 2.0, &move |b, x| series.evaluate(b, x));
    let level = program.results().next().unwrap().level;
    assert_eq!(usize::from(level), parameters.levels() - 3);
}

#[test]
fn interpolation_converges() {
    let worst = |degree| {
        let series = chebyshev(f64::cos, [-2.0, 5.0], degree).unwrap();
        let points = (0..=700).map(|k| -2.0 + f64::from(k) / 100.0);
        points
            .map(|x| (series.value(x) - x.cos()).abs())
            .fold(0.0, f64::max)
    };
    assert!(worst(4) < 0.3 && worst(12) < 1e-4 && worst(30) < 1e-13);
}

#[test]
fn even_functions_have_even_series() {
    let series = chebyshev(f64::cos, [-1.0, 1.0], 10).unwrap();
    assert!(series
        .coefficients()
        .iter()
        .skip(1)
        .step_by(2)
        .all(|&c| c == 0.0));
}
