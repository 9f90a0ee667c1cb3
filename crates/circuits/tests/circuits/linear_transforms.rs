//! Matrices times vectors.

use crate::bounds;
use crate::check::{check, check_cautious, program, run, Build};
use crate::client::{literal, max_error, small, uniform, Client};
use ringwright_circuits::{inner_sum, LinearTransform};
use ringwright_ir::he::{HeOpKind, Term};
use ringwright_schemes::ckks::{Analysed, NoiseModel, Parameters, ProgramBuilder, RotationSteps};
use ringwright_schemes::rlwe::required_keys;
use std::collections::{BTreeMap, BTreeSet};

/// The product over all slots: zero beyond the rows.
pub fn product(rows: usize, columns: usize, entries: &[f64], x: &[f64]) -> Vec<f64> {
    let row = |i: usize| &entries[i * columns..(i + 1) * columns];
    let sum = |i: usize| row(i).iter().zip(x).map(|(m, x)| m * x).sum();
    (0..x.len())
        .map(|i| if i < rows { sum(i) } else { 0.0 })
        .collect()
}

#[test]
fn matrices_of_every_shape() {
    let client = Client::new(&small());
    for (rows, columns) in [(40, 9), (64, 64), (40, 256)] {
        let entries = uniform(rows * columns, 3);
        let matrix = LinearTransform::new(rows, columns, &entries).unwrap();
        let ty = check_cautious(
            &client,
            (&format!("{rows} by {columns}"), 3.0),
            1.0,
            &move |builder, x| matrix.apply(builder, x),
            &|x| product(rows, columns, &entries, x),
        );
        assert_eq!(usize::from(ty.level), client.parameters.levels() - 1);
        assert!((ty.scale / client.parameters.scale() - 1.0).abs() < 1e-12);
    }
}

/// Few rows hold all of the error, too few for its average to say anything.
#[test]
fn matrices_of_few_rows() {
    const DEVIATIONS: f64 = 14.0;
    let client = Client::new(&small());
    let parameters = &client.parameters;
    let model = NoiseModel::new(parameters);
    let x = uniform(parameters.slots(), 4);
    for (rows, columns) in [(1, 1), (1, 7), (7, 1), (5, 9), (9, 5), (1, 256)] {
        let entries = uniform(rows * columns, 3);
        let matrix = LinearTransform::new(rows, columns, &entries).unwrap();
        let program = program(parameters, 1.0, &move |builder, x| matrix.apply(builder, x));
        let (got, result) = run(&client, &program, 1.0, &x);
        let worst = max_error(&got, &product(rows, columns, &entries, &x));
        let share = (parameters.slots() as f64 / rows as f64).sqrt();
        let bound = DEVIATIONS * share * model.slot_error(result.noise(), result.scale());
        assert!(worst < bound, "{rows} by {columns}: {worst}, {bound}");
    }
}

#[test]
fn a_matrix_of_all_slots_wraps_around() {
    let parameters = small();
    let client = Client::new(&parameters);
    let slots = parameters.slots();
    let circulant: Vec<f64> = (0..slots * slots)
        .map(|at| match (at % slots + slots - at / slots) % slots {
            0 => 0.5,
            1 => -0.25,
            3 => 0.125,
            k if k == slots - 1 => 0.75,
            _ => 0.0,
        })
        .collect();
    let matrix = LinearTransform::new(slots, slots, &circulant).unwrap();
    let applied = matrix.clone();
    let plain = |x: &[f64]| product(slots, slots, &circulant, x);
    let build = move |b: &mut _, x| applied.apply(b, x);
    check(&client, "circulant", 1.0, &build, &plain);
    let program = program(&parameters, 1.0, &move |b, x| matrix.apply(b, x));
    let [terms] = &matrices(&program)[..] else {
        panic!("one operation")
    };
    assert_eq!(terms.len(), 4, "one for every diagonal that is not zero");
}

/// The terms of every matrix of a program.
fn matrices(program: &Analysed) -> Vec<&[Term]> {
    let terms = program.program().entry().ops.iter();
    let terms = terms.filter_map(|op| match &op.kind {
        HeOpKind::Transform { terms, .. } => Some(&terms[..]),
        _ => None,
    });
    terms.collect()
}

/// Steps other than 0, each once.
fn steps(terms: &[Term], step: fn(&Term) -> i32) -> usize {
    let all: BTreeSet<i32> = terms.iter().map(step).collect();
    all.iter().filter(|&&steps| steps != 0).count()
}

#[test]
fn rotations_grow_with_the_root_of_the_columns() {
    let parameters = small();
    let slots = parameters.slots();
    let matrix = LinearTransform::new(slots, slots, &uniform(slots * slots, 1)).unwrap();
    let program = program(&parameters, 1.0 / 64.0, &move |b, x| matrix.apply(b, x));
    let terms = matrices(&program)[0];
    let rotations = steps(terms, |term| term.baby) + steps(terms, |term| term.giant);
    assert_eq!(terms.len(), slots);
    assert!(rotations <= 3 * slots.isqrt());
}

/// Diagonal k, as `numpy.diagonal` has it.
fn diagonal(rows: usize, columns: usize, entries: &[f64], k: isize) -> Vec<f64> {
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let on = cells.filter(|&(row, column)| column as isize - row as isize == k);
    on.map(|(row, column)| entries[row * columns + column])
        .collect()
}

