use super::*;
use crate::config::NAME;

fn machines() -> impl Iterator<Item = Machine> {
    let all = Machine::shipped().iter();
    all.map(|shipped| Machine::load(shipped.name).expect(shipped.name))
        .filter(|machine| machine.target() == NAME)
}

fn words(values: &[Value]) -> Vec<&[u64]> {
    values.iter().flat_map(Value::towers).collect()
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
                assert!(file.words.iter().all(|&word| word >> file.bits == 0));
            }
        }
    }
}

#[test]
fn the_simulator_has_the_interpreters_results_in_the_cycles_of_a_case() {
    for machine in machines() {
        let config = Config::new(&machine).expect("it ships");
        for (name, module) in programs::programs(&config).expect("it fits") {
            let case = Case::new(&machine, name, &module, 1).expect("it runs");
            let inputs = generate::inputs(1, &module);
            let intervals = host::intervals(&case.hosted, 0);
            let simulated = case.hosted.simulate(&inputs, &intervals);
            let (results, _) = simulated.expect("it is simulated");
            let name = format!("{} {name}", machine.name());
            assert_eq!(words(&results), words(&case.results), "{name}");
            let size = config.bytes_per_word() as usize;
            let memory = case.image.with_results(&results).concat();
            let bytes = memory.iter().map(|word| word.to_le_bytes());
            let mut bytes: Vec<u8> = bytes.flat_map(|word| word.into_iter().take(size)).collect();
            let found = case.hosted.results(&inputs, &mut bytes);
            assert_eq!(words(&found.expect("they were put there")), words(&results));
        }
    }
}

#[test]
fn the_seed_chooses_the_operands_and_nothing_else() {
    let machine = Machine::load("race").expect("it ships");
    let [one, again, two] = [1, 1, 2].map(|seed| package(&machine, seed).expect("fits"));
    assert_eq!(one, again);
    assert_eq!(one.parameters, two.parameters);
    for (a, b) in one.cases.iter().zip(&two.cases) {
        assert_eq!(a.numbers, b.numbers);
        assert_eq!(a.facts, b.facts);
        let [host, memory, result] = [0, 1, 2].map(|file| a.words[file] == b.words[file]);
        // Without samplers the host writes no seed.
        assert!(host && !memory && !result);
    }
}
