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

use super::kinds::is_whole;
use crate::mesh::{self, Link};
use crate::Config;
use ringwright_towers::{Graph, Kind, Node, TowerId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What work and sending take, in cycles.
pub struct Costs {
    /// Of each operation by itself.
    pub operations: Vec<u64>,
    /// Of a tower that is read or written word by word.
    pub access: u64,
    /// Of what each of them makes, on its way to another tile.
    pub sends: Vec<u64>,
}

/// Moves that are tried for each cluster.
const MOVES: usize = 300;

/// The share of all time by which a move may be worse at the beginning.
const HEAT: f64 = 1.0 / 60.0;

/// A placement.
pub struct Placed {
    /// The tile of each operation.
    pub tiles: Vec<usize>,
    /// When the last operation ends about.
    pub ends: u64,
}

/// Places operations. A cluster grows until it takes so many cycles.
pub fn place(config: &Config, graph: &Graph, costs: &Costs, limit: u64) -> Placed {
    let clusters = Clusters::new(graph, costs, limit);
    let send = costs.sends.iter().max().copied().unwrap_or(0);
    let tile_of = clusters.on_tiles(send, config.tiles);
    let of_node = clusters.of_node.iter();
    let tiles: Vec<usize> = of_node.map(|cluster| tile_of[cluster]).collect();
    let all = clusters.cycles.keys();
    let members: Vec<Vec<usize>> = all.map(|&of| clusters.members(of)).collect();
    let mut estimate = Estimate::new(config, graph, costs);
    let first = estimate.end(&tiles);
    let mut search = Search {
        estimate,
        members: &members,
        random: Random(1),
        least: (first, tiles.clone()),
        now: (first, tiles),
    };
    let moves = MOVES * members.len();
    for made in 0..moves {
        let left = 1.0 - made as f64 / moves as f64;
        search.step(first.0 as f64 * HEAT * left);
    }
    let ((ends, _), tiles) = search.least;
    Placed { tiles, ends }
}

/// Moves clusters, and now and then accepts what is worse, the less the longer it goes on (simulated
/// annealing: Kirkpatrick, Gelatt and Vecchi, Science 220, 1983).
struct Search<'a> {
    estimate: Estimate<'a>,
    members: &'a [Vec<usize>],
    random: Random,
    /// The best so far, and where it is.
    least: ((u64, u64), Vec<usize>),
    now: ((u64, u64), Vec<usize>),
}

