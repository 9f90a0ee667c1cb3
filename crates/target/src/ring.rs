//! Which rings a machine computes in.

use ringwright_ir::ring::{Module, RingKind};
use ringwright_ir::RunError;

/// Refuses a program over another ring than the standard one, for machines that have no other.
///
/// # Errors
/// [`RunError::Unsupported`] names the machine, the program's ring and the one that is allowed.
pub fn check_standard_ring(machine: &str, module: &Module) -> Result<(), RunError> {
    match module.kind {
        RingKind::Standard => Ok(()),
        given => Err(RunError::Unsupported {
            machine: machine.to_owned(),
            reason: format!(
                "it is over the {given} ring; allowed is the {} one, Z[X]/(X^N + 1)",
                RingKind::Standard
            ),
        }),
    }
}
