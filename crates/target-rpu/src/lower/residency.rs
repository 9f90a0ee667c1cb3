//! Which slots of the vector data memory hold what, operation by operation.
//!
//! The order of operations is the ring program's. Before an operation runs, what it reads is moved
//! in where it is not already: towers from off-chip memory, tables. Of the free slots it takes the
//! one that has been idle longest, so that a move into it need not wait for the operations just
//! before. When no slot is free the content goes whose next use is furthest away (Belady, 1966); a
//! tower that was computed and is needed again is moved out first. A result takes the slot of an
//! operand that is not needed any more; with no slot left it takes that of an operand, which is
//! moved out before. Results of the part are moved out as soon as they are made.

use super::graph::NodeId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Position of a slot.
pub type Slot = usize;

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Content {
    /// A tower.
    Tower(NodeId),
    /// Part of a table.
    Table {
        /// Position of the table in its list.
        table: usize,
        /// Which of its slots.
        part: usize,
    },
}

/// A slot's content moved to or from off-chip memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// What is moved.
    pub content: Content,
    /// The slot.
    pub slot: Slot,
}

/// What an operation reads and makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Towers read.
    pub operands: Vec<NodeId>,
    /// The tower made.
    pub result: NodeId,
    /// Whether that leaves the part.
    pub leaves: bool,
    /// The table and how many slots it takes.
    pub table: Option<(usize, usize)>,
    /// Slots that are written and read meanwhile.
    pub scratch: usize,
}

/// Moves and places of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Moved out before.
    pub spilled: Vec<Move>,
    /// Then moved in.
    pub loaded: Vec<Move>,
    /// Slots of operands, result, scratch and table, as the program's arguments.
    pub slots: Vec<Slot>,
    /// Moved out after.
    pub stored: Vec<Move>,
}

/// An operation needs more slots than there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFew {
    /// The operation's position.
    pub operation: usize,
    /// Slots that it needs at once.
    pub needed: usize,
}

/// Places everything.
pub fn place(demands: &[Demand], slots: usize) -> Result<Vec<Placement>, TooFew> {
    let mut planner = Planner::new(demands, slots);
    demands
        .iter()
        .enumerate()
        .map(|(index, demand)| planner.place(index, demand))
        .collect()
}

/// Stands in a slot while an operation scribbles there; no tower has this number.
const SCRATCH: Content = Content::Tower(NodeId::MAX);

struct Planner {
    slots: Vec<Option<Content>>,
    /// Operations up to the last that used each slot.
    used: Vec<usize>,
    places: BTreeMap<Content, Slot>,
    /// Towers that only their slot holds.
    unsaved: BTreeSet<Content>,
    /// Operations that read each content from now on.
    uses: BTreeMap<Content, VecDeque<usize>>,
}

impl Planner {
    fn new(demands: &[Demand], slots: usize) -> Self {
        let mut uses: BTreeMap<Content, VecDeque<usize>> = BTreeMap::new();
        for (index, demand) in demands.iter().enumerate() {
            for content in contents(demand) {
                uses.entry(content).or_default().push_back(index);
            }
        }
        Planner {
            slots: vec![None; slots],
            used: vec![0; slots],
            places: BTreeMap::new(),
            unsaved: BTreeSet::new(),
            uses,
        }
    }

