//! Rotations composed of those that have keys: every step right, with these keys and no others, in the
//! fewest parts, and what rotations of one value begin with done once.

use crate::client::{literal, max_error, uniform, Client};
use ringwright_arith::RingKind;
use ringwright_ir::he::{HeOpKind, KeyId};
use ringwright_ring::automorphism::galois_of_rotation;
use ringwright_schemes::ckks::Analysed;
use ringwright_schemes::ckks::{expand, Error, Parameters, ProgramBuilder, RotationSteps};
use ringwright_schemes::rlwe::required_keys;
use std::collections::BTreeSet;

/// Two 30-bit primes and a special one; 128 slots.
fn parameters() -> Parameters {
    Parameters::new(literal(8, &[30; 2], &[30], 26)).unwrap()
}

/// Every rotation of one value, composed of these.
fn all_steps(parameters: &Parameters, steps: RotationSteps) -> Analysed {
    let mut builder = ProgramBuilder::new(parameters, "rotations");
    builder.compose_rotations(steps);
    let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
    let slots = parameters.slots() as i32;
    let all = (1..slots).map(|steps| builder.rotate(x, steps).unwrap());
    let all: Vec<_> = all.collect();
    builder.finish(&all).unwrap()
}

fn keys(parameters: &Parameters, steps: &RotationSteps) -> BTreeSet<KeyId> {
    let galois = |step| galois_of_rotation(RingKind::Standard, step, parameters.log_n());
    steps.steps().map(|s| KeyId::Galois(galois(s))).collect()
}

fn rotations(program: &Analysed) -> usize {
    let ops = program.program().entry().ops.iter();
    ops.filter(|op| matches!(op.kind, HeOpKind::Rotate { .. }))
        .count()
}

