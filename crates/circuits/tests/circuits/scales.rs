//! Results at the scale that was asked for: exact for polynomials, matrices and signs, by an integer
//! factor for products; values and noise as predicted at every one.

use crate::bounds;
use crate::check::{check, says, Build};
use crate::client::{literal, uniform, Client};
use crate::linear_transforms::product;
use ringwright_circuits::{chebyshev, Error, LinearTransform, Polynomial, Sign};
use ringwright_schemes::ckks::Estimate;
use ringwright_schemes::ckks::{Parameters, ProgramBuilder};

/// Seven 54-bit primes, scale 2^40.
fn parameters() -> Parameters {
    Parameters::new(literal(8, &[54; 7], &[60], 40)).unwrap()
}

/// Below, at and above the default, and above the primes.
const LOG_SCALES: [i32; 5] = [30, 40, 47, 53, 56];

fn at(ty: &Estimate, scale: f64) {
    let apart = (ty.scale / scale - 1.0).abs();
    assert!(apart < 1e-12, "asked 2^{}, {apart:e} off", scale.log2());
}

#[test]
fn polynomials_come_at_the_scale_asked_for() {
    let client = Client::new(&parameters());
    let power = Polynomial::power(&[0.125, 0.5, -0.25, 0.0, 0.125, 0.0, 0.25, 0.1]).unwrap();
    let series = chebyshev(|x| (x / 2.0).sin(), [-1.5, 1.5], 12).unwrap();
    for (name, max, polynomial) in [("power", 1.0, power), ("Chebyshev", 1.5, series)] {
        for log_scale in LOG_SCALES {
            let (p, scale) = (polynomial.clone(), 2f64.powi(log_scale) * 1.37);
            let ty = check(
                &client,
                &format!("{name} at 2^{log_scale}"),
                max,
                &move |builder, x| p.evaluate_to(builder, x, scale),
                &|x| x.iter().map(|&x| polynomial.value(x)).collect(),
            );
            at(&ty, scale);
            let levels = client.parameters.levels() - polynomial.depth();
            assert_eq!(usize::from(ty.level), levels);
        }
    }
}

#[test]
fn a_larger_scale_is_worth_its_bits() {
    let client = Client::new(&parameters());
    let square = Polynomial::power(&[0.0, 0.0, 0.0, 0.5]).unwrap();
    let error = |log_scale: i32| {
        let p = square.clone();
        let build = move |b: &mut ProgramBuilder, x| p.evaluate_to(b, x, 2f64.powi(log_scale));
        let plain = |x: &[f64]| x.iter().map(|&x| square.value(x)).collect();
        let ty = check(&client, "cube", 1.0, &build, &plain);
        ty.noise / ty.scale
    };
    assert!(error(30) > 100.0 * error(40), "rounding at 2^30 shows");
    assert!(error(50) < error(40), "powers have less noise");
}

#[test]
fn matrices_come_at_the_scale_asked_for() {
    let client = Client::new(&parameters());
    let entries = uniform(40 * 60, 3);
    let matrix = LinearTransform::new(40, 60, &entries).unwrap();
    for log_scale in [30, 40, 53] {
        let (m, scale) = (matrix.clone(), 2f64.powi(log_scale) * 1.37);
        let ty = check(
            &client,
            &format!("matrix at 2^{log_scale}"),
            1.0,
            &move |builder, x| m.apply_to(builder, x, scale),
            &|x| product(40, 60, &entries, x),
        );
        at(&ty, scale);
    }
}

#[test]
fn signs_come_at_the_scale_asked_for() {
    let parameters = Parameters::new(literal(8, &[54; 9], &[60], 40)).unwrap();
    let sign = Sign::new(0.125, 1.0, 0.05).unwrap();
    for log_scale in [32, 46] {
        let scale = 2f64.powi(log_scale);
        let mut builder = ProgramBuilder::new(&parameters, "sign");
        let x = builder.input("x", parameters.fresh(1.0, 1.0)).unwrap();
        let result = sign.evaluate_to(&mut builder, x, scale).unwrap();
        at(builder.ty(result).unwrap(), scale);
        let s = sign.clone();
        bounds::check(
            &parameters,
            &format!("sign at 2^{log_scale}"),
            1.0,
            &move |builder, x| s.evaluate_to(builder, x, scale),
            &|x| x.iter().map(|&x| sign.value(x)).collect(),
            &|_, x| x.abs() >= 0.125,
            bounds::FACTOR,
        );
    }
}

