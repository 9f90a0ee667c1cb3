//! A program's towers in memory, whoever holds it: how inputs come in, host functions run, and
//! results go out.

use crate::program::{Argument, Host, HostFunction, Input, Output, Program, Slot};
use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Memory that holds one tower in each slot.
pub trait Towers {
    /// The words of a tower; an error where none was made.
    fn tower(&self, slot: Slot) -> Result<Arc<Zeroizing<Vec<u64>>>, RunError>;

    /// Puts a tower there.
    fn set_tower(&mut self, slot: Slot, words: &[u64]);
}

/// Puts the program's inputs into memory.
pub fn load_inputs(program: &Program, inputs: &[Value], memory: &mut impl Towers) {
    for (input, value) in program.inputs.iter().zip(inputs) {
        let (Input::Polys(items), polys) = (input, polys(value)) else {
            continue;
        };
        for (slots, poly) in items.iter().zip(polys) {
            set_poly(slots, poly, memory);
        }
    }
}

/// Runs a host function.
pub fn call(
    host: &Host,
    function: &HostFunction,
    inputs: &[Value],
    memory: &mut impl Towers,
) -> Result<(), RunError> {
    let args = function.args.iter().map(|arg| {
        Ok(match arg {
            Argument::Poly(slots) => Value::Poly(Arc::new(poly(slots, memory)?)),
            Argument::Seed(seed) => inputs[*seed].clone(),
        })
    });
    let args: Vec<Value> = args.collect::<Result<_, RunError>>()?;
    let HostFunction {
        op,
        operand,
        result,
        ..
    } = function;
    let value = host.definitions()?.run(op, operand.as_ref(), result, &args);
    args.into_iter().for_each(Value::wipe);
    let value = value?;
    if let Value::Poly(poly) = &value {
        set_poly(&function.results, poly, memory);
    }
    value.wipe();
    Ok(())
}

/// The program's results.
pub fn outputs(
    program: &Program,
    inputs: &[Value],
    memory: &impl Towers,
) -> Result<Vec<Value>, RunError> {
    let output = |output: &Output| {
        Ok(match output {
            Output::Poly(slots) => Value::Poly(Arc::new(poly(slots, memory)?)),
            Output::Array(items) => {
                let items = items.iter().map(|slots| poly(slots, memory));
                Value::Array(Arc::new(items.collect::<Result<_, RunError>>()?))
            }
            Output::Seed(seed) => inputs[*seed].clone(),
        })
    };
    program.outputs.iter().map(output).collect()
}

fn set_poly(slots: &[Slot], poly: &RnsPoly, memory: &mut impl Towers) {
    for (slot, tower) in slots.iter().zip(poly.iter()) {
        memory.set_tower(*slot, tower);
    }
}

fn poly(slots: &[Slot], memory: &impl Towers) -> Result<RnsPoly, RunError> {
    let towers: Vec<_> = slots
        .iter()
        .map(|&slot| memory.tower(slot))
        .collect::<Result<_, _>>()?;
    let n = towers.first().map_or(0, |tower| tower.len());
    // All at once: a vector that grows leaves what it held behind, and these may be a secret's words.
    let mut words = Vec::with_capacity(n * towers.len());
    towers
        .iter()
        .for_each(|tower| words.extend_from_slice(tower));
    RnsPoly::from_words(n, words).map_err(|error| RunError::Invalid(error.to_string()))
}

fn polys(value: &Value) -> &[RnsPoly] {
    match value {
        Value::Poly(poly) => std::slice::from_ref(&**poly),
        Value::Array(items) => items,
        Value::Seed(_) => &[],
    }
}
