use super::*;
use crate::{execute, Dataflow, Form, Operation};
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;

/// Word brv(j) is sum over i of a_i psi^(i (2 j + 1)): the definition.
fn definition(log_n: u8, q: u128, a: &[u128]) -> Vec<u128> {
    let modulus = Modulus::new(q).unwrap();
    let psi = minimal_primitive_root_2n(&modulus, u32::from(log_n)).unwrap();
    let value = |j: usize| {
        let x = modulus.pow(psi, 2 * bit_reverse(j, u32::from(log_n)) as u128 + 1);
        let horner = |sum, &word| modulus.add(modulus.mul(sum, x), word);
        a.iter().rev().fold(0, horner)
    };
    (0..a.len()).map(value).collect()
}

fn words(count: usize, q: u128) -> Vec<u128> {
    let mix = |i: usize| (i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (0..count).map(|i| mix(i) % q).collect()
}

/// Words in index order from memory in the order of a layout.
fn gather(layout: &crate::Layout, memory: &[u128]) -> Vec<u128> {
    (0..memory.len())
        .map(|i| memory[layout.address(i)])
        .collect()
}

fn scatter(layout: &crate::Layout, words: &[u128]) -> Vec<u128> {
    let mut memory = vec![0; words.len()];
    for (i, &word) in words.iter().enumerate() {
        memory[layout.address(i)] = word;
    }
    memory
}

/// Every breakdown of a size, by name.
fn breakdowns(problem: Problem, v: u8, r: u8) -> Vec<(String, Plan)> {
    let mut found: Vec<(String, Result<Plan, PlanError>)> = vec![
        ("korn_lambiotte".into(), korn_lambiotte(problem, v, r)),
        ("one_pass".into(), one_pass(problem, v)),
        ("strided".into(), strided(problem, v, r)),
    ];
    for first in 1..problem.log_n {
        for r2 in 1..=r {
            let name = format!("two_pass {first} {r} {r2}");
            found.push((name, two_pass(problem, v, first, [r, r2])));
        }
        found.push((format!("linear {first}"), linear(problem, v, r, first)));
    }
    let good = found
        .into_iter()
        .filter_map(|(name, plan)| Some((name, plan.ok()?)));
    good.collect()
}

fn check(problem: Problem, v: u8, r: u8, seen: &mut Vec<String>) {
    let n = 1usize << problem.log_n;
    let q = ntt_primes(60, u32::from(problem.log_n), 1).unwrap()[0];
    let input = words(n << problem.log_batch, q);
    let expected: Vec<u128> = input
        .chunks(n)
        .flat_map(|one| definition(problem.log_n, q, one))
        .collect();
    for (name, plan) in breakdowns(problem, v, r) {
        let case = format!("{name} 2^{} v {v} r {r}", problem.log_n);
        let forward = execute::run(&plan, q, &scatter(&plan.layouts[0], &input)).unwrap();
        assert_eq!(
            gather(&plan.layouts[plan.passes.len()], &forward),
            expected,
            "{case}"
        );
        for (form, scaled) in [
            (Form::GentlemanSande, 0),
            (
                Form::GentlemanSande,
                plan.passes.last().map_or(0, |p| p.registers.len() as u8),
            ),
            (Form::CooleyTukey, 0),
        ] {
            let inverse = plan.inverse(form, scaled);
            match execute::run(&inverse, q, &forward) {
                Ok(back) => {
                    let back = gather(&inverse.layouts[inverse.passes.len()], &back);
                    assert_eq!(back, input, "{case} inverse {form:?} {scaled}");
                }
                // The bits of the first stages may stand in the elements.
                Err(PlanError::InElements { .. }) if scaled > 0 => {}
                Err(error) => panic!("{case} inverse {form:?} {scaled}: {error}"),
            }
        }
        seen.push(name.split(' ').next().unwrap().to_owned());
    }
}

#[test]
fn every_breakdown_computes_the_definition() {
    let mut seen = Vec::new();
    for (log_n, v, r) in [
        (5, 3, 2),
        (6, 3, 3),
        (7, 3, 2),
        (7, 3, 3),
        (8, 4, 3),
        (9, 5, 3),
        (8, 4, 4),
    ] {
        check(Problem::forward(log_n), v, r, &mut seen);
    }
    check(Problem::forward(6).batch(1), 3, 2, &mut seen);
    for name in [
        "korn_lambiotte",
        "one_pass",
        "strided",
        "two_pass",
        "linear",
    ] {
        assert!(seen.iter().any(|s| s == name), "no case of {name}");
    }
}

#[test]
fn pease_is_an_inverse() {
    let (log_n, v, r) = (6, 3, 2);
    let q = ntt_primes(40, u32::from(log_n), 1).unwrap()[0];
    let a = words(1 << log_n, q);
    let plan = pease(Problem::inverse(log_n), v, r).unwrap();
    let evaluations = scatter(&plan.layouts[0], &definition(log_n, q, &a));
    let back = execute::run(&plan, q, &evaluations).unwrap();
    assert_eq!(gather(&plan.layouts[plan.passes.len()], &back), a);
}

/// The sizes that the module's table names, as formulas over n, v and r.
#[test]
fn counts_are_those_of_the_formulas() {
    let (n, v, r) = (16u8, 9u8, 5u8);
    let vectors = 1usize << (n - v);
    let blocks = vectors >> r;
    let problem = Problem::forward(n);
    let shuffles = |plan: &Plan| {
        Dataflow::new(plan)
            .unwrap()
            .count(|op| matches!(op, Operation::Shuffle { .. }))
    };
    let constants = |plan: &Plan| {
        Dataflow::new(plan)
            .unwrap()
            .count(|op| matches!(op, Operation::Constant { .. }))
    };
    let kl = korn_lambiotte(problem, v, r).unwrap();
    assert_eq!(kl.passes.len(), usize::from(n).div_ceil(r as usize));
    assert_eq!(shuffles(&kl), vectors * (n as usize - 1));
    let three = strided(problem, v, r).unwrap();
    assert_eq!(shuffles(&three), vectors * (n - 3 * r) as usize);
    // Kept bits 2: 1 + 2, then 4 for each of five stages, 8, 16; the second pass 1 + 1, then 2^r - 1.
    let two = two_pass(problem, v, 9, [r, r]).unwrap();
    assert_eq!(shuffles(&two), vectors * (n - 2 * r) as usize);
    let (keep, swaps) = (n - v - r, 9 - r);
    let first = ((1 << keep) - 1) + (usize::from(swaps) << keep) + (1 << r) - (1 << keep);
    let second = usize::from(n - 9 - r) + (1 << r) - 1;
    assert_eq!(constants(&two), blocks * (first + second));
    assert!(two
        .layouts
        .iter()
        .step_by(2)
        .all(|layout| layout.is_natural()));
}

#[test]
fn scaled_factors_leave_one_vector_in_2_to_the_r() {
    let (n, v, r) = (16u8, 9u8, 5u8);
    let forward = two_pass(Problem::forward(n), v, 9, [r, r]).unwrap();
    for scaled in 0..=r {
        let graph = Dataflow::new(&forward.inverse(Form::GentlemanSande, scaled)).unwrap();
        let scales = graph.count(|op| matches!(op, Operation::Scale { .. }));
        assert_eq!(scales, 1usize << (n - v - scaled));
    }
}

#[test]
fn refusals_name_what_is_allowed() {
    let small = Problem::forward(4);
    for plan in [
        one_pass(small, 4),
        korn_lambiotte(small, 9, 5),
        strided(small, 3, 2),
    ] {
        assert!(matches!(plan, Err(PlanError::Size { .. })), "{plan:?}");
    }
    let mut plan = one_pass(Problem::forward(6), 4).unwrap();
    plan.passes[0].steps.remove(0);
    assert!(matches!(plan.check(), Err(PlanError::Stage { .. })));
    plan.passes[0].steps.clear();
    assert!(plan.check().is_err());
}

#[test]
fn the_usual_breakdown_is_a_plan_for_every_size() {
    for log_n in 2..=17 {
        let plan = usual(log_n).unwrap_or_else(|error| panic!("{log_n}: {error}"));
        assert_eq!(Dataflow::new(&plan).err(), None, "{log_n}");
        let inverse = plan.inverse(Form::GentlemanSande, 0);
        assert_eq!(Dataflow::new(&inverse).err(), None, "{log_n}");
    }
    assert!(usual(1).is_err() && usual(18).is_err());
}
