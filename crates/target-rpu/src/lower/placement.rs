//! Which tile does which operation of a kernel.
//!
//! Operations are gathered into **clusters** that stay on one tile: sums of products of the same operands
//! under one modulus, and whatever only one cluster reads, up to a limit. So a sum of products takes the
//! transforms of its digits with it, and where sums are cut in several, tiles divide a key switch by digit as
//! well as by prime. Clusters are put on tiles in the order of the longest way that is left behind them,
//! each where it ends first when what it reads has arrived (list scheduling: Topcuoglu, Hariri and Wu,
//! "Performance-effective and low-complexity task scheduling for heterogeneous computing", IEEE TPDS 13(3),
//! 2002). Then they are moved until all ends earlier by an [`Estimate`] of the steps. What a placement takes
//! is found with its steps.

use super::clusters::Clusters;
use super::estimate::{Costs, Estimate};
use crate::Config;
use ringwright_arith::Choices;
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::{Graph, Kind, Node, TowerId};
use std::cmp::Reverse;
use std::collections::HashMap;

/// How a placement is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As list scheduling has it.
    Listed,
    /// The best of many moves from there: thousands of times as long.
    Moved,
}

impl Effort {
    /// Moves that are tried for each cluster.
    fn moves(self) -> u64 {
        match self {
            Effort::Listed => 0,
            Effort::Moved => 300,
        }
    }
}

/// Of all time, the part by which a move is worse on average that is accepted at the beginning.
const HEAT: u64 = 60;

/// What all operations end later together counts so many times less than what the last ends later.
const OF_ALL: u64 = 1000;

/// Of the choices: of 1 to 8 the best for a product on 14 tiles. With the others it takes up to 8 % more.
const SEED: u64 = 7;

/// A 1 of numbers that are fractions.
const UNIT: u64 = 1024;

/// A placement.
pub struct Placed {
    /// The tile of each operation.
    pub tiles: Vec<usize>,
    /// When the last operation ends about.
    pub ends: u64,
}

/// Places operations. A cluster grows until it takes so many cycles.
pub fn place(
    config: &Config,
    graph: &Graph,
    costs: &Costs,
    limit: u64,
    effort: Effort,
) -> Result<Placed, RunError> {
    let clusters = Clusters::new(graph, costs, limit);
    let send = costs.sends.iter().max().copied().unwrap_or(0);
    let tile_of = clusters.on_tiles(send, config.tiles)?;
    let of_node = clusters.of_node.iter();
    let tiles: Vec<usize> = of_node.map(|cluster| tile_of[cluster]).collect();
    let all = clusters.cycles.keys();
    let members: Vec<Vec<usize>> = all.map(|&of| clusters.members(of)).collect();
    let mut estimate = Estimate::new(config, graph, costs);
    let first = estimate.end(&tiles);
    let mut search = Search {
        estimate,
        members: &members,
        choices: Choices::new(SEED),
        least: (first, tiles.clone()),
        now: (first, tiles),
    };
    let moves = effort.moves() * members.len() as u64;
    for left in (0..moves).rev() {
        interrupt::check()?;
        search.step(first.0 * OF_ALL / HEAT * left / moves);
    }
    let ((ends, _), tiles) = search.least;
    Ok(Placed { tiles, ends })
}

/// Moves clusters, and now and then accepts what is worse, the less the longer it goes on (simulated
/// annealing: Kirkpatrick, Gelatt and Vecchi, Science 220, 1983). All in integers, so that a placement is
/// the same on every computer.
struct Search<'a> {
    estimate: Estimate<'a>,
    members: &'a [Vec<usize>],
    choices: Choices,
    /// The best so far, and where it is.
    least: ((u64, u64), Vec<usize>),
    now: ((u64, u64), Vec<usize>),
}

