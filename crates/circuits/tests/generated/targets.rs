//! Every target computes the interpreter's words: the CPU with every instruction set that it has,
//! with one and two threads, memory poisoned; simulated machines.

use crate::client::{device, max_error, uniform, Client};
use crate::program::{program, Meant, INPUTS};
use crate::shapes::clients;
use crate::steps::{steps, Step};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use ringwright_ir::RunError;
use ringwright_kernels::Isa;
use ringwright_schemes::ckks::{Ciphertext, Error, Evaluator};
use ringwright_schemes::rlwe::{self, EvaluationKeys, RingKind};
use ringwright_spec::Machine;
use ringwright_target::Device;
use ringwright_target_cpu::{Cpu, Options};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// A device, and what it is called.
type Named = (String, Arc<dyn Device>);

static CPUS: LazyLock<Vec<Named>> = LazyLock::new(|| {
    let mut found: Vec<Named> = Vec::new();
    for isa in Isa::ALL {
        if !isa.is_available() {
            println!("skipped: this machine lacks {isa}");
            continue;
        }
        for threads in [1, 2] {
            let options = Options {
                threads,
                isa,
                poison: true,
            };
            let cpu = Cpu::new("test", options).expect("threads start");
            found.push((format!("{isa}, {threads} threads"), Arc::new(cpu)));
        }
    }
    found
});

static SIMULATED: LazyLock<Vec<Named>> = LazyLock::new(|| {
    let machines = ["rpu-8x8", "rise-4bfu"];
    let lowered = |name: &&str| {
        let machine = Machine::load(name).expect("it ships");
        let target = ringwright_targets::find(machine.target()).expect("a target");
        let device = (target.lower)(&machine).expect("a sound machine");
        (name.to_string(), device as Arc<dyn Device>)
    };
    machines.iter().map(lowered).collect()
});

/// A program with all that it takes to run it.
struct Ready<'a> {
    client: &'a Client,
    meant: Meant,
    inputs: Vec<Ciphertext>,
    keys: EvaluationKeys,
}

impl<'a> Ready<'a> {
    fn new(client: &'a Client, steps: &[Step]) -> Self {
        let slots = client.parameters.slots();
        let meant = program(&client.parameters, steps);
        let inputs = INPUTS.iter().zip(1..);
        let inputs = inputs.map(|(&of, seed)| client.encrypt(&uniform(slots, of), seed));
        Self {
            inputs: inputs.collect(),
            keys: client.keys_for(&meant.program),
            client,
            meant,
        }
    }

    /// Every slot is what was meant, within what no error exceeds.
    fn check_errors(&self, results: &[Ciphertext]) -> Result<(), TestCaseError> {
        for (result, meant) in results.iter().zip(&self.meant.results) {
            let worst = max_error(&self.client.decrypt(result), meant);
            let bound = result.error_bound();
            prop_assert!(worst <= bound, "off by {worst}, bound {bound}");
        }
        Ok(())
    }

    fn run(&self, device: Arc<dyn Device>) -> Result<Vec<Ciphertext>, Error> {
        let evaluator = Evaluator::new(&self.client.parameters, device);
        let prepared = evaluator.prepare(&self.meant.program)?;
        prepared.run(&self.inputs, &self.keys)
    }
}

/// Whether every word is the same.
fn same(found: &[Ciphertext], expected: &[Ciphertext]) -> bool {
    let words = |ciphertexts: &[Ciphertext]| -> Vec<Vec<u64>> {
        let parts = ciphertexts.iter().flat_map(Ciphertext::parts);
        parts.map(|part| part.words().to_vec()).collect()
    };
    words(found) == words(expected)
}

/// The same words, or the same refusal of a result that hides nothing (`x - x` is drawn now and then).
fn agree(
    found: &Result<Vec<Ciphertext>, Error>,
    expected: &Result<Vec<Ciphertext>, Error>,
) -> bool {
    match (found, expected) {
        (Ok(found), Ok(expected)) => same(found, expected),
        (Err(Error::Transparent { what: found }), Err(Error::Transparent { what: expected })) => {
            found == expected
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_body_of_the_cpu_computes_the_interpreters_words(
        shape in 0..clients().len(),
        steps in steps(),
    ) {
        let ready = Ready::new(&clients()[shape], &steps);
        let expected = ready.run(device());
        if let Ok(expected) = &expected {
            ready.check_errors(expected)?;
        }
        for (name, cpu) in CPUS.iter() {
            let found = ready.run(cpu.clone());
            prop_assert!(agree(&found, &expected), "{name}");
        }
    }
}

/// The operations that programs have, so that the test above does not become an empty one.
#[test]
fn every_step_is_drawn_and_carried() {
    let mut runner = TestRunner::deterministic();
    let mut taken = BTreeSet::new();
    for client in clients().iter().cycle().take(60) {
        let drawn = steps().new_tree(&mut runner).expect("steps").current();
        taken.extend(program(&client.parameters, &drawn).taken);
    }
    let all = [
        "Add",
        "Sub",
        "Neg",
        "Conjugate",
        "AddConstant",
        "MulConstant",
        "Mask",
        "Mul",
        "Products",
        "Drop",
        "Rotations",
        "InnerSum",
        "Matrix",
        "Power",
        "Chebyshev",
        "Sign",
        "Called",
    ];
    assert_eq!(taken, all.map(String::from).into());
}

/// Machines have bounds: what one of them cannot hold or express is skipped, with its reason.
#[test]
fn simulated_machines_compute_the_interpreters_words() {
    let mut runner = TestRunner::deterministic();
    for client in clients() {
        let drawn = steps().new_tree(&mut runner).expect("steps").current();
        let ready = Ready::new(client, &drawn);
        let expected = ready.run(device()).expect("the interpreter");
        let mut ran = 0;
        for (name, machine) in SIMULATED.iter() {
            match ready.run(machine.clone()) {
                Ok(found) => {
                    ran += 1;
                    assert!(same(&found, &expected), "{name}: {drawn:?}");
                }
                Err(Error::Rlwe(rlwe::Error::Run(RunError::Unsupported { machine, reason }))) => {
                    println!("skipped: {machine}: {reason}");
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
        // No simulated machine has the other ring.
        let has_ring = client.parameters.kind() == RingKind::Standard;
        assert_eq!(
            ran > 0,
            has_ring,
            "{}: on {ran} machines",
            client.parameters
        );
    }
}
