//! When each operation runs: stages, and in each stage one strand per prime.
//!
//! An operation runs as early as its operands allow: in the stage of its operands if they come
//! from the same strand, else in the next one. So a key switch has two barriers, whatever its
//! number of towers: after the transforms of the argument and after those of the special towers.
//! A call is a stage of its own, in program order.

use super::graph::{Graph, Node, TowerId};
use crate::plan::Kind;

/// Steps in order of execution; the numbers are indices of nodes.
#[derive(Clone, Debug)]
pub enum Scheduled {
    /// Strands, each in order of execution.
    Stage(Vec<Vec<usize>>),
    /// A call.
    Call(usize),
}

/// What runs in sequence with each other inside a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strand {
    /// Operations modulo this prime.
    Prime(usize),
    /// The draw of small integers by this node, on its own.
    Draw(usize),
}

/// Stage and strand of a definition.
#[derive(Clone, Copy, Debug)]
struct Slot {
    stage: usize,
    strand: Option<Strand>,
}

/// Orders the nodes of a graph.
pub fn schedule(graph: &Graph) -> Vec<Scheduled> {
    let slots = place(graph);
    let stages = slots.iter().map(|s| s.stage + 1).max().unwrap_or(0);
    let mut steps: Vec<Vec<(Strand, usize)>> = vec![Vec::new(); stages];
    let mut calls: Vec<Option<usize>> = vec![None; stages];
    for (index, slot) in slots.iter().enumerate() {
        match slot.strand {
            Some(strand) => steps[slot.stage].push((strand, index)),
            None => calls[slot.stage] = Some(index),
        }
    }
    let step = |(mut ops, call): (Vec<(Strand, usize)>, Option<usize>)| match call {
        Some(index) => Scheduled::Call(index),
        None => {
            ops.sort();
            let strands = ops.chunk_by(|a, b| a.0 == b.0);
            Scheduled::Stage(
                strands
                    .map(|s| s.iter().map(|&(_, i)| i).collect())
                    .collect(),
            )
        }
    };
    steps.into_iter().zip(calls).map(step).collect()
}

/// Where each node runs.
fn place(graph: &Graph) -> Vec<Slot> {
    let mut defined: Vec<Option<Slot>> = vec![None; graph.towers];
    let mut slots = Vec::with_capacity(graph.nodes.len());
    let (mut earliest, mut next) = (0, 0);
    for (index, node) in graph.nodes.iter().enumerate() {
        let slot = match node {
            Node::Call { .. } => {
                earliest = next + 1;
                Slot {
                    stage: next,
                    strand: None,
                }
            }
            Node::Op(op) => {
                let strand = match op.kind {
                    Kind::SampleSmall { .. } => Strand::Draw(index),
                    _ => Strand::Prime(op.prime),
                };
                Slot {
                    stage: ready(&op.args, &defined, strand, earliest),
                    strand: Some(strand),
                }
            }
        };
        next = next.max(slot.stage + 1);
        for result in node.results() {
            defined[result.0] = Some(slot);
        }
        slots.push(slot);
    }
    slots
}

/// The first stage from `earliest` on in which a strand can read these towers.
fn ready(args: &[TowerId], defined: &[Option<Slot>], strand: Strand, earliest: usize) -> usize {
    let after = |slot: &Slot| slot.stage + usize::from(slot.strand != Some(strand));
    let operands = args.iter().filter_map(|a| defined[a.0].as_ref());
    operands.map(after).fold(earliest, usize::max)
}
