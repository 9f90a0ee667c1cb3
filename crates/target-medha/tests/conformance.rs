//! The suite that every target passes, on the machines that ship and on small ones with little of
//! something.

use ringwright_spec::{Machine, Setting};
use ringwright_target::conformance::{run, Budget, Outcome, Report};
use ringwright_target_medha::MEDHA;
use std::collections::BTreeMap;

/// Runs the suite; nothing may be skipped but what the machine says it lacks.
fn conforms(machine: &Machine, log_n: Vec<u32>) -> Report {
    let budget = Budget {
        log_n,
        bits: vec![30, 54],
        generated: 6,
        seed: 1,
    };
    let report = run(&MEDHA, machine, &budget);
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
        let is_named = named.iter().any(|key| reason.contains(key));
        assert!(is_named, "{}: {reason}", case.name);
    }
    report
}

#[test]
fn every_machine_computes_what_programs_mean() {
    for name in ["medha-8x2", "medha-u250", "medha-u250-published"] {
        let report = conforms(&Machine::load(name).expect("ships"), vec![5, 8]);
        // All of it is in RTL.
        let images = report
            .cases
            .iter()
            .filter(|case| case.name.starts_with("image, "));
        assert!(images.count() > 50);
    }
}

/// Four slots in each memory, one behind the ring, one lane, one lane of words, a ring of one word, a
/// butterfly: towers are spilled and brought back, and whoever waits long enough is right.
#[test]
fn machines_with_little_of_something_do_too() {
    let little: [&[(&str, i64)]; 5] = [
        &[("max_degree", 256), ("landing_towers", 1)],
        &[("max_degree", 256), ("bank_words", 256), ("dma_lanes", 1)],
        &[("landing_towers", 1), ("ring_words", 1), ("hop_cycles", 16)],
        &[
            ("dyadic_lanes", 1),
            ("ntt_latency", 64),
            ("issue_cycles", 16),
        ],
        &[
            ("butterflies", 1),
            ("dyadic_lanes", 2),
            ("ring_words", 2),
            ("max_degree", 1024),
        ],
    ];
    let machine = Machine::load("medha-8x2").expect("ships");
    for changes in little {
        let values = changes
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Setting::Int(*value)));
        let values: BTreeMap<String, Setting> = values.collect();
        let changed = machine.with("little", &values, "test", None);
        conforms(&changed.expect("allowed"), vec![6, 8]);
    }
}
