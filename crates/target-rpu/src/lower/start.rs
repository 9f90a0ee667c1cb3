//! Which kernels are started together.
//!
//! A start takes every kernel in order until one needs a move behind another: a tower moved out of
//! a slot before, or one brought into a slot that is in use. What all of them read is brought
//! before the start, what leaves the part is moved out after it. While a program runs the memories
//! take no part in moves: their port refuses them (`hw/rpu/rtl/rpu_axi_port.sv`).

use super::chain::{Chain, Room};
use super::library::{Library, Measured};
use super::residency::{Move, Placement, Slot};
use crate::Config;
use ringwright_ir::ring::Loc;
use ringwright_ir::RunError;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A tower kernel with what it runs on.
pub struct Call {
    /// What runs.
    pub kernel: Arc<Measured>,
    /// Under this prime.
    pub q: u64,
    /// With this scalar operand, where the kernel has one.
    pub scalar: u64,
    /// Slots of operands, result, scratch and table.
    pub slots: Vec<Slot>,
    /// The line of the user's program.
    pub loc: Option<Loc>,
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

/// Groups calls, each with its moves.
pub fn starts(
    config: &Config,
    library: &Library,
    calls: impl Iterator<Item = (Call, Placement)>,
) -> Result<Vec<Start>, RunError> {
    let mut groups: Vec<Group> = Vec::new();
    for (call, placement) in calls {
        let last = groups.last_mut();
        match last.and_then(|group| Some((group.room_for(&call, &placement)?, group))) {
            Some((room, group)) => group.push(room, call, placement),
            None => {
                let room = Room::new(config).after(&call.kernel);
                let mut group = Group::default();
                group.push(room.unwrap_or_default(), call, placement);
                groups.push(group);
            }
        }
    }
    let start = |group: Group| {
        let kernels: Vec<Arc<Measured>> = group.calls.iter().map(|c| c.kernel.clone()).collect();
        Ok(Start {
            chain: library.chain(config, &kernels)?,
            spilled: group.spilled,
            loaded: group.loaded,
            calls: group.calls,
            stored: group.stored,
        })
    };
    groups.into_iter().map(start).collect()
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
    room: Room,
}

impl Group {
    /// The room behind a call if that can join.
    fn room_for(&self, call: &Call, placement: &Placement) -> Option<Room> {
        let early = |each: &Move| {
            let made_here = self
                .stored
                .iter()
                .any(|stored| stored.content == each.content);
            !made_here && !self.used.contains(&each.slot)
        };
        let joins = placement.spilled.is_empty()
            && placement.loaded.iter().all(early)
            && self.stored.iter().all(|each| !call.writes(each.slot));
        match joins {
            true => self.room.after(&call.kernel),
            false => None,
        }
    }

    fn push(&mut self, room: Room, call: Call, placement: Placement) {
        self.room = room;
        self.used.extend(&call.slots);
        self.calls.push(call);
        self.spilled.extend(placement.spilled);
        self.loaded.extend(placement.loaded);
        self.stored.extend(placement.stored);
    }
}

impl Call {
    /// Whether its result or scratch lies in a slot.
    fn writes(&self, slot: Slot) -> bool {
        let kernel = &self.kernel.kernel;
        let written = self.slots.iter().skip(kernel.operation.operands());
        written
            .take(1 + kernel.scratch_slots)
            .any(|&each| each == slot)
    }
}
