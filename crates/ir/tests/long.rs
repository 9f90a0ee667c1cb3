//! Long programs: text form and verifier take them in time and memory in proportion, and recurse
//! over none of their length.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, long, Long, Shape};
use ringwright_ir::ring::{Basis, Domain, ModuleBuilder, RingKind, Type, MAX_CALL_DEPTH};
use ringwright_ir::{he, text, verify};
use std::fmt::Write;

const LOG_N: u32 = 4;
/// A step for each pair of them would take minutes; a recursion, more than the stack.
const OPERATIONS: usize = 30_000;

fn prime() -> u128 {
    ntt_primes(20, LOG_N, 1).unwrap()[0]
}

#[test]
fn ring_programs_print_and_read_back() {
    for how in Long::ALL {
        let module = long(how, OPERATIONS, LOG_N, prime()).unwrap();
        let read = text::parse(&text::print(&module)).unwrap();
        assert!(read == module, "{}", how.name());
        verify(&read).unwrap();
    }
}

#[test]
fn generated_programs_may_be_long() {
    let primes = ntt_primes(30, LOG_N, 3).unwrap();
    let shape = Shape {
        kind: RingKind::Standard,
        log_n: LOG_N,
        primes,
        helpers: 1,
        ops: OPERATIONS,
    };
    let module = generate::module(1, &shape).unwrap();
    assert!(module.entry().ops.len() > OPERATIONS / 2);
}

/// Each function calls the one before.
#[test]
fn calls_deeper_than_allowed_are_refused() {
    let ty = "poly[q0; eval]";
    let mut written = format!("log_n {LOG_N} prime q0 = {} entry f{OPERATIONS}\n", prime());
    writeln!(written, "ring f0(x: {ty}) -> {ty} {{ return x }}").unwrap();
    for level in 1..=OPERATIONS {
        let call = format!("y = call f{}(x)", level - 1);
        writeln!(
            written,
            "ring f{level}(x: {ty}) -> {ty} {{ {call} return y }}"
        )
        .unwrap();
    }
    let error = verify(&text::parse(&written).unwrap())
        .unwrap_err()
        .to_string();
    let deep = MAX_CALL_DEPTH + 1;
    let expected = format!("calls nest {deep} deep; allowed are {MAX_CALL_DEPTH}");
    assert!(error.ends_with(&expected), "{error}");
}

/// One function draws many streams; each of many others draws them by calling it, one of them in
/// the run. Copied from callee to caller they would be millions.
#[test]
fn streams_are_followed_once_a_run() {
    let coeff = "poly[q0; coeff]";
    let (streams, callers) = (3_000, 3_000);
    let mut written = format!("log_n {LOG_N} prime q0 = {} entry f0\n", prime());
    writeln!(written, "ring draw(s: secret seed) -> {coeff} {{").unwrap();
    for stream in 0..streams {
        writeln!(
            written,
            "x{stream} = sample ternary \"{stream}\" s -> {coeff}"
        )
        .unwrap();
    }
    writeln!(written, "return x0 }}").unwrap();
    for caller in 0..callers {
        let body = "y = call draw(s) return y";
        writeln!(
            written,
            "ring f{caller}(s: secret seed) -> {coeff} {{ {body} }}"
        )
        .unwrap();
    }
    verify(&text::parse(&written).unwrap()).unwrap();
}

#[test]
fn values_of_one_name_are_numbered() {
    let mut mb = ModuleBuilder::new(LOG_N, &[prime()]);
    let mut fb = mb.function("main");
    let mut x = fb.param("x", Type::poly(&Basis::range(0..1), Domain::Eval), false);
    for _ in 0..OPERATIONS {
        x = fb.neg(x).unwrap();
        fb.name(x, "x");
    }
    let main = fb.finish(&[x]).unwrap();
    let module = mb.finish(main).unwrap();
    let last = format!("x_{}", OPERATIONS + 1);
    assert_eq!(module.entry().value_name(x), last);
}

#[test]
fn ciphertext_programs_are_read_and_verified() {
    let ty = "ct@1";
    let mut written = String::new();
    for constant in 0..OPERATIONS {
        writeln!(written, "constant c{constant} = [0.5]").unwrap();
    }
    writeln!(written, "he main(x0: {ty}) -> ct@1 {{").unwrap();
    for op in 0..OPERATIONS {
        let last = op + 1;
        writeln!(written, "x{last} = add_constant x{op}, c{op} -> {ty}").unwrap();
    }
    writeln!(written, "return x{OPERATIONS} }}").unwrap();
    let program = text::parse_he(&written).unwrap();
    he::verify(&program, 1).unwrap();
    assert!(text::parse_he(&text::print_he(&program)).unwrap() == program);
}
