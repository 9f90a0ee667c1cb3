//! A kernel spread over the tiles of a chip: each does some of its operations, and sends what others read.
//!
//! Graphs of tiles keep the towers' numbers of the kernel's own graph.

use super::estimate::Costs;
use super::key_parts::{without_key_parts, KeyPart};
use super::kinds::{is_whole, operation};
use super::landing::{landed, Landed};
use super::lowering;
use super::part::Part;
use super::placement::{by_rank, cut_sums, place, Effort};
use super::plan::Plan;
use super::start::Span;
use crate::kernels::{Library, Shape};
use crate::Config;
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_towers::residency::Content;
use ringwright_towers::{Graph, Node, TowerId, Val};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;

/// How a kernel is cut and placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Products of a sum at most.
    pub products: usize,
    /// Hundredths of a tile's equal share that a cluster takes at most.
    pub cluster: u64,
}

/// A kernel's operations on tiles.
pub struct Placement {
    graph: Graph,
    key_parts: Vec<KeyPart>,
    tile_of: Vec<usize>,
    /// What it takes about.
    pub ends: u64,
}

impl Placement {
    /// Of a kernel's graph.
    pub fn new(
        config: &Config,
        library: &Library,
        module: &Module,
        graph: &Graph,
        cut: Cut,
        effort: Effort,
    ) -> Result<Self, RunError> {
        let (rest, key_parts) = without_key_parts(graph, |tower| module.prime(graph.prime(tower)));
        let graph = cut_sums(&rest, cut.products);
        let mut costs = costs(config, library, module, &graph)?;
        let graph = by_rank(graph, &mut costs);
        let equal = costs.operations.iter().sum::<u64>() / config.tiles as u64;
        let limit = equal * cut.cluster / 100;
        let placed = place(config, &graph, &costs, limit, effort)?;
        Ok(Placement {
            graph,
            key_parts,
            tile_of: placed.tiles,
            ends: placed.ends,
        })
    }
}

/// A kernel on several tiles.
pub struct Spread {
    /// Those that have something to do.
    pub tiles: Vec<OnTile>,
    /// The towers that it makes for its callers.
    pub made: Vec<TowerId>,
    /// The towers of keys that lie joined in off-chip memory.
    pub key_parts: Vec<KeyPart>,
}

/// What a tile does of it.
pub struct OnTile {
    /// The tile's number.
    pub tile: usize,
    /// Its operations.
    pub part: Part,
    /// The towers that it makes for other tiles, with those.
    pub sent: BTreeMap<TowerId, Vec<usize>>,
    /// Those that it makes for the kernel's caller.
    pub returned: Vec<TowerId>,
}

impl OnTile {
    /// The tiles to which a span's tower is sent.
    pub fn receivers(&self, span: &Span) -> &[usize] {
        match span.content {
            Content::Tower(tower) => self.sent.get(&tower).map_or(&[], Vec::as_slice),
            Content::Table { .. } => &[],
        }
    }
}

impl Spread {
    /// Of a kernel that has been placed, each tile's operations done by this plan.
    pub fn new(
        config: &Config,
        library: &Library,
        module: &Module,
        placement: &Placement,
        plan: Plan,
    ) -> Result<Self, RunError> {
        let Placement {
            graph,
            key_parts,
            tile_of,
            ..
        } = placement;
        let (_, made) = graph.outcomes();
        let cutter = Cutter::new(graph, tile_of);
        let mut tiles = Vec::new();
        for tile in 0..config.tiles {
            let Some(own) = cutter.tile(tile) else {
                continue;
            };
            let Own {
                graph,
                landed,
                sent,
            } = own;
            let made_here: HashSet<TowerId> = graph.nodes.iter().map(|node| node.result).collect();
            let returned = made
                .iter()
                .filter(|tower| made_here.contains(tower))
                .copied()
                .collect();
            let part =
                lowering::on_tile(config, library, module, &graph, plan, &landed, Vec::new())?;
            tiles.push(OnTile {
                tile,
                part,
                sent,
                returned,
            });
        }
        Ok(Spread {
            tiles,
            made,
            key_parts: key_parts.clone(),
        })
    }
}