#[test]
fn diagonals_make_the_same_program() {
    let parameters = small();
    let slots = parameters.slots();
    for (rows, columns) in [
        (1, 1),
        (1, 7),
        (7, 1),
        (5, 9),
        (9, 5),
        (40, slots),
        (slots, 3),
    ] {
        let entries = uniform(rows * columns, 3);
        let offsets = 1 - rows as isize..columns as isize;
        let diagonals = offsets.map(|k| (k, diagonal(rows, columns, &entries, k)));
        let matrix = LinearTransform::new(rows, columns, &entries).unwrap();
        let banded = LinearTransform::from_diagonals(rows, columns, diagonals.collect()).unwrap();
        assert_eq!(banded, matrix, "{rows} by {columns}");
        let program =
            |of: LinearTransform| program(&parameters, 1.0 / 64.0, &move |b, x| of.apply(b, x));
        assert_eq!(program(banded), program(matrix), "{rows} by {columns}");
    }
}

#[test]
fn diagonals_of_zeros_are_none() {
    let given = [
        (-1, vec![0.0; 3]),
        (0, vec![0.5, -0.0, 1.0]),
        (2, vec![-0.0]),
    ];
    let banded = LinearTransform::from_diagonals(4, 3, given.into()).unwrap();
    let entries = [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    assert_eq!(banded, LinearTransform::new(4, 3, &entries).unwrap());
    assert_eq!(banded.diagonals(), 1);
}

/// As a matrix it would have 2^30 entries.
#[test]
fn a_banded_matrix_of_many_slots_is_small() {
    let parameters = Parameters::new(literal(16, &[30; 2], &[30], 26)).unwrap();
    let slots = parameters.slots();
    let diagonals: BTreeMap<isize, Vec<f64>> = [-1isize, 0, 1]
        .map(|k| (k, uniform(slots - k.unsigned_abs(), 7)))
        .into();
    let banded = LinearTransform::from_diagonals(slots, slots, diagonals).unwrap();
    let program = program(&parameters, 1.0 / 4.0, &move |b, x| banded.apply(b, x));
    let terms = matrices(&program)[0];
    assert_eq!(terms.len(), 3);
    let rotations = steps(terms, |term| term.baby) + steps(terms, |term| term.giant);
    assert_eq!(rotations, 2);
}

/// With keys for few steps alone: values, average noise, bounds of every slot, and these keys.
#[test]
fn rotations_may_be_composed() {
    let parameters = small();
    let client = Client::new(&parameters);
    let (rows, columns, entries) = (64, 64, uniform(64 * 64, 3));
    let matrix = LinearTransform::new(rows, columns, &entries).unwrap();
    for (steps, most) in [
        (RotationSteps::powers(&parameters), 8),
        (RotationSteps::signed_powers(&parameters), 15),
    ] {
        let (matrix, of_product, of_sum) = (matrix.clone(), steps.clone(), steps);
        let apply = move |builder: &mut ProgramBuilder, x| {
            builder.compose_rotations(of_product.clone());
            matrix.apply(builder, x)
        };
        let sum = move |builder: &mut ProgramBuilder, x| {
            builder.compose_rotations(of_sum.clone());
            inner_sum(builder, x, 7, 3)
        };
        for build in [&apply as &Build, &sum] {
            let keys = required_keys(program(&parameters, 0.125, build).program(), &parameters);
            assert!(keys.len() <= most, "{} keys", keys.len());
        }
        let (everywhere, in_rows) = (&bounds::everywhere, &|i, _| i < rows);
        let multiplied = |x: &[f64]| product(rows, columns, &entries, x);
        check_cautious(&client, ("product", 3.0), 1.0, &apply, &multiplied);
        let factor = bounds::FACTOR;
        bounds::check(
            &parameters,
            "product",
            1.0,
            &apply,
            &multiplied,
            in_rows,
            factor,
        );
        let summed = |x: &[f64]| -> Vec<f64> {
            let at = |i: usize, k: usize| x[(i + 3 * k) % x.len()];
            (0..x.len())
                .map(|i| (0..7).map(|k| at(i, k)).sum())
                .collect()
        };
        check(&client, "sum", 0.125, &sum, &summed);
        bounds::check(&parameters, "sum", 0.125, &sum, &summed, everywhere, factor);
    }
}

/// Giant steps would take one rotation for each slot that they pass.
#[test]
fn baby_steps_are_chosen_for_the_steps_that_have_keys() {
    let parameters = small();
    let matrix = LinearTransform::new(64, 64, &uniform(64 * 64, 3)).unwrap();
    let rotations = |steps: &[i32]| {
        let steps = RotationSteps::of(&parameters, steps).unwrap();
        let matrix = matrix.clone();
        let build = move |builder: &mut ProgramBuilder, x| {
            builder.compose_rotations(steps.clone());
            matrix.apply(builder, x)
        };
        let program = program(&parameters, 1.0, &build);
        let ops = program.program().entry().ops.iter();
        ops.filter(|op| matches!(op.kind, HeOpKind::Rotate { .. }))
            .count()
    };
    assert_eq!(rotations(&[1]), parameters.slots() - 1, "once around");
    assert_eq!(rotations(&[1, -1]), 2 * 63, "each side once");
}
