//! A million operations in one ring program, long in several ways, lowered on a machine of every way
//! of lowering and timed: seconds, how many parts were timed, seconds of the same program asked for
//! again, and the most memory that the process had. Prints a JSON list of rows.
//!
//! Every measurement has a process of its own, which this program starts. It first runs a short
//! program that is long in the same way on the same device and compares its words with the
//! interpreter's. Towers have the smallest degree that the machine takes: lowering looks at no word.
//!
//! Usage: `scale`, or `scale MACHINE HOW` for one row.

use ringwright_ir::generate::Long;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_rounds::answers;
use ringwright_spec::Machine;
use ringwright_target::conformance::length;
use ringwright_target::{Device, Kept};
use serde_json::{json, Value as Json};
use std::process::Command;
use std::time::Instant;

/// Of every target, and of RISE both ways to divide the work.
const MACHINES: [&str; 5] = [
    "cpu",
    "medha-u250",
    "rise-32bfu",
    "ntt-accel-8",
    "rpu-128x128",
];
const OPERATIONS: usize = 1_000_000;
/// Of them where answers alone are checked.
const FEWER: usize = 20_000;
/// Operations of the program that is run.
const FEW: usize = 300;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows = match &arguments[..] {
        [] => all(),
        [machine, how] => {
            let named = |each: &Long| each.name() == how.as_str();
            vec![row(
                machine,
                Long::ALL.into_iter().find(named).expect("a way to be long"),
            )]
        }
        _ => panic!("usage: scale [MACHINE HOW]"),
    };
    println!("{}", Json::from(rows));
}

fn all() -> Vec<Json> {
    let this = std::env::current_exe().expect("a program");
    let one = |machine: &str, how: Long| -> Vec<Json> {
        let ran = Command::new(&this).args([machine, how.name()]).output();
        let printed = ran.expect("it starts").stdout;
        let died = || vec![json!({"machine": machine, "how": how.name(), "correct": false})];
        serde_json::from_slice(&printed).unwrap_or_else(|_| died())
    };
    let each = MACHINES
        .iter()
        .flat_map(|machine| Long::ALL.map(|how| (machine, how)));
    each.flat_map(|(machine, how)| one(machine, how)).collect()
}

fn row(machine: &str, how: Long) -> Json {
    let described = Machine::load(machine).expect("it ships");
    let target = ringwright_targets::find(described.target()).expect("listed");
    let device = Kept::new((target.lower)(&described).expect("buildable"));
    let log_n = length::smallest_degree(&device).expect("some degree");
    let operations = if answers::only() { FEWER } else { OPERATIONS };
    let mut made = json!({
        "machine": machine,
        "how": how.name(),
        "operations": operations,
        "log_n": log_n,
    });
    let short = program(how, FEW, log_n);
    if let Err(RunError::Unsupported { reason, .. }) = device.lower(&short) {
        made["skipped"] = reason.into();
        made["correct"] = true.into();
        return made;
    }
    made["correct"] = length::compare(&device, &short).is_ok().into();
    let module = program(how, operations, log_n);
    let started = Instant::now();
    let lowered = device.lower(&module);
    made["seconds"] = started.elapsed().as_secs_f64().into();
    made["gib"] = peak().into();
    match lowered {
        Err(error) => {
            made["error"] = error.to_string().into();
            made["correct"] = false.into();
        }
        Ok(kernel) => {
            made["parts"] = kernel.timing().map(|timing| timing.parts.len()).into();
            let started = Instant::now();
            let again = device.lower(&module);
            made["again_seconds"] = started.elapsed().as_secs_f64().into();
            let same = again.is_ok_and(|again| std::sync::Arc::ptr_eq(&again, &kernel));
            made["correct"] = (same && made["correct"] == Json::Bool(true)).into();
        }
    }
    made
}

fn program(how: Long, ops: usize, log_n: u32) -> Module {
    length::program(how, ops, log_n).expect("valid")
}

/// The most memory that this process had so far, GiB; none where the system does not say.
fn peak() -> Option<f64> {
    const KIB_PER_GIB: f64 = 1_048_576.0;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / KIB_PER_GIB)
}
