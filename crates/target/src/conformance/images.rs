//! What is simulated can be handed to the hardware: a program has an image whose computing steps are in RTL.

use super::{programs, Budget, Case, Outcome, Program};
use crate::{Device, Hardware, ImageError, ImageOf, StepKind, Target, Task};
use ringwright_ir::RunError;
use ringwright_spec::Machine;

/// Every such program of the suite; none of a target without images.
pub fn run(target: &Target, machine: &Machine, device: &dyn Device, budget: &Budget) -> Vec<Case> {
    let Some(image) = target.image else {
        return Vec::new();
    };
    let programs = programs(budget).into_iter();
    let cases = programs.filter_map(|program| {
        let outcome = of(image, machine, device, &program)?;
        Some(Case::fixed(format!("image, {}", program.name), outcome))
    });
    cases.collect()
}

/// `None` of a program that the machine does not lower, or computes beside its RTL.
fn of(
    image: ImageOf,
    machine: &Machine,
    device: &dyn Device,
    program: &Program,
) -> Option<Outcome> {
    let module = program.module.as_ref().ok()?;
    let executable = device.lower(module).ok()?;
    let mut kinds = executable.timing()?.count();
    kinds.retain(|(kind, _)| kind.task == Task::Compute);
    let is_built = |(kind, _): &(&StepKind, u64)| kind.hardware == Hardware::Rtl;
    if kinds.is_empty() || !kinds.iter().all(is_built) {
        return None;
    }
    let inputs = program.inputs.of(module);
    let made = image(machine, module, inputs.first()?, 0);
    Some(Outcome::of(|| match made {
        Ok(_) => Ok(Outcome::Passed),
        Err(ImageError::Program(RunError::Unsupported { reason, .. })) => Ok(Outcome::Failed(
            format!("simulated, and no image: {reason}"),
        )),
        Err(ImageError::Program(error)) => Err(error),
        Err(ImageError::Machine(error)) => Err(RunError::Invalid(error.to_string())),
    }))
}