impl Search<'_> {
    /// Moves a cluster to another tile, or has two change theirs.
    fn step(&mut self, heat: f64) {
        let tiles = &mut self.now.1;
        let [one, other] = [(), ()].map(|()| &self.members[self.random.below(self.members.len())]);
        let (from, of_other) = (tiles[one[0]], tiles[other[0]]);
        let change = self.random.below(3) == 0;
        let to = match change {
            true => of_other,
            false => self.random.below(self.estimate.tiles),
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
        let before = self.now.0;
        let worse = end.0 as f64 - before.0 as f64 + (end.1 as f64 - before.1 as f64) / 1000.0;
        if worse <= 0.0 || -self.random.fraction().ln() * heat > worse {
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

/// The same numbers each time (Knuth's MMIX generator), so that a placement is the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    /// Above 0, up to 1.
    fn fraction(&mut self) -> f64 {
        (self.next() + 1) as f64 / (1u64 << 32) as f64
    }
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

/// Operations that stay together.
struct Clusters<'a> {
    graph: &'a Graph,
    maker: HashMap<TowerId, usize>,
    /// By node, the cluster: one of its nodes.
    of_node: Vec<usize>,
    cycles: BTreeMap<usize, u64>,
}

impl<'a> Clusters<'a> {
    fn new(graph: &'a Graph, costs: &Costs, limit: u64) -> Self {
        let makers = graph.nodes.iter().enumerate();
        let mut clusters = Clusters {
            graph,
            maker: makers.map(|(index, node)| (node.result, index)).collect(),
            of_node: (0..graph.nodes.len()).collect(),
            cycles: costs.operations.iter().copied().enumerate().collect(),
        };
        clusters.join_siblings();
        clusters.join_makers(limit);
        clusters
    }

    fn makers<'n>(&'n self, node: &'n Node) -> impl Iterator<Item = usize> + 'n {
        let makers = node.args.iter().filter_map(|arg| self.maker.get(arg));
        makers.copied()
    }

    fn join(&mut self, from: usize, into: usize) {
        let moved = self.of_node.iter_mut().filter(|of| **of == from);
        moved.for_each(|of| *of = into);
        let cycles = self.cycles.remove(&from).unwrap_or(0);
        *self.cycles.entry(into).or_default() += cycles;
    }

    /// What works word by word on the same towers that are made, under one modulus.
    fn join_siblings(&mut self) {
        let mut known = HashMap::new();
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let made: BTreeSet<usize> = self.makers(node).collect();
            if is_whole(&node.kind) || made.is_empty() {
                continue;
            }
            let key = (made, self.graph.prime(node.result));
            let first = *known.entry(key).or_insert(index);
            if first != index {
                self.join(index, first);
            }
        }
    }

    /// What only one cluster reads, from the last to the first.
    fn join_makers(&mut self, limit: u64) {
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.graph.nodes.len()];
        for (index, node) in self.graph.nodes.iter().enumerate() {
            self.makers(node)
                .for_each(|maker| readers[maker].push(index));
        }
        for index in (0..readers.len()).rev() {
            let own = self.of_node[index];
            let alone = self.of_node.iter().filter(|of| **of == own).count() == 1;
            let mut of_readers = readers[index].iter().map(|&reader| self.of_node[reader]);
            let Some(into) = of_readers.next().filter(|_| alone) else {
                continue;
            };
            if of_readers.all(|of| of == into) && self.cycles[&own] + self.cycles[&into] <= limit {
                self.join(own, into);
            }
        }
    }

    fn members(&self, cluster: usize) -> Vec<usize> {
        let nodes = self.of_node.iter().enumerate();
        let own = nodes.filter(|(_, &of)| of == cluster);
        own.map(|(node, _)| node).collect()
    }

    /// The towers that each cluster reads from others, with those.
    fn read(&self) -> BTreeMap<usize, BTreeMap<TowerId, usize>> {
        let mut read: BTreeMap<usize, BTreeMap<TowerId, usize>> = BTreeMap::new();
        for (node, &of) in self.graph.nodes.iter().zip(&self.of_node) {
            let all = read.entry(of).or_default();
            for arg in &node.args {
                let maker = self.maker.get(arg).map(|&maker| self.of_node[maker]);
                all.extend(
                    maker
                        .filter(|&maker| maker != of)
                        .map(|maker| (*arg, maker)),
                );
            }
        }
        read
    }

    /// The longest way from the beginning of each cluster to the end.
    fn ranks(
        &self,
        read: &BTreeMap<usize, BTreeMap<TowerId, usize>>,
        send: u64,
    ) -> BTreeMap<usize, u64> {
        // Clusters are convex, so each has its rank once all behind it have: as often as ways are long.
        let mut ranks = self.cycles.clone();
        loop {
            let mut changed = false;
            for (reader, towers) in read {
                let behind = ranks[reader] + send;
                for maker in towers.values() {
                    let rank = behind + self.cycles[maker];
                    if rank > ranks[maker] {
                        ranks.insert(*maker, rank);
                        changed = true;
                    }
                }
            }
            if !changed {
                return ranks;
            }
        }
    }

    fn on_tiles(&self, send: u64, tiles: usize) -> BTreeMap<usize, usize> {
        let read = self.read();
        let ranks = self.ranks(&read, send);
        let mut order: Vec<usize> = self.cycles.keys().copied().collect();
        order.sort_by_key(|cluster| (std::cmp::Reverse(ranks[cluster]), *cluster));
        let mut board = Board::new(send, tiles);
        let mut tile_of: BTreeMap<usize, usize> = BTreeMap::new();
        for cluster in order {
            let read: Vec<(TowerId, usize)> = read[&cluster]
                .iter()
                .map(|(&tower, maker)| (tower, tile_of[maker]))
                .collect();
            let cycles = self.cycles[&cluster];
            let ends = (0..tiles).map(|tile| (board.clone().put(tile, &read, cycles), tile));
            let (_, tile) = ends.min().unwrap_or_default();
            let end = board.put(tile, &read, cycles);
            tile_of.insert(cluster, tile);
            let made = self.graph.nodes.iter().zip(&self.of_node);
            let made = made.filter(|(_, &of)| of == cluster);
            board.made.extend(made.map(|(node, _)| (node.result, end)));
        }
        tile_of
    }
}

