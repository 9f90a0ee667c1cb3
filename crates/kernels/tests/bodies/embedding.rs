//! The embedding against its definition, and bit for bit across bodies.

use crate::support::{on_every_isa, stream};
use ringwright_kernels::{EmbeddingPlan, Isa, PlanError, MAX_LOG_N, MIN_LOG_N};
use std::f64::consts::PI;

/// The unit roundoff of `f64`.
const U: f64 = f64::EPSILON / 2.0;

/// n numbers in (-1, 1).
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut next = stream(seed);
    (0..n)
        .map(|_| (next() as i64) as f64 / (1_u64 << 63) as f64)
        .collect()
}

/// The first n values of m(zeta^(5^j)) for the real polynomial with coefficients re, then im.
fn definition(re: &[f64], im: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (n, order) = (2 * re.len(), 4 * re.len());
    let mut power = 1;
    let mut slots = (vec![], vec![]);
    for _ in 0..re.len() {
        let (mut x, mut y) = (0.0, 0.0);
        for (k, m) in re.iter().chain(im).enumerate() {
            let angle = (k * power % order) as f64 * PI / n as f64;
            x += m * libm::cos(angle);
            y += m * libm::sin(angle);
        }
        slots.0.push(x);
        slots.1.push(y);
        power = power * 5 % order;
    }
    slots
}

fn norm(re: &[f64], im: &[f64]) -> f64 {
    re.iter().chain(im).map(|x| x * x).sum::<f64>().sqrt()
}

/// |a - b| / |b| in the 2-norm.
fn distance(a: (&[f64], &[f64]), b: (&[f64], &[f64])) -> f64 {
    let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
    norm(&minus(a.0, b.0), &minus(a.1, b.1)) / norm(b.0, b.1)
}

/// The error that the plan documents.
fn documented_error(log_n: u32) -> f64 {
    7.0 * U * f64::from(log_n - 1)
}

#[test]
fn slots_are_values_at_the_powers_of_five() {
    for log_n in MIN_LOG_N..=10 {
        let plan = EmbeddingPlan::new(log_n).unwrap();
        let n = plan.slots();
        let (re, im) = (numbers(n, 1), numbers(n, 2));
        let (x, y) = definition(&re, &im);
        let (mut a, mut b) = (re.clone(), im.clone());
        plan.forward(&mut a, &mut b);
        // The definition's own sums of 2n terms, angles up to 2 pi and products: below
        // (2n + 10) u for every term, and the 1-norm is at most sqrt(2n) times the 2-norm.
        let definition_error = (2 * n + 10) as f64 * U * ((2 * n) as f64).sqrt();
        let tolerance = documented_error(log_n) + definition_error;
        assert!(distance((&a, &b), (&x, &y)) <= tolerance, "2^{log_n}");
    }
}

#[test]
fn inverse_undoes_forward() {
    for log_n in MIN_LOG_N..=MAX_LOG_N {
        let plan = EmbeddingPlan::new(log_n).unwrap();
        let (re, im) = (numbers(plan.slots(), 3), numbers(plan.slots(), 4));
        let (mut a, mut b) = (re.clone(), im.clone());
        plan.inverse(&mut a, &mut b);
        plan.forward(&mut a, &mut b);
        let error = distance((&a, &b), (&re, &im));
        assert!(error <= 2.0 * documented_error(log_n), "2^{log_n}: {error}");
        assert!(
            error > 0.0,
            "2^{log_n}: nothing was rounded, so nothing was computed"
        );
    }
}

#[test]
fn a_constant_is_a_constant() {
    let plan = EmbeddingPlan::new(8).unwrap();
    let (mut re, mut im) = (vec![0.0; plan.slots()], vec![0.0; plan.slots()]);
    re[0] = 0.75;
    plan.forward(&mut re, &mut im);
    assert!(re.iter().all(|&x| x == 0.75));
    assert!(im.iter().all(|&y| y == 0.0));
}

#[test]
fn every_body_gives_the_same_bits() {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for log_n in MIN_LOG_N..=MAX_LOG_N {
        let scalar = EmbeddingPlan::with_isa(log_n, Isa::Scalar).unwrap();
        let (re, im) = (numbers(scalar.slots(), 5), numbers(scalar.slots(), 6));
        let run = |plan: &EmbeddingPlan| {
            let (mut a, mut b) = (re.clone(), im.clone());
            plan.forward(&mut a, &mut b);
            let (mut c, mut d) = (re.clone(), im.clone());
            plan.inverse(&mut c, &mut d);
            [bits(&a), bits(&b), bits(&c), bits(&d)]
        };
        let expected = run(&scalar);
        on_every_isa(|isa| {
            let plan = EmbeddingPlan::with_isa(log_n, isa).unwrap();
            assert!(run(&plan) == expected, "{isa} 2^{log_n}");
        });
    }
}

#[test]
fn plans_refuse_unsupported_sizes() {
    for log_n in [0, MIN_LOG_N - 1, MAX_LOG_N + 1] {
        let error = EmbeddingPlan::new(log_n).unwrap_err();
        assert_eq!(error, PlanError::Size(log_n));
    }
}
