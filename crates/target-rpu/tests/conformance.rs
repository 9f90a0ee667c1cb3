//! The target computes what the interpreter does, on machines of both sizes.

use ringwright_spec::Machine;
use ringwright_target::conformance::{run, Budget, Outcome};
use ringwright_target_rpu::RPU;

/// Runs the suite; nothing may be skipped but what draws random words, what calls multiply, and what
/// is over another ring.
fn conforms(machine: &str, budget: Budget) {
    let machine = Machine::load(machine).expect("it ships");
    let report = run(&RPU, &machine, &budget);
    assert!(report.is_conformant(), "{report}");
    for case in report.skipped() {
        let Outcome::Skipped(reason) = &case.outcome else {
            continue;
        };
        let named = [
            "no instruction that draws random words",
            "calls expanded",
            "allowed is the standard one",
        ];
        let is_named = named.iter().any(|named| reason.contains(named));
        assert!(is_named, "{}: {reason}", case.name);
    }
}

/// Degrees whose towers fill a fraction of a vector, one, and several: all addressing modes.
#[test]
fn the_small_machine_conforms() {
    let budget = Budget {
        log_n: vec![4, 9],
        bits: vec![20, 54],
        generated: 10,
        seed: 100,
    };
    conforms("rpu-8x8", budget);
}

/// Two full vectors a tower.
#[test]
fn the_published_machine_conforms() {
    let budget = Budget {
        log_n: vec![10],
        bits: vec![62],
        generated: 4,
        seed: 1,
    };
    conforms("rpu-128x128", budget);
}

/// On two tiles.
#[test]
fn a_chip_conforms() {
    let budget = Budget {
        log_n: vec![10],
        bits: vec![30],
        generated: 4,
        seed: 3,
    };
    conforms("rpu-2", budget);
}

/// The camera's degree and its primes' size.
#[test]
#[ignore = "half a minute"]
fn the_published_machine_conforms_at_the_cameras_degree() {
    let budget = Budget {
        log_n: vec![12],
        bits: vec![30, 62],
        generated: 0,
        seed: 1,
    };
    conforms("rpu-128x128", budget);
}