impl Search<'_> {
    /// Moves a cluster to another tile, or has two change theirs; `heat`: by how much worse
    /// that may be on average.
    fn step(&mut self, heat: u64) {
        let tiles = &mut self.now.1;
        let [one, other] = [(), ()].map(|()| &self.members[self.choices.below(self.members.len())]);
        let (from, of_other) = (tiles[one[0]], tiles[other[0]]);
        let change = self.choices.below(3) == 0;
        let to = match change {
            true => of_other,
            false => self.choices.below(self.estimate.tiles),
        };
        if to == from {
            return;
        }
        let mut put = |cluster: &[usize], tile| cluster.iter().for_each(|&at| tiles[at] = tile);
        if change {
            put(other, from);
        }
        put(one, to);
        let end = self.estimate.end(tiles);
        let total = |(end, all): (u64, u64)| end * OF_ALL + all;
        let (after, before) = (total(end), total(self.now.0));
        if after <= before || after - before < heat * exponential(&mut self.choices) / UNIT {
            self.now.0 = end;
            if end < self.least.0 {
                self.least = self.now.clone();
            }
            return;
        }
        let mut put = |cluster: &[usize], tile| cluster.iter().for_each(|&at| tiles[at] = tile);
        put(one, from);
        if change {
            put(other, of_other);
        }
    }
}

/// With an exponential distribution of mean 1, about, in [`UNIT`]s: -ln u, the logarithm of what stands
/// behind u's leading one taken for linear.
fn exponential(choices: &mut Choices) -> u64 {
    const LN_2: u64 = 710;
    let drawn = (choices.word() >> 32) as u32 | 1;
    let zeros = drawn.leading_zeros();
    let behind = (u64::from(drawn << zeros) * UNIT) >> 31;
    ((u64::from(zeros) + 2) * UNIT - behind) * LN_2 / UNIT
}

/// The same graph with sums of more products cut in sums of so many, which are added.
pub fn cut_sums(graph: &Graph, products: usize) -> Graph {
    let mut cut = Graph {
        nodes: Vec::new(),
        ..graph.clone()
    };
    for node in &graph.nodes {
        match node.kind {
            Kind::InnerProduct { pairs, .. } if usize::from(pairs) > products => {
                add_sums(&mut cut, node, usize::from(pairs), products);
            }
            _ => cut.nodes.push(node.clone()),
        }
    }
    cut
}

/// Appends a sum in several.
fn add_sums(cut: &mut Graph, node: &Node, pairs: usize, products: usize) {
    let (factors, rest) = node.args.split_at(2 * pairs);
    let prime = cut.prime(node.result);
    let mut sums: Vec<TowerId> = Vec::new();
    for some in factors.chunks(2 * products) {
        let pairs = (some.len() / 2) as u8;
        let kind = Kind::InnerProduct { pairs, plus: false };
        sums.push(cut.push(prime, kind, some.to_vec(), node.origin));
    }
    sums.extend(rest);
    let last = sums.len() - 1;
    let mut sum = sums[0];
    for (index, &other) in sums.iter().enumerate().skip(1) {
        let args = vec![sum, other];
        if index < last {
            sum = cut.push(prime, Kind::Add, args, node.origin);
        } else {
            cut.nodes.push(Node {
                kind: Kind::Add,
                args,
                ..node.clone()
            });
        }
    }
}

/// The same graph in the order of the longest way that is left behind each operation, the longest first.
pub fn by_rank(graph: Graph, costs: &mut Costs) -> Graph {
    let mut rank: HashMap<TowerId, u64> = HashMap::new();
    for (node, cycles) in graph.nodes.iter().zip(&costs.operations).rev() {
        let own = cycles + rank.get(&node.result).copied().unwrap_or(0);
        for arg in &node.args {
            let behind = rank.entry(*arg).or_default();
            *behind = own.max(*behind);
        }
    }
    let of = |node: &Node, cycles: u64| cycles + rank.get(&node.result).copied().unwrap_or(0);
    let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
    order.sort_by_key(|&at| (Reverse(of(&graph.nodes[at], costs.operations[at])), at));
    costs.operations = order.iter().map(|&at| costs.operations[at]).collect();
    costs.sends = order.iter().map(|&at| costs.sends[at]).collect();
    let nodes = order.iter().map(|&at| graph.nodes[at].clone()).collect();
    Graph { nodes, ..graph }
}
