//! How large a program a simulated machine takes.
//!
//! A machine that looks through calls lists every tower of a run. Calls of calls multiply, so forty
//! functions that each call the one before twice are a program of 2^40 towers in forty lines. It is
//! counted before anything is listed.

use ringwright_ir::ring::{towers_expanded, Module};
use ringwright_ir::RunError;

/// Towers of a run that looks through its calls, at most: room for bootstrapping, about a million.
/// The lists take two to four kilobytes for each.
pub const MAX_TOWERS: u64 = 1 << 24;

/// Whether a verified program is small enough to be listed tower by tower.
pub fn check_size(machine: &str, module: &Module) -> Result<(), RunError> {
    let towers = towers_expanded(module);
    if towers <= MAX_TOWERS {
        return Ok(());
    }
    let given = match towers {
        u64::MAX => "2^64 or more".to_owned(),
        counted => counted.to_string(),
    };
    Err(RunError::Unsupported {
        machine: machine.to_owned(),
        reason: format!("{given} towers, calls expanded; allowed are {MAX_TOWERS}"),
    })
}
