//! The suite that every target passes, on the machines that ship.

use ringwright_spec::Machine;
use ringwright_target::conformance::{run, Budget, Outcome};
use ringwright_target_medha::MEDHA;

#[test]
fn every_machine_computes_what_programs_mean() {
    for name in ["medha-8x2", "medha-u250", "medha-u250-published"] {
        let machine = Machine::load(name).expect("ships");
        let budget = Budget {
            log_n: vec![5, 8],
            bits: vec![30, 54],
            generated: 6,
            seed: 1,
        };
        let report = run(&MEDHA, &machine, &budget);
        println!("{}: {report}", machine.name());
        assert!(report.is_conformant(), "{}: {report}", machine.name());
        for case in report.skipped() {
            let Outcome::Skipped(reason) = &case.outcome else {
                continue;
            };
            let named = [
                "butterflies",
                "each takes an RPAU",
                "no unit of Medha draws",
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
