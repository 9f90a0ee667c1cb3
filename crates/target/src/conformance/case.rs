//! One program on one device, compared with the interpreter.

use super::inputs::Sets;
use super::Outcome;
use crate::{Device, Kernel};
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{Module, VerifyError};
use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// Builds a hand-written module for a degree and [`super::PRIMES`] primes.
pub type Build = fn(u32, &[u128]) -> Result<Module, VerifyError>;

/// Lowers the program and runs it on all inputs.
pub fn run(device: &dyn Device, module: &Module, inputs: &Sets) -> Outcome {
    let attempt = || compare(device, module, &inputs.of(module));
    match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(())) => Outcome::Passed,
        Ok(Err(RunError::Unsupported { reason, .. })) => Outcome::Skipped(reason),
        Ok(Err(error)) => Outcome::Failed(error.to_string()),
        Err(_) => Outcome::Failed("it panicked".into()),
    }
}

fn compare(device: &dyn Device, module: &Module, sets: &[Vec<Value>]) -> Result<(), RunError> {
    let reference = Interpreter.prepare(module)?;
    let kernel = device.lower(module)?;
    check_timing(device, module, &*kernel)?;
    let expected: Vec<Vec<Value>> = sets
        .iter()
        .map(|inputs| reference.run(inputs))
        .collect::<Result<_, _>>()?;
    let check = |run: &str, set: usize| {
        let found = kernel.run(&sets[set])?;
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

fn check_timing(device: &dyn Device, module: &Module, kernel: &dyn Kernel) -> Result<(), RunError> {
    let Some(timing) = kernel.timing() else {
        return Ok(());
    };
    timing
        .check()
        .and_then(|()| Ok(timing.timeline()?.edges().map(|_| ())?))
        .map_err(|error| wrong(format!("timing: {error}")))?;
    match device.lower(module)?.timing() == Some(timing) {
        true => Ok(()),
        false => Err(wrong("timing: another lowering takes another time".into())),
    }
}

fn wrong(what: String) -> RunError {
    RunError::Invalid(what)
}

fn same(expected: &[Value], found: &[Value]) -> Result<(), String> {
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
