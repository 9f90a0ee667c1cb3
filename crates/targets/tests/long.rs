//! Programs of many operations on every target: neither a stack nor a step that grows with their
//! square stands in the way.

use ringwright_ir::generate::Long;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_spec::Machine;
use ringwright_target::conformance::length;
use ringwright_target::{Device, Executable};
use std::sync::Arc;

/// One of each way of lowering: towers in threads, calls with and without a pipeline, instructions.
const MACHINES: [&str; 5] = ["cpu-1", "medha-8x2", "rise-32bfu", "ntt-accel-8", "rpu-8x8"];
/// A recursion over so many leaves the stack of a test's thread long before their end.
const OPERATIONS: usize = 20_000;

fn device(machine: &str) -> Arc<dyn Device> {
    let machine = Machine::load(machine).expect("it ships");
    let target = ringwright_targets::find(machine.target()).expect("listed");
    (target.lower)(&machine).expect("buildable")
}

fn program(how: Long, ops: usize, log_n: u32) -> Module {
    length::program(how, ops, log_n).expect("valid")
}

fn smallest(device: &dyn Device) -> u32 {
    length::smallest_degree(device).expect("some degree")
}

/// The lowered program; none where the machine draws no samples.
fn lowered(device: &dyn Device, module: &Module) -> Option<Arc<dyn Executable>> {
    match device.lower(module) {
        Ok(kernel) => Some(kernel),
        Err(RunError::Unsupported { reason, .. }) if reason.contains("draws random words") => None,
        Err(error) => panic!("{}: {error}", device.machine()),
    }
}

#[test]
fn long_programs_lower_on_every_target() {
    for machine in MACHINES {
        let device = device(machine);
        let log_n = smallest(&*device);
        for how in Long::ALL {
            let taken = lowered(&*device, &program(how, OPERATIONS, log_n)).is_some();
            let draws = how == Long::Streams && ["medha-8x2", "rpu-8x8"].contains(&machine);
            assert_eq!(taken, !draws, "{machine}, {}", how.name());
        }
    }
}

#[test]
fn an_operation_is_a_few_steps_that_wait_for_few() {
    /// A call is nine steps, its transfers included; each waits for registers, units and a memory.
    const MOST: usize = 64;
    const FEW: usize = 3000;
    for machine in &MACHINES[1..] {
        let device = device(machine);
        let log_n = smallest(&*device);
        for how in Long::ALL {
            let Some(kernel) = lowered(&*device, &program(how, FEW, log_n)) else {
                continue;
            };
            let steps = kernel.timing().expect("simulated").unfolded();
            let size: usize = steps.iter().map(|step| 1 + step.after.len()).sum();
            assert!(size <= MOST * FEW, "{machine}, {}: {size}", how.name());
        }
    }
}

#[test]
fn the_cpu_runs_long_programs_as_the_interpreter_does() {
    let device = device("cpu-1");
    for how in Long::ALL {
        let module = program(how, OPERATIONS, smallest(&*device));
        length::compare(&*device, &module)
            .unwrap_or_else(|error| panic!("{}: {error}", how.name()));
    }
}
