//! The conjugate-invariant ring: N real slots, their noise and bounds, and what it has not.

use crate::bounds;
use crate::client::{literal, max_error, uniform, Client, UNIFORM_RMS};
use crate::operations::{check, rotated};
use ringwright_ir::he;
use ringwright_ir::ring::ValueId;
use ringwright_schemes::ckks::{
    analyse, Error, NoiseModel, ParameterError, Parameters, ParametersLiteral, ProgramBuilder,
};
use ringwright_schemes::rlwe::{RingError, RingKind};
use ringwright_schemes::security::{gates, Secret};

fn real(literal: ParametersLiteral) -> Parameters {
    Parameters::new(ParametersLiteral {
        kind: RingKind::ConjugateInvariant,
        ..literal
    })
    .unwrap()
}

/// Five 30-bit primes and a special one at N = 2^9.
fn small() -> Parameters {
    real(literal(9, &[30; 5], &[30], 26))
}

type Build = dyn Fn(&mut ProgramBuilder, ValueId, ValueId) -> Result<ValueId, Error>;
type Plain = dyn Fn(&[f64], &[f64]) -> Vec<f64>;

fn each(f: impl Fn(f64, f64) -> f64 + 'static) -> Box<Plain> {
    Box::new(move |a, b| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect())
}

#[test]
fn there_are_as_many_slots_as_coefficients() {
    let parameters = small();
    assert_eq!(parameters.slots(), parameters.n());
    assert!(parameters.primes().iter().all(|q| q % (4 << 9) == 1));
    assert!(parameters.to_string().ends_with("conjugate-invariant ring"));
    let client = Client::new(&parameters);
    let values = uniform(parameters.slots(), 3);
    let plaintext = client.encode(&values);
    assert_eq!(plaintext.poly().n(), parameters.n());
    let (re, im) = client.embedding.decode_complex(&plaintext).unwrap();
    // Every coefficient is off by half at most, a slot by N of them.
    assert!(max_error(&re, &values) <= parameters.n() as f64 / parameters.scale());
    assert!(im.iter().all(|&part| part == 0.0));
}

/// Slot k is the polynomial at ζ^(5^k), ζ = exp(iπ/2N).
#[test]
fn encoding_is_the_embedding_by_its_definition() {
    let parameters = real(literal(4, &[50], &[], 40));
    let client = Client::new(&parameters);
    let values = uniform(parameters.slots(), 4);
    let plaintext = client.encode(&values);
    let q = parameters.q()[0];
    let centred = |&word: &u64| match word > q / 2 {
        true => -((q - word) as f64),
        false => word as f64,
    };
    let coefficients: Vec<f64> = plaintext.poly().tower(0).iter().map(centred).collect();
    let n = parameters.n();
    let mut power = 1usize;
    for (k, &value) in values.iter().enumerate() {
        let angle = |i: usize| (i * power % (4 * n)) as f64 * std::f64::consts::PI / (2 * n) as f64;
        let terms = (1..n).map(|i| 2.0 * coefficients[i] * angle(i).cos());
        let slot = (coefficients[0] + terms.sum::<f64>()) / parameters.scale();
        assert!((slot - value).abs() < 1e-9, "slot {k}: {slot}, {value}");
        power = power * 5 % (4 * n);
    }
}

