//! A graph in phases: operations on whole towers, then operations word by word, in turn.
//!
//! For machines whose vector data memory holds few towers. What works word by word can be done
//! block by block, with as many towers at once as it reads and makes; transforms and automorphisms
//! want their tower whole. A phase is a run of those, and then [sweeps](super::sweep::Sweep) over
//! blocks.
//!
//! * An operation word by word is done as late as it can: what it reads is as a rule there anyway,
//!   and what it makes needs no place meanwhile.
//! * What leaves a phase is a **sink**. A sweep computes sinks that read the same towers, with all that
//!   they need from within the phase; two sweeps may compute the same tower rather than bring it.
//! * A sink joins a sweep while registers, memories and the program's length allow it.
//!
//! **Bound.** Moves run beside programs, so cycles are those of the port or those of the core, whichever
//! are more. No phases move less than each operand of a sweep once, each sink once, and each whole
//! tower there and back. A product with relinearisation of 24 primes of 60 bits, digits of 5 and 5
//! special primes, at N = 2^16 on `rpu-128x128`, primes joined in pairs, towers of 3,441 cycles at
//! the port:
//!
//! | towers | moved |
//! |---|---|
//! | key parts, in pairs | 2 * 5 * (12 + 3) = 150 |
//! | a1, b1 for what is switched, joined in 12 pairs; a, b for the sums; results | 48 + 12 + 96 + 48 = 204 |
//! | pairs transformed back and raised from (3 + 3 + 3 + 3 + 2) | 24 + 14 = 38 |
//! | digits under pairs, but a digit's own (75 - 10): made, transformed, multiplied; own ones | 65 * 4 + 10 = 270 |
//! | sums under 3 pairs of special primes, transformed, raised from | 6 * 4 = 24 |
//! | remainders under 12 pairs, made, transformed, subtracted | 24 * 4 = 96 |
//!
//! That is 782 towers, 2.69 million cycles; 107 transforms take 0.47 million, the lanes' sums (ten
//! instructions for each of 89 raised towers) 0.46 million, other sweeps at least 0.23 million:
//! 1.16 million beside them. It takes 3.18 million. What is above the bound: a sweep for each half
//! of a digit's targets, whose weights fill the scalar registers, brings the digit twice; tables of
//! 42 moduli come anew in every phase.
//!
//! Without joined primes the same phases move 1,240 towers and take twice the transforms. Dropped:
//! sums that stay in the vector data memory while a digit is transformed: a transform takes three
//! of four slots, so that two sums cannot stay.

use super::kinds::is_whole;
use super::sweep::SweepBuilder;
use crate::kernels::{Layout, Shape};
use crate::Config;
use ringwright_towers::{Graph, TowerId};
use std::collections::HashSet;

/// A stretch of a graph.
pub enum Stretch {
    /// These nodes, one tower after the other.
    Whole(Vec<usize>),
    /// Words at the same place of several towers, together.
    Sweep(Box<SweepBuilder>),
}

/// The stretches of a graph, in order; what does not fit the machine or is no word's business, in words.
pub fn stretches(config: &Config, shape: Shape, graph: &Graph) -> Result<Vec<Stretch>, String> {
    let plan = Plan::new(graph);
    let mut stretches = Vec::new();
    for phase in &plan.phases() {
        if !phase.whole.is_empty() {
            stretches.push(Stretch::Whole(phase.whole.clone()));
        }
        for builder in plan.sweeps(config, shape, &phase.sinks)? {
            stretches.push(Stretch::Sweep(Box::new(builder)));
        }
    }
    Ok(stretches)
}

/// The nodes of one phase.
#[derive(Clone, Default)]
struct Phase {
    whole: Vec<usize>,
    sinks: Vec<usize>,
}

struct Plan<'g> {
    graph: &'g Graph,
    /// By node.
    phase: Vec<usize>,
    /// The node that makes each tower.
    maker: Vec<Option<usize>>,
}

impl<'g> Plan<'g> {
    fn new(graph: &'g Graph) -> Self {
        let mut plan = Plan {
            graph,
            phase: vec![0; graph.nodes.len()],
            maker: graph.makers(),
        };
        plan.earliest();
        plan.latest();
        plan
    }

