//! The suite must catch wrong devices: each mutant here is the interpreter with one fault.

use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Composite, Module, OpKind};
use ringwright_ir::{RunError, Value};
use ringwright_sim::{Clock, Cycle, Femtoseconds, Provenance};
use ringwright_target::conformance::{run_device, Budget, Case, Outcome, Report};
use ringwright_target::{
    Called, Counters, Device, DeviceMemory, Executable, Hardware, Part, StepKind, Steps, Task,
    Timing, WordBytes, Work,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Changes the program.
type Damage = fn(&mut Module);
/// Changes the results of a run, given the number of runs before it.
type Falsify = fn(u64, &mut Vec<Value>);
/// Makes up a timing, given the number of lowerings before it.
type Clockwork = fn(u64) -> Option<Timing>;
/// What a run does to the device's memory.
type Leak = fn(&DeviceMemory);

/// The interpreter with a fault in the program, in the results, in time, or none.
struct Mutant {
    damage: Damage,
    falsify: Falsify,
    timing: Clockwork,
    leak: Leak,
    /// The one that it says it has; a second one where it says so every other time.
    memories: Vec<DeviceMemory>,
    asked: AtomicU64,
    lowered: AtomicU64,
}

struct Faulty {
    kernel: Arc<dyn Executable>,
    falsify: Falsify,
    timing: Option<Arc<Timing>>,
    leak: Leak,
    memory: DeviceMemory,
    runs: AtomicU64,
}

/// Of some 64-bit words.
fn memory() -> DeviceMemory {
    DeviceMemory::new("mutant", 1 << 20, WordBytes::all(8))
}

fn faultless() -> Mutant {
    Mutant {
        damage: |_| {},
        falsify: |_, _| {},
        timing: |_| None,
        leak: |_| {},
        memories: vec![memory()],
        asked: AtomicU64::new(0),
        lowered: AtomicU64::new(0),
    }
}

impl Mutant {
    fn program(&self, module: &Module) -> Result<Faulty, RunError> {
        Interpreter.prepare(module)?;
        let mut module = module.clone();
        (self.damage)(&mut module);
        Ok(Faulty {
            kernel: Interpreter.lower(&module)?,
            falsify: self.falsify,
            timing: (self.timing)(self.lowered.fetch_add(1, Ordering::Relaxed)).map(Arc::new),
            leak: self.leak,
            memory: self.memories[0].clone(),
            runs: AtomicU64::new(0),
        })
    }
}

impl Device for Mutant {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        Ok(Arc::new(self.program(module)?))
    }

    fn machine(&self) -> &str {
        "mutant"
    }

    fn memory(&self) -> Option<&DeviceMemory> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) as usize;
        self.memories.get(asked % self.memories.len())
    }
}

impl Executable for Faulty {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        let mut values = self.kernel.run(inputs)?;
        (self.leak)(&self.memory);
        (self.falsify)(self.runs.fetch_add(1, Ordering::Relaxed), &mut values);
        Ok(values)
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        self.timing.as_ref()
    }
}

fn small() -> Budget {
    Budget {
        log_n: vec![4],
        bits: vec![30],
        generated: 2,
        ..Budget::default()
    }
}

fn report(mutant: Mutant) -> Report {
    run_device(&mutant, &small())
}

#[test]
fn the_faultless_device_passes_every_case() {
    let report = report(faultless());
    assert!(report.is_conformant(), "{report}");
    assert_eq!(report.skipped().count(), 0, "{report}");
}

/// The definitions say which operation is wrong, and how likely they are to miss one.
#[test]
fn functions_are_compared_one_by_one() {
    let right = report(faultless());
    let bits = f64::from(small().bits[0]);
    assert!(right.functions().count() > 0);
    for chance in right.functions() {
        // Two points, degree at most 2, primes just below 2^bits.
        assert!(
            (-2.0 * bits..-2.0 * (bits - 2.0)).contains(&chance),
            "{chance}"
        );
    }
    let worst = right.functions().fold(f64::MIN, f64::max);
    assert!(
        right.to_string().contains(&format!("2^{worst:.0}")),
        "{right}"
    );
    let damage: Damage = |m| {
        first_op(m, |kind| {
            let found = *kind == OpKind::Ntt;
            if found {
                *kind = OpKind::Intt;
            }
            found
        });
    };
    let wrong = report(Mutant {
        damage,
        ..faultless()
    });
    let failed = |case: &Case| case.name.starts_with("ntt as a function");
    assert!(wrong.failures().any(failed), "{wrong}");
}