/// Errors are what the model predicts, to within 2 bits, in both kinds of ring alike.
#[test]
fn operations_compute_and_their_noise_is_predicted() {
    let client = Client::new(&small());
    let of = |name: &str, build: &Build, plain: &Plain| check(&client, name, build, plain);
    of("add", &|p, a, b| p.add(a, b), &*each(|a, b| a + b));
    of("neg", &|p, a, _| p.neg(a), &*each(|a, _| -a));
    of(
        "product",
        &|p, a, b| p.mul_rescale(a, b),
        &*each(|a, b| a * b),
    );
    of(
        "square",
        &|p, a, _| p.mul_rescale(a, a),
        &*each(|a, _| a * a),
    );
    of(
        "one value",
        &|p, a, _| p.mul_constant_rescale(a, &[-0.375]),
        &*each(|a, _| -0.375 * a),
    );
    let factors = uniform(client.parameters.slots(), 5);
    let times = factors.clone();
    of(
        "a vector",
        &move |p, a, _| p.mul_constant_rescale(a, &times),
        &move |a, _| a.iter().zip(&factors).map(|(a, f)| a * f).collect(),
    );
    of(
        "three parts",
        &|p, a, b| {
            let product = p.mul_no_relin(a, b)?;
            let rescaled = p.rescale(product)?;
            p.relinearise(rescaled)
        },
        &*each(|a, b| a * b),
    );
    for steps in [1, -1, 7, 256] {
        let name = format!("rotate by {steps}");
        of(&name, &move |p, a, _| p.rotate(a, steps), &move |a, _| {
            rotated(a, steps)
        });
    }
    of(
        "a power",
        &|p, a, _| (0..4).try_fold(a, |power, _| p.mul_rescale(power, power)),
        &*each(|a, _| a.powi(16)),
    );
}

/// Rotations of one value share the digits of its key switches.
#[test]
fn hoisted_rotations_and_sums_over_all_slots() {
    let client = Client::new(&small());
    let slots = client.parameters.slots();
    check(
        &client,
        "three rotations",
        &|p, a, _| {
            let turned = [1, 2, 5].map(|steps| p.rotate(a, steps));
            let [x, y, z] = turned;
            let sum = p.add(x?, y?)?;
            p.add(sum, z?)
        },
        &move |a, _| {
            let at = |i: usize| [1, 2, 5].iter().map(|k| a[(i + k) % slots]).sum();
            (0..slots).map(at).collect()
        },
    );
    check(
        &client,
        "the sum of all slots",
        &move |p, a, _| {
            (0..slots.ilog2()).try_fold(a, |sum, doubling| {
                let moved = p.rotate(sum, 1 << doubling)?;
                p.add(sum, moved)
            })
        },
        &move |a, _| vec![a.iter().sum(); slots],
    );
}

#[test]
fn no_slot_is_further_off_than_its_bound() {
    let p = &small();
    let each = |f: fn(f64, f64) -> f64| each(f);
    bounds::check(p, "fresh", &|p, a, _| p.neg(a), &*each(|a, _| -a));
    bounds::check(p, "sum", &|p, a, b| p.add(a, b), &*each(|a, b| a + b));
    bounds::check(
        p,
        "product",
        &|p, a, b| p.mul_rescale(a, b),
        &*each(|a, b| a * b),
    );
    bounds::check(
        p,
        "a value met again",
        &|p, a, _| {
            let square = p.mul_rescale(a, a)?;
            let cube = p.mul_rescale(square, a)?;
            p.mul_rescale(cube, square)
        },
        &*each(|a, _| a.powi(5)),
    );
    bounds::check(
        p,
        "three parts",
        &|p, a, b| {
            let ab = p.mul_no_relin(a, b)?;
            let rescaled = p.rescale(ab)?;
            p.relinearise(rescaled)
        },
        &*each(|a, b| a * b),
    );
    bounds::check(
        p,
        "a sum with what it was rotated to",
        &|p, a, _| {
            let moved = p.rotate(a, 3)?;
            p.add(a, moved)
        },
        &|a, _| a.iter().zip(rotated(a, 3)).map(|(a, b)| a + b).collect(),
    );
    let factors = uniform(p.slots(), 6);
    let times = factors.clone();
    bounds::check(
        p,
        "a vector",
        &move |p, a, _| p.mul_constant_rescale(a, &times),
        &move |a, _| a.iter().zip(&factors).map(|(a, f)| a * f).collect(),
    );
}

