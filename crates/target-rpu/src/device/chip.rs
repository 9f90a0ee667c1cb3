//! How a chip of several tiles does a program.
//!
//! Of calls of one kernel behind each other the quickest of these is taken:
//!
//! * *side by side*, where no call reads what another makes: each on a tile, as many at once as there are;
//! * *spread*: each on all tiles ([`spread`](crate::lower::spread)), keys as they are read;
//! * *spread with keys kept*: the parts of keys are brought to the tiles that read them, once for all calls
//!   with the same keys;
//! * one after the other on one tile.
//!
//! The program as one tile does it, with its regions, is taken where that is quicker than all of this.

use super::quickest::Search;
use super::{regions, steps};
use crate::kernels::parallel::in_parallel;
use crate::lower::part::Part;
use crate::lower::plan::Plan;
use crate::lower::program::{Program, Stage};
use crate::lower::spread::{Cut, Placement, Spread};
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::{Graph, Program as Towers, Val};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Operations of a kernel that is tried on several tiles at most: each way to spread it is lowered.
const MOST_OPERATIONS: usize = 1_500;

/// Products of a sum on a tile, and hundredths of an equal share for a cluster, that are tried.
const PRODUCTS: [usize; 3] = [2, 3, 4];
const CLUSTERS: [u64; 2] = [50, 100];

/// How many of these placements are lowered: those that take least by their estimates.
const LOWERED: usize = 4;

/// The quickest way to do a module.
pub fn quickest(search: &Search<'_>) -> Result<Program, RunError> {
    let (towers, found) = search.calls()?;
    let found: Vec<(Part, u64)> = found.into_iter().collect::<Result<_, _>>()?;
    let (parts, cycles): (Vec<Part>, Vec<u64>) = found.into_iter().unzip();
    let mut staging = Staging {
        search,
        towers: &towers,
        parts: &parts,
        cycles: &cycles,
        known: BTreeMap::new(),
        spreads: Vec::new(),
        stages: Vec::new(),
        total: 0,
    };
    for calls in alike(&towers) {
        interrupt::check()?;
        staging.add(calls)?;
    }
    let Staging {
        spreads,
        stages,
        total,
        ..
    } = staging;
    let on_one_tile = regions::quickest(search)?;
    let calls = on_one_tile.towers.calls.iter();
    let graph = |kernel: usize| &on_one_tile.towers.kernels[kernel].graph;
    let each: Vec<u64> = (0..on_one_tile.parts.len())
        .map(|kernel| steps::cycles(search.config, &on_one_tile.parts[kernel], graph(kernel)))
        .collect();
    let one_by_one: u64 = calls.map(|call| each[call.kernel]).sum();
    Ok(match one_by_one <= total {
        true => on_one_tile,
        false => Program {
            towers,
            parts,
            spreads,
            stages,
        },
    })
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

/// A kernel on all tiles, and what it takes there.
#[derive(Clone, Copy)]
struct OnTiles {
    spread: usize,
    cycles: u64,
    /// To bring the keys that stay; 0 for none.
    keys: u64,
}

struct Staging<'a> {
    search: &'a Search<'a>,
    towers: &'a Towers,
    parts: &'a [Part],
    /// By kernel, on one tile.
    cycles: &'a [u64],
    /// By kernel and whether keys are kept, the quickest way to spread it.
    known: BTreeMap<(usize, bool), Option<OnTiles>>,
    spreads: Vec<Spread>,
    stages: Vec<Stage>,
    total: u64,
}

