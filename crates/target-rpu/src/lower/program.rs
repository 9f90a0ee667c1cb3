//! A whole ring program: its parts, and where towers are between them.

use super::kinds::{supports, Manner};
use super::part::Part;
use crate::kernels::{Library, Shape};
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

/// Slots up to which sweeps are tried.
const FEW_SLOTS: usize = 8;

/// The manners that may be quickest for towers of the module's degree.
pub fn manners(config: &Config, module: &Module) -> &'static [Manner] {
    let shape = Shape::new(config, module.log_n);
    match config.vdm_words / shape.slot() <= FEW_SLOTS && shape.vectors() >= 2 {
        true => &[Manner::Resident, Manner::Swept],
        false => &[Manner::Resident],
    }
}

/// Lowers a verified module.
pub fn lower(
    config: &Config,
    library: &Library,
    module: &Module,
    manner: Manner,
) -> Result<Program, RunError> {
    let supports = |kind: &Kind| supports(manner, config, module, kind);
    let towers = Towers::new(module, &supports, Constants::AsArguments)?;
    let parts = towers.kernels.iter();
    let parts = parts.map(|kernel| Part::new(config, library, module, &kernel.graph, manner));
    Ok(Program {
        parts: parts.collect::<Result<_, _>>()?,
        towers,
    })
}
