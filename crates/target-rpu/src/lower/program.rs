//! A whole ring program: its parts, and where towers are between them.

use super::kinds::supports;
use super::part::Part;
use crate::kernels::Library;
use crate::Config;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_towers::{Constants, Program as Towers};

/// A lowered program.
pub struct Program {
    /// What runs in which order on which towers.
    pub towers: Towers,
    /// One for each kernel of those.
    pub parts: Vec<Part>,
}

/// Lowers a verified module.
pub fn lower(config: &Config, library: &Library, module: &Module) -> Result<Program, RunError> {
    let towers = Towers::new(module, &supports, Constants::AsArguments)?;
    let parts = towers.kernels.iter();
    let parts = parts.map(|kernel| Part::new(config, library, module, &kernel.graph));
    Ok(Program {
        parts: parts.collect::<Result<_, _>>()?,
        towers,
    })
}
