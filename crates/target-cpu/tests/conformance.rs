//! The conformance suite on the CPU: every instruction set, one and two threads, memory poisoned.

use ringwright_kernels::Isa;
use ringwright_spec::Machine;
use ringwright_target::conformance::{run, run_device, Budget};
use ringwright_target_cpu::{Cpu, Options, CPU};

fn device(isa: Isa, threads: usize) -> Cpu {
    let options = Options {
        threads,
        isa,
        poison: true,
    };
    Cpu::new("test", options).expect("threads start")
}

#[test]
fn every_instruction_set_conforms() {
    for isa in Isa::ALL {
        if !isa.is_available() {
            println!("skipped: this machine lacks {isa}");
            continue;
        }
        for threads in [1, 2] {
            let budget = Budget {
                log_n: vec![4, 7],
                ..Budget::default()
            };
            let report = run_device(&device(isa, threads), &budget);
            assert!(report.is_conformant(), "{isa}, {threads} threads\n{report}");
            assert_eq!(report.skipped().count(), 0, "{report}");
        }
    }
}

#[test]
fn the_default_machine_conforms_at_real_degrees() {
    let machine = Machine::load(CPU.default_machine).expect("it ships");
    let budget = Budget {
        log_n: vec![12],
        bits: vec![30, 60],
        generated: 0,
        ..Budget::default()
    };
    let report = run(&CPU, &machine, &budget);
    println!("{}: {report}", machine.name());
    assert!(report.is_conformant(), "{report}");
    assert_eq!(report.skipped().count(), 0, "{report}");
}
