//! From where to where each tower lives, in steps of the schedule.

use super::graph::{Graph, TowerId};
use super::stages::Scheduled;

/// The life of one tower.
#[derive(Clone, Copy, Debug, Default)]
pub struct Life {
    /// Whether it is read outside the stage that defines it, or defined by a call.
    pub crosses: bool,
    /// The last step that reads it; the step of its definition if none does.
    pub last: usize,
    /// The only strand that reads it in that step, where there is only one.
    pub last_strand: Option<usize>,
    defined: Option<usize>,
}

/// The lives of all towers, and which of them end in each step.
#[derive(Clone, Debug)]
pub struct Lives {
    /// By tower.
    pub of: Vec<Life>,
    /// By step; parameters do not end.
    pub ends: Vec<Vec<TowerId>>,
}

/// Follows every tower through the schedule.
pub fn measure(graph: &Graph, schedule: &[Scheduled]) -> Lives {
    let mut of = vec![Life::default(); graph.towers];
    for (step, scheduled) in schedule.iter().enumerate() {
        match scheduled {
            Scheduled::Call(node) => visit(graph, &mut of, *node, step, 0, true),
            Scheduled::Stage(strands) => {
                for (strand, nodes) in strands.iter().enumerate() {
                    nodes
                        .iter()
                        .for_each(|&n| visit(graph, &mut of, n, step, strand, false));
                }
            }
        }
    }
    let mut ends = vec![Vec::new(); schedule.len()];
    for (tower, life) in of
        .iter()
        .enumerate()
        .filter(|(_, life)| life.defined.is_some())
    {
        ends[life.last].push(TowerId(tower as u32));
    }
    Lives { of, ends }
}

fn visit(graph: &Graph, of: &mut [Life], node: usize, step: usize, strand: usize, call: bool) {
    for arg in graph.nodes[node].args() {
        let life = &mut of[arg.index()];
        life.crosses |= life.defined != Some(step);
        let first = life.last != step || life.defined == Some(step);
        let only = first || life.last_strand == Some(strand);
        life.last_strand = only.then_some(strand);
        life.last = step;
    }
    for result in graph.nodes[node].results() {
        let last_strand = Some(strand);
        of[result.index()] = Life {
            crosses: call,
            last: step,
            last_strand,
            defined: Some(step),
        };
    }
}