fn sets(parameters: &Parameters) -> [(&'static str, RotationSteps, usize); 4] {
    let of = |steps: &[i32]| RotationSteps::of(parameters, steps).unwrap();
    [
        ("powers", RotationSteps::powers(parameters), 7),
        (
            "signed powers",
            RotationSteps::signed_powers(parameters),
            13,
        ),
        ("odd ones", of(&[-3, 11, 40]), 3),
        ("one", of(&[1]), 1),
    ]
}

#[test]
fn every_step_is_right_with_these_keys_alone() {
    let parameters = parameters();
    let client = Client::new(&parameters);
    let x = uniform(parameters.slots(), 3);
    for (name, steps, count) in sets(&parameters).into_iter().take(3) {
        let program = all_steps(&parameters, steps.clone());
        let needed = required_keys(program.program(), &parameters);
        assert_eq!(needed, keys(&parameters, &steps), "{name}");
        assert_eq!(needed.len(), count, "{name}");
        let results = client.run(&program, &[client.encrypt(&x, 5)]);
        for (at, result) in results.iter().enumerate() {
            let mut expected = x.clone();
            expected.rotate_left(at + 1);
            let error = max_error(&client.decrypt(result), &expected);
            assert!(error < result.error_bound(), "{name}, {} steps", at + 1);
            assert!(
                result.error_bound() < 1e-2,
                "{name}: the bound says nothing"
            );
        }
    }
}

/// As many rotations as steps: each has one part more than another.
#[test]
fn what_rotations_begin_with_is_done_once() {
    let parameters = parameters();
    for (name, steps, _) in sets(&parameters) {
        let program = all_steps(&parameters, steps);
        assert_eq!(rotations(&program), parameters.slots() - 1, "{name}");
    }
}

#[test]
fn digits_are_shared_where_first_parts_are_of_one_value() {
    let parameters = parameters();
    let mut builder = ProgramBuilder::new(&parameters, "hoisted");
    builder.compose_rotations(RotationSteps::powers(&parameters));
    let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
    let made = [1, 2, 4, 5, 6].map(|steps| builder.rotate(x, steps).unwrap());
    let program = builder.finish(&made).unwrap();
    assert_eq!(rotations(&program), 5);
    let calls = expand(&program).unwrap().calls;
    let kinds = |kind: &str| calls.iter().filter(|call| call.kind == kind).count();
    assert_eq!(kinds("decompose"), 1, "1, 2 and 4 are of x itself");
}

/// The weight of the non-adjacent form.
fn weight(step: u32) -> u32 {
    ((3 * step) ^ step).count_ones()
}

#[test]
fn parts_are_the_fewest() {
    for log_n in [4, 8, 11] {
        let parameters = Parameters::new(literal(log_n, &[30; 2], &[30], 26)).unwrap();
        let slots = parameters.slots() as u32;
        let powers = RotationSteps::powers(&parameters);
        let signed = RotationSteps::signed_powers(&parameters);
        for step in 1..slots {
            let parts = |of: &RotationSteps| {
                let parts = of.parts(step as i32).unwrap();
                let sum: i32 = parts.iter().sum();
                assert_eq!(sum.rem_euclid(slots as i32), step as i32);
                assert!(parts
                    .iter()
                    .all(|part| of.steps().any(|step| step == *part)));
                parts.len() as u32
            };
            assert_eq!(parts(&powers), step.count_ones(), "{step} of {slots}");
            let fewest = weight(step).min(weight(slots - step));
            assert_eq!(parts(&signed), fewest, "{step} of {slots}");
        }
    }
}

/// A step that is in the set is one rotation, whatever else composes it.
#[test]
fn a_program_without_other_steps_is_as_before() {
    let parameters = parameters();
    let program = |composed: bool| {
        let mut builder = ProgramBuilder::new(&parameters, "same");
        if composed {
            let steps = RotationSteps::of(&parameters, &[3, -5, 200, 1]).unwrap();
            builder.compose_rotations(steps);
        }
        let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
        let made = [3, 123, 72, 1, 0].map(|steps| builder.rotate(x, steps).unwrap());
        builder.finish(&made).unwrap()
    };
    assert_eq!(program(true), program(false));
}

#[test]
fn a_conjugation_with_a_rotation_is_two_operations() {
    let parameters = parameters();
    let mut builder = ProgramBuilder::new(&parameters, "conjugated");
    builder.compose_rotations(RotationSteps::powers(&parameters));
    let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
    let results = [
        builder.rotate_conjugate(x, 5).unwrap(),
        builder.rotate_conjugate(x, 0).unwrap(),
    ];
    let program = builder.finish(&results).unwrap();
    let [two, conjugations] = [rotations(&program), program.program().entry().ops.len() - 2];
    assert_eq!((two, conjugations), (2, 2));
    let client = Client::new(&parameters);
    let x = uniform(parameters.slots(), 3);
    let found = client.run(&program, &[client.encrypt(&x, 5)]);
    let mut turned = x.clone();
    turned.rotate_left(5);
    for (result, expected) in found.iter().zip([turned, x]) {
        let error = max_error(&client.decrypt(result), &expected);
        assert!(error < result.error_bound());
    }
}

#[test]
fn refusals() {
    let parameters = parameters();
    let says = |error: Error, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    let of = |steps: &[i32]| RotationSteps::of(&parameters, steps);
    says(of(&[]).unwrap_err(), &["none", "at least one"]);
    says(
        of(&[3, 256]).unwrap_err(),
        &["[3, 256]", "no multiples of the 128"],
    );
    let mut builder = ProgramBuilder::new(&parameters, "refused");
    builder.compose_rotations(of(&[12, -20]).unwrap());
    let x = builder.input("x", parameters.fresh(1.0, 0.6)).unwrap();
    let words = [
        "6 steps given",
        "by -20, 12 compose on 128",
        "multiples of 4",
    ];
    says(builder.rotate(x, 6).unwrap_err(), &words);
    says(
        builder.rotate_conjugate(x, 2).unwrap_err(),
        &["2 steps given"],
    );
    assert!(builder.rotate(x, 4).is_ok());
    let even: Vec<i32> = (1..30).map(|step| 2 * step).collect();
    says(
        of(&even).unwrap().parts(1).unwrap_err(),
        &["30, 32 and 13 more", "multiples of 2"],
    );
}