/// Changes the first operation of any function that `change` accepts.
fn first_op(module: &mut Module, change: impl Fn(&mut OpKind) -> bool) {
    let mut ops = module.funcs.iter_mut().flat_map(|f| &mut f.ops);
    ops.any(|op| change(&mut op.kind));
}

/// Adds `by` modulo the prime to the last residue of the first scalar of composites of a kind.
fn shift_scalar(module: &mut Module, composite: Composite, by: u128) {
    let primes = module.primes.clone();
    let tagged = module
        .funcs
        .iter_mut()
        .filter(|f| f.composite == Some(composite));
    for func in tagged {
        let types = func.types.clone();
        for op in &mut func.ops {
            if let OpKind::AddScalar { residues } | OpKind::MulScalar { residues } = &mut op.kind {
                let basis = types[op.results[0].index()].basis().expect("a polynomial");
                let q = basis.values(&primes)[residues.len() - 1];
                let last = residues.len() - 1;
                residues[last] = (residues[last] + by) % q;
                return;
            }
        }
    }
}

#[test]
fn faults_in_one_operation_are_caught() {
    let faults: [(&str, Damage); 8] = [
        ("add for sub", |m| {
            first_op(m, |kind| {
                let found = *kind == OpKind::Sub;
                if found {
                    *kind = OpKind::Add;
                }
                found
            })
        }),
        ("galois", |m| {
            let two_n = 2 << m.log_n;
            first_op(m, |kind| match kind {
                OpKind::Automorphism { galois } if *galois > 1 => {
                    *galois = (*galois + 2) % two_n;
                    true
                }
                _ => false,
            })
        }),
        ("stream", |m| {
            first_op(m, |kind| match kind {
                OpKind::Sample { stream, .. } => {
                    stream.push('\'');
                    true
                }
                _ => false,
            })
        }),
        ("array item", |m| {
            first_op(m, |kind| match kind {
                OpKind::Element { index } if *index > 0 => {
                    *index -= 1;
                    true
                }
                _ => false,
            })
        }),
        ("order of returns", |m| {
            let entry = m.entry.index();
            m.funcs[entry].returns.rotate_left(1);
        }),
        ("not centred", |m| {
            shift_scalar(m, Composite::BasisExtension, 1)
        }),
        ("rounded elsewhere", |m| {
            shift_scalar(m, Composite::ModDown, 1)
        }),
        ("order of operands", |m| {
            let mut ops = m.funcs.iter_mut().flat_map(|f| &mut f.ops);
            if let Some(op) = ops.find(|op| op.kind == OpKind::Sub) {
                op.args.reverse();
            }
        }),
    ];
    for (what, damage) in faults {
        let report = report(Mutant {
            damage,
            ..faultless()
        });
        assert!(differs(&report), "nobody noticed: {what}");
    }
}

/// Whether a case failed by its words, rather than by an error.
fn differs(report: &Report) -> bool {
    let words = |case: &Case| match &case.outcome {
        Outcome::Failed(what) => what.contains(" instead of "),
        _ => false,
    };
    !report.is_conformant() && report.cases.iter().any(words)
}

fn bump(values: &mut [Value], word: impl Fn(usize) -> usize) {
    if let Some(Value::Poly(poly)) = values.last_mut() {
        let poly = Arc::make_mut(poly);
        let (last, n) = (poly.towers() - 1, poly.n());
        poly.tower_mut(last)[word(n)] ^= 1;
    }
}

