//! Which calls of a program are one kernel: those that are quicker together.
//!
//! Between two kernels the device drains. A rotation, whose transforms keep the core busy, is followed
//! by a sum, which only moves towers. Which calls become a region is as for any device
//! ([`regions::quickest`]).
//!
//! **Bound**, of logistic inference with `16384-7x54` on `rpu-128x128` (120 operations, 16 slots): its
//! 10 regions take 1,497,000 cycles, in which the core works 1,198,000 and the port 1,211,000 (one by
//! one 1,345,000 and 2,321,000 of 2,622,000). Nothing that moves and computes the same takes less than
//! the longer of the two. Tables of transforms are 142,000 of the port's, spills and what they bring
//! back about 230,000.
//!
//! Dropped: one region for the whole program (1,777,000: 16 slots hold too little), regions of so many
//! calls (1,693,000 for 40), and of so many key switches (1,533,000 for two).

use super::quickest::{Quickest, Search};
use crate::lower::kinds::supports;
use crate::lower::part::Part;
use crate::lower::program::Program;
use ringwright_ir::RunError;
use ringwright_towers::regions::{self, Device};
use ringwright_towers::{Graph, Kind};
use std::sync::Arc;

/// The program of a module in its quickest kernels, calls joined that are quicker together. `independent`:
/// stretches of which none reads what another makes as well; several tiles could do those side by side.
pub fn quickest(search: &Search<'_>, independent: bool) -> Result<Program, RunError> {
    let (towers, found) = search.calls()?;
    let found: Vec<Quickest> = found.into_iter().collect::<Result<_, _>>()?;
    let mut parts: Vec<Arc<Part>> = found.iter().map(|found| found.part.clone()).collect();
    if towers.calls.len() < 2 {
        return Ok(Program::on_one_tile(towers, parts));
    }
    let Search { config, module, .. } = *search;
    let cycles = found.iter().zip(&towers.kernels);
    let cycles = cycles.map(|(found, kernel)| found.cycles(config, &kernel.graph));
    let supports = |kind: &Kind| supports(true, config, module, kind);
    let lower = |graph: &Arc<Graph>| {
        let found = search.kernel(graph, true).ok()?;
        let cycles = found.cycles(config, graph);
        Some((found.part, cycles))
    };
    let device = Device {
        cycles: cycles.collect(),
        lower: &lower,
        supports: &supports,
        independent,
    };
    let (stretches, regions) = regions::quickest(&towers, device)?;
    let regions = regions.into_iter();
    let (graphs, of_regions): (Vec<Arc<Graph>>, Vec<Arc<Part>>) =
        regions.map(|region| (region.graph, region.made)).unzip();
    parts.extend(of_regions);
    let joined = regions::joined(towers, stretches, &graphs);
    let (towers, parts) = joined.without_uncalled(parts);
    Ok(Program::on_one_tile(towers, parts))
}