/// A slot's error is √(2N) coefficients' and not √(N/2): two bits of the same noise.
#[test]
fn a_real_slot_holds_more_of_the_noise() {
    let standard = Parameters::new(literal(9, &[30; 5], &[30], 26)).unwrap();
    let [one, other] = [&standard, &small()].map(NoiseModel::new);
    assert_eq!(other.slot_error(1.0, 1.0), 2.0 * one.slot_error(1.0, 1.0));
    // What is more than noise: products of real numbers have heavier tails.
    let bound = |p: &Parameters| NoiseModel::new(p).error_bound(&p.fresh(1.0, UNIFORM_RMS));
    assert!(bound(&small()) > 2.0 * bound(&standard));
}

#[test]
fn the_security_row_is_that_of_dimension_n() {
    let gate = gates(Secret::Ternary)
        .into_iter()
        .find(|(log_n, _)| *log_n == 12);
    let (log_n, gate) = gate.unwrap();
    // Primes of so many bits come to just below as many bits of their product.
    let of = |log_n, bits| {
        Parameters::new(ParametersLiteral {
            kind: RingKind::ConjugateInvariant,
            insecure: false,
            ..literal(log_n, &[30; 2], &[gate.limit - 60 + bits], 20)
        })
    };
    assert!(of(log_n, 0).is_ok());
    let refused = of(log_n, 1).unwrap_err();
    assert!(matches!(
        refused,
        ParameterError::Ring(RingError::Security { .. })
    ));
    // It is not that of the standard ring of degree 2N which it is in.
    assert!(of(log_n - 1, 0).is_err());
}

fn refused(error: Error, what: &str) {
    let text = error.to_string();
    assert!(
        matches!(&error, Error::Parameters(ParameterError::RealSlots { what: named, .. }) if *named == what),
        "{text}"
    );
    assert!(text.contains("its ring is conjugate-invariant"), "{text}");
}

#[test]
fn complex_numbers_are_refused_by_name() {
    let parameters = small();
    let client = Client::new(&parameters);
    let (scale, level) = (parameters.scale(), parameters.levels());
    let encoded = client
        .embedding
        .encode_complex(&[1.0], &[0.5], scale, level);
    refused(encoded.unwrap_err(), "encoding complex values");

    let mut builder = ProgramBuilder::new(&parameters, "complex");
    let a = builder.input("a", client.fresh()).unwrap();
    refused(builder.conjugate(a).unwrap_err(), "conjugate");
    refused(builder.rotate_conjugate(a, 3).unwrap_err(), "conjugate");
    let factor = builder.mul_complex(a, &[[0.0, 1.0]]);
    refused(factor.unwrap_err(), "a complex constant");
    let summand = builder.add_complex(a, &[[0.0, 1.0]]);
    refused(summand.unwrap_err(), "a complex constant");
}

/// A program that somebody else wrote, of a standard ring.
#[test]
fn a_program_with_a_conjugate_is_refused() {
    let standard = Parameters::new(literal(9, &[30; 5], &[30], 26)).unwrap();
    let mut builder = ProgramBuilder::new(&standard, "complex");
    let estimate = standard.fresh(1.0, 1.0);
    let a = builder.input("a", estimate.clone()).unwrap();
    let conjugate = builder.conjugate(a).unwrap();
    let program: he::Program = builder.finish(&[conjugate]).unwrap().program().clone();
    let error = analyse(program, &small(), &[(estimate, None)]).unwrap_err();
    refused(error, "conjugate");
}

#[test]
fn a_degree_without_an_embedding_is_refused() {
    let literal = ParametersLiteral {
        kind: RingKind::ConjugateInvariant,
        ..literal(17, &[30], &[], 20)
    };
    match Parameters::new(literal).unwrap_err() {
        ParameterError::Ring(RingError::Range { what, allowed, .. }) => {
            assert_eq!(
                (what, &*allowed),
                ("log_n", "up to 16 in a conjugate-invariant ring")
            );
        }
        other => panic!("{other}"),
    }
}
