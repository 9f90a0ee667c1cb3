//! The book's smallest target is one: it computes what programs mean, its time adds up, and the
//! chapter is short.

#[path = "../examples/abacus.rs"]
#[allow(dead_code, reason = "an example has a main function")]
mod abacus;

use abacus::Abacus;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{long, Long};
use ringwright_target::conformance::{run_device, Budget, Outcome};
use ringwright_target::Device;

const CHAPTER: &str = include_str!("../../../docs/add_a_target.md");
const CODE: &str = include_str!("../examples/abacus.rs");

#[test]
fn it_conforms_and_says_what_it_lacks() {
    let budget = Budget {
        log_n: vec![4, 7],
        ..Budget::default()
    };
    let report = run_device(&Abacus, &budget);
    assert!(report.is_conformant(), "{report}");
    let passed = report
        .cases
        .iter()
        .filter(|case| case.outcome == Outcome::Passed);
    assert!(passed.count() > 100, "{report}");
    for case in report.skipped() {
        let Outcome::Skipped(reason) = &case.outcome else {
            continue;
        };
        let said = ["no unit for ", "62 bits", "calls expanded"];
        let said = said.iter().any(|said| reason.contains(said));
        assert!(said, "{}: {reason}", case.name);
    }
}

#[test]
fn its_time_is_what_the_chapter_says() {
    const LOG_N: u32 = 6;
    let prime = ntt_primes(30, LOG_N, 1).expect("a prime")[0];
    let products = long(Long::Products, 10, LOG_N, prime).expect("valid");
    let kernel = Abacus.lower(&products).expect("it has a multiplier");
    let timing = kernel.timing().expect("simulated");
    // Each product waits for the one before: two towers in, a word a cycle, one tower out.
    assert_eq!(timing.cycles.0, (10 * (2 + 1 + 1)) << LOG_N);
    assert_eq!(timing.counters().get("memory", "words read"), 20 << LOG_N);
}

#[test]
fn the_chapter_is_at_most_300_lines_with_its_code() {
    let lines = CHAPTER.lines().count() + CODE.lines().count();
    assert!(lines <= 300, "{lines}");
    for part in ["[word]", "[device]", "[kernel]", "[time]", "[main]"] {
        assert!(CODE.contains(&format!("// {part}\n")), "{part}");
        assert!(CHAPTER.contains(part), "{part}");
    }
}
