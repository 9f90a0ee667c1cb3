//! The checker passes right programs and no wrong ones: lowered kernels, compiled transforms,
//! programs by hand, and every mutation of them.

mod claims;

use claims::{by_hand, compiled, kernels, scheduled, Subject};
use ringwright_nttx::{breakdown, Form, Problem};
use ringwright_spec::Machine;
use ringwright_target_rpu::checker::mutation::KINDS;
use ringwright_target_rpu::checker::{check, same_function, Fault};
use ringwright_target_rpu::config::Config;
use std::collections::BTreeMap;

const SEED: u64 = 1;

fn small() -> Config {
    Config::new(&Machine::load("rpu-8x8").expect("it ships")).expect("sound")
}

/// Vectors so short that programs can be compared as polynomials.
fn tiny() -> Config {
    Config {
        vector_length: 16,
        hples: 4,
        banks: 4,
        ..small()
    }
}

/// Every operation, on towers shorter and longer than a vector, under narrow and wide primes.
#[test]
fn lowered_kernels_compute_what_they_claim() {
    let config = small();
    for log_n in [4, 7, 9] {
        for bits in [20, 60] {
            for subject in kernels(&config, log_n, bits) {
                let verdict = check(&subject.program, &config, &subject.claim(), SEED);
                let verdict = verdict.unwrap_or_else(|fault| panic!("{}: {fault}", subject.name));
                println!("{}: {verdict}", subject.name);
                assert!(
                    verdict.degree <= subject.degree,
                    "{}: {verdict}",
                    subject.name
                );
                let bound = 2.0 * ((f64::from(subject.degree)).log2() - f64::from(bits - 1));
                assert!(verdict.chance_log2 <= bound, "{}: {verdict}", subject.name);
            }
        }
    }
}

/// With shuffles, two buffers, and registers at every place of the schedule.
#[test]
fn compiled_transforms_compute_what_they_claim() {
    let config = small();
    let v = config.vector_length.ilog2() as u8;
    let problem = Problem::forward(v + 4);
    let two_pass = breakdown::two_pass(problem, v, 6, [4, 3]).expect("a plan");
    let inverse = two_pass.inverse(Form::GentlemanSande, 3);
    let published = breakdown::korn_lambiotte(problem, v, 3).expect("a plan");
    for plan in [published, two_pass, inverse] {
        for bits in [30, 62] {
            let subject = compiled(&config, &plan, bits);
            let verdict = check(&subject.program, &config, &subject.claim(), SEED);
            let verdict = verdict.unwrap_or_else(|fault| panic!("{}: {fault}", subject.name));
            println!("{}: {verdict}", subject.name);
        }
    }
}

/// What a library starts instead: of every size, from two vectors on, under primes of all widths.
#[test]
fn scheduled_kernels_compute_what_they_claim() {
    let small = small();
    let published = Config::new(&Machine::load("rpu-128x128").expect("it ships")).expect("sound");
    for (config, log_n, bits) in [
        (&small, 7, 20),
        (&small, 8, 61),
        (&small, 9, 62),
        (&published, 10, 20),
        (&published, 12, 127),
    ] {
        let subjects = scheduled(config, log_n, bits);
        assert!(!subjects.is_empty(), "N = 2^{log_n}");
        for subject in subjects {
            let verdict = check(&subject.program, config, &subject.claim(), SEED);
            let verdict = verdict.unwrap_or_else(|fault| panic!("{}: {fault}", subject.name));
            println!("{}: {verdict}", subject.name);
            assert!(
                verdict.degree <= subject.degree,
                "{}: {verdict}",
                subject.name
            );
        }
    }
}

