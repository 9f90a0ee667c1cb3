//! Does a target compute what the programs mean? Bit for bit, on any machine of any target.
//!
//! Every case lowers one program and runs it on several inputs; the reference interpreter says
//! what is right. The cases are written by hand (every operation, every composite, calls,
//! aliasing, words at which centring turns), long in several ways, and generated. Around the values
//! the suite asks for what every caller relies on: a second run on used memory and runs from two
//! threads give the same, wrong arguments and invalid programs are refused with an error, nobody
//! keeps a secret, where the target has a clock its timing adds up, is the same for every
//! lowering and under the machine's roofs, and where it has a memory values stay there until they are dropped.
//!
//! Every operation is also compared with its written definition, which shares no code with the
//! interpreter, on random points; the chance to miss a wrong one is part of the report.
//!
//! A program that the machine says it cannot run is **skipped**, with its reason, never passed.

mod buffers;
mod case;
mod composites;
mod functions;
mod images;
mod inputs;
pub mod length;
mod operations;
mod refusals;
mod secrets;
mod structure;

use crate::{Device, Target};
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate::{self, Long};
use ringwright_ir::ring::{Module, RingKind};
use ringwright_ir::RunError;
use ringwright_spec::Machine;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// How much is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Ring degrees of the hand-written programs, as logarithms, 4 to 17.
    pub log_n: Vec<u32>,
    /// Bits of their primes; every program runs once per size.
    pub bits: Vec<u32>,
    /// Generated programs per size of prime and kind of ring, of degree 2^4 to 2^6.
    pub generated: u64,
    /// First seed of the generated programs.
    pub seed: u64,
}

impl Default for Budget {
    /// Some seconds on one core: degrees to 2^12, primes of 20 to 62 bits.
    fn default() -> Self {
        Budget {
            log_n: vec![4, 7, 12],
            bits: vec![20, 30, 50, 54, 60, 62],
            generated: 16,
            seed: 1,
        }
    }
}

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As the interpreter, and as promised.
    Passed,
    /// What differs.
    Failed(String),
    /// Why it could not run.
    Skipped(String),
}

impl Outcome {
    /// What an attempt comes to. What the device cannot do is skipped; an error or a panic fails.
    fn of(attempt: impl FnOnce() -> Result<Outcome, RunError>) -> Self {
        match catch_unwind(AssertUnwindSafe(attempt)) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(RunError::Unsupported { reason, .. })) => Outcome::Skipped(reason),
            Ok(Err(error)) => Outcome::Failed(error.to_string()),
            Err(_) => Outcome::Failed("it panicked".into()),
        }
    }
}

/// One program or one promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What it tries, with degree and prime size.
    pub name: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Where a function was compared on random points: log2 of the chance that a wrong one of the
    /// same degree would have passed.
    pub chance_log2: Option<f64>,
}

impl Case {
    /// A case whose inputs are not drawn at random from all words.
    fn fixed(name: impl Into<String>, outcome: Outcome) -> Self {
        Case {
            name: name.into(),
            outcome,
            chance_log2: None,
        }
    }
}

/// All cases, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The cases.
    pub cases: Vec<Case>,
}

impl Report {
    /// Whether at least one case passed and none failed.
    pub fn is_conformant(&self) -> bool {
        let passed = self
            .cases
            .iter()
            .any(|case| case.outcome == Outcome::Passed);
        passed && self.failures().next().is_none()
    }

    /// The bounds of the functions that passed, as logarithms.
    pub fn functions(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        let passed = self
            .cases
            .iter()
            .filter(|case| case.outcome == Outcome::Passed);
        passed.filter_map(|case| case.chance_log2)
    }

    /// The cases that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Case> {
        self.cases
            .iter()
            .filter(|case| matches!(case.outcome, Outcome::Failed(_)))
    }

    /// The cases that could not run.
    pub fn skipped(&self) -> impl Iterator<Item = &Case> {
        self.cases
            .iter()
            .filter(|case| matches!(case.outcome, Outcome::Skipped(_)))
    }
}

impl fmt::Display for Report {
    /// One line per case that did not pass, then the counts, then what random points can miss.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in &self.cases {
            match &case.outcome {
                Outcome::Passed => {}
                Outcome::Failed(what) => writeln!(f, "failed   {}: {what}", case.name)?,
                Outcome::Skipped(why) => writeln!(f, "skipped  {}: {why}", case.name)?,
            }
        }
        let (failed, skipped) = (self.failures().count(), self.skipped().count());
        let passed = self.cases.len() - failed - skipped;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")?;
        let compared = self.functions();
        let (count, worst) = (compared.clone().count(), compared.reduce(f64::max));
        worst.map_or(Ok(()), |worst| {
            let points = functions::POINTS;
            write!(
                f,
                "; {count} functions compared on {points} random points per prime, each wrong with a \
                 chance below 2^{worst:.0}"
            )
        })
    }
}

