//! New levels for a ciphertext that has none left.

use crate::check::{run, says};
use crate::client::{literal, max_error, rms_error, uniform, Client};
use ringwright_circuits::{BootstrapShape, Bootstrapping};
use ringwright_schemes::ckks::{Analysed, Parameters, ParametersLiteral, ProgramBuilder};
use ringwright_schemes::rlwe::RingKind;

const SMALL: BootstrapShape = BootstrapShape {
    weight: 16,
    log_ratio: 8.0,
    to_coefficients: 2,
    degree: 31,
    doublings: 3,
    arcsine: 1,
    to_slots: 2,
    iterations: 1,
    period: None,
};

/// N = 2^9: two levels to use, and those that a bootstrapping spends.
fn parameters(shape: BootstrapShape) -> Parameters {
    let q_bits = [&[55, 45, 45][..], &[48; 2], &[55; 13]].concat();
    let depth = 12 + if shape.arcsine > 1 { 2 } else { 0 };
    let q_bits = q_bits[..3 + depth].to_vec();
    Parameters::new(literal(9, &q_bits, &[60], 45)).unwrap()
}

fn program(parameters: &Parameters, shape: BootstrapShape, max: f64, rms: f64) -> Analysed {
    let bootstrapping = Bootstrapping::new(parameters, shape).unwrap();
    let mut builder = ProgramBuilder::new(parameters, "refreshed");
    let x = builder.input("x", parameters.fresh(max, rms)).unwrap();
    let result = bootstrapping.apply(&mut builder, x).unwrap();
    assert_eq!(
        usize::from(builder.ty(result).unwrap().level),
        bootstrapping.level()
    );
    builder.finish(&[result]).unwrap()
}

#[test]
fn a_bootstrapped_message_is_the_message() {
    check(SMALL);
    check(BootstrapShape {
        arcsine: 3,
        ..SMALL
    });
}

fn check(shape: BootstrapShape) {
    let parameters = parameters(shape);
    let client = Client::new(&parameters);
    let slots = parameters.slots();
    let alternating = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
    let inputs = [
        ("uniform", uniform(slots, 3)),
        ("constant", vec![1.0; slots]),
        ("alternating", (0..slots).map(alternating).collect()),
        (
            "one hot",
            (0..slots).map(|at| f64::from(u8::from(at == 5))).collect(),
        ),
        ("zero", vec![0.0; slots]),
    ];
    for (name, x) in inputs {
        let rms = rms_error(&x, &vec![0.0; slots]);
        let program = program(&parameters, shape, 1.0, rms.max(0.577_350_3));
        let (got, result) = run(&client, &program, 1.0, &x);
        let (worst, bound) = (max_error(&got, &x), result.error_bound());
        assert!(worst <= bound, "{name}: {worst}, {bound}");
        // The sine's curve is what a vector is off by that is the same in every slot, and the bound is no
        // more than that; the arcsine straightens it.
        let most = match (name, shape.arcsine) {
            ("constant", 1) => 2f64.powi(-14),
            ("alternating" | "uniform", 1) => 2f64.powi(-15),
            _ => 2f64.powi(-25),
        };
        assert!(worst <= most, "{name}: {worst}");
        assert!(name != "constant" || shape.arcsine > 1 || 1.1 * worst > bound);
    }
}

/// One that repeats is bootstrapped with less, and one that does not becomes the mean of its repetitions.
#[test]
fn a_message_that_repeats_is_bootstrapped_as_a_smaller_one() {
    for arcsine in [1, 3] {
        for period in [4, 32, 128] {
            let shape = BootstrapShape {
                arcsine,
                period: Some(period),
                ..SMALL
            };
            repeated(shape, period);
        }
    }
}

fn repeated(shape: BootstrapShape, period: usize) {
    let parameters = parameters(shape);
    let client = Client::new(&parameters);
    let slots = parameters.slots();
    let repeats = slots / period;
    let pattern = uniform(period, 3);
    let inputs = [
        ("repeated", pattern.repeat(repeats)),
        ("constant", vec![1.0; slots]),
        ("zero", vec![0.0; slots]),
        ("not repeated", uniform(slots, 5)),
    ];
    let rms = 0.577_350_3;
    for (name, x) in inputs {
        let rms = if name == "constant" { 1.0 } else { rms };
        let program = program(&parameters, shape, 1.0, rms);
        let (got, result) = run(&client, &program, 1.0, &x);
        let mean = |at: usize| x.iter().skip(at % period).step_by(period).sum::<f64>();
        let expected: Vec<f64> = (0..slots).map(|at| mean(at) / repeats as f64).collect();
        let (worst, bound) = (max_error(&got, &expected), result.error_bound());
        assert!(worst <= bound, "{name}, {period}: {worst}, {bound}");
        let most = if shape.arcsine == 1 { 14 } else { 24 };
        assert!(worst <= 2f64.powi(-most), "{name}, {period}: {worst}");
    }
    let count = |shape| -> usize {
        let all = program(&parameters, shape, 1.0, rms);
        all.program().entry().ops.len()
    };
    let whole = BootstrapShape {
        period: None,
        ..shape
    };
    assert!(2 * count(shape) < 3 * count(whole) / 2);
}