    fn place(&mut self, index: usize, demand: &Demand) -> Result<Placement, TooFew> {
        let mut placement = Placement::default();
        let read = contents(demand);
        let too_few = TooFew {
            operation: index,
            needed: read.len() + demand.scratch + usize::from(demand.operands.is_empty()),
        };
        for &content in &read {
            if !self.places.contains_key(&content) {
                let slot = self.take(&read, &mut placement);
                let slot = slot.ok_or(too_few)?;
                self.hold(slot, content);
                placement.loaded.push(Move { content, slot });
            }
        }
        for &content in &read {
            if let Some(uses) = self.uses.get_mut(&content) {
                uses.pop_front();
            }
        }
        let mut arguments: Vec<Slot> = demand.operands.iter().map(|&x| self.at(x)).collect();
        let result = Content::Tower(demand.result);
        let scratch = self.scratch(demand, &read, &mut placement);
        let scratch = scratch.ok_or(too_few)?;
        let slot = self.slot_of_result(demand, &read, &mut placement);
        let slot = slot.ok_or(too_few)?;
        arguments.push(slot);
        arguments.extend(&scratch);
        arguments.extend(read.iter().filter_map(|content| match content {
            Content::Table { .. } => Some(self.places[content]),
            Content::Tower(_) => None,
        }));
        for &content in &read {
            self.drop_if_done(content);
        }
        self.release(&scratch);
        self.hold(slot, result);
        if demand.leaves {
            placement.stored.push(Move {
                content: result,
                slot,
            });
        } else {
            self.unsaved.insert(result);
        }
        self.drop_if_done(result);
        for &slot in &arguments {
            self.used[slot] = index + 1;
        }
        placement.slots = arguments;
        Ok(placement)
    }

    fn at(&self, node: NodeId) -> Slot {
        self.places[&Content::Tower(node)]
    }

    fn hold(&mut self, slot: Slot, content: Content) {
        if let Some(before) = self.slots[slot].replace(content) {
            self.places.remove(&before);
            self.unsaved.remove(&before);
        }
        self.places.insert(content, slot);
    }

    fn is_done(&self, content: Content) -> bool {
        self.uses.get(&content).is_none_or(VecDeque::is_empty)
    }

    fn drop_if_done(&mut self, content: Content) {
        if self.is_done(content) {
            if let Some(slot) = self.places.remove(&content) {
                self.slots[slot] = None;
                self.unsaved.remove(&content);
            }
        }
    }

    /// That of an operand that nothing reads any more, or one taken.
    fn slot_of_result(
        &mut self,
        demand: &Demand,
        read: &[Content],
        placement: &mut Placement,
    ) -> Option<Slot> {
        let mut operands = demand.operands.iter().map(|&x| Content::Tower(x));
        match operands.find(|&operand| self.is_done(operand)) {
            Some(operand) => self.places.get(&operand).copied(),
            None => self
                .take(read, placement)
                .or_else(|| self.overwrite(demand, placement)),
        }
    }

    /// The slot of an operand that is needed again: it is moved out, and back in later.
    fn overwrite(&mut self, demand: &Demand, placement: &mut Placement) -> Option<Slot> {
        let content = Content::Tower(*demand.operands.first()?);
        let slot = *self.places.get(&content)?;
        if self.unsaved.remove(&content) {
            placement.spilled.push(Move { content, slot });
        }
        Some(slot)
    }

    /// Emptied slots, which nothing else takes until they are released.
    fn scratch(
        &mut self,
        demand: &Demand,
        read: &[Content],
        placement: &mut Placement,
    ) -> Option<Vec<Slot>> {
        let mut slots = Vec::new();
        for _ in 0..demand.scratch {
            let slot = self.take(read, placement)?;
            self.slots[slot] = Some(SCRATCH);
            slots.push(slot);
        }
        Some(slots)
    }

    fn release(&mut self, scratch: &[Slot]) {
        for &slot in scratch {
            self.slots[slot] = None;
        }
    }

    /// A slot whose content is not among `kept`, emptied.
    fn take(&mut self, kept: &[Content], placement: &mut Placement) -> Option<Slot> {
        let free = (0..self.slots.len()).filter(|&slot| self.slots[slot].is_none());
        if let Some(slot) = free.min_by_key(|&slot| self.used[slot]) {
            return Some(slot);
        }
        let next_use = |content: &Content| self.uses.get(content).and_then(|uses| uses.front());
        let held = self
            .places
            .iter()
            .filter(|(content, _)| !kept.contains(content));
        let (&content, &slot) = held.max_by_key(|(content, _)| next_use(content))?;
        if self.unsaved.contains(&content) {
            placement.spilled.push(Move { content, slot });
        }
        self.slots[slot] = None;
        self.places.remove(&content);
        self.unsaved.remove(&content);
        Some(slot)
    }
}

