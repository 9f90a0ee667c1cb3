//! Every body of the transform against the definition and against the scalar body.

use crate::support::{on_every_isa, prime, words};
use ringwright_arith::bits::bit_reverse;
use ringwright_arith::primes::is_prime;
use ringwright_arith::{Modulus, RingKind, Word};
use ringwright_kernels::{Isa, KernelWord, NttPlan, PlanError, MAX_LOG_N, MIN_LOG_N};

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

/// The values of a_0 + the sum of a_i (X^i + X^-i) at psi^(4 brv(i) + 1), psi of order 4N.
fn real_definition<W: Word>(q: &Modulus<W>, psi: W, log_n: u32, a: &[W]) -> Vec<W> {
    let order = 4 << log_n;
    let value = |i: usize| {
        let exponent = 4 * bit_reverse(i, log_n) + 1;
        let power = |e: usize| q.pow(psi, (e % order) as u128);
        let terms = a.iter().enumerate().skip(1).map(|(k, &c)| {
            let pair = q.add(power(k * exponent), power((order - k) * exponent));
            q.mul(c, pair)
        });
        terms.fold(a[0], |sum, term| q.add(sum, term))
    };
    (0..a.len()).map(value).collect()
}

fn real_agrees_with_definition<W: KernelWord>(bits: u32, log_n: u32) {
    let q: W = prime(bits, log_n + 1);
    let n = 1 << log_n;
    let random = words(q, n, u64::from(bits));
    on_every_isa(|isa| {
        let plan = NttPlan::of_ring(RingKind::ConjugateInvariant, log_n, q, isa).unwrap();
        let modulus = plan.modulus();
        assert_eq!(modulus.pow(plan.psi(), 2 << log_n), modulus.neg(W::ONE));
        for a in [random.clone(), vec![q.wrapping_sub(W::ONE); n]] {
            let expected = real_definition(modulus, plan.psi(), log_n, &a);
            let mut b = a.clone();
            plan.forward(&mut b);
            assert_eq!(b, expected, "forward {isa} {bits} bits 2^{log_n}");
            let mut elsewhere = vec![W::ONE; n];
            plan.inverse_into(&mut elsewhere, &b);
            plan.inverse(&mut b);
            assert_eq!(b, a, "inverse {isa} {bits} bits 2^{log_n}");
            assert_eq!(elsewhere, b, "elsewhere {isa} {bits} bits 2^{log_n}");
            let bound = plan.lazy_bound();
            let multiple = bound.wrapping_sub(q);
            let mut lazy: Vec<W> = a.iter().map(|word| word.wrapping_add(multiple)).collect();
            plan.forward_lazy(&mut lazy);
            assert!(lazy.iter().all(|&word| word < bound));
            let reduced: Vec<W> = lazy.iter().map(|&word| modulus.reduce(word)).collect();
            assert_eq!(reduced, expected, "lazy {isa} {bits} bits 2^{log_n}");
        }
    });
}

#[test]
fn transforms_of_the_conjugate_invariant_ring_match_its_definition() {
    for log_n in MIN_LOG_N..=8 {
        for bits in [20, 30, 48, 50, 55, 60, 62] {
            real_agrees_with_definition::<u64>(bits, log_n);
        }
        for bits in [14, 27, 30] {
            real_agrees_with_definition::<u32>(bits, log_n);
        }
    }
    for bits in [64, 104, 120, 127] {
        real_agrees_with_definition::<u128>(bits, 6);
    }
}

/// Sizes out of the definition's reach: half of the values of the standard ring of twice the degree.
#[test]
fn the_conjugate_invariant_ring_is_in_the_standard_one_of_twice_the_degree() {
    for log_n in MIN_LOG_N..MAX_LOG_N {
        let q: u64 = prime(55, MAX_LOG_N);
        let n = 1usize << log_n;
        let twice = NttPlan::new(log_n + 1, q).unwrap();
        let a = words(q, n, u64::from(log_n));
        let mut expected = vec![0; 2 * n];
        expected[..n].copy_from_slice(&a);
        for i in 1..n {
            expected[2 * n - i] = twice.modulus().neg(a[i]);
        }
        twice.forward(&mut expected);
        on_every_isa(|isa| {
            let plan = NttPlan::of_ring(RingKind::ConjugateInvariant, log_n, q, isa).unwrap();
            let mut b = a.clone();
            plan.forward(&mut b);
            assert!(b == expected[..n], "forward {isa} 2^{log_n}");
            let mut elsewhere = vec![1; n];
            plan.inverse_into(&mut elsewhere, &b);
            assert!(elsewhere == a, "elsewhere {isa} 2^{log_n}");
            plan.inverse(&mut b);
            assert!(b == a, "inverse {isa} 2^{log_n}");
        });
    }
}

