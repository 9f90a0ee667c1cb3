//! The suite that every target passes, on the machines that ship.

use ringwright_spec::Machine;
use ringwright_target::conformance::{run, Budget, Outcome};
use ringwright_target_rise::RISE;

fn machines() -> Vec<Machine> {
    let all = Machine::shipped()
        .iter()
        .map(|shipped| Machine::load(shipped.name).expect("sound"));
    all.filter(|machine| machine.target() == RISE.name)
        .collect()
}

#[test]
fn every_machine_computes_what_programs_mean() {
    for machine in machines() {
        let budget = Budget {
            log_n: vec![5, 8],
            bits: vec![30, 54],
            generated: 6,
            seed: 1,
        };
        let report = run(&RISE, &machine, &budget);
        println!("{}: {report}", machine.name());
        assert!(report.is_conformant(), "{}: {report}", machine.name());
        for case in report.skipped() {
            let Outcome::Skipped(reason) = &case.outcome else {
                continue;
            };
            let named = [
                "word_bits",
                "bfus",
                "bank_words",
                "dma_bytes_per_cycle",
                "towers, calls expanded",
                "allowed is the standard one",
            ];
            assert!(
                named.iter().any(|key| reason.contains(key)),
                "{}: {reason}",
                case.name
            );
        }
    }
}
