//! How a chip of several tiles does a program.
//!
//! Calls are put in the order of how many others must be before them, those of one kernel together. Of
//! calls of one kernel behind each other the quickest of these is taken:
//!
//! * *side by side*, where no call reads what another makes: each on a tile, as many at once as there are;
//! * *spread*: each on all tiles ([`spread`](crate::lower::spread));
//! * one after the other on one tile.
//!
//! The program as one tile does it, with its regions, is taken where that is quicker than all of this.

use super::quickest::{Same, Search};
use super::{regions, steps};
use crate::lower::part::Part;
use crate::lower::placement::Effort;
use crate::lower::plan::Plan;
use crate::lower::program::{Program, Stage};
use crate::lower::spread::{Cut, Placement, Spread};
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::{in_parallel, Call, Graph, Program as Towers, Val};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Operations of a kernel that is tried on several tiles at most: each way to spread it is lowered.
const MOST_OPERATIONS: usize = 1_500;

/// Products of a sum on a tile, and hundredths of an equal share for a cluster, that are tried.
const PRODUCTS: [usize; 3] = [2, 3, 4];
const CLUSTERS: [u64; 2] = [50, 100];

/// How many of these placements are lowered: those that take least by their estimates.
const LOWERED: usize = 4;

/// The quickest way to do a module: its calls, or regions of it, side by side and spread, or all of it on
/// one tile.
pub fn quickest(search: &Search<'_>) -> Result<Program, RunError> {
    let (towers, found) = search.calls()?;
    let parts = found.into_iter().map(|found| Ok(found?.part));
    let parts = parts.collect::<Result<_, RunError>>()?;
    let mut tried = HashMap::new();
    let calls = staged(search, Program::on_one_tile(towers, parts), &mut tried)?;
    let regions = staged(search, regions::quickest(search, false)?, &mut tried)?;
    let one_tile = regions::quickest(search, true)?;
    let cycles = cycles(search, &one_tile);
    let takes = one_tile.towers.calls.iter().map(|call| cycles[call.kernel]);
    let mut quickest = (takes.sum(), one_tile);
    for (other, takes) in [regions, calls] {
        if takes < quickest.0 {
            quickest = (takes, other);
        }
    }
    Ok(quickest.1)
}

/// A program with its calls side by side or spread, where that is quicker, and what it takes.
fn staged(
    search: &Search<'_>,
    mut program: Program,
    tried: &mut Tried,
) -> Result<(Program, u64), RunError> {
    by_depth(&mut program.towers);
    let cycles = cycles(search, &program);
    let mut staging = Staging {
        search,
        towers: &program.towers,
        parts: &program.parts,
        cycles: &cycles,
        known: BTreeMap::new(),
        tried,
        spreads: Vec::new(),
        stages: Vec::new(),
        total: 0,
    };
    for calls in alike(&program.towers) {
        interrupt::check()?;
        staging.add(calls)?;
    }
    let Staging {
        spreads,
        stages,
        total,
        ..
    } = staging;
    let staged = Program {
        spreads,
        stages,
        ..program
    };
    Ok((staged, total))
}

/// What each kernel takes on one tile.
fn cycles(search: &Search<'_>, program: &Program) -> Vec<u64> {
    let parts = program.parts.iter().zip(&program.towers.kernels);
    let cycles = parts.map(|(part, kernel)| steps::cycles(search.config, part, &kernel.graph));
    cycles.collect()
}

/// Puts the calls of each list in the order of how many others must be before them, and of these those of
/// one kernel together, so that what can be done side by side stands side by side.
fn by_depth(towers: &mut Towers) {
    let mut depths: HashMap<u32, usize> = HashMap::new();
    for calls in towers.calls.chunk_by_mut(|a, b| a.list == b.list) {
        depths.clear();
        let keys: Vec<(usize, usize)> = calls
            .iter()
            .map(|call| {
                let read = call.args.iter().flat_map(Val::towers);
                let read = read.filter_map(|place| depths.get(&place));
                let depth = read.max().map_or(0, |before| before + 1);
                depths.extend(call.results.iter().map(|&place| (place, depth)));
                (depth, call.kernel)
            })
            .collect();
        let mut order: Vec<usize> = (0..calls.len()).collect();
        order.sort_by_key(|&at| keys[at]);
        let sorted: Vec<Call> = order.into_iter().map(|at| calls[at].clone()).collect();
        calls.clone_from_slice(&sorted);
    }
}

/// Calls of one kernel behind each other.
fn alike(towers: &Towers) -> Vec<Range<usize>> {
    let mut first = 0;
    let chunks = towers
        .calls
        .chunk_by(|a, b| a.kernel == b.kernel && a.list == b.list);
    let ranges = chunks.map(|chunk| {
        first += chunk.len();
        first - chunk.len()..first
    });
    ranges.collect()
}

