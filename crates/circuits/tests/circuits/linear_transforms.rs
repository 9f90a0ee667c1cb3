//! Matrices times vectors.

use crate::check::{check, program, run};
use crate::client::{max_error, small, uniform, Client};
use ringwright_circuits::LinearTransform;
use ringwright_ir::he::HeOpKind;
use ringwright_schemes::ckks::NoiseModel;

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
        let ty = check(
            &client,
            &format!("{rows} by {columns}"),
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
    let products = program.program().ops.iter();
    let products = products.filter(|op| matches!(op.kind, HeOpKind::MulConstant { .. }));
    assert_eq!(
        products.count(),
        4,
        "one product for every diagonal that is not zero"
    );
}

#[test]
fn rotations_grow_with_the_root_of_the_columns() {
    let parameters = small();
    let slots = parameters.slots();
    let matrix = LinearTransform::new(slots, slots, &uniform(slots * slots, 1)).unwrap();
    let program = program(&parameters, 1.0 / 64.0, &move |b, x| matrix.apply(b, x));
    let rotations = program.program().ops.iter();
    let rotations = rotations.filter(|op| matches!(op.kind, HeOpKind::Rotate { .. }));
    assert!(rotations.count() <= 3 * slots.isqrt());
}
