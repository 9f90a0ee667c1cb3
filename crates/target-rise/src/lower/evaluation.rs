//! Writes the call of an expression that fits two bank groups.

use super::cut::{Cutter, Placement};
use super::roles::Role;
use crate::core::{Group, Pointwise};
use crate::lowered::{Action, Call, Drawn, Instruction};
use crate::shape::Layout;
use crate::slot::Slot;
use ringwright_ir::RunError;
use ringwright_towers::TowerId;
use std::sync::Arc;

/// A piece of a call that is being written.
enum Piece {
    Tower(TowerId, Group, Layout),
    Instruction(Instruction),
}

impl Cutter<'_, '_> {
    /// Writes the call of a tower whose operands fit.
    pub(super) fn write(&mut self, tower: TowerId, placement: Placement) -> Result<(), RunError> {
        let group = match placement.takes_both {
            true => Group::Bg1,
            false => Group::Bg0,
        };
        let layout = placement.layout.unwrap_or(Layout::InverseIn);
        let first = self.part.instructions.len() as u32;
        self.evaluation(tower, group, layout);
        let slot = self.place(tower);
        let store = Instruction::Store(slot, group, layout);
        self.part.instructions.push(store);
        let call = Call {
            prime: self.primes.position(self.graph.prime(tower))?,
            instructions: first..self.part.instructions.len() as u32,
            origin: self.node(tower).origin,
        };
        self.part.actions.push(Action::Call(call));
        Ok(())
    }

    /// Appends instructions that leave a fitted expression in `group`.
    fn evaluation(&mut self, tower: TowerId, group: Group, layout: Layout) {
        let mut left = vec![Piece::Tower(tower, group, layout)];
        while let Some(piece) = left.pop() {
            match piece {
                Piece::Instruction(instruction) => self.part.instructions.push(instruction),
                Piece::Tower(tower, group, layout) => self.expand(tower, group, layout, &mut left),
            }
        }
    }

    /// The instructions of a tower: its own, behind those of its operands.
    fn expand(&self, tower: TowerId, group: Group, layout: Layout, left: &mut Vec<Piece>) {
        let own = |instruction| Piece::Instruction(instruction);
        if let Some(slot) = self.slot(tower) {
            return left.push(own(Instruction::Load(slot, group, layout)));
        }
        if let Some((slot, drawn)) = self.sampled_sum(tower) {
            return left.push(own(Instruction::LoadSum(slot, drawn, group, layout)));
        }
        match &self.roles[tower.index()] {
            Role::Input | Role::Host => unreachable!("inputs and host results are in memory"),
            Role::Sample(drawn) => {
                left.push(own(Instruction::Sample(drawn.clone(), group, layout)));
            }
            Role::Transform(direction, x) => left.extend([
                own(Instruction::Transform(group, *direction)),
                Piece::Tower(*x, group, direction.layouts().0),
            ]),
            Role::Pointwise(operation, a, b) => {
                // What takes both groups comes first; else what is transformed, so that the other
                // operand is loaded meanwhile.
                let first_is_a = match (self.takes_both(*a), self.takes_both(*b)) {
                    (false, false) => self.transforms(*a) || !self.transforms(*b),
                    (both, _) => both,
                };
                let (first, second) = if first_is_a { (*a, *b) } else { (*b, *a) };
                let (first_group, second_group) = match self.takes_both(first) {
                    true => (Group::Bg1, Group::Bg0),
                    false => (Group::Bg0, Group::Bg1),
                };
                let a_in_bg0 = first_is_a == (first_group == Group::Bg0);
                let operation = match operation {
                    Pointwise::SubFrom0 if !a_in_bg0 => Pointwise::SubFrom1,
                    other => *other,
                };
                left.extend([
                    own(Instruction::Pointwise(operation)),
                    Piece::Tower(second, second_group, layout),
                    Piece::Tower(first, first_group, layout),
                ]);
            }
        }
    }

    /// Memory and sampler whose sum the tower is.
    fn sampled_sum(&self, tower: TowerId) -> Option<(Slot, Arc<Drawn>)> {
        let Role::Pointwise(Pointwise::Add, a, b) = self.roles[tower.index()] else {
            return None;
        };
        let drawn = |x: TowerId| match &self.roles[x.index()] {
            Role::Sample(drawn) if self.slot(x).is_none() => Some(drawn.clone()),
            _ => None,
        };
        let pair = |sample, memory: TowerId| Some((self.slot(memory)?, drawn(sample)?));
        pair(a, b).or_else(|| pair(b, a))
    }

    /// Whether a tower's words are loaded, or drawn, rather than computed.
    pub(super) fn in_memory(&self, tower: TowerId) -> bool {
        self.slot(tower).is_some() || self.sampled_sum(tower).is_some()
    }

    fn takes_both(&self, mut tower: TowerId) -> bool {
        loop {
            match self.roles[tower.index()] {
                _ if self.in_memory(tower) => return false,
                Role::Pointwise(..) => return true,
                Role::Transform(_, x) => tower = x,
                _ => return false,
            }
        }
    }

    fn transforms(&self, tower: TowerId) -> bool {
        self.slot(tower).is_none() && matches!(self.roles[tower.index()], Role::Transform(..))
    }
}
