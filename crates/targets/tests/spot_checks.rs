//! Simulated machines with the CPU's values: the same words and times as in full simulation, calls
//! compared as the rule says, and a kernel that computes something else is caught.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::ring::{Basis, Domain, FuncId, Loc, Module, ModuleBuilder, Type, VerifyError};
use ringwright_ir::{Difference, RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::conformance::{run_device, Budget, Outcome};
use ringwright_target::{
    Checked, Checks, Device, Executable, KernelCalls, OncePer, SpotChecked, Timing,
};
use ringwright_towers::{Memory, Program, Shelf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

const LOG_N: u32 = 6;
const MACHINES: [&str; 4] = ["medha-8x2", "rpu-8x8", "rise-4bfu", "ntt-accel-8"];

fn device(machine: &str) -> Arc<dyn Device> {
    let machine = Machine::load(machine).expect("it ships");
    let target = ringwright_targets::find(machine.target()).expect("listed");
    (target.lower)(&machine).expect("buildable")
}

fn checks(share: f64, once_per: OncePer) -> Checks {
    Checks::new(share, once_per, 1).expect("a share")
}

fn with_cpu(simulated: Arc<dyn Device>, checks: Checks) -> SpotChecked {
    SpotChecked::new(simulated, device("cpu-1"), checks)
}

#[test]
fn the_suite_passes_with_the_values_of_the_cpu() {
    for machine in MACHINES {
        let budget = Budget {
            log_n: vec![4, 7],
            bits: vec![30, 54],
            generated: 8,
            seed: 300,
        };
        let both = with_cpu(device(machine), checks(0.2, OncePer::Run));
        let report = run_device(&both, &budget);
        assert!(report.is_conformant(), "{machine}: {report}");
        // What full simulation skips too, and what takes a secret.
        let full = run_device(&*device(machine), &budget);
        let passes = |name: &str| {
            let mut cases = full.cases.iter();
            cases.any(|case| case.name == name && case.outcome == Outcome::Passed)
        };
        let (mut secrets, mut passed) = (0, 0);
        for case in &report.cases {
            match &case.outcome {
                Outcome::Skipped(reason) if passes(&case.name) => {
                    assert!(reason.contains("is secret"), "{}: {reason}", case.name);
                    secrets += 1;
                }
                Outcome::Passed => passed += 1,
                _ => {}
            }
        }
        assert!(passed > 50 && secrets > 0, "{machine}: {passed} {secrets}");
    }
}

/// `main` calls `scale` with 3, `scale` with 5, `square`, and so on, `rounds` times: one kernel where
/// constants are arguments, and another. Each stands in a list of its own, so that no machine joins them.
fn program(rounds: usize) -> Result<Module, VerifyError> {
    let primes = ntt_primes(30, LOG_N, 2).expect("primes");
    let ty = Type::poly(&Basis::range(0..2), Domain::Eval);
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut functions: Vec<FuncId> = Vec::new();
    for factor in [3, 5] {
        let mut fb = mb.function(&format!("scale{factor}"));
        let x = fb.param("x", ty.clone(), false);
        let y = fb.mul_scalar(x, &[factor, factor])?;
        functions.push(fb.finish(&[y])?);
    }
    let mut fb = mb.function("square");
    let x = fb.param("x", ty.clone(), false);
    let y = fb.mul(x, x)?;
    functions.push(fb.finish(&[y])?);
    for (line, function) in (7..).zip(&mut functions) {
        let mut fb = mb.function(&format!("list{line}"));
        let x = fb.param("x", ty.clone(), false);
        fb.steps().at(Some(Loc {
            file: "user.py".into(),
            line,
        }));
        let y = fb.call(*function, &[x])?;
        *function = fb.finish(&y)?;
    }
    let mut fb = mb.function("main");
    let mut x = fb.param("x", ty, false);
    for _ in 0..rounds {
        for &function in &functions {
            x = fb.call(function, &[x])?[0];
        }
    }
    let main = fb.finish(&[x])?;
    mb.finish(main)
}

const ROUNDS: usize = 20;
const CALLS: usize = 3 * ROUNDS;

fn checked(executable: &dyn Executable, inputs: &[Value]) -> Checked {
    let (_, profile) = executable.run_profiled(inputs).expect("equal");
    profile.checked.expect("values are another device's")
}

#[test]
fn every_kernel_is_checked_once_and_a_share_of_the_rest() {
    let module = program(ROUNDS).expect("valid");
    let inputs = generate::inputs(1, &module);
    for machine in MACHINES {
        let Ok(full) = device(machine).lower(&module) else {
            continue;
        };
        let run = |share, once_per| {
            let both = with_cpu(device(machine), checks(share, once_per));
            let executable = both.lower(&module).expect("lowers");
            assert_eq!(executable.timing(), full.timing(), "{machine}");
            [0, 1].map(|_| checked(&*executable, &inputs))
        };
        for once in run(0.0, OncePer::Run) {
            let found = (once.calls, once.checked, once.kernels);
            assert_eq!(found, (CALLS, 2, 2), "{machine}");
            assert_eq!(once.values, "cpu-1");
        }
        let [first, second] = run(0.0, OncePer::Device);
        assert_eq!((first.checked, second.checked), (2, 0), "{machine}");
        assert_eq!((first.kernels, second.kernels), (2, 2));
        assert_eq!(run(1.0, OncePer::Run).map(|it| it.checked), [CALLS; 2]);
        let some = run(0.3, OncePer::Run).map(|it| it.checked);
        assert!(
            some.iter().all(|checked| (3..CALLS).contains(checked)),
            "{some:?}"
        );
        assert_eq!(
            some,
            run(0.3, OncePer::Run).map(|it| it.checked),
            "repeatable"
        );
    }
}

/// A machine with a wrong kernel: the last bit of one word is turned, from this call of a run on.
struct Wrong {
    device: Arc<dyn Device>,
    from: usize,
}

struct WrongCalls {
    executable: Arc<dyn Executable>,
    from: usize,
    asked: AtomicUsize,
}

impl Device for Wrong {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        Ok(Arc::new(WrongCalls {
            executable: self.device.lower(module)?,
            from: self.from,
            asked: AtomicUsize::new(0),
        }))
    }

    fn machine(&self) -> &str {
        self.device.machine()
    }
}

impl Executable for WrongCalls {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.executable.run(inputs)
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        self.executable.timing()
    }

    fn kernel_calls(&self) -> Option<&dyn KernelCalls> {
        Some(self)
    }
}

