//! A program's towers in memory, whoever holds it: how inputs come in, host functions run, and
//! results go out.

use crate::host::{Argument, Host, HostFunction};
use crate::lowered::{Frame, Lowered};
use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;
use ringwright_target::image::towers;
use ringwright_towers::{Place, Val};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Memory that holds one tower in each place.
pub trait Towers {
    /// The words of a tower; an error where none was made.
    fn tower(&self, place: usize) -> Result<Arc<Zeroizing<Vec<u64>>>, RunError>;

    /// Puts a tower there.
    fn set_tower(&mut self, place: usize, words: &[u64]);
}

/// Puts the program's inputs into memory.
pub fn load_inputs(program: &Lowered, inputs: &[Value], memory: &mut impl Towers) {
    for (input, value) in program.inputs.iter().zip(inputs) {
        for (place, words) in input.towers().zip(towers(value)) {
            memory.set_tower(place as usize, words);
        }
    }
}

/// Runs a host function of a segment.
pub fn call(
    host: &Host,
    frame: &Frame<'_>,
    function: &HostFunction,
    inputs: &[Value],
    memory: &mut impl Towers,
) -> Result<(), RunError> {
    let args = function.args.iter().map(|arg| {
        Ok(match arg {
            Argument::Poly(slots) => {
                let places = slots.iter().map(|&slot| frame.place(slot));
                Value::Poly(Arc::new(poly(places, memory)?))
            }
            Argument::Seed(seed) => inputs[frame.seed(*seed)].clone(),
        })
    });
    let args: Vec<Value> = args.collect::<Result<_, RunError>>()?;
    let operation = function.operation(&frame.segment.constants)?;
    let (operand, result) = (function.operand(), function.result());
    let definitions = host.definitions()?;
    let value = definitions.run(&operation, Some(&operand), &result, &args);
    args.into_iter().for_each(Value::wipe);
    let value = value?;
    for (&slot, words) in function.results.iter().zip(towers(&value)) {
        memory.set_tower(frame.place(slot), words);
    }
    value.wipe();
    Ok(())
}

/// The program's results.
pub fn outputs(
    program: &Lowered,
    inputs: &[Value],
    memory: &impl Towers,
) -> Result<Vec<Value>, RunError> {
    let whole = |places: &Arc<[Place]>| poly(places.iter().map(|&place| place as usize), memory);
    let output = |output: &Val<Place>| {
        Ok(match output {
            Val::Poly(places) => Value::Poly(Arc::new(whole(places)?)),
            Val::Array(items) => {
                let items = items.iter().map(whole);
                Value::Array(Arc::new(items.collect::<Result<_, RunError>>()?))
            }
            Val::Seed(seed) => inputs[*seed].clone(),
        })
    };
    program.outputs.iter().map(output).collect()
}

fn poly(places: impl Iterator<Item = usize>, memory: &impl Towers) -> Result<RnsPoly, RunError> {
    let towers: Vec<_> = places
        .map(|place| memory.tower(place))
        .collect::<Result<_, _>>()?;
    let n = towers.first().map_or(0, |tower| tower.len());
    // All at once: a vector that grows leaves what it held behind, and these may be a secret's words.
    let mut words = Vec::with_capacity(n * towers.len());
    towers
        .iter()
        .for_each(|tower| words.extend_from_slice(tower));
    RnsPoly::from_words(n, words).map_err(|error| RunError::Invalid(error.to_string()))
}
