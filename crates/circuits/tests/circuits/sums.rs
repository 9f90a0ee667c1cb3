//! Inner sums.

use crate::check::{check, program};
use crate::client::{small, Client};
use ringwright_circuits::inner_sum;
use ringwright_ir::he::HeOpKind;

#[test]
fn sums_of_any_number_of_slots() {
    let client = Client::new(&small());
    for (count, stride) in [(1, 5), (2, 1), (8, 16), (7, 3), (12, 1), (256, 1)] {
        check(
            &client,
            &format!("{count} slots, {stride} apart"),
            1.0 / count as f64,
            &move |builder, x| inner_sum(builder, x, count, stride),
            &|x| {
                let at = |i: usize, k: usize| x[(i + k * stride) % x.len()];
                (0..x.len())
                    .map(|i| (0..count).map(|k| at(i, k)).sum())
                    .collect()
            },
        );
    }
}

#[test]
fn rotations_are_the_digits_of_the_count() {
    let parameters = small();
    for count in [1u32, 2, 3, 8, 11, 200, 256] {
        let program = program(&parameters, 1e-3, &move |b, x| {
            inner_sum(b, x, count as usize, 1)
        });
        let rotations = program
            .program()
            .entry()
            .ops
            .iter()
            .filter(|op| matches!(op.kind, HeOpKind::Rotate { .. }));
        assert_eq!(
            rotations.count() as u32,
            count.ilog2() + count.count_ones() - 1
        );
    }
}
