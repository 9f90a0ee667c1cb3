//! Which slots of a device's memory hold what, operation by operation: for any device that works on
//! towers in a local memory of n slots, beside a larger one.
//!
//! The order of operations is the program's. Before an operation runs, what it reads is moved
//! in where it is not already: towers from the larger memory, tables. Of the free slots it takes the
//! one that has been idle longest, so that a move into it need not wait for the operations just
//! before. Towers that somebody else writes into slots ([`place_beside`]) keep theirs until they have been
//! read for the last time. When no slot is free the content goes whose next use is furthest away (Belady, 1966); a
//! tower that was computed and is needed again is moved out first. A result takes the slot of an
//! operand that is not needed any more; with no slot left it takes that of an operand, which is
//! moved out before. Results of the kernel are moved out as soon as they are made.
//!
//! Free slots and contents are kept in the order in which they are asked for, so that an operation
//! takes time in what it reads and in the logarithm of the slots.

use crate::graph::TowerId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Position of a slot.
pub type Slot = usize;

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Content {
    /// A tower.
    Tower(TowerId),
    /// Part of a table.
    Table {
        /// Position of the table in its list.
        table: usize,
        /// Which of its slots.
        part: usize,
    },
}

/// A slot's content moved to or from the larger memory.
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
    pub operands: Vec<TowerId>,
    /// Towers made.
    pub results: Vec<Made>,
    /// The table and how many slots it takes.
    pub table: Option<(usize, usize)>,
    /// Slots that are written and read meanwhile.
    pub scratch: usize,
}

/// A tower that an operation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The tower.
    pub tower: TowerId,
    /// Whether it leaves the kernel.
    pub leaves: bool,
}

/// Moves and places of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Moved out before.
    pub spilled: Vec<Move>,
    /// Then moved in.
    pub loaded: Vec<Move>,
    /// Slots of operands, results, scratch and table, as the program's arguments.
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

/// Places one operation after the other; what comes after one that does not fit means nothing.
pub fn place(
    demands: &[Demand],
    slots: usize,
) -> impl Iterator<Item = Result<Placement, TooFew>> + '_ {
    place_beside(demands, slots, &[])
}

/// A tower that somebody else writes into a slot before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The tower.
    pub tower: TowerId,
    /// The slot. It is taken from the beginning; several towers may land there, each once the one before
    /// has been read for the last time, in the order given.
    pub slot: Slot,
}

/// The same beside towers that land, which are not moved in, and out neither. They take the first slots;
/// where there are not so many, no operation fits.
pub fn place_beside<'a>(
    demands: &'a [Demand],
    slots: usize,
    landings: &[Landing],
) -> impl Iterator<Item = Result<Placement, TooFew>> + 'a {
    let taken = landings.iter().map(|each| each.slot + 1).max().unwrap_or(0);
    let mut planner = Planner::new(slots.max(taken), taken, landings);
    let crowded = taken > slots;
    let reads = Reads::of(demands);
    let mut offset = 0;
    demands.iter().enumerate().map(move |(index, demand)| {
        let read = contents(demand);
        let following = &reads.following[offset..][..read.len()];
        offset += read.len();
        if crowded {
            let (operation, needed) = (index, planner.slots.len());
            return Err(TooFew { operation, needed });
        }
        planner.place(index, demand, &read, following, &reads.of_results[index])
    })
}

/// When contents are read next.
struct Reads {
    /// Of everything that each operation reads, one behind the other: the next operation that reads
    /// it.
    following: Vec<Option<usize>>,
    /// Of each operation's results: the first operation that reads them.
    of_results: Vec<Vec<Option<usize>>>,
}

impl Reads {
    /// From the last operation to the first.
    fn of(demands: &[Demand]) -> Self {
        let mut next: FxHashMap<Content, usize> = FxHashMap::default();
        let mut of_results = vec![Vec::new(); demands.len()];
        let mut following = Vec::new();
        for (index, demand) in demands.iter().enumerate().rev() {
            let results = demand.results.iter();
            let first = results.map(|made| next.get(&Content::Tower(made.tower)).copied());
            of_results[index] = first.collect();
            let read = contents(demand).into_iter().rev();
            following.extend(read.map(|content| next.insert(content, index)));
        }
        following.reverse();
        Reads {
            following,
            of_results,
        }
    }
}