/// A kernel on all tiles: which of those that are spread, and what it takes.
#[derive(Clone, Copy)]
struct OnTiles {
    spread: usize,
    cycles: u64,
}

/// The quickest way to spread each kernel that was tried, and what it takes; of all programs.
type Tried = HashMap<Same, Option<(Arc<Spread>, u64)>>;

struct Staging<'a> {
    search: &'a Search<'a>,
    towers: &'a Towers,
    parts: &'a [Arc<Part>],
    /// By kernel, on one tile.
    cycles: &'a [u64],
    /// By kernel, the quickest way to spread it.
    known: BTreeMap<usize, Option<OnTiles>>,
    tried: &'a mut Tried,
    spreads: Vec<Arc<Spread>>,
    stages: Vec<Stage>,
    total: u64,
}

impl Staging<'_> {
    fn add(&mut self, calls: Range<usize>) -> Result<(), RunError> {
        let kernel = self.towers.calls[calls.start].kernel;
        let count = calls.len() as u64;
        let on_one_tile = calls.clone().map(|call| Stage::SideBySide(call..call + 1));
        let mut quickest = (count * self.cycles[kernel], on_one_tile.collect());
        if let Some((stages, cycles)) = self.side_by_side(&calls) {
            if cycles < quickest.0 {
                quickest = (cycles, stages);
            }
        }
        if let Some(on) = self.spread(kernel, quickest.0 / count)? {
            if count * on.cycles < quickest.0 {
                let spread = on.spread;
                let stages = calls.map(|call| Stage::Spread { call, spread });
                quickest = (count * on.cycles, stages.collect());
            }
        }
        self.total += quickest.0;
        self.stages.extend(quickest.1);
        Ok(())
    }

    /// As many calls at once as there are tiles, where they are independent; what all of them take.
    fn side_by_side(&self, calls: &Range<usize>) -> Option<(Vec<Stage>, u64)> {
        let all = &self.towers.calls[calls.clone()];
        let made: HashSet<u32> = all
            .iter()
            .flat_map(|call| call.results.iter().copied())
            .collect();
        let mut read = all
            .iter()
            .flat_map(|call| call.args.iter().flat_map(Val::towers));
        if all.len() < 2 || read.any(|place| made.contains(&place)) {
            return None;
        }
        let tiles = self.search.config.tiles;
        let (mut stages, mut total, mut of_full) = (Vec::new(), 0, None);
        for first in calls.clone().step_by(tiles) {
            let some = first..calls.end.min(first + tiles);
            let part = &self.parts[self.towers.calls[first].kernel];
            let take =
                || steps::cycles_of_calls(self.search.config, self.towers, part, some.clone());
            // Full rows of tiles with the same keys take the same time; what a run takes is timed again.
            total += match some.len() == tiles {
                true => *of_full.get_or_insert_with(take),
                false => take(),
            };
            stages.push(Stage::SideBySide(some));
        }
        Some((stages, total))
    }

    /// The quickest way to spread a kernel; `None` where there is none, or memory alone takes as long as
    /// what is known already.
    fn spread(&mut self, kernel: usize, known: u64) -> Result<Option<OnTiles>, RunError> {
        if let Some(&known) = self.known.get(&kernel) {
            return Ok(known);
        }
        let graph = &self.towers.kernels[kernel].graph;
        let few = (2..=MOST_OPERATIONS).contains(&graph.nodes.len());
        let quickest = match few && self.memory_takes(kernel) < known {
            true => self.tried(graph)?,
            false => None,
        };
        let on_tiles = quickest.map(|(spread, cycles)| {
            self.spreads.push(spread);
            OnTiles {
                spread: self.spreads.len() - 1,
                cycles,
            }
        });
        self.known.insert(kernel, on_tiles);
        Ok(on_tiles)
    }

    fn tried(&mut self, graph: &Arc<Graph>) -> Result<Option<(Arc<Spread>, u64)>, RunError> {
        let key = Same::of(graph);
        if let Some(tried) = self.tried.get(&key) {
            return Ok(tried.clone());
        }
        // Where none of the first placements fits into the tiles' memories none is looked for: 28 kernels
        // of a bootstrapping at N = 2^16 fitted neither so nor after up to 20 s of moves each.
        let listed = self.placements(graph, Effort::Listed)?;
        let mut quickest = self.quickest_spread(graph, &listed)?;
        if quickest.is_some() {
            let moved = self.placements(graph, Effort::Moved)?;
            quickest = self.quickest_spread(graph, &moved)?;
        }
        self.tried.insert(key, quickest.clone());
        Ok(quickest)
    }

    /// What operands and results take at the port at least.
    fn memory_takes(&self, kernel: usize) -> u64 {
        let (config, part) = (self.search.config, &self.parts[kernel]);
        let params = self.towers.kernels[kernel].graph.params.iter();
        let params = params.filter(|param| matches!(param, Val::Poly(_)));
        let keys = part.key_parts.iter().map(|key| key.tower);
        let made = part.made.iter().copied();
        let moved = params.flat_map(Val::towers).chain(keys).chain(made);
        let words = part.shape.slot() as u64;
        let bytes = moved.map(|tower| {
            let bits = part.tower_bits.get(tower.index()).copied().unwrap_or(0);
            config.offchip_bytes(bits) * words
        });
        config.transfer_cycles(bytes.sum())
    }

    /// The most promising placements of a kernel.
    fn placements(&self, graph: &Graph, effort: Effort) -> Result<Vec<Placement>, RunError> {
        let Search {
            config,
            library,
            module,
            ..
        } = *self.search;
        let cuts = PRODUCTS
            .into_iter()
            .flat_map(|products| CLUSTERS.map(|cluster| Cut { products, cluster }));
        let cuts: Vec<Cut> = cuts.collect();
        let made = in_parallel(cuts.len(), |index| {
            let placement = Placement::new(config, library, module, graph, cuts[index], effort);
            where_it_fits(placement)
        })?;
        let mut placements: Vec<Placement> = made.into_iter().flatten().collect();
        placements.sort_by_key(|placement| placement.ends);
        placements.truncate(LOWERED);
        Ok(placements)
    }

    /// Of all ways to spread a kernel, that which takes least.
    fn quickest_spread(
        &self,
        graph: &Graph,
        placements: &[Placement],
    ) -> Result<Option<(Arc<Spread>, u64)>, RunError> {
        let Search {
            config,
            library,
            module,
            ..
        } = *self.search;
        let plans = [Plan::FUSED, Plan::LEAN].into_iter();
        let ways: Vec<(Plan, &Placement)> = plans
            .flat_map(|plan| placements.iter().map(move |placement| (plan, placement)))
            .collect();
        let tried = in_parallel(ways.len(), |way| {
            let (plan, placement) = ways[way];
            let spread = Spread::new(config, library, module, placement, plan);
            where_it_fits(spread.and_then(|spread| {
                let cycles = steps::cycles_of_spread(config, &spread, graph)?;
                Ok((Arc::new(spread), cycles))
            }))
        })?;
        let tried = tried.into_iter().flatten();
        Ok(tried.min_by_key(|(_, cycles)| *cycles))
    }
}

