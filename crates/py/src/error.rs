//! Rust errors as the classes of `ringwright.errors`; the text is the Rust error's.

use pyo3::{PyErr, Python};
use ringwright_interop::foreign::ForeignError;
use ringwright_interop::storage::StorageError as BadStorage;
use ringwright_interop::wire::WireError;
use ringwright_ir::RunError;
use ringwright_schemes::ckks;
use ringwright_schemes::rlwe::{self, RingError};
use ringwright_silicon::ProcessError;
use ringwright_sim::TimelineError;
use ringwright_spec::SpecError;
use ringwright_system::{HostError, HostStageError, ScheduleError as BadSchedule};
use ringwright_target::{ChecksError, CostError, InstructionSetError, TargetError};
use std::path::Path;

pyo3::import_exception!(ringwright.errors, RingwrightError);
pyo3::import_exception!(ringwright.errors, DepthError);
pyo3::import_exception!(ringwright.errors, PrecisionError);
pyo3::import_exception!(ringwright.errors, FormatError);
pyo3::import_exception!(ringwright.errors, KeyMismatchError);
pyo3::import_exception!(ringwright.errors, MachineError);
pyo3::import_exception!(ringwright.errors, MismatchError);
pyo3::import_exception!(ringwright.errors, ParameterError);
pyo3::import_exception!(ringwright.errors, ProgramError);
pyo3::import_exception!(ringwright.errors, ScheduleError);
pyo3::import_exception!(ringwright.errors, SecurityError);
pyo3::import_exception!(ringwright.errors, StorageError);

/// A machine or link description that is wrong or does not exist.
pub fn spec_error(error: SpecError) -> PyErr {
    MachineError::new_err(error.to_string())
}

/// Operations without a cost on a host.
pub fn host_error(error: HostError) -> PyErr {
    MachineError::new_err(error.to_string())
}

/// A process that says nothing of a machine, or is no process.
pub fn process_error(error: ProcessError) -> PyErr {
    MachineError::new_err(error.to_string())
}

/// A machine whose cost is not known.
pub fn cost_error(error: CostError) -> PyErr {
    match error {
        CostError::Machine(error) => target_error(error),
        CostError::Process(error) => process_error(error),
    }
}

/// A machine that cannot be made ready.
pub fn target_error(error: TargetError) -> PyErr {
    MachineError::new_err(error.to_string())
}

/// A share of calls that is none.
pub fn checks_error(error: ChecksError) -> PyErr {
    ParameterError::new_err(error.to_string())
}

/// A target that no crate of this build provides.
pub fn unknown_target(name: &str) -> PyErr {
    MachineError::new_err(format!("this build has no target {name:?}"))
}

/// A target whose machines run no instructions.
pub fn no_instruction_set(target: &str) -> PyErr {
    MachineError::new_err(format!("target {target:?} has no instruction set"))
}

/// Text or words that are no program.
pub fn instruction_set_error(error: InstructionSetError) -> PyErr {
    ProgramError::new_err(error.to_string())
}

/// Stages that cannot be scheduled.
pub fn schedule_error(error: BadSchedule) -> PyErr {
    ScheduleError::new_err(error.to_string())
}

/// Steps of a machine that become no stages.
pub fn stage_error(error: HostStageError) -> PyErr {
    match error {
        HostStageError::Host(error) => host_error(error),
        HostStageError::Schedule(error) => schedule_error(error),
        _ => ScheduleError::new_err(error.to_string()),
    }
}

/// A transfer whose bits are not counted in 64 bits.
pub fn too_many_bytes(given: u64) -> PyErr {
    ScheduleError::new_err(format!("{given} bytes given; at most 2^61 - 1 allowed"))
}

/// Spans that do not nest.
pub fn timeline_error(error: TimelineError) -> PyErr {
    ScheduleError::new_err(error.to_string())
}

/// A parameter set that is refused, or that cannot do what was asked.
pub fn parameter_error(error: ckks::ParameterError) -> PyErr {
    let text = error.to_string();
    match error {
        ckks::ParameterError::Ring(RingError::Security { .. }) => SecurityError::new_err(text),
        ckks::ParameterError::Depth { .. }
        | ckks::ParameterError::InputDepth { .. }
        | ckks::ParameterError::BeyondTable { .. } => DepthError::new_err(text),
        _ => ParameterError::new_err(text),
    }
}

/// A circuit that cannot be built.
pub fn circuit_error(error: ringwright_circuits::Error) -> PyErr {
    match error {
        ringwright_circuits::Error::Ckks(error) => ckks_error(error),
        error => ParameterError::new_err(error.to_string()),
    }
}