/// Stands in a slot while an operation scribbles there; no tower has this number.
const SCRATCH: Content = Content::Tower(TowerId(u32::MAX));

/// What is known of a content in a slot.
#[derive(Clone, Copy)]
struct Place {
    slot: Slot,
    /// The next operation that reads it.
    next: Option<usize>,
    /// Whether only the slot holds it.
    unsaved: bool,
}

struct Planner {
    slots: Vec<Option<Content>>,
    /// Operations up to the last that used each slot.
    used: Vec<usize>,
    /// Slots that hold nothing, the longest idle first.
    free: BTreeSet<(usize, Slot)>,
    places: BTreeMap<Content, Place>,
    /// What has a place and may lose it, what is read last at the end.
    by_next: BTreeSet<(Option<usize>, Content)>,
    /// What keeps its place while it is read.
    pinned: BTreeSet<Content>,
    /// What lands in a slot when what is there has been read, the next at the end.
    coming: FxHashMap<Slot, Vec<Content>>,
}

impl Planner {
    /// The first `taken` slots are for what lands.
    fn new(slots: usize, taken: usize, landings: &[Landing]) -> Self {
        let mut planner = Planner {
            slots: vec![None; slots],
            used: vec![0; slots],
            free: (taken..slots).map(|slot| (0, slot)).collect(),
            places: BTreeMap::new(),
            by_next: BTreeSet::new(),
            pinned: BTreeSet::new(),
            coming: FxHashMap::default(),
        };
        for landing in landings.iter().rev() {
            let content = Content::Tower(landing.tower);
            planner.pinned.insert(content);
            planner
                .coming
                .entry(landing.slot)
                .or_default()
                .push(content);
        }
        (0..taken).for_each(|slot| planner.empty(slot));
        planner
    }

    /// `following`: parallel to `read`; `of_results`: the first operations that read the results.
    fn place(
        &mut self,
        index: usize,
        demand: &Demand,
        read: &[Content],
        following: &[Option<usize>],
        of_results: &[Option<usize>],
    ) -> Result<Placement, TooFew> {
        let mut placement = Placement::default();
        let too_few = TooFew {
            operation: index,
            needed: read.len()
                + demand.scratch
                + demand.results.len().saturating_sub(demand.operands.len()),
        };
        for &content in read {
            if !self.places.contains_key(&content) {
                let slot = self.take(read, &mut placement);
                let slot = slot.ok_or(too_few)?;
                let (next, unsaved) = (Some(index), false);
                self.hold(
                    content,
                    Place {
                        slot,
                        next,
                        unsaved,
                    },
                );
                placement.loaded.push(Move { content, slot });
            }
        }
        for (&content, &next) in read.iter().zip(following) {
            self.read_next(content, next);
        }
        let mut arguments: Vec<Slot> = demand.operands.iter().map(|&x| self.at(x)).collect();
        let scratch = self.scratch(demand, read, &mut placement);
        let scratch = scratch.ok_or(too_few)?;
        let slots = self.slots_of_results(demand, read, &mut placement);
        let slots = slots.ok_or(too_few)?;
        arguments.extend(&slots);
        arguments.extend(&scratch);
        arguments.extend(read.iter().filter_map(|content| match content {
            Content::Table { .. } => Some(self.places[content].slot),
            Content::Tower(_) => None,
        }));
        for &content in read {
            self.drop_if_done(content);
        }
        scratch.iter().for_each(|&slot| self.empty(slot));
        for ((made, slot), &next) in demand.results.iter().zip(slots).zip(of_results) {
            let content = Content::Tower(made.tower);
            let unsaved = !made.leaves;
            self.hold(
                content,
                Place {
                    slot,
                    next,
                    unsaved,
                },
            );
            if made.leaves {
                placement.stored.push(Move { content, slot });
            }
        }
        for made in &demand.results {
            self.drop_if_done(Content::Tower(made.tower));
        }
        for &slot in &arguments {
            self.touch(slot, index + 1);
        }
        placement.slots = arguments;
        Ok(placement)
    }