/// What the sine's curve leaves is bootstrapped as well, and taken away without a level.
#[test]
fn iterations_take_away_what_is_off() {
    for period in [None, Some(16)] {
        let shape = BootstrapShape {
            iterations: 2,
            period,
            ..SMALL
        };
        let parameters = parameters(shape);
        let client = Client::new(&parameters);
        let once = BootstrapShape {
            iterations: 1,
            ..shape
        };
        let x = vec![1.0; parameters.slots()];
        let error = |shape| {
            let program = program(&parameters, shape, 1.0, 1.0);
            let (got, result) = run(&client, &program, 1.0, &x);
            let (worst, bound) = (max_error(&got, &x), result.error_bound());
            assert!(worst <= bound, "{worst}, {bound}");
            (worst, bound)
        };
        let [(first, _), (second, bound)] = [once, shape].map(error);
        assert!(first > 2f64.powi(-15), "{first}");
        assert!(
            second < 2f64.powi(-24) && bound < 2f64.powi(-21),
            "{second}, {bound}"
        );
    }
}

/// Its result is computed on as any other, and bootstrapped again.
#[test]
fn a_bootstrapped_value_goes_on() {
    let shape = BootstrapShape {
        arcsine: 3,
        ..SMALL
    };
    let parameters = parameters(shape);
    let client = Client::new(&parameters);
    let bootstrapping = Bootstrapping::new(&parameters, shape).unwrap();
    let mut builder = ProgramBuilder::new(&parameters, "on and on");
    let x = builder
        .input("x", parameters.fresh(1.0, 0.577_350_3))
        .unwrap();
    let mut value = x;
    for _ in 0..3 {
        let fresh = bootstrapping.apply(&mut builder, value).unwrap();
        value = builder.mul_rescale(fresh, fresh).unwrap();
    }
    let program = builder.finish(&[value]).unwrap();
    let x = uniform(parameters.slots(), 8);
    let (got, result) = run(&client, &program, 1.0, &x);
    let expected: Vec<f64> = x.iter().map(|x| x.powi(8)).collect();
    let (worst, bound) = (max_error(&got, &expected), result.error_bound());
    assert!(worst <= bound, "{worst}, {bound}");
    assert!(worst < 2f64.powi(-20), "{worst}");
}

/// Other keys, other messages: no slot over its bound.
#[test]
fn no_slot_exceeds_its_bound_whatever_the_keys() {
    let parameters = parameters(SMALL);
    let program = program(&parameters, SMALL, 1.0, 0.577_350_3);
    for seed in 0..4 {
        let client = Client::of_seed(&parameters, [seed; 32]);
        for stream in 0..2 {
            let x = uniform(parameters.slots(), 10 * u64::from(seed) + stream);
            let (got, result) = run(&client, &program, 1.0, &x);
            let (worst, bound) = (max_error(&got, &x), result.error_bound());
            assert!(worst <= bound, "{seed}: {worst}, {bound}");
        }
    }
}

#[test]
fn what_cannot_be_bootstrapped_is_refused() {
    let parameters = parameters(SMALL);
    let new = |shape| Bootstrapping::new(&parameters, shape).map(drop);
    says(
        new(BootstrapShape {
            to_slots: 0,
            ..SMALL
        }),
        &["to_slots = 0", "1 to 8"],
    );
    says(
        new(BootstrapShape {
            to_coefficients: 9,
            ..SMALL
        }),
        &["to_coefficients = 9"],
    );
    says(
        new(BootstrapShape {
            log_ratio: 1.0,
            ..SMALL
        }),
        &["log_ratio = 1", "2 to 30"],
    );
    says(new(BootstrapShape { degree: 1, ..SMALL }), &["degree = 1"]);
    says(
        new(BootstrapShape {
            doublings: 9,
            ..SMALL
        }),
        &["doublings = 9", "up to 8"],
    );
    says(
        new(BootstrapShape {
            arcsine: 2,
            ..SMALL
        }),
        &["arcsine = 2", "odd"],
    );
    says(
        new(BootstrapShape {
            doublings: 7,
            ..SMALL
        }),
        &["levels = 15", "18 or more: 16 are spent"],
    );
    says(new(BootstrapShape { weight: 0, ..SMALL }), &["weight = 0"]);
    for iterations in [0, 5] {
        let shape = BootstrapShape {
            iterations,
            ..SMALL
        };
        says(new(shape), &["iterations = ", "1 to 4"]);
    }
    for period in [0, 12, 512] {
        let period = Some(period);
        says(
            new(BootstrapShape { period, ..SMALL }),
            &["period = ", "a power of two, 2 to 256"],
        );
    }
    // The message takes more of the first prime than it may.
    let bootstrapping = Bootstrapping::new(&parameters, SMALL).unwrap();
    let mut builder = ProgramBuilder::new(&parameters, "large");
    let x = builder.input("x", parameters.fresh(100.0, 1.0)).unwrap();
    says(
        bootstrapping.apply(&mut builder, x).map(drop),
        &["largest message = 2^51.6", "2^47.0"],
    );
    // A sparse secret that the security table has no row for.
    let mut literal = parameters.literal().clone();
    literal.log_n = 16;
    literal.insecure = false;
    let secure = Parameters::new(literal).unwrap();
    let new = |weight| Bootstrapping::new(&secure, BootstrapShape { weight, ..SMALL }).map(drop);
    says(new(16), &["encapsulated secret of Hamming weight 16"]);
    assert!(new(32).is_ok());
    let real = Parameters::new(ParametersLiteral {
        kind: RingKind::ConjugateInvariant,
        ..parameters.literal().clone()
    });
    says(
        Bootstrapping::new(&real.unwrap(), SMALL).map(drop),
        &["conjugate-invariant"],
    );
}
