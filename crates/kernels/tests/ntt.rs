//! Every body of the transform against the definition and against the scalar body.

use proptest::prelude::*;
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::{Modulus, Word};
use ringwright_kernels::{Isa, KernelWord, NttPlan, PlanError, MAX_LOG_N, MIN_LOG_N};

/// Reproducible words below q.
fn words<W: Word>(q: W, n: usize, seed: u64) -> Vec<W> {
    let mut state = u128::from(seed) << 64 | 0x9E37_79B9_7F4A_7C15;
    let mut next = move || {
        // PCG's multiplier for 128 bits, both halves of the state mixed.
        state = state
            .wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645)
            .wrapping_add(1);
        state ^ (state >> 64)
    };
    (0..n)
        .map(|_| W::from_u128(next() % q.to_u128()))
        .collect()
}

/// The values a(psi^(2 brv(i) + 1)) by Horner's rule.
fn definition<W: Word>(q: &Modulus<W>, psi: W, log_n: u32, a: &[W]) -> Vec<W> {
    (0..a.len())
        .map(|i| {
            let point = q.pow(psi, (2 * bit_reverse(i, log_n) + 1) as u128);
            a.iter()
                .rev()
                .fold(W::ZERO, |sum, &c| q.add(q.mul(sum, point), c))
        })
        .collect()
}

/// Runs a check on every instruction set; those the machine lacks are named.
fn on_every_isa(mut check: impl FnMut(Isa)) {
    for isa in Isa::ALL {
        if isa.is_available() {
            check(isa);
        } else {
            println!("{isa}: skipped, this machine does not have it");
        }
    }
}

fn prime<W: Word>(bits: u32, log_n: u32) -> W {
    W::from_u128(ntt_primes(bits, log_n, 1).unwrap()[0])
}

fn agrees_with_definition<W: KernelWord>(bits: u32, log_n: u32) {
    let q: W = prime(bits, log_n);
    let n = 1 << log_n;
    let mut inputs = vec![
        words(q, n, u64::from(bits)),
        vec![q.wrapping_sub(W::ONE); n],
        vec![W::ZERO; n],
    ];
    inputs[2][n - 1] = W::ONE;
    on_every_isa(|isa| {
        let plan = NttPlan::with_isa(log_n, q, isa).unwrap();
        assert!(plan.isa() <= isa);
        for a in &inputs {
            let expected = definition(plan.modulus(), plan.psi(), log_n, a);
            let mut b = a.clone();
            plan.forward(&mut b);
            assert_eq!(b, expected, "forward {isa} {bits} bits 2^{log_n}");
            plan.inverse(&mut b);
            assert_eq!(&b, a, "inverse {isa} {bits} bits 2^{log_n}");
        }
    });
}

#[test]
fn transforms_of_u64_match_the_definition() {
    for bits in [20, 30, 36, 45, 46, 47, 50, 51, 54, 60, 61, 62] {
        for log_n in MIN_LOG_N..=8 {
            agrees_with_definition::<u64>(bits, log_n);
        }
    }
}

#[test]
fn transforms_of_u32_match_the_definition() {
    for bits in [14, 27, 30] {
        for log_n in MIN_LOG_N..=9 {
            agrees_with_definition::<u32>(bits, log_n);
        }
    }
}

#[test]
fn transforms_of_u128_match_the_definition() {
    for bits in [64, 100, 127] {
        for log_n in MIN_LOG_N..=7 {
            agrees_with_definition::<u128>(bits, log_n);
        }
    }
}

/// Sizes out of the definition's reach: against the scalar body.
fn agrees_with_scalar<W: KernelWord>(bits: u32, log_n: u32) {
    let q: W = prime(bits, log_n);
    let scalar = NttPlan::with_isa(log_n, q, Isa::Scalar).unwrap();
    let a = words(q, 1 << log_n, u64::from(log_n));
    let mut expected = a.clone();
    scalar.forward(&mut expected);
    on_every_isa(|isa| {
        let plan = NttPlan::with_isa(log_n, q, isa).unwrap();
        let mut b = a.clone();
        plan.forward(&mut b);
        assert!(b == expected, "forward {isa} {bits} bits 2^{log_n}");
        plan.inverse(&mut b);
        assert!(b == a, "inverse {isa} {bits} bits 2^{log_n}");
    });
}

#[test]
fn every_body_agrees_at_every_size() {
    for log_n in MIN_LOG_N..=MAX_LOG_N {
        for bits in [30, 50, 54, 61] {
            agrees_with_scalar::<u64>(bits, log_n);
        }
        agrees_with_scalar::<u32>(30, log_n);
    }
}
