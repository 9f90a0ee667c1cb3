//! A whole ring program: its parts, and where towers are between them.

use super::kinds::supports;
use super::lowering;
use super::part::Part;
use super::plan::Plan;
use crate::kernels::Library;
use crate::Config;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_towers::{Constants, Kind, Program as Towers};

/// A lowered program.
pub struct Program {
    /// What runs in which order on which towers.
    pub towers: Towers,
    /// One for each kernel of those.
    pub parts: Vec<Part>,
}

/// The kernels of a verified module, for plans whose manner joins towers or for those whose does not.
pub fn towers(config: &Config, module: &Module, joins: bool) -> Result<Towers, RunError> {
    let supports = |kind: &Kind| supports(joins, config, module, kind);
    Towers::new(module, &supports, Constants::AsArguments)
}

/// Lowers a verified module, all of it by one plan.
pub fn lower(
    config: &Config,
    library: &Library,
    module: &Module,
    plan: Plan,
) -> Result<Program, RunError> {
    let towers = towers(config, module, plan.manner.joins())?;
    let parts = towers.kernels.iter();
    let parts = parts.map(|kernel| lowering::part(config, library, module, &kernel.graph, plan));
    Ok(Program {
        parts: parts.collect::<Result<_, _>>()?,
        towers,
    })
}
