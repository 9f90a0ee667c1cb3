//! What CKKS knows of a program's values, computed operation by operation: scales, magnitudes, noise
//! and where errors come from.
//!
//! A program ([`ringwright_ir::he`]) says nothing of these. [`analyse`] computes them from what is
//! known of the inputs; [`super::ProgramBuilder`] does the same as it adds operations. An [`Analysed`]
//! program is the only kind that runs: whatever was read, or written by a front end that knows no
//! noise, comes to it through the same rules.

use super::analyst::{check_message, Analyst};
use super::{Analysed, Error, Estimate, Parameters};
use ringwright_ir::he::Program;
use ringwright_ir::ring::ValueId;

/// What is known of an input: the ciphertext, and its group as [`super::ErrorFlow::inputs`] has it.
pub type Known = (Estimate, Option<u32>);

/// Computes what is known of a program's values. A function is analysed at every call, for the arguments
/// that it has there: what is known is what would be, were its operations written in place of the call.
///
/// # Errors
/// A program that the verifier refuses, another number of inputs, inputs whose parts or level are not
/// the program's; exact messages, which CKKS has not; sums of different scales, values that do not fit
/// the modulus, constants whose length does not divide the slots.
pub fn analyse(
    program: Program,
    parameters: &Parameters,
    inputs: &[Known],
) -> Result<Analysed, Error> {
    ringwright_ir::he::verify(&program, parameters.levels())?;
    let entry = program.entry();
    if inputs.len() != entry.inputs {
        return Err(Error::InputCount {
            program: entry.name.clone(),
            given: inputs.len(),
            expected: entry.inputs,
        });
    }
    let mut analyst = Analyst::new(parameters);
    for (index, (estimate, group)) in inputs.iter().enumerate() {
        let name = entry.value_name(ValueId(index as u32));
        check_message(&name, entry.types[index].message)?;
        if estimate.ty() != entry.types[index] {
            return Err(Error::Shape {
                what: format!("input {name} of {}", entry.name),
                given: format!("{:?}", estimate.ty()),
                expected: format!("{:?}", entry.types[index]),
            });
        }
        analyst.input(&name, estimate.clone(), *group)?;
    }
    for constant in &program.constants {
        analyst.check_constant(&constant.values)?;
    }
    analyst.body(&program, entry)?;
    Ok(analyst.finish(program))
}
