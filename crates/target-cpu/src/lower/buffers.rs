//! Which buffer holds each tower, from the steps that it lives through.
//!
//! A tower that is read in its own stage only is a local of its strand. Any other lives in a frame
//! slot: returned towers in the slots of the caller, the rest in temporaries that are taken again
//! once their tower is dead. A slot that dies in a stage is free for the strand that read it, if
//! no other strand did, and for everyone from the next step on.

use super::graph::{Graph, Node, TowerId};
use super::lives::{self, Lives};
use super::stages::Scheduled;
use super::strand_buffers::StrandPlanner;
use crate::plan::{FunctionPlan, Place, Return, Step};

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

/// Where a tower lives for its whole life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// Parameter tower.
    Param(usize),
    /// Frame slot.
    Frame(usize),
    /// Local buffer.
    Local(usize),
    /// Not chosen yet.
    Open,
}

/// The frame slots of one function.
pub(super) struct Frame<'a> {
    pub(super) graph: &'a Graph,
    pub(super) lives: Lives,
    pub(super) home: Vec<Home>,
    /// The tower that a slot was last given to.
    holder: Vec<Option<TowerId>>,
    /// Temporaries that nobody holds.
    free: Vec<usize>,
    results: usize,
}

impl<'a> Frame<'a> {
    fn new(graph: &'a Graph, lives: Lives) -> Self {
        let mut home = vec![Home::Open; graph.towers];
        for (param, home) in home.iter_mut().take(graph.params).enumerate() {
            *home = Home::Param(param);
        }
        let mut results = 0;
        for returned in &graph.returns {
            if home[returned.index()] == Home::Open {
                home[returned.index()] = Home::Frame(results);
                results += 1;
            }
        }
        Frame {
            graph,
            lives,
            home,
            holder: vec![None; results],
            free: Vec::new(),
            results,
        }
    }

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

    /// The frame slot of a tower that is being defined.
    fn define(&mut self, tower: TowerId) -> usize {
        if let Home::Frame(slot) = self.home[tower.index()] {
            return slot;
        }
        let slot = self.take();
        self.give(slot, tower);
        slot
    }

    /// A temporary that nobody holds.
    pub(super) fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.holder.push(None);
            self.holder.len() - 1
        })
    }

    /// Makes a slot the home of a tower.
    pub(super) fn give(&mut self, slot: usize, tower: TowerId) {
        self.home[tower.index()] = Home::Frame(slot);
        self.holder[slot] = Some(tower);
    }

    /// The temporary that holds a tower, if one does.
    pub(super) fn temporary(&self, tower: TowerId) -> Option<usize> {
        match self.home[tower.index()] {
            Home::Frame(slot) if slot >= self.results => Some(slot),
            _ => None,
        }
    }

    /// Where a defined tower is.
    pub(super) fn place(&self, tower: TowerId) -> Place {
        match self.home[tower.index()] {
            Home::Param(param) => Place::Param(param),
            Home::Frame(slot) => Place::Shared(slot),
            Home::Local(local) => Place::Local(local),
            Home::Open => unreachable!("the verifier rejects a use before its definition"),
        }
    }

    /// Frees the temporaries whose towers end here, unless a strand has taken them over.
    fn end_step(&mut self, step: usize) {
        for tower in std::mem::take(&mut self.lives.ends[step]) {
            if let Some(slot) = self.temporary(tower) {
                if self.holder[slot] == Some(tower) {
                    self.free.push(slot);
                }
            }
        }
    }

    fn returned(&self, tower: TowerId) -> Return {
        match self.home[tower.index()] {
            Home::Param(param) => Return::Param(param),
            Home::Frame(slot) => Return::Slot(slot),
            Home::Local(_) | Home::Open => unreachable!("returned towers have result slots"),
        }
    }
}
