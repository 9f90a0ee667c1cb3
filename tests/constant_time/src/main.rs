//! Constant-time check: run under `valgrind --tool=memcheck --error-exitcode=1`.
//!
//! Secrets are marked undefined before each operation. Memcheck lets undefined data flow, and
//! reports every branch and every address that depends on it: exactly what an attacker who
//! measures time or caches could see. Results are marked defined before they are dropped. The
//! run is deterministic. Valgrind knows no AVX-512, so the scalar and AVX2 bodies are checked;
//! the AVX-512 body is the same algorithm over the same trait.
//!
//! With an argument `leak` one deliberate branch on a secret is taken, to show that the check
//! sees one. Exit status 3: not under valgrind.

use crabgrind as valgrind;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::{Modulus, RingKind, Word};
use ringwright_kernels::{
    Factors, InnerProduct, Isa, Keccak, KernelWord, NttPlan, Permutation, Pointwise, Start,
    SumWord, STATES, STATE_WORDS,
};
use ringwright_ring::sampler::{self, Draw, Xof};
use ringwright_ring::{automorphism, Seed};
use std::process::ExitCode;
use valgrind::memcheck::MemState;

const LOG_N: u32 = 10;
const N: usize = 1 << LOG_N;
const PRIME_BITS: [u32; 3] = [30, 50, 60];
const NARROW_BITS: u32 = 30;
const WIDE_BITS: u32 = 120;

fn main() -> ExitCode {
    if matches!(valgrind::run_mode(), valgrind::RunMode::Native) {
        eprintln!("not under valgrind: nothing would be checked");
        return ExitCode::from(3);
    }
    if std::env::args().nth(1).as_deref() == Some("leak") {
        leak();
    }
    samplers();
    Isa::available().into_iter().for_each(drawn_together);
    for bits in PRIME_BITS {
        // A prime of both rings.
        let q = ntt_primes(bits, LOG_N + 1, 1).expect("a prime exists")[0] as u64;
        for isa in Isa::available() {
            transforms(q, isa);
            pointwise(q, isa);
        }
        permutations(q);
    }
    let prime = |bits| ntt_primes(bits, LOG_N + 1, 1).expect("a prime exists")[0];
    for isa in Isa::available() {
        transforms(prime(NARROW_BITS) as u32, isa);
        pointwise(prime(NARROW_BITS) as u32, isa);
        transforms(prime(WIDE_BITS), isa);
    }
    println!("constant time on {:?}", Isa::available());
    ExitCode::SUCCESS
}

/// A branch on a secret; `black_box` keeps the compiler from turning it into a mask.
fn leak() {
    let mut secret = [0u64; 1];
    classify(&mut secret);
    if std::hint::black_box(secret[0]) == 1 {
        println!("one");
    }
}

fn classify<T>(words: &mut [T]) {
    mark(words, MemState::Undefined);
}

fn declassify<T>(words: &mut [T]) {
    mark(words, MemState::Defined);
}

fn mark<T>(words: &mut [T], state: MemState) {
    let address = words.as_mut_ptr().cast();
    // This version of the binding takes memcheck's answer for a failure and the other way round;
    // that marking works is shown by the leak that the test expects to be seen.
    let _ = valgrind::memcheck::mark_mem(address, std::mem::size_of_val(words), state);
}

/// A stream whose seed is secret.
fn stream(name: &str) -> Xof {
    let mut bytes = [7; 32];
    classify(&mut bytes);
    Xof::new(&Seed::from_bytes(bytes), name, 0).expect("a short name")
}

fn samplers() {
    let mut small = [0i8; N];
    sampler::ternary(stream("ternary"), &mut small);
    declassify(&mut small);
    sampler::binomial21(stream("binomial"), &mut small);
    declassify(&mut small);
    sampler::sparse(stream("sparse"), 32, &mut small).expect("32 of them");
    declassify(&mut small);
    let mut wide = [0i64; N];
    sampler::flood(stream("flood"), 40, &mut wide).expect("40 bits are allowed");
    declassify(&mut wide);
    for bits in PRIME_BITS {
        let q = Modulus::new(ntt_primes(bits, LOG_N, 1).expect("a prime exists")[0] as u64);
        let mut tower = [0u64; N];
        classify(&mut small);
        sampler::to_tower(&small, &q.expect("an odd prime"), &mut tower);
        declassify(&mut tower);
        declassify(&mut small);
    }
}

