//! Operations of a kernel that stay together on a tile, and a first placement of them.

use super::estimate::Costs;
use super::kinds::is_whole;
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::{Graph, Node, TowerId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Operations that stay together.
pub struct Clusters<'a> {
    graph: &'a Graph,
    /// By tower, the node that makes it.
    maker: Vec<Option<usize>>,
    /// By node, the cluster: one of its nodes.
    pub of_node: Vec<usize>,
    /// What each takes.
    pub cycles: BTreeMap<usize, u64>,
}

impl<'a> Clusters<'a> {
    /// Of a graph's operations; none grows beyond so many cycles.
    pub fn new(graph: &'a Graph, costs: &Costs, limit: u64) -> Self {
        let mut clusters = Clusters {
            graph,
            maker: graph.makers(),
            of_node: (0..graph.nodes.len()).collect(),
            cycles: costs.operations.iter().copied().enumerate().collect(),
        };
        clusters.join_siblings();
        clusters.join_makers(limit);
        clusters
    }

    fn makers<'n>(&'n self, node: &'n Node) -> impl Iterator<Item = usize> + 'n {
        node.args.iter().filter_map(|arg| self.maker[arg.index()])
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

    /// The operations of a cluster.
    pub fn members(&self, cluster: usize) -> Vec<usize> {
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
                let maker = self.maker[arg.index()].map(|maker| self.of_node[maker]);
                let other = maker.filter(|&maker| maker != of);
                all.extend(other.map(|maker| (*arg, maker)));
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

    /// The tile of each, by list scheduling.
    pub fn on_tiles(&self, send: u64, tiles: usize) -> Result<BTreeMap<usize, usize>, RunError> {
        let read = self.read();
        let ranks = self.ranks(&read, send);
        let mut order: Vec<usize> = self.cycles.keys().copied().collect();
        order.sort_by_key(|cluster| (Reverse(ranks[cluster]), *cluster));
        let mut board = Board::new(send, tiles);
        let mut tile_of: BTreeMap<usize, usize> = BTreeMap::new();
        for cluster in order {
            interrupt::check()?;
            let read: Vec<(TowerId, usize)> = read[&cluster]
                .iter()
                .map(|(&tower, maker)| (tower, tile_of[maker]))
                .collect();
            let cycles = self.cycles[&cluster];
            let ends = (0..tiles).map(|tile| (board.clone().put(tile, &read, cycles), tile));
            let (_, tile) = ends.min().unwrap_or_default();
            let end = board.put(tile, &read, cycles);
            tile_of.insert(cluster, tile);
            let made = self.members(cluster).into_iter();
            let made = made.map(|node| (self.graph.nodes[node].result, end));
            board.made.extend(made);
        }
        Ok(tile_of)
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
