//! When a placement of a kernel's operations ends, about.

use super::kinds::is_whole;
use crate::mesh::{self, Link};
use crate::Config;
use ringwright_towers::{Graph, Node};
use std::collections::{BTreeSet, HashMap};

/// What work and sending take, in cycles.
pub struct Costs {
    /// Of each operation by itself.
    pub operations: Vec<u64>,
    /// Of a tower that is read or written word by word.
    pub access: u64,
    /// Of what each of them makes, on its way to another tile.
    pub sends: Vec<u64>,
}

/// When all is done about, by the rules of the steps: tiles work level by level in the graph's order, what
/// works word by word behind each other keeps its towers in registers, and a tower that is sent holds the
/// links of its way.
pub struct Estimate<'a> {
    costs: &'a Costs,
    /// How many there are.
    pub tiles: usize,
    towers: usize,
    nodes: Vec<Operation>,
    /// From tile to tile, the numbers of links.
    ways: Vec<Vec<usize>>,
    room: Room,
}

/// An operation as an estimate sees it.
struct Operation {
    /// Those that make what it reads, and those that read what it makes, each once.
    makers: Vec<usize>,
    readers: Vec<usize>,
    args: Vec<usize>,
    result: usize,
    whole: bool,
}

/// What an estimate writes down.
#[derive(Default)]
struct Room {
    levels: Vec<u32>,
    order: Vec<usize>,
    ends: Vec<u64>,
    arrive: Vec<u64>,
    free: Vec<u64>,
    links: Vec<u64>,
    /// By tile, the number of its row of operations word by word, and its level.
    rows: Vec<(u32, u32)>,
    /// By tile and tower, the row that has it in a register.
    held: Vec<u32>,
}

impl<'a> Estimate<'a> {
    /// Of placements of this graph.
    pub fn new(config: &Config, graph: &Graph, costs: &'a Costs) -> Self {
        let maker = graph.makers();
        let operation = |node: &Node| {
            let makers = node.args.iter().filter_map(|arg| maker[arg.index()]);
            let makers: BTreeSet<usize> = makers.collect();
            Operation {
                makers: makers.into_iter().collect(),
                readers: Vec::new(),
                args: node.args.iter().map(|arg| arg.index()).collect(),
                result: node.result.index(),
                whole: is_whole(&node.kind),
            }
        };
        let mut nodes: Vec<Operation> = graph.nodes.iter().map(operation).collect();
        for at in 0..nodes.len() {
            for maker in nodes[at].makers.clone() {
                nodes[maker].readers.push(at);
            }
        }
        let mut numbers: HashMap<Link, usize> = HashMap::new();
        let pairs = (0..config.tiles * config.tiles).map(|pair| {
            let (from, to) = (pair / config.tiles, pair % config.tiles);
            let links = mesh::way(config, from, &[to]).links.into_iter();
            let number = |link| {
                let next = numbers.len();
                *numbers.entry(link).or_insert(next)
            };
            links.map(number).collect()
        });
        let ways = pairs.collect();
        Estimate {
            costs,
            tiles: config.tiles,
            towers: graph.towers(),
            room: Room {
                links: vec![0; numbers.len()],
                ..Room::default()
            },
            nodes,
            ways,
        }
    }

    /// When the last operation ends, and the sum over all; of two placements with the same end the one
    /// whose operations end earlier has more room.
    pub fn end(&mut self, tiles: &[usize]) -> (u64, u64) {
        let (costs, nodes, ways) = (self.costs, &self.nodes, &self.ways);
        let Room {
            levels,
            order,
            ends,
            arrive,
            free,
            links,
            rows,
            held,
        } = &mut self.room;
        levels.clear();
        for (node, &tile) in nodes.iter().zip(tiles) {
            let of = |&maker: &usize| levels[maker] + u32::from(tiles[maker] != tile);
            levels.push(node.makers.iter().map(of).max().unwrap_or(0));
        }
        order.clear();
        order.extend(0..nodes.len());
        order.sort_by_key(|&at| levels[at]);
        for (list, length) in [
            (&mut *ends, nodes.len()),
            (arrive, nodes.len()),
            (free, self.tiles),
        ] {
            list.clear();
            list.resize(length, 0);
        }
        links.fill(0);
        rows.clear();
        rows.resize(self.tiles, (0, 0));
        held.clear();
        held.resize(self.tiles * self.towers, 0);
        let mut last_row = 0;
        for &at in &*order {
            let (node, tile, level) = (&nodes[at], tiles[at], levels[at]);
            let there = |&maker: &usize| match tiles[maker] == tile {
                true => ends[maker],
                false => arrive[maker],
            };
            let ready = node.makers.iter().map(there).max().unwrap_or(0);
            let mut cycles = costs.operations[at];
            if node.whole {
                rows[tile] = (0, level);
            } else {
                if rows[tile].0 == 0 || rows[tile].1 != level {
                    last_row += 1;
                    rows[tile] = (last_row, level);
                }
                let row = rows[tile].0;
                let held = &mut held[tile * self.towers..][..self.towers];
                let loads = node.args.iter().filter(|&&arg| held[arg] != row).count();
                let inside = |&reader: &usize| {
                    !nodes[reader].whole && tiles[reader] == tile && levels[reader] == level
                };
                let stays = !node.readers.is_empty() && node.readers.iter().all(inside);
                cycles = (loads as u64 + u64::from(!stays)) * costs.access;
                node.args.iter().for_each(|&arg| held[arg] = row);
                held[node.result] = row;
            }
            ends[at] = free[tile].max(ready) + cycles;
            free[tile] = ends[at];
            let others = node.readers.iter().map(|&reader| tiles[reader]);
            let others = others.filter(|&other| other != tile);
            let held = others
                .clone()
                .flat_map(|other| &ways[tile * self.tiles + other]);
            if let Some(begins) = held.clone().map(|&link| links[link]).max() {
                arrive[at] = begins.max(ends[at]) + costs.sends[at];
                held.for_each(|&link| links[link] = arrive[at]);
            }
        }
        (ends.iter().max().copied().unwrap_or(0), ends.iter().sum())
    }
}
