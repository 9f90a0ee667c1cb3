//! Host functions of a program, on its towers in memory, whoever holds it.

use crate::host::{Argument, Host, HostFunction};
use crate::lowered::Frame;
use ringwright_ir::{RunError, Value};
use ringwright_towers::{Memory, Val};

/// Runs a host function of a segment.
pub fn call(
    host: &Host,
    frame: &Frame<'_>,
    function: &HostFunction,
    inputs: &[Value],
    memory: &mut impl Memory,
) -> Result<(), RunError> {
    let args = function.args.iter().map(|arg| {
        Ok(match arg {
            Argument::Poly(slots) => {
                let places = slots.iter().map(|&slot| frame.place(slot)).collect();
                memory.value(&Val::Poly(places), inputs)?
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
    for (&slot, words) in function.results.iter().zip(value.towers()) {
        memory.set(frame.place(slot), words);
    }
    value.wipe();
    Ok(())
}