/// When tiles, their ways in and out and towers are free.
#[derive(Clone)]
struct Board {
    send: u64,
    tiles: Vec<u64>,
    ways_out: Vec<u64>,
    ways_in: Vec<u64>,
    made: HashMap<TowerId, u64>,
    left: HashMap<TowerId, u64>,
    arrived: HashMap<(TowerId, usize), u64>,
}

impl Board {
    fn new(send: u64, tiles: usize) -> Self {
        Board {
            send,
            tiles: vec![0; tiles],
            ways_out: vec![0; tiles],
            ways_in: vec![0; tiles],
            made: HashMap::new(),
            left: HashMap::new(),
            arrived: HashMap::new(),
        }
    }

    /// Has a tile do what takes so many cycles once it has these towers, which are on these tiles; when it
    /// ends.
    fn put(&mut self, tile: usize, read: &[(TowerId, usize)], cycles: u64) -> u64 {
        let mut ready = self.tiles[tile];
        for &(tower, from) in read {
            let there = match from == tile {
                true => self.made[&tower],
                false => self.arrive(tower, from, tile),
            };
            ready = ready.max(there);
        }
        self.tiles[tile] = ready + cycles;
        ready + cycles
    }

    /// When a tower is on a tile, sent to all that want it at once.
    fn arrive(&mut self, tower: TowerId, from: usize, to: usize) -> u64 {
        if let Some(&there) = self.arrived.get(&(tower, to)) {
            return there;
        }
        let leaves = match self.left.get(&tower) {
            Some(&left) => left,
            None => self.made[&tower].max(self.ways_out[from]),
        };
        self.left.insert(tower, leaves);
        self.ways_out[from] = self.ways_out[from].max(leaves + self.send);
        let there = leaves.max(self.ways_in[to]) + self.send;
        self.ways_in[to] = there;
        self.arrived.insert((tower, to), there);
        there
    }
}

/// When all is done about, by the rules of the steps: tiles work level by level in the graph's order, what
/// works word by word behind each other keeps its towers in registers, and a tower that is sent holds the
/// links of its way.
struct Estimate<'a> {
    costs: &'a Costs,
    tiles: usize,
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
    fn new(config: &Config, graph: &Graph, costs: &'a Costs) -> Self {
        let makers = graph.nodes.iter().enumerate();
        let maker: HashMap<TowerId, usize> = makers.map(|(at, node)| (node.result, at)).collect();
        let operation = |node: &Node| {
            let makers = node.args.iter().filter_map(|arg| maker.get(arg).copied());
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
    fn end(&mut self, tiles: &[usize]) -> (u64, u64) {
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
    order.sort_by_key(|&at| {
        (
            std::cmp::Reverse(of(&graph.nodes[at], costs.operations[at])),
            at,
        )
    });
    costs.operations = order.iter().map(|&at| costs.operations[at]).collect();
    costs.sends = order.iter().map(|&at| costs.sends[at]).collect();
    let nodes = order.iter().map(|&at| graph.nodes[at].clone()).collect();
    Graph { nodes, ..graph }
}