impl KernelCalls for WrongCalls {
    fn program(&self) -> &Program {
        self.executable.kernel_calls().expect("simulated").program()
    }

    fn places(&self) -> usize {
        self.executable.kernel_calls().expect("simulated").places()
    }

    fn run_call(&self, call: usize, memory: &mut Shelf) -> Result<(), RunError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let calls = self.executable.kernel_calls().expect("simulated");
        calls.run_call(call, memory)?;
        if call >= self.from {
            let place = calls.program().calls[call].results[1];
            let mut words = memory.tower(place)?.to_vec();
            words[WORD] ^= 1;
            memory.set(place, &words);
        }
        Ok(())
    }
}

const WORD: usize = 17;

fn differs(machine: &str, from: usize, share: f64, runs: usize) -> Option<Difference> {
    let module = program(ROUNDS).expect("valid");
    let inputs = generate::inputs(1, &module);
    let wrong = Wrong {
        device: device(machine),
        from,
    };
    let both = with_cpu(Arc::new(wrong), checks(share, OncePer::Run));
    let executable = both.lower(&module).expect("lowers");
    (0..runs).find_map(|_| match executable.run(&inputs) {
        Ok(_) => None,
        Err(RunError::Differs(found)) => Some(*found),
        Err(error) => panic!("{machine}: {error}"),
    })
}

#[test]
fn a_wrong_kernel_is_refused_by_name() {
    for machine in ["rpu-8x8", "rise-4bfu"] {
        let found = differs(machine, 2, 0.0, 1).expect("its first call is checked");
        let expected = format!(
            "{machine} and cpu-1 compute different values: square, call 2 of {CALLS}, user.py:9: \
             tower 1, from word {WORD} on"
        );
        assert_eq!(found.to_string(), expected);
    }
}

#[test]
fn a_kernel_that_is_wrong_for_some_operands_is_found_by_the_share() {
    // The first calls of both kernels are right.
    assert!(differs("rpu-8x8", 3, 0.0, 50).is_none());
    let found = differs("rpu-8x8", 3, 0.05, 50).expect("of 2850 wrong calls one is drawn");
    assert!(found.call >= 3, "{found}");
}

#[test]
fn a_secret_and_a_device_without_kernels_are_refused() {
    let primes = ntt_primes(30, LOG_N, 1).expect("a prime");
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut fb = mb.function("main");
    let x = fb.param("key", Type::poly(&Basis::range(0..1), Domain::Eval), true);
    let y = fb.add(x, x).expect("valid");
    let main = fb.finish(&[y]).expect("valid");
    let secret = mb.finish(main).expect("valid");
    let refused = |simulated: &str, module: &Module| {
        let both = with_cpu(device(simulated), checks(0.0, OncePer::Run));
        both.lower(module).err().expect("refused").to_string()
    };
    let said = refused("rpu-8x8", &secret);
    assert!(
        said.contains("key is secret; allowed with values from cpu-1"),
        "{said}"
    );
    let said = refused("cpu-1", &program(1).expect("valid"));
    assert!(
        said.contains("does not run its kernels one by one"),
        "{said}"
    );
}