/// Nothing where a way cannot be: another may.
fn where_it_fits<T>(made: Result<T, RunError>) -> Result<Option<T>, RunError> {
    match made {
        Err(RunError::Interrupted) => Err(RunError::Interrupted),
        made => Ok(made.ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Library;
    use crate::lower::program::towers;
    use crate::Config;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_ir::generate::{self, Shape};
    use ringwright_ir::ring::RingKind;
    use ringwright_spec::Machine;

    /// Wherever operations are put, tiles do not wait for each other in a circle.
    #[test]
    fn every_placement_that_fits_ends() {
        let machine = Machine::load("rpu-8x8").expect("it ships");
        let mut spread_out = 0;
        for seed in 0..40 {
            let tiles = 2 + seed as usize % 5;
            let config = Config {
                tiles,
                mesh_columns: tiles.div_ceil(2),
                ..Config::new(&machine).expect("it can be built")
            };
            let shape = Shape {
                kind: RingKind::Standard,
                log_n: 8,
                primes: ntt_primes(30, 8, 4).expect("there are primes"),
                helpers: 2,
                ops: 12,
            };
            let module = generate::module(seed, &shape).expect("sound");
            let library = Library::default();
            let programs = towers(&config, &module, true).expect("sound");
            for kernel in &programs.kernels {
                let cut = Cut {
                    products: 1 + seed as usize % 3,
                    cluster: 10 + 20 * (seed % 4),
                };
                let graph = &kernel.graph;
                let effort = Effort::Moved;
                let placement = Placement::new(&config, &library, &module, graph, cut, effort);
                let Ok(placement) = placement else {
                    continue;
                };
                let spread = Spread::new(&config, &library, &module, &placement, Plan::LEAN);
                if let Ok(spread) = spread {
                    let cycles = steps::cycles_of_spread(&config, &spread, graph);
                    assert!(cycles.expect("it ends") > 0);
                    spread_out += usize::from(spread.tiles.len() > 1);
                }
            }
        }
        assert!(spread_out > 20, "{spread_out}");
    }
}
