use super::*;
use crate::random::coverage;
use ringwright_target::RtlCase;
use std::collections::BTreeSet;

fn machines() -> impl Iterator<Item = Machine> {
    let all = Machine::shipped().iter();
    all.map(|shipped| Machine::load(shipped.name).expect(shipped.name))
        .filter(|machine| machine.target() == crate::config::TARGET)
}

#[test]
fn every_machine_has_vectors_that_a_testbench_can_read_in_one_loop() {
    for machine in machines() {
        let package = package(&machine, 1).unwrap_or_else(|e| panic!("{}: {e}", machine.name()));
        let numbers =
            |case: &RtlCase| -> Vec<_> { case.numbers.iter().map(|&(name, _)| name).collect() };
        let words =
            |case: &RtlCase| -> Vec<_> { case.words.iter().map(|w| (w.what, w.bits)).collect() };
        let first = &package.cases[0];
        for case in &package.cases {
            assert_eq!(numbers(case), numbers(first));
            assert_eq!(words(case), words(first));
            for file in &case.words {
                let fits = |&word: &u128| file.bits == u128::BITS || word >> file.bits == 0;
                assert!(file.words.iter().all(fits));
            }
        }
    }
}

#[test]
fn the_simulator_leaves_what_the_interpreter_says_where_the_facts_say() {
    for machine in machines() {
        let config = Config::new(&machine).expect("it ships");
        for image in images(&config, &Library::default(), 1).expect("it fits") {
            let (after, _) = image.simulated(&config).expect("it runs");
            let Some(&(first, _)) = image.result.first() else {
                continue;
            };
            for (offset, &(address, word)) in image.result.iter().enumerate() {
                assert_eq!(after[address], word, "{} {}", config.machine, image.name);
                assert_eq!(address, first + offset);
            }
            let (_, fact) = image.facts.last().expect("where the result lies");
            assert!(fact.contains(&format!("address {first} +")));
        }
    }
}

#[test]
fn the_seed_chooses_operands_and_random_programs_and_nothing_else() {
    let machine = Machine::load("rpu-8x8").expect("it ships");
    let [one, again, two] = [1, 1, 2].map(|seed| package(&machine, seed).expect("fits"));
    assert_eq!(one, again);
    assert_eq!(one.parameters, two.parameters);
    for (a, b) in one.cases.iter().zip(&two.cases) {
        let random = a.name.starts_with("random");
        assert_eq!(a.numbers != b.numbers, random, "{}", a.name);
        assert_eq!(a.facts, b.facts);
        assert_ne!(a.words, b.words);
    }
}

/// Registers that are written while they are read are what orderly programs never bring about.
#[test]
fn random_programs_meet_every_kind_of_hazard() {
    for machine in machines() {
        let config = Config::new(&machine).expect("it ships");
        let images = hazards::images(&config, 1).expect("it fits");
        let met: BTreeSet<String> = images
            .iter()
            .flat_map(|image| coverage(&image.program, &config).into_keys())
            .collect();
        for kind in ["raw, ", "war, ", "waw, ", "same memory, "] {
            let name = &config.machine;
            assert!(
                met.iter().any(|bin| bin.starts_with(kind)),
                "{name}: {kind}"
            );
        }
    }
}

#[test]
fn what_the_rtl_has_not_is_refused_by_name() {
    let ii = MOST_II + 1;
    let text = include_str!("../../../../machines/rpu-8x8.toml");
    let text = text.replace("ii = { value = 1,", &format!("ii = {{ value = {ii},"));
    let machine = Machine::parse("slow.toml", &text).expect("the simulator has it");
    let error = package(&machine, 1)
        .expect_err("the RTL has not")
        .to_string();
    assert!(error.contains(&format!("ii = {ii}")), "{error}");
}

#[test]
fn memories_that_are_too_small_are_refused_by_name() {
    let text = include_str!("../../../../machines/rpu-8x8.toml");
    let text = text.replace("vdm_words = { value = 8192,", "vdm_words = { value = 128,");
    let machine = Machine::parse("small.toml", &text).expect("a machine");
    let error = package(&machine, 1).expect_err("no room").to_string();
    assert!(error.contains("the vector data memory holds"), "{error}");
}
