//! Every refusal, by its exact words: `errors/CASE.ring` or `.he` beside `errors/CASE.expected`.

use ringwright_ir::{he, text, verify};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Primes of the he programs.
const LEVELS: usize = 3;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// Names of the files with this ending, without it.
fn cases(ending: &str) -> BTreeSet<String> {
    let files = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let of_kind = files.filter(|path| path.extension().is_some_and(|e| e == ending));
    of_kind
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

fn compare(ending: &str, message: impl Fn(&str) -> String) {
    let mut wrong = String::new();
    for case in cases(ending) {
        let program = fs::read_to_string(folder().join(format!("{case}.{ending}"))).unwrap();
        let expected = fs::read_to_string(folder().join(format!("{case}.expected"))).unwrap();
        let got = message(&program);
        if got != expected.trim_end() {
            wrong += &format!("{case}\n  expected {expected}  got      {got}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn ring_programs() {
    compare("ring", |program| match text::parse(program) {
        Err(error) => error.to_string(),
        Ok(module) => verify(&module)
            .err()
            .map_or("accepted".into(), |error| error.to_string()),
    });
}

#[test]
fn he_programs() {
    compare("he", |program| match text::parse_he(program) {
        Err(error) => error.to_string(),
        Ok(program) => he::verify(&program, LEVELS)
            .err()
            .map_or("accepted".into(), |error| error.to_string()),
    });
}

#[test]
fn every_case_has_its_message() {
    let programs: BTreeSet<String> = cases("ring").union(&cases("he")).cloned().collect();
    assert_eq!(programs, cases("expected"));
}
