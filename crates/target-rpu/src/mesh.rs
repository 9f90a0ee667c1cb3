//! The mesh between a chip's tiles.
//!
//! Tiles stand in rows. A tower that is sent goes along its row first and then along the column (XY routing);
//! to several tiles it goes once, and parts where their ways part. It holds all links of its way, and the
//! sender's way out and the receivers' ways in, until its last word has passed. What tiles bring from
//! off-chip memory has ways of its own.

use crate::Config;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What a tower on its way holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// From a tile into the mesh.
    Out(usize),
    /// Between neighbours.
    Between(usize, usize),
    /// From the mesh into a tile.
    In(usize),
}

/// The way of a tower to all that read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// What it holds, each once, in order.
    pub links: Vec<Link>,
    /// From the sender to the furthest receiver.
    pub hops: u64,
}

/// The way from a tile to others.
pub fn way(config: &Config, from: usize, to: &[usize]) -> Way {
    let mut links = BTreeSet::from([Link::Out(from)]);
    let mut hops = 0;
    for &to in to {
        let (mut at, mut steps) = (from, 0);
        while at != to {
            let next = next(config.tiles, config.mesh_columns, at, to);
            links.insert(Link::Between(at, next));
            (at, steps) = (next, steps + 1);
        }
        links.insert(Link::In(to));
        hops = hops.max(steps);
    }
    let links = links.into_iter().collect();
    Way { links, hops }
}

/// The neighbour towards another tile: in the row, where there is one, else in the column.
fn next(tiles: usize, columns: usize, at: usize, to: usize) -> usize {
    match (at % columns).cmp(&(to % columns)) {
        Ordering::Less if at + 1 < tiles => at + 1,
        Ordering::Greater => at - 1,
        _ if at < to => at + columns,
        _ => at - columns,
    }
}

/// Cycles from when a tower's bytes set out until the last has arrived.
pub fn cycles(config: &Config, way: &Way, bytes: u64) -> u64 {
    config.link_cycles(bytes) + way.hops * config.mesh_hop_latency
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_spec::Machine;
    use Link::{Between, In, Out};

    fn config(tiles: usize, mesh_columns: usize) -> Config {
        let machine = Machine::load("rpu-8x8").expect("it ships");
        Config {
            tiles,
            mesh_columns,
            ..Config::new(&machine).expect("it can be built")
        }
    }

    /// Tiles 0 to 3 in the first row, 4 to 6 in the last.
    #[test]
    fn rows_come_first_and_ways_part_late() {
        let way = way(&config(7, 4), 1, &[3, 6]);
        let links = [
            Out(1),
            Between(1, 2),
            Between(2, 3),
            Between(2, 6),
            In(3),
            In(6),
        ];
        assert_eq!(way.links, links);
        assert_eq!(way.hops, 2);
    }

    #[test]
    fn every_way_is_short_and_over_tiles_that_there_are() {
        for tiles in 1..=14 {
            for columns in 1..=tiles {
                let config = config(tiles, columns);
                for (from, to) in (0..tiles * tiles).map(|pair| (pair / tiles, pair % tiles)) {
                    let there = way(&config, from, &[to]);
                    let across = (from % columns).abs_diff(to % columns);
                    let along = (from / columns).abs_diff(to / columns);
                    assert_eq!(there.hops as usize, across + along);
                    let over = there.links.iter().filter_map(|link| match link {
                        Between(_, to) => Some(*to),
                        _ => None,
                    });
                    let mut over = over.into_iter();
                    assert!(over.all(|tile| tile < tiles), "{from} to {to} of {tiles}");
                }
            }
        }
    }

    /// A tower takes the time of its bytes once, however many tiles it goes to.
    #[test]
    fn bytes_pass_once_behind_the_first_word() {
        let config = config(7, 4);
        let way = way(&config, 0, &[3, 6]);
        let bytes = 1 << 16;
        let hops = 3 * config.mesh_hop_latency;
        assert_eq!(
            cycles(&config, &way, bytes),
            config.link_cycles(bytes) + hops
        );
    }
}