/// What an operation reads, each once: towers, then table.
fn contents(demand: &Demand) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::new();
    for &operand in &demand.operands {
        let content = Content::Tower(operand);
        if !contents.contains(&content) {
            contents.push(content);
        }
    }
    if let Some((table, parts)) = demand.table {
        contents.extend((0..parts).map(|part| Content::Table { table, part }));
    }
    contents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(operands: &[NodeId], result: NodeId, leaves: bool) -> Demand {
        Demand {
            operands: operands.to_vec(),
            result,
            leaves,
            table: None,
            scratch: 0,
        }
    }

    /// Follows the moves and checks that every operation finds what it reads.
    fn follow(demands: &[Demand], slots: usize) -> (usize, usize) {
        let mut held: Vec<Option<Content>> = vec![None; slots];
        let mut saved: BTreeSet<Content> = (0..4).map(Content::Tower).collect();
        let (mut in_moves, mut out_moves) = (0, 0);
        for (demand, placement) in demands.iter().zip(place(demands, slots).unwrap()) {
            for each in &placement.spilled {
                assert_eq!(held[each.slot], Some(each.content));
                saved.insert(each.content);
            }
            for each in &placement.loaded {
                assert!(saved.contains(&each.content), "{:?} was lost", each.content);
                held[each.slot] = Some(each.content);
            }
            for (&operand, &slot) in demand.operands.iter().zip(&placement.slots) {
                assert_eq!(held[slot], Some(Content::Tower(operand)));
            }
            let result = placement.slots[demand.operands.len()];
            held[result] = Some(Content::Tower(demand.result));
            for each in &placement.stored {
                assert_eq!(held[each.slot], Some(each.content));
            }
            in_moves += placement.loaded.len();
            out_moves += placement.spilled.len() + placement.stored.len();
        }
        (in_moves, out_moves)
    }

    /// Towers 0 to 3 come from outside.
    fn example() -> Vec<Demand> {
        vec![
            demand(&[0, 1], 4, false),
            demand(&[2, 3], 5, false),
            demand(&[4, 0], 6, false),
            demand(&[5, 1], 7, false),
            demand(&[6, 7], 8, true),
            demand(&[8, 8], 9, true),
        ]
    }

    #[test]
    fn with_room_every_tower_moves_once() {
        assert_eq!(follow(&example(), 8), (4, 2));
    }

    #[test]
    fn without_room_towers_are_moved_out_and_back() {
        let (loaded, stored) = follow(&example(), 3);
        assert!(loaded > 4 && stored > 2);
        let (reloaded, saved) = follow(&example(), 2);
        assert!(reloaded > loaded && saved > stored);
    }

    #[test]
    fn scratch_holds_nothing_else() {
        let mut demands = example();
        demands[2].scratch = 1;
        follow(&demands, 4);
        for placement in place(&demands, 4).unwrap() {
            let mut slots = placement.slots.clone();
            slots.sort_unstable();
            slots.dedup();
            // Two operands, and for the third operation scratch; the result may lie in an operand's.
            assert!(slots.len() <= 3);
        }
        assert_eq!(place(&demands, 4).unwrap()[2].slots.len(), 4);
        let refused = place(&demands, 2).unwrap_err();
        assert_eq!((refused.operation, refused.needed), (2, 3));
    }

    #[test]
    fn an_operation_that_cannot_fit_is_named() {
        let refused = place(&example(), 1).unwrap_err();
        assert_eq!((refused.operation, refused.needed), (0, 2));
    }
}