impl Staging<'_> {
    fn add(&mut self, calls: Range<usize>) -> Result<(), RunError> {
        let kernel = self.towers.calls[calls.start].kernel;
        let count = calls.len() as u64;
        let side_by_side = self.side_by_side(&calls);
        let mut least = count * self.cycles[kernel];
        if let Some((_, cycles)) = &side_by_side {
            least = least.min(*cycles);
        }
        let streamed = self.spread(kernel, false, least / count)?;
        let kept = match self.same_keys(&calls) {
            true => self.spread(kernel, true, least / count)?,
            false => None,
        };
        let ways = [
            side_by_side.as_ref().map(|(_, cycles)| *cycles),
            streamed.map(|on| count * on.cycles),
            kept.map(|on| on.keys + count * on.cycles),
        ];
        let quickest = ways.into_iter().enumerate();
        let quickest = quickest.filter_map(|(way, cycles)| Some((cycles?, way)));
        let quickest = quickest.filter(|(cycles, _)| *cycles < count * self.cycles[kernel]);
        let (cycles, way) = match quickest.min() {
            Some((cycles, way)) => (cycles, Some(way)),
            None => (count * self.cycles[kernel], None),
        };
        self.total += cycles;
        match (way, side_by_side, streamed, kept) {
            (Some(0), Some((stages, _)), ..) => self.stages.extend(stages),
            (Some(1), _, Some(on), _) => self.all_on(calls, on),
            (Some(2), .., Some(on)) => {
                let (call, spread) = (calls.start, on.spread);
                self.stages.push(Stage::Keys { call, spread });
                self.all_on(calls, on);
            }
            _ => self
                .stages
                .extend(calls.map(|call| Stage::SideBySide(call..call + 1))),
        }
        Ok(())
    }

    fn all_on(&mut self, calls: Range<usize>, on: OnTiles) {
        let spread = on.spread;
        self.stages
            .extend(calls.map(|call| Stage::Spread { call, spread }));
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

    /// Whether there are several calls, and all have the same keys.
    fn same_keys(&self, calls: &Range<usize>) -> bool {
        let keys = |call: usize| {
            let args = self.towers.calls[call].args.iter();
            args.filter(|arg| matches!(arg, Val::Array(_)))
        };
        let mut others = calls.clone();
        calls.len() > 1
            && keys(calls.start).count() > 0
            && others.all(|call| keys(call).eq(keys(calls.start)))
    }

    /// The quickest way to spread a kernel, with keys kept or streamed; `None` where there is none, or memory
    /// alone takes as long as what is known already.
    fn spread(
        &mut self,
        kernel: usize,
        keeps_keys: bool,
        known: u64,
    ) -> Result<Option<OnTiles>, RunError> {
        if let Some(&known) = self.known.get(&(kernel, keeps_keys)) {
            return Ok(known);
        }
        let graph = &*self.towers.kernels[kernel].graph;
        let tried = (2..=MOST_OPERATIONS).contains(&graph.nodes.len())
            && self.memory_takes(kernel, keeps_keys) < known;
        let quickest = match tried {
            true => {
                let placements = self.placements(graph)?;
                self.quickest_spread(graph, &placements, keeps_keys)
            }
            false => None,
        };
        self.known.insert((kernel, keeps_keys), quickest);
        Ok(quickest)
    }

    /// What operands and results take at the port at least.
    fn memory_takes(&self, kernel: usize, keeps_keys: bool) -> u64 {
        let (config, part) = (self.search.config, &self.parts[kernel]);
        let graph = &*self.towers.kernels[kernel].graph;
        let params = graph.params.iter();
        let params = params.filter(|param| matches!(param, Val::Poly(_)));
        let read = params
            .flat_map(Val::towers)
            .chain(part.made.iter().copied());
        let keys = part
            .key_parts
            .iter()
            .map(|key| key.tower)
            .filter(|_| !keeps_keys);
        let words = part.shape.slot() as u64;
        let bytes = read.chain(keys).map(|tower| {
            let bits = part.tower_bits.get(tower.index()).copied().unwrap_or(0);
            config.offchip_bytes(bits) * words
        });
        config.transfer_cycles(bytes.sum())
    }

    /// The most promising placements of a kernel.
    fn placements(&self, graph: &Graph) -> Result<Vec<Placement>, RunError> {
        let Search {
            config,
            library,
            module,
        } = *self.search;
        let cuts = PRODUCTS
            .into_iter()
            .flat_map(|products| CLUSTERS.map(|cluster| Cut { products, cluster }));
        let cuts: Vec<Cut> = cuts.collect();
        let made = in_parallel(cuts.len(), |index| {
            // What does not fit one way may fit another.
            Ok(Placement::new(config, library, module, graph, cuts[index]).ok())
        })?;
        let mut placements: Vec<Placement> = made.into_iter().flatten().collect();
        placements.sort_by_key(|placement| placement.ends);
        placements.truncate(LOWERED);
        Ok(placements)
    }

    /// Of all ways to spread a kernel, that which takes least.
    fn quickest_spread(
        &mut self,
        graph: &Graph,
        placements: &[Placement],
        keeps_keys: bool,
    ) -> Option<OnTiles> {
        let Search {
            config,
            library,
            module,
        } = *self.search;
        let plans = [Plan::FUSED, Plan::LEAN].into_iter();
        let tried =
            plans.flat_map(|plan| placements.iter().map(move |placement| (plan, placement)));
        let tried = tried.filter_map(|(plan, placement)| {
            let spread = Spread::new(config, library, module, placement, plan, keeps_keys).ok()?;
            let cycles = steps::cycles_of_spread(config, &spread, graph).ok()?;
            Some((cycles, spread))
        });
        let (cycles, spread) = tried.min_by_key(|(cycles, _)| *cycles)?;
        let keys = match keeps_keys {
            true => steps::cycles_of_keys(config, &spread, graph),
            false => 0,
        };
        self.spreads.push(spread);
        Some(OnTiles {
            spread: self.spreads.len() - 1,
            cycles,
            keys,
        })
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
                let Ok(placement) = Placement::new(&config, &library, &module, graph, cut) else {
                    continue;
                };
                for keeps_keys in [false, true] {
                    let spread = Spread::new(
                        &config,
                        &library,
                        &module,
                        &placement,
                        Plan::LEAN,
                        keeps_keys,
                    );
                    if let Ok(spread) = spread {
                        let cycles = steps::cycles_of_spread(&config, &spread, graph);
                        assert!(cycles.expect("it ends") > 0);
                        spread_out += usize::from(spread.tiles.len() > 1);
                    }
                }
            }
        }
        assert!(spread_out > 20, "{spread_out}");
    }
}
