//! Names of the device's units, as steps and timelines have them.

use crate::activity::DMA;
use crate::mesh::Link;
use crate::rtl::CORE;
use crate::Config;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Off-chip memory, while it looks for the first word of a list of moves.
pub const MEMORY: &str = "memory";

/// Units as a step names them.
pub type Units = &'static [&'static str];

/// The core of a tile.
pub fn core(config: &Config, tile: usize) -> Units {
    match config.tiles {
        1 => &[CORE],
        _ => named(vec![core_of(tile)]),
    }
}

/// The links of a way.
pub fn links(links: &[Link]) -> Units {
    named(links.iter().map(|&link| of_link(link)).collect())
}

/// All that a machine's timeline has: memory, port, cores, and these links.
pub fn all(config: &Config, links: impl IntoIterator<Item = Link>) -> Units {
    if config.tiles == 1 {
        return &[MEMORY, DMA, CORE];
    }
    let cores = (0..config.tiles).map(core_of);
    let links = links.into_iter().map(of_link);
    let ports = [MEMORY, DMA].map(str::to_owned).into_iter();
    named(ports.chain(cores).chain(links).collect())
}

fn core_of(tile: usize) -> String {
    format!("{CORE} {tile}")
}

fn of_link(link: Link) -> String {
    match link {
        Link::Out(tile) => format!("out {tile}"),
        Link::Between(from, to) => format!("link {from}-{to}"),
        Link::In(tile) => format!("in {tile}"),
    }
}

/// Every list of names once for the life of the process: those of ways that are used, and of the tracks of
/// programs that use other ways.
fn named(names: Vec<String>) -> Units {
    static KNOWN: OnceLock<Mutex<HashMap<Vec<String>, Units>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let make = |names: &Vec<String>| -> Units {
        let names = names.iter().map(|name| &*name.clone().leak());
        names.collect::<Vec<&'static str>>().leak()
    };
    let made = known.get(&names).copied();
    made.unwrap_or_else(|| {
        let made = make(&names);
        known.insert(names, made);
        made
    })
}
