//! One program on one device, compared with the interpreter.

use super::inputs::Sets;
use super::Outcome;
use crate::{Device, Executable, Timing};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Module, VerifyError};
use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;
use std::sync::Arc;

/// Builds a hand-written module for a degree and [`super::PRIMES`] primes.
pub type Build = fn(u32, &[u128]) -> Result<Module, VerifyError>;

/// Lowers the program and runs it on all inputs; both devices are of one machine.
pub fn run(devices: [&dyn Device; 2], module: &Module, inputs: &Sets) -> Outcome {
    Outcome::of(|| compare(devices, module, &inputs.of(module)).map(|()| Outcome::Passed))
}

fn compare(
    devices: [&dyn Device; 2],
    module: &Module,
    sets: &[Vec<Value>],
) -> Result<(), RunError> {
    let reference = Interpreter.prepare(module)?;
    let [device, other] = devices;
    let executable = device.lower(module)?;
    check_timing(other, module, &*executable)?;
    let expected: Vec<Vec<Value>> = sets
        .iter()
        .map(|inputs| reference.run(inputs))
        .collect::<Result<_, _>>()?;
    let check = |run: &str, set: usize| {
        let found = executable.run(&sets[set])?;
        same(&expected[set], &found).map_err(|what| wrong(format!("{run}, inputs {set}: {what}")))
    };
    for set in 0..sets.len() {
        check("first run", set)?;
    }
    check("run on used memory", 0)?;
    std::thread::scope(|scope| {
        let check = &check;
        let other = scope.spawn(move || check("second thread", 1));
        check("first thread", 0)?;
        other
            .join()
            .unwrap_or_else(|_| Err(wrong("the second thread panicked".into())))
    })
}

fn check_timing(
    other: &dyn Device,
    module: &Module,
    executable: &dyn Executable,
) -> Result<(), RunError> {
    let Some(timing) = executable.timing() else {
        return Ok(());
    };
    timing
        .check()
        .and_then(|()| Ok(timing.timeline()?.edges().map(|_| ())?))
        .map_err(|error| wrong(format!("timing: {error}")))?;
    check_folding(timing)?;
    check_roofs(other, timing)?;
    match other.lower(module)?.timing() == Some(timing) {
        true => Ok(()),
        false => Err(wrong("timing: another lowering takes another time".into())),
    }
}

/// Cycles that a host's function takes, none and some: what waits for a host waits in both.
const HOST_CYCLES: [u64; 2] = [0, 997];

/// The run as one list of steps takes what its calls take together, beside any host.
fn check_folding(timing: &Timing) -> Result<(), RunError> {
    for host in HOST_CYCLES {
        let [folded, unfolded] = timing.both_ways(host);
        if folded != unfolded {
            let what = format!("timing: {folded} cycles folded, {unfolded} as one list");
            return Err(wrong(what));
        }
    }
    Ok(())
}

/// No program makes more products or moves more bytes than the machine could.
fn check_roofs(device: &dyn Device, timing: &Timing) -> Result<(), RunError> {
    let placed = device.roofs().and_then(|roofs| roofs.of(timing));
    match placed.filter(|placed| !placed.is_possible()) {
        None => Ok(()),
        Some(above) => Err(wrong(format!(
            "timing: above the machine's roofs: {above:?}"
        ))),
    }
}

fn wrong(what: String) -> RunError {
    RunError::Invalid(what)
}

/// Whether results are those expected; the first word that differs.
pub(super) fn same(expected: &[Value], found: &[Value]) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!(
            "{} results instead of {}",
            found.len(),
            expected.len()
        ));
    }
    for (result, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (expected, found) = (items(expected), items(found));
        if expected.len() != found.len() {
            return Err(format!("result {result} has {} items", found.len()));
        }
        for (item, (expected, found)) in expected.iter().zip(found).enumerate() {
            same_poly(expected, found).map_err(|what| format!("result {result}.{item}, {what}"))?;
        }
    }
    Ok(())
}

fn items(value: &Value) -> Vec<&RnsPoly> {
    match value {
        Value::Poly(poly) => vec![poly],
        Value::Array(polys) => polys.iter().collect(),
        Value::Seed(_) => Vec::new(),
    }
}

fn same_poly(expected: &RnsPoly, found: &RnsPoly) -> Result<(), String> {
    if (expected.n(), expected.towers()) != (found.n(), found.towers()) {
        return Err(format!("{} towers of degree {}", found.towers(), found.n()));
    }
    for (tower, (expected, found)) in expected.iter().zip(found.iter()).enumerate() {
        let mut words = expected.iter().zip(found).enumerate();
        if let Some((word, (expected, found))) = words.find(|(_, (e, f))| e != f) {
            return Err(format!(
                "tower {tower}, word {word}: {found} instead of {expected}"
            ));
        }
    }
    Ok(())
}

/// The inputs with one polynomial changed; `None` where the input is a seed.
pub fn changed(
    inputs: &[Value],
    index: usize,
    change: impl Fn(&RnsPoly) -> RnsPoly,
) -> Option<Vec<Value>> {
    let mut inputs = inputs.to_vec();
    inputs[index] = match &inputs[index] {
        Value::Poly(poly) => Value::Poly(Arc::new(change(poly))),
        Value::Array(items) => Value::Array(Arc::new(items.iter().map(change).collect())),
        Value::Seed(_) => return None,
    };
    Some(inputs)
}