    fn at(&self, node: TowerId) -> Slot {
        self.places[&Content::Tower(node)].slot
    }

    fn hold(&mut self, content: Content, place: Place) {
        self.free.remove(&(self.used[place.slot], place.slot));
        if let Some(before) = self.slots[place.slot].replace(content) {
            self.forget(before);
        }
        self.places.insert(content, place);
        self.by_next.insert((place.next, content));
    }

    /// The content has no place any more; its slot is the caller's business.
    fn forget(&mut self, content: Content) -> Option<Place> {
        let place = self.places.remove(&content)?;
        self.by_next.remove(&(place.next, content));
        Some(place)
    }

    /// Frees a slot for what lands there next, or for anything.
    fn empty(&mut self, slot: Slot) {
        let next = self.coming.get_mut(&slot).and_then(Vec::pop);
        self.slots[slot] = next;
        match next {
            Some(content) => {
                let place = Place {
                    slot,
                    next: Some(0),
                    unsaved: false,
                };
                self.places.insert(content, place);
            }
            None => {
                self.free.insert((self.used[slot], slot));
            }
        }
    }

    /// Whether a content's slot is another one's once it has been read for the last time.
    fn is_awaited(&self, content: Content) -> bool {
        let coming = self.coming.get(&self.places[&content].slot);
        coming.is_some_and(|coming| !coming.is_empty())
    }

    /// Operations up to `used` have used the slot.
    fn touch(&mut self, slot: Slot, used: usize) {
        if self.free.remove(&(self.used[slot], slot)) {
            self.free.insert((used, slot));
        }
        self.used[slot] = used;
    }

    fn read_next(&mut self, content: Content, next: Option<usize>) {
        if let Some(place) = self.places.get_mut(&content) {
            self.by_next.remove(&(place.next, content));
            place.next = next;
            if !self.pinned.contains(&content) {
                self.by_next.insert((next, content));
            }
        }
    }

    fn is_done(&self, content: Content) -> bool {
        let place = self.places.get(&content);
        place.is_none_or(|place| place.next.is_none())
    }

    fn drop_if_done(&mut self, content: Content) {
        if self.is_done(content) {
            if let Some(place) = self.forget(content) {
                self.empty(place.slot);
            }
        }
    }

    /// For each result that of an operand that nothing reads any more, or one taken.
    fn slots_of_results(
        &mut self,
        demand: &Demand,
        read: &[Content],
        placement: &mut Placement,
    ) -> Option<Vec<Slot>> {
        let mut slots: Vec<Slot> = Vec::new();
        for _ in &demand.results {
            let mut operands = demand.operands.iter().map(|&x| Content::Tower(x));
            let done = operands.find(|&operand| {
                self.is_done(operand)
                    && !self.is_awaited(operand)
                    && !slots.contains(&self.places[&operand].slot)
            });
            let slot = match done {
                Some(operand) => self.places[&operand].slot,
                None => match self.take(read, placement) {
                    Some(slot) => self.reserve(slot),
                    None => self.overwrite(demand, &slots, placement)?,
                },
            };
            slots.push(slot);
        }
        Some(slots)
    }

    /// The slot of an operand that is needed again: it is moved out, and back in later.
    fn overwrite(
        &mut self,
        demand: &Demand,
        claimed: &[Slot],
        placement: &mut Placement,
    ) -> Option<Slot> {
        let operands = demand.operands.iter().map(|&x| Content::Tower(x));
        let mut free = operands.filter(|operand| {
            !claimed.contains(&self.places[operand].slot) && !self.pinned.contains(operand)
        });
        let content = free.next()?;
        let place = self.places.get_mut(&content)?;
        let slot = place.slot;
        if std::mem::take(&mut place.unsaved) {
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
            slots.push(self.reserve(slot));
        }
        Some(slots)
    }

    /// Keeps an empty slot from being taken.
    fn reserve(&mut self, slot: Slot) -> Slot {
        self.free.remove(&(self.used[slot], slot));
        self.slots[slot] = Some(SCRATCH);
        slot
    }

