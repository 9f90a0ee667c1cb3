//! The record of this target, and how its machine files are read.

use crate::device::{Cpu, Options};
use ringwright_kernels::Isa;
use ringwright_spec::{schema, Choice, Machine, ParamDecl};
use ringwright_target::{Device, Target, TargetError};
use std::sync::Arc;

const NAME: &str = "cpu";

/// The CPU at hand. Its time is measured, not simulated, so it has no cost model and no RTL.
pub const CPU: Target = Target {
    name: NAME,
    title: "the CPU at hand",
    paper: None,
    default_machine: NAME,
    parameters,
    lower,
    cost: None,
    transform: None,
    schedules: None,
    rtl: None,
    image: None,
};

fn parameters() -> &'static [ParamDecl] {
    schema(NAME).map_or(&[], |schema| schema.params())
}

fn lower(machine: &Machine) -> Result<Arc<dyn Device>, TargetError> {
    CPU.check(machine)?;
    let options = Options {
        threads: threads(machine)?,
        isa: isa(machine)?,
        poison: false,
    };
    let cpu = Cpu::new(machine.name(), options).map_err(|error| TargetError::Unavailable {
        machine: machine.name().to_owned(),
        key: "threads",
        given: options.threads.to_string(),
        allowed: error.to_string(),
    })?;
    Ok(Arc::new(cpu))
}

fn threads(machine: &Machine) -> Result<usize, TargetError> {
    let wanted = machine.int("threads")?;
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    Ok(usize::try_from(wanted)
        .ok()
        .filter(|&threads| threads > 0)
        .unwrap_or_else(all))
}

/// The vector instructions that a machine file asks for.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// The best that the processor has.
    Best,
    /// These.
    Only(Isa),
}

impl Choice for Wanted {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("auto", Wanted::Best),
        ("scalar", Wanted::Only(Isa::Scalar)),
        ("avx2", Wanted::Only(Isa::Avx2)),
        ("avx512", Wanted::Only(Isa::Avx512)),
        ("avx512ifma", Wanted::Only(Isa::Avx512Ifma)),
    ];
}

fn isa(machine: &Machine) -> Result<Isa, TargetError> {
    let wanted = match machine.choice("isa")? {
        Wanted::Best => return Ok(Isa::detect()),
        Wanted::Only(isa) => isa,
    };
    let available = Isa::available();
    if available.contains(&wanted) {
        return Ok(wanted);
    }
    Err(TargetError::Unavailable {
        machine: machine.name().to_owned(),
        key: "isa",
        given: wanted.to_string(),
        allowed: format!(
            "auto, {}",
            available
                .iter()
                .map(|isa| isa.name())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_choice_has_its_variant() {
        assert!(Wanted::is_declared(NAME, "isa"));
        for (name, wanted) in Wanted::NAMED {
            if let Wanted::Only(isa) = wanted {
                assert_eq!(isa.name(), *name);
            }
        }
    }
}