/// What no slot is off by more, at scales other than the default.
#[test]
fn bounds_hold() {
    let parameters = parameters();
    let cubic = Polynomial::power(&[0.25, 0.5, 0.0, 0.125]).unwrap();
    let (rows, columns, entries) = (64, 64, uniform(64 * 64, 3));
    let matrix = LinearTransform::new(rows, columns, &entries).unwrap();
    for log_scale in [30, 50] {
        let scale = 2f64.powi(log_scale);
        let (p, m) = (cubic.clone(), matrix.clone());
        let build = |name: &str, build: &Build, plain: &dyn Fn(&[f64]) -> Vec<f64>| {
            let name = format!("{name} at 2^{log_scale}");
            let (everywhere, factor) = (&bounds::everywhere, bounds::FACTOR);
            bounds::check(&parameters, &name, 1.0, build, plain, everywhere, factor);
        };
        build(
            "polynomial",
            &move |b, x| p.evaluate_to(b, x, scale),
            &|x| x.iter().map(|&x| cubic.value(x)).collect(),
        );
        build("matrix", &move |b, x| m.apply_to(b, x, scale), &|x| {
            product(rows, columns, &entries, x)
        });
        build(
            "product",
            &move |b, x| Ok(b.mul_rescale_to(x, x, scale)?),
            &|x| x.iter().map(|x| x * x).collect(),
        );
    }
}

#[test]
fn products_come_near_it() {
    let client = Client::new(&parameters());
    for log_scale in [26, 30, 40, 47, 53] {
        let scale = 2f64.powi(log_scale) * 1.37;
        let ty = check(
            &client,
            &format!("product at 2^{log_scale}"),
            1.0,
            &move |builder, x| Ok(builder.mul_rescale_to(x, x, scale)?),
            &|x| x.iter().map(|x| x * x).collect(),
        );
        let prime = *client.parameters.q().last().unwrap() as f64;
        let one = client.parameters.scale().powi(2) / prime;
        let factor = (scale / one).round();
        at(&ty, one * factor);
        assert!((ty.scale - scale).abs() <= one / 2.0);
    }
}

#[test]
fn refusals() {
    let parameters = parameters();
    let mut builder = ProgramBuilder::new(&parameters, "refused");
    let x = builder.input("x", parameters.fresh(1.0, 0.5)).unwrap();
    let square = Polynomial::power(&[0.0, 0.0, 1.0]).unwrap();
    let identity = LinearTransform::new(1, 1, &[0.5]).unwrap();
    let sign = Sign::new(0.25, 1.0, 0.3).unwrap();
    for scale in [f64::NAN, f64::INFINITY, 0.0, -1.0, 0.5] {
        let words = [format!("scale = {scale}"), "finite, 1 or more".into()];
        let words = [words[0].as_str(), words[1].as_str()];
        says(square.evaluate_to(&mut builder, x, scale), &words);
        says(identity.apply_to(&mut builder, x, scale), &words);
        says(sign.evaluate_to(&mut builder, x, scale), &words);
        let product = builder.mul_rescale_to(x, x, scale);
        says(product.map_err(Error::from), &["finite, 1 or more allowed"]);
    }
    let huge = 2f64.powi(400);
    says(square.evaluate_to(&mut builder, x, huge), &["does not fit"]);
    says(identity.apply_to(&mut builder, x, huge), &["does not fit"]);
    let product = builder.mul_rescale_to(x, x, huge).map_err(Error::from);
    says(product, &["does not fit"]);
    for result in [
        square.evaluate_to(&mut builder, x, 1.0),
        identity.apply_to(&mut builder, x, 1.0),
    ] {
        says(result, &["no precision", "scale 2^0.0"]);
    }
    let product = builder.mul_rescale_to(x, x, 2f64.powi(20));
    let words = ["2^20.0 given", "leaves at 2^26.0", "2^25.0 or more allowed"];
    says(product.map_err(Error::from), &words);
}
