//! The C that a plan is written as, compiled by every compiler at hand and run.
//!
//! Expected words come from the definition, a polynomial's values, which shares nothing with a plan.

use ringwright_arith::bits::bit_reverse;
use ringwright_arith::primes::ntt_primes;
use ringwright_arith::roots::minimal_primitive_root_2n;
use ringwright_arith::Modulus;
use ringwright_nttx::{breakdown, emit_c, Form, Layout, Plan, Problem};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reads q and the words, writes the result.
const MAIN: &str = include_str!("c/main.c");
const COMPILERS: [&str; 2] = ["gcc", "clang"];
const WIDTHS: [u32; 5] = [20, 33, 64, 101, 127];

fn compilers() -> Vec<&'static str> {
    let runs = |name: &&str| {
        let version = Command::new(name).arg("--version").output();
        let found = version.is_ok_and(|output| output.status.success());
        if !found {
            println!("skipped: {name}: not installed");
        }
        found
    };
    COMPILERS.into_iter().filter(runs).collect()
}

fn compile(compiler: &str, plan: &Plan, case: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{case}-{compiler}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program) = (folder.join("transform.c"), folder.join("transform"));
    let text = emit_c::source(plan, "transform").expect(case);
    std::fs::write(&source, format!("{text}\n{MAIN}")).expect("written");
    let strict = [
        "-std=c11",
        "-pedantic",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
    ];
    let done = Command::new(compiler)
        .args(strict)
        .args([&source, Path::new("-o"), &program])
        .output()
        .expect(compiler);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{case}: {compiler}: {said}");
    program
}

/// The result; `None` where the program refuses the modulus.
fn run(program: &Path, q: u128, words: &[u128]) -> Option<Vec<u128>> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut text = format!("{q:x}\n");
    for word in words {
        writeln!(text, "{word:x}").expect("a string");
    }
    let mut input = child.stdin.take().expect("piped");
    input.write_all(text.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    let word = |line: &str| u128::from_str_radix(line, 16).expect("a word");
    output
        .status
        .success()
        .then(|| text.lines().map(word).collect())
}

/// Word brv(j) is the polynomial at psi^(2 j + 1).
fn evaluations(log_n: u8, q: u128, coefficients: &[u128]) -> Vec<u128> {
    let modulus = Modulus::new(q).expect("odd");
    let log_n = u32::from(log_n);
    let psi = minimal_primitive_root_2n(&modulus, log_n).expect("a root");
    let value = |j: usize| {
        let x = modulus.pow(psi, 2 * bit_reverse(j, log_n) as u128 + 1);
        let horner = |sum, &word| modulus.add(modulus.mul(sum, x), word);
        coefficients.iter().rev().fold(0, horner)
    };
    (0..coefficients.len()).map(value).collect()
}

fn random(seed: u64) -> impl FnMut() -> u128 {
    let mut state = seed.wrapping_mul(2) + 1;
    move || {
        let mut half = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            u128::from(state)
        };
        half() << 64 | half()
    }
}

fn check(case: &str, forward: &Plan, widths: &[u32]) {
    let problem = forward.problem;
    let scaled = forward.passes.last().map_or(0, |pass| pass.registers.len());
    let inverses = [(Form::GentlemanSande, scaled as u8), (Form::CooleyTukey, 0)];
    for compiler in compilers() {
        let there = compile(compiler, forward, case);
        let back = inverses.iter().filter_map(|&(form, scaled)| {
            let plan = forward.inverse(form, scaled);
            // The bits of the first stages may stand in the elements.
            let written = emit_c::source(&plan, "transform").is_ok();
            written.then(|| compile(compiler, &plan, &format!("{case}-{form:?}-{scaled}")))
        });
        let back: Vec<PathBuf> = back.collect();
        assert!(!back.is_empty(), "{case}");
        for &bits in widths {
            let mut draw = random(u64::from(bits));
            let primes = ntt_primes(bits, problem.log_n.into(), 2).expect("primes");
            let q = primes[draw() as usize % primes.len()];
            let count = 1usize << problem.bits();
            let coefficients: Vec<u128> = (0..count).map(|_| draw() % q).collect();
            let each = coefficients.chunks(1 << problem.log_n);
            let expected: Vec<u128> = each
                .flat_map(|one| evaluations(problem.log_n, q, one))
                .collect();
            assert_eq!(
                run(&there, q, &coefficients).as_ref(),
                Some(&expected),
                "{case} {q}"
            );
            for inverse in &back {
                let result = run(inverse, q, &expected);
                assert_eq!(result.as_ref(), Some(&coefficients), "{inverse:?} {q}");
            }
        }
    }
}

#[test]
fn every_breakdown_compiles_and_computes_the_definition() {
    let problem = Problem::forward(7);
    let mut kinds = BTreeSet::new();
    let plans = [
        ("korn_lambiotte", breakdown::korn_lambiotte(problem, 3, 2)),
        ("one_pass", breakdown::one_pass(problem, 3)),
        ("two_pass", breakdown::two_pass(problem, 3, 4, [3, 2])),
        ("linear", breakdown::linear(problem, 3, 3, 1)),
        // Its evaluations come out permuted in memory; the function puts them in order.
        ("strided", breakdown::strided(Problem::forward(8), 4, 3)),
        ("batch", breakdown::one_pass(problem.batch(1), 3)),
    ];
    for (case, plan) in plans {
        let plan = plan.unwrap_or_else(|error| panic!("{case}: {error}"));
        check(case, &plan, &WIDTHS);
        let last = plan.layouts.last().is_some_and(Layout::is_natural);
        kinds.insert((plan.passes.len() % 2, last));
    }
    // Results in either buffer, in order and not.
    assert!(kinds.len() >= 3, "{kinds:?}");
}

#[test]
fn vectors_of_512_words_compute_the_definition() {
    let plan = breakdown::one_pass(Problem::forward(10), 9).expect("a plan");
    check("n1024", &plan, &WIDTHS);
}

#[test]
fn a_modulus_without_roots_is_refused_by_the_program() {
    let plan = breakdown::one_pass(Problem::forward(7), 3).expect("a plan");
    for compiler in compilers() {
        let program = compile(compiler, &plan, "refusals");
        let prime_without_roots = 65_539;
        let even = 1 << 20;
        let too_wide = ntt_primes(128, 7, 1).map_or(u128::MAX - 158, |primes| primes[0]);
        for q in [prime_without_roots, even, too_wide, 0, 1] {
            assert_eq!(run(&program, q, &[0; 128]), None, "{q}");
        }
    }
}

#[test]
fn a_name_that_is_no_identifier_is_refused() {
    let plan = breakdown::one_pass(Problem::forward(7), 3).expect("a plan");
    for name in ["", "7up", "a-b", "a b"] {
        let error = emit_c::source(&plan, name).expect_err(name).to_string();
        assert!(error.contains("no identifier"), "{error}");
    }
}
