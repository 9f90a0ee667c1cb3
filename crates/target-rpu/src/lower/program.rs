//! A whole ring program: its parts, and where towers are between them.

use super::kinds::supports;
use super::lowering;
use super::part::Part;
use super::plan::Plan;
use super::spread::Spread;
use crate::kernels::Library;
use crate::Config;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_towers::{Constants, Kind, Program as Towers};
use std::ops::Range;
use std::sync::Arc;

/// A lowered program.
pub struct Program {
    /// What runs in which order on which towers.
    pub towers: Towers,
    /// One for each kernel of those, as one tile does it.
    pub parts: Vec<Arc<Part>>,
    /// Kernels as all tiles do them together.
    pub spreads: Vec<Arc<Spread>>,
    /// All calls, in order.
    pub stages: Vec<Stage>,
}

/// What a device does between two barriers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// These calls of one kernel, each on a tile of its own.
    SideBySide(Range<usize>),
    /// A call on all tiles.
    Spread {
        /// The call.
        call: usize,
        /// Which of the kernels that are spread.
        spread: usize,
    },
}

impl Program {
    /// Every call on one tile.
    pub fn on_one_tile(towers: Towers, parts: Vec<Arc<Part>>) -> Self {
        let calls = 0..towers.calls.len();
        Program {
            stages: calls
                .map(|call| Stage::SideBySide(call..call + 1))
                .collect(),
            spreads: Vec::new(),
            towers,
            parts,
        }
    }

    /// How a call is spread, where it is.
    pub fn spread(&self, call: usize) -> Option<&Spread> {
        let first = |stage: &Stage| match stage {
            Stage::SideBySide(calls) => calls.start,
            Stage::Spread { call, .. } => *call,
        };
        let after = self.stages.partition_point(|stage| first(stage) <= call);
        match self.stages.get(after.checked_sub(1)?)? {
            Stage::Spread { spread, .. } => Some(&self.spreads[*spread]),
            Stage::SideBySide(_) => None,
        }
    }

    /// All parts, those of tiles included.
    pub fn all_parts(&self) -> impl Iterator<Item = &Part> {
        let of_tiles = self.spreads.iter().flat_map(|spread| &spread.tiles);
        let parts = self.parts.iter().map(|part| &**part);
        parts.chain(of_tiles.map(|tile| &tile.part))
    }
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
    let parts = parts
        .map(|kernel| lowering::part(config, library, module, &kernel.graph, plan).map(Arc::new));
    let parts = parts.collect::<Result<_, _>>()?;
    Ok(Program::on_one_tile(towers, parts))
}