/// Of every number of passes, and of both rings.
#[test]
fn transforms_of_words_elsewhere_are_those_in_place() {
    for log_n in MIN_LOG_N..=MAX_LOG_N {
        elsewhere_as_in_place::<u64>(55, log_n);
        elsewhere_as_in_place::<u64>(49, log_n);
        elsewhere_as_in_place::<u32>(30, log_n);
    }
    elsewhere_as_in_place::<u128>(120, 9);
}

fn elsewhere_as_in_place<W: KernelWord>(bits: u32, log_n: u32) {
    let q: W = prime(bits, log_n + 1);
    let a = words(q, 1 << log_n, u64::from(log_n));
    on_every_isa(|isa| {
        for kind in [RingKind::Standard, RingKind::ConjugateInvariant] {
            let plan = NttPlan::of_ring(kind, log_n, q, isa).unwrap();
            let mut there = a.clone();
            let mut elsewhere = vec![<W as Word>::MAX; a.len()];
            plan.forward(&mut there);
            plan.forward_into(&mut elsewhere, &a);
            assert!(elsewhere == there, "forward {isa} {bits} bits 2^{log_n}");
            elsewhere.fill(<W as Word>::MAX);
            plan.inverse_into(&mut elsewhere, &there);
            assert!(elsewhere == a, "inverse {isa} {bits} bits 2^{log_n}");
        }
    });
}

#[test]
fn a_prime_of_the_standard_ring_alone_is_refused_for_the_other() {
    // 97 = 3·32 + 1 is 1 modulo 2N and not 1 modulo 4N for N = 16.
    assert!(NttPlan::new(4, 97_u64).is_ok());
    let error = NttPlan::of_ring(RingKind::ConjugateInvariant, 4, 97_u64, Isa::Scalar);
    assert!(matches!(error.unwrap_err(), PlanError::Root(_)));
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
            let mut elsewhere = vec![W::ONE; n];
            plan.inverse_into(&mut elsewhere, &b);
            assert_eq!(&elsewhere, a, "elsewhere {isa} {bits} bits 2^{log_n}");
            plan.inverse(&mut b);
            assert_eq!(&b, a, "inverse {isa} {bits} bits 2^{log_n}");
        }
    });
}

