//! Buffers of one strand: its locals, and the frame slots that it alone touches in its stage.

use super::frame::{Frame, Home};
use super::graph::{Node, TowerId};
use crate::plan::{Place, Strand, TowerOp};
use std::collections::BTreeMap;

/// Plans one strand, operation by operation.
pub(super) struct StrandPlanner<'f, 'g> {
    frame: &'f mut Frame<'g>,
    step: usize,
    strand: usize,
    /// Position of the last operation of this strand that reads a tower.
    last_read: BTreeMap<TowerId, usize>,
    writes: Vec<usize>,
    /// Frame slots whose towers died in this strand.
    free_slots: Vec<usize>,
    free_locals: Vec<usize>,
    locals: usize,
    ops: Vec<TowerOp<Place>>,
}

impl<'f, 'g> StrandPlanner<'f, 'g> {
    pub(super) fn new(
        frame: &'f mut Frame<'g>,
        step: usize,
        strand: usize,
        nodes: &[usize],
    ) -> Self {
        let mut last_read = BTreeMap::new();
        for (position, &node) in nodes.iter().enumerate() {
            last_read.extend(
                frame.graph.nodes[node]
                    .args()
                    .iter()
                    .map(|&arg| (arg, position)),
            );
        }
        StrandPlanner {
            frame,
            step,
            strand,
            last_read,
            writes: Vec::new(),
            free_slots: Vec::new(),
            free_locals: Vec::new(),
            locals: 0,
            ops: Vec::new(),
        }
    }

    /// Plans the operation of one node.
    pub(super) fn op(&mut self, position: usize, node: usize) {
        let graph = self.frame.graph;
        let Node::Op(op) = &graph.nodes[node] else {
            unreachable!("calls are steps of their own")
        };
        let mut args: Vec<Place> = op.args.iter().map(|&arg| self.frame.place(arg)).collect();
        let mut dying: Vec<TowerId> = op.args.clone();
        dying.sort_unstable();
        dying.dedup();
        dying.retain(|&arg| self.dies(arg, position));
        let shared = self.shared_operand(op, &dying);
        let dst = self.define(op.dst, shared.map(|i| op.args[i]));
        if let Some(i) = shared {
            dying.retain(|&arg| arg != op.args[i]);
            if i == 1 && args.len() == 2 {
                args.swap(0, 1);
            }
        }
        self.ops.push(TowerOp {
            prime: op.prime,
            kind: op.kind.clone(),
            args,
            dst,
        });
        dying.into_iter().for_each(|tower| self.release(tower));
    }

    /// The finished strand.
    pub(super) fn finish(mut self) -> Strand {
        self.writes.sort_unstable();
        self.writes.dedup();
        let writes = self.writes;
        let own = |place: &mut Place| {
            if let Place::Shared(slot) = *place {
                *place = writes
                    .binary_search(&slot)
                    .map_or(Place::Shared(slot), Place::Own);
            }
        };
        for op in &mut self.ops {
            op.args.iter_mut().for_each(own);
            own(&mut op.dst);
        }
        Strand {
            writes,
            locals: self.locals,
            ops: self.ops,
        }
    }

    /// Whether a tower's buffer may be taken by this strand after the operation at `position`.
    fn dies(&self, tower: TowerId, position: usize) -> bool {
        if self.last_read.get(&tower) != Some(&position) {
            return false;
        }
        let life = &self.frame.lives.of[tower.index()];
        match self.frame.home[tower.index()] {
            Home::Local(_) => true,
            Home::Frame(_) => {
                life.last == self.step
                    && life.last_strand == Some(self.strand)
                    && self.frame.temporary(tower).is_some()
            }
            Home::Param(_) | Home::Open => false,
        }
    }

    /// The operand whose buffer the result takes over.
    fn shared_operand(&self, op: &TowerOp<TowerId>, dying: &[TowerId]) -> Option<usize> {
        if self.frame.home[op.dst.index()] != Home::Open {
            return None;
        }
        let crosses = self.frame.lives.of[op.dst.index()].crosses;
        let fits = |&i: &usize| {
            let arg = op.args[i];
            let once = op.args.iter().filter(|&&a| a == arg).count() == 1;
            let frame = matches!(self.frame.home[arg.index()], Home::Frame(_));
            once && dying.contains(&arg) && frame == crosses
        };
        op.kind.in_place_operands(op.args.len()).find(fits)
    }

    /// The place of a result, which takes over the buffer of `shared` if there is one.
    fn define(&mut self, tower: TowerId, shared: Option<TowerId>) -> Place {
        let home = match (self.frame.home[tower.index()], shared) {
            (Home::Open, Some(shared)) => self.frame.home[shared.index()],
            (Home::Open, None) if self.frame.lives.of[tower.index()].crosses => {
                Home::Frame(self.free_slots.pop().unwrap_or_else(|| self.frame.take()))
            }
            (Home::Open, None) => Home::Local(self.take_local()),
            (chosen, _) => chosen,
        };
        self.frame.home[tower.index()] = home;
        if let Home::Frame(slot) = home {
            self.frame.give(slot, tower);
            self.writes.push(slot);
        }
        self.frame.place(tower)
    }

    fn take_local(&mut self) -> usize {
        self.free_locals.pop().unwrap_or_else(|| {
            self.locals += 1;
            self.locals - 1
        })
    }

    fn release(&mut self, tower: TowerId) {
        match self.frame.home[tower.index()] {
            Home::Local(local) => self.free_locals.push(local),
            Home::Frame(slot) => self.free_slots.push(slot),
            Home::Param(_) | Home::Open => {}
        }
    }
}