#[test]
fn faults_in_results_are_caught() {
    let faults: [(&str, Falsify); 3] = [
        ("one bit of the last word", |_, values| {
            bump(values, |n| n - 1)
        }),
        ("only when memory was used before", |run, values| {
            if run >= 3 {
                bump(values, |_| 0);
            }
        }),
        ("a result too many", |_, values| {
            values.push(values[0].clone())
        }),
    ];
    for (what, falsify) in faults {
        let report = report(Mutant {
            falsify,
            ..faultless()
        });
        assert!(!report.is_conformant(), "nobody noticed: {what}");
    }
}

/// Where a mutant keeps what it must not keep.
static KEPT: Mutex<Vec<Value>> = Mutex::new(Vec::new());

#[test]
fn a_kept_secret_is_caught() {
    let falsify: Falsify = |_, values| {
        KEPT.lock()
            .expect("nobody panics")
            .extend(values.iter().cloned());
    };
    let report = report(Mutant {
        falsify,
        ..faultless()
    });
    assert!(!report.is_conformant(), "nobody noticed");
}

#[test]
fn faults_in_memory_are_caught() {
    let leak: Leak = |memory| std::mem::forget(memory.reserve(1));
    let faults = [
        (
            "a byte is lost in every run",
            Mutant {
                leak,
                ..faultless()
            },
        ),
        (
            "another memory whenever it is asked",
            Mutant {
                memories: vec![memory(), memory()],
                ..faultless()
            },
        ),
    ];
    for (what, mutant) in faults {
        let report = report(mutant);
        let failed = |case: &Case| case.name == "values stay in its memory";
        assert!(report.failures().any(failed), "nobody noticed: {what}");
        assert_eq!(report.failures().count(), 1, "{report}");
    }
}

/// A run of one part that takes `part` cycles, and says that it takes `run`.
fn timing(run: u64, part: u64) -> Option<Timing> {
    let kind = StepKind {
        name: "compute",
        task: Task::Compute,
        work: Work::Kernel { cycles: part },
        hardware: Hardware::Rtl,
        units: &["core"],
    };
    let mut steps = Steps::new();
    steps.push(kind, &[], None);
    let called = Called {
        part: 0,
        sources: [ringwright_target::Source {
            name: "main".into(),
            call: None,
            loc: None,
        }]
        .into(),
    };
    let clock = Clock::new("core", Femtoseconds(1), Provenance::Modelled).expect("a period");
    let part = Arc::new(Part::new(steps, Counters::new()));
    let timing = Timing::new(clock, &["core"], vec![part], vec![called]);
    Some(Timing {
        cycles: Cycle(run),
        ..timing.expect("it adds up")
    })
}

#[test]
fn faults_in_time_are_caught() {
    let right = report(Mutant {
        timing: |_| timing(7, 7),
        ..faultless()
    });
    assert!(right.is_conformant(), "{right}");
    let faults: [(&str, Clockwork); 2] = [
        ("parts that do not add up", |_| timing(8, 7)),
        ("time that changes", |lowered| {
            timing(8 + lowered, 8 + lowered)
        }),
    ];
    for (what, timing) in faults {
        let report = report(Mutant {
            timing,
            ..faultless()
        });
        assert!(!report.is_conformant(), "nobody noticed: {what}");
    }
}

/// A device that can do nothing is not conformant, and does not claim to have passed.
struct Incapable;

impl Device for Incapable {
    fn lower(&self, _: &Module) -> Result<Arc<dyn Executable>, RunError> {
        Err(RunError::Unsupported {
            machine: "none".into(),
            reason: "it has no units".into(),
        })
    }

    fn machine(&self) -> &str {
        "none"
    }
}

#[test]
fn what_cannot_run_is_skipped_and_never_passed() {
    let report = run_device(&Incapable, &small());
    let passed = report
        .cases
        .iter()
        .filter(|case| case.outcome == Outcome::Passed);
    assert_eq!(passed.count(), 0);
    assert!(report
        .skipped()
        .all(|case| { case.outcome == Outcome::Skipped("it has no units".into()) }));
    assert!(!report.is_conformant());
}