#[test]
fn transforms_of_u64_match_the_definition() {
    for bits in [20, 30, 36, 45, 46, 47, 48, 49, 50, 51, 55, 56, 60, 61, 62] {
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
    for bits in [64, 100, 104, 105, 111, 112, 113, 120, 121, 127] {
        for log_n in MIN_LOG_N..=7 {
            agrees_with_definition::<u128>(bits, log_n);
        }
    }
}

/// Sizes out of the definition's reach: against the scalar body. Beside arbitrary words the
/// largest, in either form: all sums then go to one place, as far as they may.
fn agrees_with_scalar<W: KernelWord>(bits: u32, log_n: u32) {
    agrees_with_scalar_modulo::<W>(prime(bits, log_n), log_n);
}

fn agrees_with_scalar_modulo<W: KernelWord>(q: W, log_n: u32) {
    let scalar = NttPlan::with_isa(log_n, q, Isa::Scalar).unwrap();
    let largest = vec![q.wrapping_sub(W::ONE); 1 << log_n];
    let mut coefficients = largest.clone();
    scalar.inverse(&mut coefficients);
    for a in [
        words(q, 1 << log_n, u64::from(log_n)),
        largest,
        coefficients,
    ] {
        let mut expected = a.clone();
        scalar.forward(&mut expected);
        on_every_isa(|isa| {
            let plan = NttPlan::with_isa(log_n, q, isa).unwrap();
            let mut b = a.clone();
            plan.forward(&mut b);
            assert!(b == expected, "forward {isa} modulo {q} 2^{log_n}");
            plan.inverse(&mut b);
            assert!(b == a, "inverse {isa} modulo {q} 2^{log_n}");
        });
    }
}

#[test]
fn every_body_agrees_at_every_size() {
    for log_n in MIN_LOG_N..=MAX_LOG_N {
        for bits in [30, 48, 50, 55, 60, 61] {
            agrees_with_scalar::<u64>(bits, log_n);
        }
        agrees_with_scalar::<u32>(30, log_n);
        agrees_with_scalar::<u128>(112, log_n);
        agrees_with_scalar::<u128>(120, log_n);
    }
}

/// Moduli whose middle limbs of 30 bits, signed, are the largest with which AVX2 keeps within its
/// bounds, and the next, with which it does not try.
#[test]
fn moduli_with_large_limbs() {
    let (log_n, half) = (13, 1_i128 << 29);
    for (top, limb) in [
        (1 << 22, 2 - half),
        (1 << 29, half - 2),
        ((1 << 30) - 1, half - 2),
    ] {
        for (limb, served) in [(limb, true), (limb + limb.signum(), false)] {
            let upper = ((((top << 30) + limb) << 30) + limb) << 30;
            let candidates = (1..).map(|k: i128| (upper + (k << (log_n + 1)) + 1) as u128);
            let q = candidates.take(1 << 15).find(|&q| is_prime(q)).unwrap();
            agrees_with_scalar_modulo::<u128>(q, log_n);
            if Isa::Avx2.is_available() {
                let plan = NttPlan::<u128>::with_isa(log_n, q, Isa::Avx2).unwrap();
                assert_eq!(plan.isa() == Isa::Avx2, served, "modulo {q}");
            }
        }
    }
}

/// Lazy input and output: the bounds hold and the residues are right.
fn lazy_agrees<W: KernelWord>(bits: u32, log_n: u32) {
    let q: W = prime(bits, log_n);
    on_every_isa(|isa| {
        let plan = NttPlan::with_isa(log_n, q, isa).unwrap();
        let bound = plan.lazy_bound();
        let modulus = plan.modulus();
        let mut lazy = words(bound, plan.n(), 1);
        lazy[0] = bound.wrapping_sub(W::ONE);
        let mut reduced: Vec<W> = lazy.iter().map(|&word| modulus.reduce(word)).collect();
        plan.forward(&mut reduced);
        plan.forward_lazy(&mut lazy);
        assert!(lazy.iter().all(|&word| word < bound), "{isa} {bits} bits");
        let residues: Vec<W> = lazy.iter().map(|&word| modulus.reduce(word)).collect();
        assert!(residues == reduced, "{isa} {bits} bits 2^{log_n}");
    });
}

#[test]
fn lazy_words_stay_in_their_range() {
    for log_n in [4, 6, 7, 10, 13, 15] {
        for bits in [20, 30, 45, 46, 47, 48, 49, 50, 55, 60, 61, 62] {
            lazy_agrees::<u64>(bits.max(log_n + 3), log_n);
        }
        lazy_agrees::<u32>(30, log_n);
    }
    for bits in [105, 112, 120, 127] {
        lazy_agrees::<u128>(bits, 7);
        lazy_agrees::<u128>(bits, 10);
    }
}

/// The evaluation form is what it is for: products of words are products modulo X^N + 1.
#[test]
fn products_of_evaluations_are_negacyclic_convolutions() {
    let log_n = 6;
    let n = 1 << log_n;
    let q: u64 = prime(50, log_n);
    let plan = NttPlan::new(log_n, q).unwrap();
    let modulus = plan.modulus();
    let (a, b) = (words(q, n, 1), words(q, n, 2));
    let mut expected = vec![0; n];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            let product = modulus.mul(a, b);
            let k = (i + j) % n;
            expected[k] = if i + j < n {
                modulus.add(expected[k], product)
            } else {
                modulus.sub(expected[k], product)
            };
        }
    }
    let (mut x, mut y) = (a, b);
    plan.forward(&mut x);
    plan.forward(&mut y);
    for (x, y) in x.iter_mut().zip(y) {
        *x = modulus.mul(*x, y);
    }
    plan.inverse(&mut x);
    assert_eq!(x, expected);
}

#[test]
fn plans_refuse_what_they_cannot_do() {
    let q: u64 = prime(30, MAX_LOG_N);
    for log_n in [0, MIN_LOG_N - 1, MAX_LOG_N + 1, u32::MAX] {
        let error = NttPlan::new(log_n, q).unwrap_err();
        assert_eq!(error, PlanError::Size(log_n));
        assert!(error.to_string().contains("2^4 to 2^17"), "{error}");
    }
    assert!(matches!(
        NttPlan::new(10, q - 1).unwrap_err(),
        PlanError::Modulus(_)
    ));
    assert!(matches!(
        NttPlan::new(10, (1_u64 << 61) - 1).unwrap_err(),
        PlanError::Root(_)
    ));
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        let error = NttPlan::with_isa(10, q, isa).unwrap_err();
        assert_eq!(error, PlanError::Unavailable(isa));
    }
}
