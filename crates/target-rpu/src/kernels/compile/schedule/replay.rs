//! An order issued as the front end does it: in order, each as soon as it can.

use super::super::pipeline::{Entry, Pipeline};
use super::super::placed::{Placed, FILLER};
use super::super::task_graph::TaskGraph;
use crate::config::Config;
use crate::isa::Class;

/// Issue and start of each instruction with free ports; `None` if one never issues.
pub fn starts(graph: &TaskGraph, config: &Config, order: &[Placed]) -> Option<Vec<[u64; 2]>> {
    let mut pipeline = Pipeline::new(config, &graph.groups);
    let mut times = vec![[0; 2]; order.len()];
    let mut next = 0;
    let mut waited = 0;
    while next < order.len() || !pipeline.is_empty() {
        if let Some(placed) = order.get(next) {
            let entry = entry(graph, placed, next as u32);
            waited += 1;
            if pipeline.can_issue(&entry) {
                times[next][0] = pipeline.now();
                pipeline.issue(entry);
                (next, waited) = (next + 1, 0);
            }
        }
        if waited > PATIENCE {
            return None;
        }
        pipeline.advance();
        for started in &pipeline.started {
            times[started.tag as usize][1] = pipeline.now() - 1;
        }
    }
    Some(times)
}

/// Cycles after which an instruction that has not issued never will.
const PATIENCE: u64 = 1 << 16;

fn entry(graph: &TaskGraph, placed: &Placed, tag: u32) -> Entry {
    let mut entry = Entry {
        class: Class::LoadStore,
        sources: [None; 3],
        destinations: [None; 2],
        groups: 0,
        tag,
    };
    if placed.task == FILLER {
        return entry;
    }
    let task = &graph.tasks[placed.task as usize];
    (entry.class, entry.groups) = (task.class(), task.groups);
    for i in 0..task.sources.len() {
        let register = Some(placed.sources[i]);
        if !entry.sources.contains(&register) {
            entry.sources[i] = register;
        }
    }
    for i in 0..task.results.len() {
        entry.destinations[i] = Some(placed.results[i]);
    }
    entry
}
