//! The frame slots of one function, and where each of its towers lives.

use super::graph::{Graph, TowerId};
use super::lives::Lives;
use crate::plan::{Place, Return};

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
    pub(super) holder: Vec<Option<TowerId>>,
    /// Temporaries that nobody holds.
    free: Vec<usize>,
    pub(super) results: usize,
}

impl<'a> Frame<'a> {
    pub(super) fn new(graph: &'a Graph, lives: Lives) -> Self {
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

    /// The frame slot of a tower that is being defined.
    pub(super) fn define(&mut self, tower: TowerId) -> usize {
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
    pub(super) fn end_step(&mut self, step: usize) {
        for tower in std::mem::take(&mut self.lives.ends[step]) {
            if let Some(slot) = self.temporary(tower) {
                if self.holder[slot] == Some(tower) {
                    self.free.push(slot);
                }
            }
        }
    }

    pub(super) fn returned(&self, tower: TowerId) -> Return {
        match self.home[tower.index()] {
            Home::Param(param) => Return::Param(param),
            Home::Frame(slot) => Return::Slot(slot),
            Home::Local(_) | Home::Open => unreachable!("returned towers have result slots"),
        }
    }
}