/// Runs the suite on one machine of a target.
pub fn run(target: &Target, machine: &Machine, budget: &Budget) -> Report {
    let devices = (target.lower)(machine).and_then(|one| Ok((one, (target.lower)(machine)?)));
    match devices {
        Ok((device, other)) => {
            let mut report = run_devices(&*device, &*other, budget);
            report
                .cases
                .extend(images::run(target, machine, &*device, budget));
            report
        }
        Err(error) => {
            let outcome = Outcome::Failed(error.to_string());
            Report {
                cases: vec![Case::fixed("set up the machine", outcome)],
            }
        }
    }
}

/// Runs the suite on a device that lowers a program anew whenever it is asked.
pub fn run_device(device: &dyn Device, budget: &Budget) -> Report {
    run_devices(device, device, budget)
}

/// Runs the suite on a device; what another one of the same machine lowers takes the same time.
fn run_devices(device: &dyn Device, other: &dyn Device, budget: &Budget) -> Report {
    let mut cases = Vec::new();
    for program in programs(budget) {
        let outcome = match &program.module {
            Ok(module) => case::run([device, other], module, &program.inputs),
            Err(error) => Outcome::Failed(format!("the suite's own program: {error}")),
        };
        cases.push(Case::fixed(program.name, outcome));
    }
    for &bits in &budget.bits {
        for &log_n in &budget.log_n {
            cases.extend(functions::run(device, log_n, bits));
        }
    }
    cases.extend(refusals::run(device));
    cases.push(secrets::run(device));
    cases.extend(buffers::run(device));
    Report { cases }
}

/// A program of the suite with the inputs to run it on.
struct Program {
    name: String,
    module: Result<Module, String>,
    inputs: inputs::Sets,
}

/// Primes of every hand-written module: four of a ciphertext, two special ones.
const PRIMES: usize = 6;

fn programs(budget: &Budget) -> Vec<Program> {
    let mut programs = Vec::new();
    for &bits in &budget.bits {
        for &log_n in &budget.log_n {
            programs.extend(hand_written(log_n, bits));
        }
        for kind in RingKind::ALL {
            programs.extend((0..budget.generated).map(|i| generated(kind, budget.seed + i, bits)));
        }
    }
    if let (Some(&log_n), Some(&bits)) = (budget.log_n.first(), budget.bits.first()) {
        programs.extend(Long::ALL.map(|how| of_length(how, log_n, bits)));
    }
    programs
}

/// Operations of a long program: more than a machine holds at once.
const LONG: usize = 400;

fn of_length(how: Long, log_n: u32, bits: u32) -> Program {
    let name = format!(
        "{LONG} operations, {}, N = 2^{log_n}, {bits}-bit prime",
        how.name()
    );
    Program {
        name,
        module: length::program_of(how, LONG, log_n, bits),
        inputs: inputs::Sets::Random(1),
    }
}

fn hand_written(log_n: u32, bits: u32) -> Vec<Program> {
    let primes = ntt_primes(bits, log_n, PRIMES);
    let name = |what: &str| format!("{what}, N = 2^{log_n}, {bits}-bit primes");
    let primes = match primes {
        Ok(primes) => primes,
        Err(error) => {
            let module = Err(error.to_string());
            return vec![Program {
                name: name("primes"),
                module,
                inputs: inputs::Sets::Boundary,
            }];
        }
    };
    let builders = [operations::CASES, structure::CASES, composites::CASES].concat();
    let build = |(what, build): (&str, case::Build)| Program {
        name: name(what),
        module: build(log_n, &primes).map_err(|error| error.to_string()),
        inputs: inputs::Sets::Boundary,
    };
    builders.into_iter().map(build).collect()
}

fn generated(kind: RingKind, seed: u64, bits: u32) -> Program {
    let log_n = 4 + (seed % 3) as u32;
    let primes = ntt_primes(bits, kind.log_order(log_n) - 1, PRIMES);
    let module = primes.map_err(|error| error.to_string());
    let module = module.and_then(|primes| {
        let shape = generate::Shape {
            kind,
            log_n,
            primes,
            helpers: 3,
            ops: 12,
        };
        generate::module(seed, &shape).map_err(|error| error.to_string())
    });
    let name = format!("generated program {seed}, {kind} ring, N = 2^{log_n}, {bits}-bit primes");
    Program {
        name,
        module,
        inputs: inputs::Sets::Random(seed),
    }
}
