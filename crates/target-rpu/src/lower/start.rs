//! Which kernels are started together.
//!
//! A start takes every kernel in order until one needs a move behind another: a tower moved out of
//! a slot before, or one brought into a slot that is in use. What all of them read is brought
//! before the start, what leaves the part is moved out after it. While a program runs the memories
//! take no part in moves: their port refuses them (`hw/rpu/rtl/rpu_axi_port.sv`).

use crate::kernels::arguments::{write_arguments, Arguments};
use crate::kernels::chain::{Chain, Room};
use crate::kernels::{Library, Measured};
use crate::Config;
use ringwright_ir::RunError;
use ringwright_towers::residency::{Content, Move, Placement, Slot};
use ringwright_towers::{ConstantId, OriginId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A tower kernel with what it runs on.
pub struct Call {
    /// What runs.
    pub kernel: Arc<Measured>,
    /// Under this modulus.
    pub q: u128,
    /// With this scalar operand, where the kernel has one.
    pub given: Given,
    /// Slots of operands, result, scratch and table.
    pub slots: Vec<Slot>,
    /// Which operation of the program it comes from.
    pub origin: OriginId,
}

/// A scalar operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Given {
    /// The same whoever calls the part.
    Value(u128),
    /// A constant of the part's caller.
    Constant(ConstantId),
}

impl Given {
    /// Its value in a call with these constants.
    pub fn value(self, constants: &[u128]) -> u128 {
        match self {
            Given::Value(value) => value,
            Given::Constant(id) => constants[id.0 as usize],
        }
    }
}

/// One start of the core.
pub struct Start {
    /// Moved out before.
    pub spilled: Vec<Move>,
    /// Then moved in.
    pub loaded: Vec<Move>,
    /// What runs, in order.
    pub calls: Vec<Call>,
    /// That as one program.
    pub chain: Arc<Chain>,
    /// Moved out after.
    pub stored: Vec<Move>,
}

impl Start {
    /// Writes the arguments of its calls, for a caller with these constants, into scalar data memory.
    pub fn write_arguments(
        &self,
        words: &mut [u128],
        config: &Config,
        constants: &[u128],
    ) -> Result<(), RunError> {
        for (call, link) in self.calls.iter().zip(&self.chain.links) {
            let arguments = Arguments {
                q: call.q,
                scalar: call.given.value(constants),
                slots: &call.slots,
            };
            let words = &mut words[link.arguments..];
            write_arguments(words, config, &call.kernel.kernel, arguments)
                .map_err(RunError::Invalid)?;
        }
        Ok(())
    }
}

/// Groups calls, each with its moves.
pub fn starts(
    config: &Config,
    library: &Library,
    calls: impl Iterator<Item = Result<(Call, Placement), RunError>>,
) -> Result<Vec<Start>, RunError> {
    let mut groups = Vec::new();
    let mut group = Group::default();
    for placed in calls {
        let (mut call, mut placement) = placed?;
        call.slots = std::mem::take(&mut placement.slots);
        let room = match group.room_for(&call, &placement) {
            Some(room) => room,
            None => {
                groups.push(std::mem::take(&mut group));
                Room::new(config).after(&call.kernel).unwrap_or_default()
            }
        };
        group.push(room, call, placement);
    }
    groups.push(group);
    groups.retain(|group| !group.calls.is_empty());
    let kernels: Vec<_> = groups.iter().map(Group::kernels).collect();
    let chains = library.chains(config, &kernels)?;
    let both = groups.into_iter().zip(chains);
    Ok(both.map(|(group, chain)| group.start(chain)).collect())
}

/// A start while it grows.
#[derive(Default)]
struct Group {
    spilled: Vec<Move>,
    loaded: Vec<Move>,
    calls: Vec<Call>,
    stored: Vec<Move>,
    /// Slots that its calls read or write.
    used: BTreeSet<Slot>,
    /// What is moved out after it, and from where.
    made: BTreeSet<Content>,
    leaving: BTreeSet<Slot>,
    room: Room,
}

impl Group {
    /// The room behind a call if that can join.
    fn room_for(&self, call: &Call, placement: &Placement) -> Option<Room> {
        let early =
            |each: &Move| !self.made.contains(&each.content) && !self.used.contains(&each.slot);
        let joins = placement.spilled.is_empty()
            && placement.loaded.iter().all(early)
            && call.written().all(|slot| !self.leaving.contains(&slot));
        match joins {
            true => self.room.after(&call.kernel),
            false => None,
        }
    }

    fn kernels(&self) -> Vec<Arc<Measured>> {
        self.calls.iter().map(|call| call.kernel.clone()).collect()
    }

    fn start(self, chain: Arc<Chain>) -> Start {
        Start {
            chain,
            spilled: self.spilled,
            loaded: self.loaded,
            calls: self.calls,
            stored: self.stored,
        }
    }

    fn push(&mut self, room: Room, call: Call, placement: Placement) {
        self.room = room;
        self.used.extend(&call.slots);
        self.calls.push(call);
        self.spilled.extend(placement.spilled);
        self.loaded.extend(placement.loaded);
        for each in placement.stored {
            self.made.insert(each.content);
            self.leaving.insert(each.slot);
            self.stored.push(each);
        }
    }
}

impl Call {
    /// The slots that its result and scratch lie in.
    fn written(&self) -> impl Iterator<Item = Slot> + '_ {
        let kernel = &self.kernel.kernel;
        let written = self.slots.iter().skip(kernel.operation.operands());
        written.take(1 + kernel.scratch_slots).copied()
    }
}