    /// A slot whose content is not among `kept`, emptied. Few are kept, so the search is short.
    fn take(&mut self, kept: &[Content], placement: &mut Placement) -> Option<Slot> {
        if let Some(&(_, slot)) = self.free.first() {
            return Some(slot);
        }
        let mut held = self.by_next.iter().rev().map(|&(_, content)| content);
        let content = held.find(|content| !kept.contains(content))?;
        let Place { slot, unsaved, .. } = self.forget(content)?;
        if unsaved {
            placement.spilled.push(Move { content, slot });
        }
        self.empty(slot);
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

    fn demand(operands: &[u32], result: u32, leaves: bool) -> Demand {
        Demand {
            operands: operands.iter().copied().map(TowerId).collect(),
            results: vec![Made {
                tower: TowerId(result),
                leaves,
            }],
            table: None,
            scratch: 0,
        }
    }

    fn placed(demands: &[Demand], slots: usize) -> Result<Vec<Placement>, TooFew> {
        place(demands, slots).collect()
    }

    /// Follows the moves and checks that every operation finds what it reads.
    fn follow(demands: &[Demand], slots: usize) -> (usize, usize) {
        let mut held: Vec<Option<Content>> = vec![None; slots];
        let mut saved: BTreeSet<Content> = (0..4).map(TowerId).map(Content::Tower).collect();
        let (mut in_moves, mut out_moves) = (0, 0);
        for (demand, placement) in demands.iter().zip(placed(demands, slots).unwrap()) {
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
            let slots = &placement.slots[demand.operands.len()..];
            for (made, &slot) in demand.results.iter().zip(slots) {
                held[slot] = Some(Content::Tower(made.tower));
            }
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
        for placement in placed(&demands, 4).unwrap() {
            let mut slots = placement.slots.clone();
            slots.sort_unstable();
            slots.dedup();
            // Two operands, and for the third operation scratch; the result may lie in an operand's.
            assert!(slots.len() <= 3);
        }
        assert_eq!(placed(&demands, 4).unwrap()[2].slots.len(), 4);
        let refused = placed(&demands, 2).unwrap_err();
        assert_eq!((refused.operation, refused.needed), (2, 3));
    }

    #[test]
    fn an_operation_that_cannot_fit_is_named() {
        let refused = placed(&example(), 1).unwrap_err();
        assert_eq!((refused.operation, refused.needed), (0, 2));
    }

    /// Tower 10 and then 11 land in slot 0, 12 in slot 1.
    #[test]
    fn what_lands_has_its_slot_until_it_has_been_read() {
        let landing = |tower, slot| Landing {
            tower: TowerId(tower),
            slot,
        };
        let landings = [landing(10, 0), landing(12, 1), landing(11, 0)];
        let demands = [
            demand(&[10, 12], 20, false),
            demand(&[20, 0], 21, false),
            demand(&[10, 21], 22, false),
            demand(&[11, 22], 23, false),
            demand(&[23, 12], 24, true),
        ];
        let placed = place_beside(&demands, 4, &landings);
        let placed: Vec<Placement> = placed.collect::<Result<_, _>>().expect("room");
        let slot = |at: usize, operand: usize| placed[at].slots[operand];
        assert_eq!([slot(0, 0), slot(2, 0), slot(3, 0)], [0; 3]);
        assert_eq!([slot(0, 1), slot(4, 1)], [1; 2]);
        let moved = placed
            .iter()
            .flat_map(|each| each.loaded.iter().chain(&each.spilled));
        let moved: Vec<Content> = moved.map(|each| each.content).collect();
        assert_eq!(moved, [Content::Tower(TowerId(0))]);
        // Nothing that is made takes a slot before all that lands there has been read.
        let made = |at: usize| placed[at].slots[demands[at].operands.len()];
        assert!((0..3).all(|at| made(at) > 1));
        assert!((0..4).all(|at| made(at) != 1));
        let few: Result<Vec<_>, _> = place_beside(&demands, 1, &landings).collect();
        assert_eq!(few.expect_err("two slots are taken").needed, 2);
    }
}