    fn earliest(&mut self) {
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let makers = node.args.iter().filter_map(|arg| self.maker[arg.index()]);
            let before = makers.map(|maker| self.phase[maker]).max().unwrap_or(0);
            self.phase[index] = before + usize::from(is_whole(&node.kind));
        }
    }

    /// Moves what works word by word to the first phase that needs it.
    fn latest(&mut self) {
        let mut needed: Vec<Option<usize>> = vec![None; self.graph.nodes.len()];
        for (index, node) in self.graph.nodes.iter().enumerate().rev() {
            let whole = is_whole(&node.kind);
            if let (false, Some(phase)) = (whole, needed[index]) {
                self.phase[index] = phase;
            }
            let of_operands = self.phase[index] - usize::from(whole);
            for maker in node.args.iter().filter_map(|arg| self.maker[arg.index()]) {
                let first = needed[maker].get_or_insert(of_operands);
                *first = of_operands.min(*first);
            }
        }
    }

    fn phases(&self) -> Vec<Phase> {
        let count = self.phase.iter().max().map_or(0, |last| last + 1);
        let mut phases = vec![Phase::default(); count];
        let leaves = self.leaves();
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let phase = &mut phases[self.phase[index]];
            match is_whole(&node.kind) {
                true => phase.whole.push(index),
                false if leaves[index] => phase.sinks.push(index),
                false => {}
            }
        }
        phases
    }

    /// Whether what a node makes is read beyond its phase's operations word by word.
    fn leaves(&self) -> Vec<bool> {
        let mut leaves = vec![false; self.graph.nodes.len()];
        for (index, node) in self.graph.nodes.iter().enumerate() {
            for maker in node.args.iter().filter_map(|arg| self.maker[arg.index()]) {
                leaves[maker] |= !self.is_together(maker, index);
            }
        }
        let returned = self.graph.returned();
        for maker in returned.filter_map(|tower| self.maker[tower.index()]) {
            leaves[maker] = true;
        }
        leaves
    }

    /// Whether a reader finds what a node makes in a register.
    fn is_together(&self, maker: usize, reader: usize) -> bool {
        let whole = |node: usize| is_whole(&self.graph.nodes[node].kind);
        !whole(maker) && !whole(reader) && self.phase[maker] == self.phase[reader]
    }

    fn sweeps(
        &self,
        config: &Config,
        shape: Shape,
        sinks: &[usize],
    ) -> Result<Vec<SweepBuilder>, String> {
        let mut needs: Vec<Need> = sinks.iter().map(|&sink| self.need(sink)).collect();
        needs.sort_by_key(|need| need.key(&self.maker));
        let mut sweeps: Vec<SweepBuilder> = Vec::new();
        for need in &needs {
            let last = sweeps.last().filter(|last| last.shares(&need.reads));
            let longer = last.map(|last| self.with(last, need)).transpose()?;
            match longer.filter(|longer| longer.formula().fits(config, shape, Layout::Blocks)) {
                Some(longer) => {
                    sweeps.pop();
                    sweeps.push(longer);
                }
                None => sweeps.push(self.with(&SweepBuilder::default(), need)?),
            }
        }
        Ok(sweeps)
    }

    fn with(&self, sweep: &SweepBuilder, need: &Need) -> Result<SweepBuilder, String> {
        let mut sweep = sweep.clone();
        for &node in &need.nodes {
            let node = &self.graph.nodes[node];
            if !sweep.makes(node.result) {
                sweep.push(self.graph, node)?;
            }
        }
        let sink = need.nodes.last().map(|&sink| self.graph.nodes[sink].result);
        sink.into_iter().for_each(|sink| sweep.keep(sink));
        Ok(sweep)
    }

    /// What a sink is made of within its phase.
    fn need(&self, sink: usize) -> Need {
        let mut seen = HashSet::from([sink]);
        let (mut nodes, mut reads) = (vec![sink], Vec::new());
        let mut stack = vec![sink];
        while let Some(reader) = stack.pop() {
            for &arg in &self.graph.nodes[reader].args {
                match self.maker[arg.index()] {
                    Some(maker) if self.is_together(maker, reader) => {
                        if seen.insert(maker) {
                            nodes.push(maker);
                            stack.push(maker);
                        }
                    }
                    _ => reads.push(arg),
                }
            }
        }
        nodes.sort_unstable();
        reads.sort_unstable();
        reads.dedup();
        Need { nodes, reads }
    }
}

/// A sink with what it is made of.
struct Need {
    /// In order, the sink last.
    nodes: Vec<usize>,
    /// Towers from outside, in order.
    reads: Vec<TowerId>,
}

impl Need {
    /// Sinks that share towers stand side by side: by the first that the graph makes, or the first.
    fn key(&self, maker: &[Option<usize>]) -> (Option<TowerId>, Option<TowerId>) {
        let is_made = |read: &&TowerId| maker[read.index()].is_some();
        let made = self.reads.iter().find(is_made);
        (made.copied(), self.reads.first().copied())
    }
}
