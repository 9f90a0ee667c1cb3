//! Which kernels are started together.
//!
//! A start is one run of the core, and nothing that its kernels read or write moves meanwhile. So
//! it takes kernels in order until one needs a move behind another: a tower moved out of a slot
//! before, or one brought into a slot that is in use. Where moves run beside the core
//! ([`Starts::Ahead`]) it also ends before a kernel that something is brought for, so that what is
//! before it need not wait for that.

use crate::kernels::chain::{Chain, Room};
use crate::kernels::{Body, Library};
use crate::Config;
use ringwright_ir::RunError;
use ringwright_towers::residency::Content;
use ringwright_towers::{ConstantId, OriginId, TowerId};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Where starts end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starts {
    /// Where they must.
    Together,
    /// Before what is brought, and behind so many kernels.
    Ahead {
        /// Kernels of a start at most.
        kernels: usize,
    },
}

/// Consecutive words of a tower or of a table, and where they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Whose words.
    pub content: Content,
    /// The first of them.
    pub first: usize,
    /// How many; a tower is repeated where that is more than its own.
    pub words: usize,
    /// In the vector data memory.
    pub place: usize,
}

impl Span {
    /// The words of the memory.
    pub fn range(&self) -> Range<usize> {
        self.place..self.place + self.words
    }
}

/// A call with its moves.
pub struct Placed {
    /// What runs.
    pub call: Call,
    /// Moved out before.
    pub spilled: Vec<Span>,
    /// Then moved in.
    pub loaded: Vec<Span>,
    /// Moved out after.
    pub stored: Vec<Span>,
}

/// A program with what it runs on.
pub struct Call {
    /// What runs.
    pub body: Body,
    /// Under these moduli.
    pub moduli: Arc<[u128]>,
    /// With these scalar operands.
    pub scalars: Arc<[Given]>,
    /// Where in the vector data memory operands, results, scratch and table lie.
    pub places: Vec<usize>,
    /// What it reads that other tiles send.
    pub arrivals: Vec<TowerId>,
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
    pub spilled: Vec<Span>,
    /// Then moved in.
    pub loaded: Vec<Span>,
    /// What runs, in order.
    pub calls: Vec<Call>,
    /// That as one program.
    pub chain: Arc<Chain>,
    /// Moved out after.
    pub stored: Vec<Span>,
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
            let scalars = call.scalars.iter().map(|given| given.value(constants));
            let scalars: Vec<u128> = scalars.collect();
            let words = &mut words[link.arguments..];
            call.body
                .write_arguments(words, config, &call.places, &call.moduli, &scalars)?;
        }
        Ok(())
    }
}

/// Groups calls on towers of degree 2^`log_n`. `granule`: words that divide every place.
pub fn starts(
    config: &Config,
    library: &Library,
    log_n: u32,
    granule: usize,
    ends: Starts,
    calls: impl Iterator<Item = Result<Placed, RunError>>,
) -> Result<Vec<Start>, RunError> {
    let room = match ends {
        Starts::Together => Room::new(config, usize::MAX),
        Starts::Ahead { kernels } => Room::new(config, kernels).half(),
    };
    let mut groups = Vec::new();
    let mut group = Group::new(room, granule);
    for placed in calls {
        let placed = placed?;
        let left = match group.room_for(ends, &placed) {
            Some(left) => left,
            None => {
                groups.push(std::mem::replace(&mut group, Group::new(room, granule)));
                room.after(&placed.call.body).unwrap_or_default()
            }
        };
        group.push(left, placed);
    }
    groups.push(group);
    groups.retain(|group| !group.calls.is_empty());
    let bodies: Vec<_> = groups.iter().map(Group::bodies).collect();
    let chains = library.chains(config, log_n, &bodies)?;
    let both = groups.into_iter().zip(chains);
    Ok(both.map(|(group, chain)| group.start(chain)).collect())
}

/// A start while it grows.
#[derive(Default)]
struct Group {
    spilled: Vec<Span>,
    loaded: Vec<Span>,
    calls: Vec<Call>,
    stored: Vec<Span>,
    granule: usize,
    /// Granules that its calls read or write.
    used: BTreeSet<usize>,
    /// What is moved out after it, and from where.
    made: BTreeSet<Content>,
    leaving: BTreeSet<usize>,
    room: Room,
}

impl Group {
    fn new(room: Room, granule: usize) -> Self {
        Group {
            room,
            granule,
            ..Group::default()
        }
    }

    /// The room behind a call if that can join.
    fn room_for(&self, ends: Starts, placed: &Placed) -> Option<Room> {
        let free = |set: &BTreeSet<usize>, range: Range<usize>| {
            granules(self.granule, range).all(|granule| !set.contains(&granule))
        };
        let early =
            |each: &Span| !self.made.contains(&each.content) && free(&self.used, each.range());
        let waits = ends != Starts::Together && !self.calls.is_empty();
        let now = !waits || placed.loaded.is_empty();
        let joins = placed.spilled.is_empty()
            && now
            && placed.loaded.iter().all(early)
            && placed
                .call
                .written()
                .all(|range| free(&self.leaving, range));
        match joins {
            true => self.room.after(&placed.call.body),
            false => None,
        }
    }

    fn bodies(&self) -> Vec<Body> {
        self.calls.iter().map(|call| call.body.clone()).collect()
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

    fn push(&mut self, room: Room, placed: Placed) {
        self.room = room;
        let used = placed.call.ranges();
        let used = used.flat_map(|range| granules(self.granule, range));
        self.used.extend(used);
        self.calls.push(placed.call);
        self.spilled.extend(placed.spilled);
        self.loaded.extend(placed.loaded);
        for each in placed.stored {
            self.made.insert(each.content);
            self.leaving.extend(granules(self.granule, each.range()));
            self.stored.push(each);
        }
    }
}

/// The granules in which words lie.
pub fn granules(granule: usize, words: Range<usize>) -> Range<usize> {
    words.start / granule..words.end.div_ceil(granule)
}

impl Call {
    /// Everything that it reads or writes.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let words = self.body.words();
        self.places.iter().map(move |&place| place..place + words)
    }

    /// Its results and scratch.
    fn written(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let written = self.ranges().skip(self.body.operands());
        written.take(self.body.written())
    }
}
