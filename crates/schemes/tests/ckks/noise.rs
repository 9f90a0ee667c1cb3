//! Predicted noise of deeper programs, and what the table says of them.

use crate::client::{literal, small, Client};
use crate::operations::{check, program};
use ringwright_ir::ring::Loc;
use ringwright_schemes::ckks::{explain, Parameters, ProgramBuilder};

#[test]
fn a_chain_of_squares_keeps_scale_and_prediction_to_the_last_tower() {
    let parameters = small();
    assert_eq!(parameters.depth(), 4);
    let client = Client::new(&parameters);
    check(
        &client,
        "a^16",
        &|p, a, _| (0..4).try_fold(a, |power, _| p.mul_rescale(power, power)),
        &|a, _| a.iter().map(|a| a.powi(16)).collect(),
    );
}

#[test]
fn long_primes_keep_a_short_scale() {
    let parameters = Parameters::new(literal(9, &[54; 7], &[60], 40)).unwrap();
    let client = Client::new(&parameters);
    check(
        &client,
        "a·b^6",
        &|p, a, b| (0..6).try_fold(a, |product, _| p.mul_rescale(product, b)),
        &|a, b| a.iter().zip(b).map(|(a, b)| a * b.powi(6)).collect(),
    );
}

#[test]
fn motion_and_blur() {
    let client = Client::new(&small());
    check(
        &client,
        "pooled squared difference",
        &|p, now, before| {
            let difference = p.sub(now, before)?;
            let square = p.mul_rescale(difference, difference)?;
            (0..4).try_fold(square, |sum, doubling| {
                let moved = p.rotate(sum, 1 << doubling)?;
                p.add(sum, moved)
            })
        },
        &|a, b| {
            let square = |i: usize| (a[i % a.len()] - b[i % a.len()]).powi(2);
            (0..a.len())
                .map(|i| (i..i + 16).map(square).sum())
                .collect()
        },
    );
    const WEIGHTS: [f64; 3] = [0.25, 0.5, 0.25];
    check(
        &client,
        "weighted neighbours",
        &|p, a, _| {
            let left = p.rotate(a, -1)?;
            let right = p.rotate(a, 1)?;
            let mut sum = None;
            for (value, weight) in [left, a, right].into_iter().zip(WEIGHTS) {
                let term = p.mul_constant(value, &[weight])?;
                sum = Some(match sum {
                    None => term,
                    Some(sum) => p.add(sum, term)?,
                });
            }
            p.rescale(sum.unwrap_or(a))
        },
        &|a, _| {
            let n = a.len();
            let at = |i: usize, k: usize| a[(i + n + k - 1) % n] * WEIGHTS[k];
            (0..n).map(|i| (0..3).map(|k| at(i, k)).sum()).collect()
        },
    );
}

#[test]
fn the_scale_after_a_constant_product_is_the_scale_before() {
    let client = Client::new(&small());
    let program = program(&client, &|p, a, _| p.mul_constant_rescale(a, &[0.5]));
    let after = program.results().next().unwrap();
    assert!((after.scale / client.parameters.scale() - 1.0).abs() < f64::EPSILON * 4.0);
}

#[test]
fn explain_names_line_level_scale_noise_and_keys() {
    let parameters = small();
    let mut builder = ProgramBuilder::new(&parameters, "motion");
    let line = |line| Loc {
        file: "camera.py".into(),
        line,
    };
    builder.at(line(12));
    let now = builder.input("now", parameters.fresh(1.0, 0.5)).unwrap();
    builder.at(line(13));
    let square = builder.mul(now, now).unwrap();
    builder.name(square, "s");
    builder.at(line(14));
    let result = builder.rescale(square).unwrap();
    let program = builder.finish(&[result]).unwrap();
    let table = explain(&program);
    assert_eq!(table.rows.len(), 3);
    assert_eq!(table.rows[1].op, "mul_relin now, now");
    assert_eq!(table.rows[1].scale_bits, 2.0 * parameters.scale().log2());
    assert_eq!(table.rows[2].level, 4);
    let text = table.to_string();
    for expected in [
        "camera.py:13",
        "mul_relin now, now",
        "2^52.0",
        "mult",
        "rescale s",
    ] {
        assert!(text.contains(expected), "{expected} in\n{text}");
    }
}
