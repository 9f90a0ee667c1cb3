//! Whoever owns a secret must be able to overwrite it after a run, so nobody else may hold it.

use super::{Case, Outcome};
use crate::Device;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::ring::{Basis, Domain, Module, ModuleBuilder, Type, VerifyError};
use ringwright_ir::{generate, RunError, Value};
use std::sync::Arc;

const LOG_N: u32 = 4;
const BITS: u32 = 30;

/// Runs a program with a secret polynomial and a secret array, and asks for sole ownership.
pub fn run(device: &dyn Device) -> Case {
    let outcome = Outcome::of(|| {
        Ok(match attempt(device)? {
            None => Outcome::Passed,
            Some(kept) => Outcome::Failed(format!("a reference to {kept} is kept")),
        })
    });
    Case::fixed("keeps no reference to a secret", outcome)
}

fn attempt(device: &dyn Device) -> Result<Option<&'static str>, RunError> {
    let module = program()?;
    let mut inputs: Vec<Value> = generate::inputs(1, &module);
    let mut results = device.lower(&module)?.run(&inputs)?;
    Ok(
        match (
            inputs.iter_mut().all(is_sole),
            results.iter_mut().all(is_sole),
        ) {
            (true, true) => None,
            (false, _) => Some("a secret input"),
            (true, false) => Some("a result of secret inputs"),
        },
    )
}

fn program() -> Result<Module, VerifyError> {
    let primes = ntt_primes(BITS, LOG_N, 2).unwrap_or_default();
    let both = Basis::range(0..2);
    let mut mb = ModuleBuilder::new(LOG_N, &primes);
    let mut fb = mb.function("main");
    let key = fb.param("key", Type::poly(&both, Domain::Eval), true);
    let parts = fb.param("parts", Type::array(&both, Domain::Eval, 2), true);
    let part = fb.element(parts, 1)?;
    let product = fb.mul(key, part)?;
    let main = fb.finish(&[product])?;
    mb.finish(main)
}

fn is_sole(value: &mut Value) -> bool {
    match value {
        Value::Poly(poly) => Arc::get_mut(poly).is_some(),
        Value::Array(items) => Arc::get_mut(items).is_some(),
        Value::Seed(seed) => Arc::get_mut(seed).is_some(),
    }
}
