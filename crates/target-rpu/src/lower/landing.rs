//! Towers that other tiles send.
//!
//! A tile's share of a kernel is a graph of its own, in which what other tiles make is given. Such a tower
//! **lands** in a slot that is kept for it. The **level** of an operation is how often towers have crossed
//! the mesh on the way to it. A tile works level by level: no formula reaches from one into the next.
//!
//! Nobody waits for himself. What is made at level L lands at level L + 1, in a slot of which everything
//! else is read at levels below L. So a tower that is sent from level L waits for operations of levels below
//! L alone, and those wait for towers of still lower levels: those that they read, and those that were sent
//! from slots which they take.

use ringwright_towers::residency::Landing;
use ringwright_towers::{Graph, Node, TowerId};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// A tower that lies in a slot once it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landed {
    /// Where.
    pub landing: Landing,
    /// The level of the operations that read it at least, above 0.
    pub level: u32,
}

/// Slots for towers that land, as few as can be, each with the levels from which on and up to which it is
/// read. A level lies between what is read last in a slot and what lands there next.
pub fn landed(towers: &[(TowerId, RangeInclusive<u32>)]) -> Vec<Landed> {
    // Up to which level what landed last in each slot is read.
    let mut read: Vec<u32> = Vec::new();
    let mut towers: Vec<_> = towers.iter().collect();
    towers.sort_by_key(|(tower, levels)| (*levels.start(), *levels.end(), *tower));
    let landed = towers.into_iter().map(|(tower, levels)| {
        let free = read.iter().position(|last| last + 1 < *levels.start());
        let slot = free.unwrap_or(read.len());
        match free {
            Some(slot) => read[slot] = *levels.end(),
            None => read.push(*levels.end()),
        }
        let tower = *tower;
        Landed {
            landing: Landing { tower, slot },
            level: *levels.start(),
        }
    });
    landed.collect()
}

/// The graph in the order of levels, and the level of each of its operations.
pub fn by_level(graph: Graph, landed: &[Landed]) -> (Graph, Vec<u32>) {
    let mut of_tower: HashMap<TowerId, u32> = landed
        .iter()
        .map(|each| (each.landing.tower, each.level))
        .collect();
    let level = |node: &Node| {
        let args = node.args.iter().filter_map(|arg| of_tower.get(arg));
        let level = args.copied().max().unwrap_or(0);
        of_tower.insert(node.result, level);
        level
    };
    let levels: Vec<u32> = graph.nodes.iter().map(level).collect();
    let mut nodes: Vec<(u32, Node)> = levels.into_iter().zip(graph.nodes).collect();
    nodes.sort_by_key(|&(level, _)| level);
    let (levels, nodes) = nodes.into_iter().unzip();
    (Graph { nodes, ..graph }, levels)
}
