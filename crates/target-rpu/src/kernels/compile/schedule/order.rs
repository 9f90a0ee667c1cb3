//! In which order instructions are preferred.

use super::super::knobs::Knobs;
use super::super::task_graph::TaskGraph;
use crate::config::Config;
use crate::isa::Class;

/// Each task's place: the graph's order and the longest way to the end, weighed, and a random part.
pub fn keys(graph: &TaskGraph, config: &Config, knobs: Knobs) -> Vec<u32> {
    let mut random = knobs.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut noise = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        match knobs.noise {
            0 => 0,
            noise => (random >> 33) as u32 % noise,
        }
    };
    let ways = ways_to_the_end(graph, config);
    let longest = ways.iter().max().map_or(1, |&way| way.max(1));
    let (count, urgency) = (ways.len() as u64, u64::from(knobs.urgency.min(100)));
    let place = |(i, way): (usize, &u64)| {
        let latest = (longest - way) * count / longest;
        ((100 - urgency) * i as u64 + urgency * latest) / 100
    };
    let places = ways.iter().enumerate().map(place);
    places.map(|place| place as u32 + noise()).collect()
}

/// Cycles from each instruction's start to the end of what needs it, pipes taken as free.
fn ways_to_the_end(graph: &TaskGraph, config: &Config) -> Vec<u64> {
    let mut ways = vec![0u64; graph.tasks.len()];
    for (task, it) in graph.tasks.iter().enumerate().rev() {
        let latency = match it.class() {
            Class::Compute => config.compute_latency,
            Class::Shuffle => config.shuffle_latency,
            Class::LoadStore => config.load_store_latency,
        };
        let readers = it
            .results
            .iter()
            .flat_map(|&value| &graph.readers[value as usize]);
        let rest = readers.map(|&reader| ways[reader as usize]).max();
        ways[task] = graph.length(task as u32, config) + latency + 1 + rest.unwrap_or(0);
    }
    ways
}