/// Anything that CKKS refuses.
pub fn ckks_error(error: ckks::Error) -> PyErr {
    use ckks::Error;
    let text = error.to_string();
    match error {
        Error::Parameters(inner) => parameter_error(inner),
        Error::Rlwe(inner) => rlwe_error(inner),
        Error::Call { function, error } => in_function(&function, ckks_error(*error)),
        Error::NoRoomToShare { .. }
        | Error::NotExpected { .. }
        | Error::NotMadeHere { .. }
        | Error::Transparent { .. } => SecurityError::new_err(text),
        Error::ScaleMismatch { .. }
        | Error::Parts { .. }
        | Error::Input { .. }
        | Error::Related { .. }
        | Error::InputCount { .. }
        | Error::Program { .. } => ProgramError::new_err(text),
        Error::Shape { .. }
        | Error::Slots { .. }
        | Error::NotFinite { .. }
        | Error::Scale { .. }
        | Error::MessageScale { .. }
        | Error::Overflow { .. } => ParameterError::new_err(text),
        Error::NoPrecision { .. } => PrecisionError::new_err(text),
        Error::ClientOnly { .. } => DepthError::new_err(text),
        Error::Internal(_) => RingwrightError::new_err(text),
    }
}

/// The same error, with the function that was called in front.
fn in_function(function: &str, error: PyErr) -> PyErr {
    Python::attach(|py| {
        let text = format!("in {function}: {}", error.value(py));
        PyErr::from_type(error.get_type(py), text)
    })
}

/// Anything about keys and encrypted polynomials, whatever the scheme.
pub fn rlwe_error(error: rlwe::Error) -> PyErr {
    use rlwe::Error;
    let text = error.to_string();
    match error {
        Error::Ring(RingError::Security { .. }) => SecurityError::new_err(text),
        Error::Run(inner) => run_error(inner),
        Error::Buffer(_) | Error::Memory { .. } => MachineError::new_err(text),
        Error::Storage { .. } => StorageError::new_err(text),
        Error::ForeignParameters { .. }
        | Error::ForeignKey { .. }
        | Error::MissingKey { .. }
        | Error::KeyShape { .. } => KeyMismatchError::new_err(text),
        Error::SharingBudget { .. } | Error::NoRoot => SecurityError::new_err(text),
        Error::Verify(_) => ProgramError::new_err(text),
        Error::Ring(_) | Error::Shape { .. } | Error::Level { .. } | Error::TwoSecrets { .. } => {
            ParameterError::new_err(text)
        }
        Error::NoSpecialPrimes { .. } => DepthError::new_err(text),
        Error::Randomness { .. } | Error::Internal(_) => RingwrightError::new_err(text),
    }
}

/// A program that a device cannot run.
pub fn run_error(error: RunError) -> PyErr {
    let text = error.to_string();
    match error {
        RunError::Unsupported { .. } => MachineError::new_err(text),
        RunError::Differs(_) => MismatchError::new_err(text),
        RunError::Invalid(_) | RunError::Argument { .. } | RunError::ArgumentCount { .. } => {
            ProgramError::new_err(text)
        }
        RunError::Interrupted => RingwrightError::new_err(text),
    }
}

/// Bytes that are not the record asked for.
pub fn wire_error(error: WireError) -> PyErr {
    wire_error_with(error.to_string(), error)
}

/// The same, from a file.
pub fn format_error(path: &Path, error: WireError) -> PyErr {
    wire_error_with(format!("{}: {error}", path.display()), error)
}

fn wire_error_with(text: String, error: WireError) -> PyErr {
    match error {
        WireError::ForeignParameters { .. } => KeyMismatchError::new_err(text),
        WireError::Parameters(ckks::ParameterError::Ring(RingError::Security { .. })) => {
            SecurityError::new_err(text)
        }
        WireError::Write(_) => StorageError::new_err(text),
        WireError::Scheme(ckks::Error::Rlwe(
            error @ (rlwe::Error::Memory { .. } | rlwe::Error::Storage { .. }),
        )) => rlwe_error(error),
        _ => FormatError::new_err(text),
    }
}

/// Bytes of another library that are refused, or what it has no place for.
pub fn foreign_error(error: ForeignError) -> PyErr {
    let text = error.to_string();
    match error {
        ForeignError::ForeignParameters { .. } => KeyMismatchError::new_err(text),
        ForeignError::Parameters { reason, .. } => match *reason {
            ckks::ParameterError::Ring(RingError::Security { .. }) => SecurityError::new_err(text),
            _ => ParameterError::new_err(text),
        },
        ForeignError::Unsupported { .. } => ParameterError::new_err(text),
        _ => FormatError::new_err(text),
    }
}

/// A file that cannot be written or read.
pub fn storage_error(error: BadStorage) -> PyErr {
    StorageError::new_err(error.to_string())
}