/// What operations take about: a kernel's cycles, or loads and stores of whole towers.
fn costs(
    config: &Config,
    library: &Library,
    module: &Module,
    graph: &Graph,
) -> Result<Costs, RunError> {
    let shape = Shape::new(config, module.log_n);
    let vectors = (shape.slot() / shape.vector()) as u64;
    let access = vectors * (config.beats() as u64 + config.gap);
    let cycles = |node: &Node| {
        if !is_whole(&node.kind) {
            return Ok(access * (node.args.len() as u64 + 1));
        }
        let (kernel, _) = operation(&node.kind).map_err(|reason| config.unsupported(reason))?;
        Ok(library.kernel(config, module.log_n, kernel)?.cycles)
    };
    let send = |node: &Node| {
        let factors = graph.factors(graph.prime(node.result));
        let primes: Vec<u128> = factors.iter().map(|&q| module.prime(q)).collect();
        let bytes = config.mesh_bytes(lowering::bits(&primes)) * shape.n() as u64;
        config.link_cycles(bytes) + config.mesh_hop_latency
    };
    Ok(Costs {
        operations: graph
            .nodes
            .iter()
            .map(cycles)
            .collect::<Result<_, RunError>>()?,
        access,
        sends: graph.nodes.iter().map(send).collect(),
    })
}

/// A tile's share, not yet lowered.
struct Own {
    graph: Graph,
    landed: Vec<Landed>,
    sent: BTreeMap<TowerId, Vec<usize>>,
}

struct Cutter<'a> {
    graph: &'a Graph,
    tile_of: &'a [usize],
    maker: Vec<Option<usize>>,
    /// Of each operation.
    levels: Vec<u32>,
    returned: HashSet<TowerId>,
}

impl<'a> Cutter<'a> {
    fn new(graph: &'a Graph, tile_of: &'a [usize]) -> Self {
        let mut cutter = Cutter {
            graph,
            tile_of,
            maker: graph.makers(),
            levels: Vec::new(),
            returned: graph.returned().collect(),
        };
        for (node, tile) in graph.nodes.iter().zip(tile_of) {
            let makers = node.args.iter().filter_map(|arg| cutter.maker[arg.index()]);
            let level =
                makers.map(|maker| cutter.levels[maker] + u32::from(tile_of[maker] != *tile));
            let level = level.max().unwrap_or(0);
            cutter.levels.push(level);
        }
        cutter
    }

    /// What a tile does; `None` for nothing.
    fn tile(&self, tile: usize) -> Option<Own> {
        let nodes = self.graph.nodes.iter().zip(self.tile_of);
        let mut arrives: BTreeMap<TowerId, RangeInclusive<u32>> = BTreeMap::new();
        let mut sent: BTreeMap<TowerId, BTreeSet<usize>> = BTreeMap::new();
        for ((node, &of), &level) in nodes.clone().zip(&self.levels) {
            for &arg in &node.args {
                match self.maker[arg.index()] {
                    Some(maker) if of == tile && self.tile_of[maker] != tile => {
                        let first = self.levels[maker] + 1;
                        let read = arrives.entry(arg).or_insert(first..=first);
                        *read = first..=level.max(*read.end());
                    }
                    Some(maker) if of != tile && self.tile_of[maker] == tile => {
                        sent.entry(arg).or_default().insert(of);
                    }
                    _ => {}
                }
            }
        }
        let own = nodes
            .filter(|(_, &of)| of == tile)
            .map(|(node, _)| node.clone());
        let nodes: Vec<Node> = own.collect();
        let leaves = |tower: &TowerId| self.returned.contains(tower) || sent.contains_key(tower);
        let leaving = nodes.iter().map(|node| node.result).filter(leaves);
        let returns = vec![Val::Poly(leaving.collect())];
        let arrives: Vec<_> = arrives.into_iter().collect();
        (!nodes.is_empty()).then(|| Own {
            graph: Graph {
                nodes,
                returns,
                ..self.graph.clone()
            },
            landed: landed(&arrives),
            sent: sent
                .into_iter()
                .map(|(tower, to)| (tower, to.into_iter().collect()))
                .collect(),
        })
    }
}