/// The same at every size that the published memory holds, under primes of random widths.
#[test]
#[ignore = "a minute"]
fn scheduled_kernels_of_every_size_compute_what_they_claim() {
    let config = Config::new(&Machine::load("rpu-128x128").expect("it ships")).expect("sound");
    let larger = Config {
        vdm_words: 1 << 20,
        ..config.clone()
    };
    for (log_n, width) in (10..=16u32).zip([107u32, 63, 90, 29, 121, 47, 76]) {
        let config = if log_n == 16 { &larger } else { &config };
        let mut names = Vec::new();
        for subject in scheduled(config, log_n, width) {
            let verdict = check(&subject.program, config, &subject.claim(), SEED);
            let verdict = verdict.unwrap_or_else(|fault| panic!("{}: {fault}", subject.name));
            println!("{}: {verdict}", subject.name);
            names.push(subject.name);
        }
        for kernel in ["Mul", "Reduce", "Ntt", "Intt", "Convolve"] {
            let named = |name: &String| name.starts_with(&format!("scheduled {kernel},"));
            assert!(
                names.iter().any(named),
                "{kernel}, N = 2^{log_n}: {names:?}"
            );
        }
    }
}

/// What became of the mutants of one kind.
#[derive(Default)]
struct Tally {
    refused: usize,
    structure: usize,
    values: usize,
    equivalent: usize,
}

#[test]
fn every_mutant_is_caught_or_proved_equivalent() {
    let config = tiny();
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut survivors = Vec::new();
    let v = config.vector_length.ilog2() as u8;
    let published = breakdown::korn_lambiotte(Problem::forward(v + 2), v, 2).expect("a plan");
    let inverse = breakdown::one_pass(Problem::forward(v + 1), v).expect("a plan");
    let inverse = inverse.inverse(Form::GentlemanSande, 1);
    let scheduled = [published, inverse].map(|plan| compiled(&config, &plan, 30));
    // Of a convolution's parts each has mutants of its own; the whole takes minutes to compare.
    let mut towers = kernels(&config, 5, 30);
    towers.retain(|subject| !subject.name.contains("Convolve"));
    let subjects = [towers, by_hand(&config, 30), scheduled.to_vec()].concat();
    for subject in &subjects {
        check(&subject.program, &config, &subject.claim(), SEED)
            .unwrap_or_else(|fault| panic!("{}: {fault}", subject.name));
        for kind in KINDS {
            let tally = tallies.entry(kind.name).or_default();
            for i in 0..subject.program.instructions.len() {
                let Some(mutant) = kind.at(&subject.program, i) else {
                    continue;
                };
                match check(&mutant, &config, &subject.claim(), SEED) {
                    Err(Fault::Refused(_)) => tally.refused += 1,
                    Err(Fault::Wrong { .. }) => tally.values += 1,
                    Err(_) => tally.structure += 1,
                    Ok(_) if same(subject, &mutant, &config) => tally.equivalent += 1,
                    Ok(_) => survivors.push(format!(
                        "{}, {} at {i}: {}",
                        subject.name, kind.name, subject.program.instructions[i]
                    )),
                }
            }
        }
    }
    println!(
        "{:44} {:>7} {:>9} {:>6} {:>10}",
        "mutation", "refused", "structure", "values", "equivalent"
    );
    for (kind, t) in &tallies {
        println!(
            "{kind:44} {:7} {:9} {:6} {:10}",
            t.refused, t.structure, t.values, t.equivalent
        );
    }
    assert!(survivors.is_empty(), "{survivors:#?}");
    for (kind, tally) in tallies {
        assert!(
            tally.refused + tally.structure + tally.values > 0,
            "{kind}: none was caught"
        );
    }
}

#[test]
fn a_mistake_needs_an_instruction() {
    let empty = ringwright_target_rpu::isa::Program::default();
    assert!(KINDS.iter().all(|kind| kind.at(&empty, 0).is_none()));
}

fn same(subject: &Subject, mutant: &ringwright_target_rpu::isa::Program, config: &Config) -> bool {
    same_function(&subject.program, mutant, config, &subject.claim()) == Ok(true)
}
