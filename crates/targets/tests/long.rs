//! Programs of many operations on every target: neither a stack nor a step that grows with their
//! square stands in the way.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, long, Long};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::{Device, Kernel};
use std::sync::Arc;

/// One of each way of lowering: towers in threads, calls with and without a pipeline, instructions.
const MACHINES: [&str; 4] = ["cpu-1", "rise-32bfu", "ntt-accel-8", "rpu-8x8"];
const PRIME_BITS: u32 = 30;
/// A recursion over so many leaves the stack of a test's thread long before their end.
const OPERATIONS: usize = 20_000;

fn device(machine: &str) -> Arc<dyn Device> {
    let machine = Machine::load(machine).expect("it ships");
    let target = ringwright_targets::find(machine.target()).expect("listed");
    (target.lower)(&machine).expect("buildable")
}

fn program(how: Long, ops: usize, log_n: u32) -> Module {
    let prime = ntt_primes(PRIME_BITS, log_n, 1).expect("a prime")[0];
    long(how, ops, log_n, prime).expect("valid")
}

/// The smallest degree that the machine takes.
fn smallest(device: &dyn Device) -> u32 {
    let takes = |log_n: &u32| device.lower(&program(Long::Products, 1, *log_n)).is_ok();
    (4..=17).find(takes).expect("some degree")
}

/// The lowered program; none where the machine draws no samples.
fn lowered(device: &dyn Device, module: &Module) -> Option<Arc<dyn Kernel>> {
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
            let draws = how == Long::Streams && machine == "rpu-8x8";
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
        let inputs: Vec<Value> = generate::inputs(1, &module);
        let interpreted = Interpreter.prepare(&module).expect("valid");
        let expected = interpreted.run(&inputs).expect("runs");
        let lowered = device.lower(&module).expect("lowers");
        let found = lowered.run(&inputs).expect("runs");
        let same = |(a, b): (&Value, &Value)| match (a, b) {
            (Value::Poly(a), Value::Poly(b)) => a == b,
            _ => false,
        };
        assert_eq!(expected.len(), found.len(), "{}", how.name());
        assert!(expected.iter().zip(&found).all(same), "{}", how.name());
    }
}
