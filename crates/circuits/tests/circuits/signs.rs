//! Signs and steps.

use crate::check::{program, run};
use crate::client::{literal, uniform, Client};
use ringwright_circuits::Sign;
use ringwright_schemes::ckks::Parameters;

#[test]
fn the_composition_is_as_good_as_it_says() {
    for (threshold, bound, error) in [(0.1, 1.0, 0.01), (0.01, 1.0, 1e-3), (0.5, 8.0, 1e-6)] {
        let sign = Sign::new(threshold, bound, error).unwrap();
        let depth: usize = sign.polynomials().iter().map(|p| p.depth()).sum();
        assert_eq!(sign.depth(), depth);
        assert!(sign.error() <= error);
        let steps = 10_000;
        for k in 0..=steps {
            let x = threshold * (bound / threshold).powf(f64::from(k) / f64::from(steps));
            // Between two polynomials there is a margin for noise, which this has none of.
            let off = (sign.value(x) - 1.0).abs();
            assert!(off <= sign.error() * (1.0 + 1e-5) + 1e-12, "{off} at {x}");
            assert!((sign.value(-x) + sign.value(x)).abs() < 1e-12, "odd");
        }
        let step = sign.step().unwrap();
        assert!((step.value(bound) - 1.0).abs() <= step.error() * (1.0 + 1e-5) + 1e-12);
        assert!(step.value(-bound).abs() <= step.error() * (1.0 + 1e-5) + 1e-12);
    }
}

#[test]
fn encrypted_signs() {
    let (threshold, error) = (0.1, 0.01);
    let sign = Sign::new(threshold, 1.0, error).unwrap();
    let levels = sign.depth() + 1;
    let parameters = Parameters::new(literal(8, &vec![54; levels], &[60], 40)).unwrap();
    let client = Client::new(&parameters);
    let x: Vec<f64> = uniform(parameters.slots(), 5);
    let evaluated = sign.clone();
    let program = program(&parameters, 1.0, &move |b, x| evaluated.evaluate(b, x));
    let (result, _) = run(&client, &program, 1.0, &x);
    for (x, got) in x.iter().zip(&result) {
        if x.abs() >= threshold {
            assert!((got - x.signum()).abs() <= 1.01 * error, "{got} for {x}");
        } else {
            assert!(got.abs() <= 1.0 + 1.01 * error, "{got} for {x}");
        }
    }
}
