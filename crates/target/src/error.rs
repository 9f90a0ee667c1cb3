//! Why a machine description cannot be turned into a device, and why a device does not run a study.

use ringwright_ir::RunError;
use ringwright_spec::{Machine, SpecError};

/// Whether a machine description is one of the target of this name.
pub fn check_target(machine: &Machine, target: &'static str) -> Result<(), TargetError> {
    match machine.target() == target {
        true => Ok(()),
        false => Err(TargetError::OtherTarget {
            machine: machine.name().to_owned(),
            given: machine.target().to_owned(),
            target,
        }),
    }
}

/// Why a machine description cannot be turned into a device.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The description is for another target.
    #[error("machine {machine} describes target {given}, not {target}")]
    OtherTarget {
        /// Name of the machine description.
        machine: String,
        /// The target that it names.
        given: String,
        /// The target that was asked to lower it.
        target: &'static str,
    },
    /// A parameter that is not declared with the kind that the target reads.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Schedules that came with the description and cannot be used.
    #[error("{file}: {reason}")]
    Schedules {
        /// Where they stand.
        file: String,
        /// What is wrong with them.
        reason: String,
    },
    /// A declared value that this host cannot provide.
    #[error("machine {machine}: {key} = {given} is not possible here; {allowed}")]
    Unavailable {
        /// Name of the machine description.
        machine: String,
        /// The parameter.
        key: &'static str,
        /// The value that was asked for.
        given: String,
        /// What is possible here.
        allowed: String,
    },
}

/// Why a machine does not run a transform, or a package's programs.
#[derive(Debug, thiserror::Error)]
pub enum TransformError {
    /// The machine cannot be set up.
    #[error(transparent)]
    Machine(#[from] TargetError),
    /// The transform does not fit the machine.
    #[error(transparent)]
    Run(#[from] RunError),
}