/// What an encryption draws, and the permutation on states that are secret as a whole.
fn drawn_together(isa: Isa) {
    let keccak = Keccak::with_isa(isa).expect("the machine has it");
    let mut small = [[0i8; N]; 3];
    let [u, e0, e1] = &mut small;
    let draws = vec![
        Draw::ternary(stream("u"), u),
        Draw::binomial21(stream("e0"), e0),
        Draw::binomial21(stream("e1"), e1),
    ];
    sampler::draw(&keccak, draws);
    declassify(&mut small);
    for used in 1..=STATES {
        let mut states = [[7; STATES]; STATE_WORDS];
        classify(&mut states);
        keccak.permute(&mut states, used);
        declassify(&mut states);
    }
}

/// Runs an operation on a secret tower.
fn on_secret<W: Word>(q: W, operation: impl FnOnce(&mut [W])) {
    let word = |i| W::from_u128(i * 0x9e37_79b9 % q.to_u128());
    let mut words: Vec<W> = (0..N as u128).map(word).collect();
    classify(&mut words);
    operation(&mut words);
    declassify(&mut words);
}

fn transforms<W: KernelWord>(q: W, isa: Isa) {
    for kind in RingKind::ALL {
        let plan = NttPlan::of_ring(kind, LOG_N, q, isa).expect("a plan");
        on_secret(q, |words| plan.forward(words));
        on_secret(q, |words| plan.inverse(words));
    }
}

fn pointwise<W: KernelWord + SumWord>(q: W, isa: Isa) {
    let kernels = Pointwise::with_isa(q, isa).expect("kernels");
    let word = |i: u128| W::from_u128((i * i + 1) % q.to_u128());
    let public: Vec<W> = (0..N as u128).map(word).collect();
    on_secret(q, |words| kernels.add_in_place(words, &public));
    on_secret(q, |words| kernels.sub_in_place(words, &public));
    on_secret(q, |words| kernels.mul_in_place(words, &public));
    on_secret(q, |words| kernels.neg_in_place(words));
    on_secret(q, |words| {
        kernels.mul_scalar_in_place(words, W::from_u128(3))
    });
    on_secret(q, |words| {
        let mut sum = public.clone();
        kernels.mul_add_in_place(&mut sum, words, &public);
        declassify(&mut sum);
    });
    let sums = InnerProduct::with_isa(q.low_u64(), isa).expect("kernels");
    let permutation = Permutation::new((0..N as u32).rev().collect()).expect("blocks");
    on_secret(q, |words| {
        let factors: [Factors<2, W>; 2] =
            [(&*words, [&public, &*words]), (&public, [&*words, &public])];
        let [mut one, mut other] = [public.clone(), public.clone()];
        sums.sums([&mut one, &mut other], &factors, Start::Out);
        sums.permuted_sums(
            [&mut one, &mut other],
            &factors,
            &permutation,
            0..N,
            Start::Out,
        );
        declassify(&mut one);
        declassify(&mut other);
    });
    let other = ntt_primes(29, LOG_N, 1).expect("a prime exists")[0];
    let narrow = Pointwise::with_isa(W::from_u128(other), isa).expect("kernels");
    on_secret(q, |words| {
        let mut reduced = vec![W::ZERO; N];
        narrow.reduce_centred_into(&mut reduced, words, q);
        declassify(&mut reduced);
    });
}

fn permutations(q: u64) {
    let galois = automorphism::galois_of_rotation(RingKind::Standard, 1, LOG_N);
    let modulus = Modulus::new(q).expect("an odd prime");
    on_secret(q, |words| {
        let mut moved = vec![0; N];
        automorphism::apply_coeff(RingKind::Standard, galois, &modulus, words, &mut moved)
            .expect("shapes agree");
        declassify(&mut moved);
    });
}
