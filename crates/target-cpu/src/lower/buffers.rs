//! Which buffer holds each tower, from the steps that it lives through.
//!
//! A tower that is read in its own stage only is a local of its strand. Any other lives in a frame
//! slot: returned towers in the slots of the caller, the rest in temporaries that are taken again
//! once their tower is dead. A slot that dies in a stage is free for the strand that read it, if
//! no other strand did, and for everyone from the next step on.

use super::frame::Frame;
use super::graph::{Graph, Node};
use super::lives;
use super::stages::Scheduled;
use super::strand_buffers::StrandPlanner;
use crate::plan::{FunctionPlan, Step};

/// Assigns buffers; `callees` are the plans of the functions before this one.
pub fn assign(graph: &Graph, schedule: &[Scheduled], callees: &[FunctionPlan]) -> FunctionPlan {
    let mut frame = Frame::new(graph, lives::measure(graph, schedule));
    let mut steps = Vec::with_capacity(schedule.len());
    for (step, scheduled) in schedule.iter().enumerate() {
        steps.push(match scheduled {
            Scheduled::Call(node) => frame.call(step, *node),
            Scheduled::Stage(strands) => frame.stage(step, strands),
        });
    }
    let below = steps.iter().map(|step| match step {
        Step::Call { func, .. } => callees[*func].arena,
        Step::Stage(_) => 0,
    });
    let temporaries = frame.holder.len() - frame.results;
    FunctionPlan {
        results: frame.results,
        temporaries,
        arena: temporaries + below.max().unwrap_or(0),
        returns: graph
            .returns
            .iter()
            .map(|&tower| frame.returned(tower))
            .collect(),
        steps,
    }
}

impl Frame<'_> {
    fn stage(&mut self, step: usize, strands: &[Vec<usize>]) -> Step {
        let mut planned = Vec::with_capacity(strands.len());
        for (index, nodes) in strands.iter().enumerate() {
            let mut strand = StrandPlanner::new(self, step, index, nodes);
            nodes
                .iter()
                .enumerate()
                .for_each(|(position, &node)| strand.op(position, node));
            planned.push(strand.finish());
        }
        self.end_step(step);
        Step::Stage(planned)
    }

    fn call(&mut self, step: usize, node: usize) -> Step {
        let Node::Call {
            func,
            args,
            seeds,
            results,
        } = &self.graph.nodes[node]
        else {
            unreachable!("only calls are scheduled as calls")
        };
        let results = results.iter().map(|&r| self.define(r)).collect();
        let args = args.iter().map(|&a| self.place(a)).collect();
        self.end_step(step);
        Step::Call {
            func: *func,
            args,
            seeds: seeds.clone(),
            results,
        }
    }
}
