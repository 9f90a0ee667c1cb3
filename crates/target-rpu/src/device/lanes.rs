//! Tiles that do the same part for different callers, in step; one alone is the usual case.
//!
//! A tile brings its list of commands, a part at a time, and works through it: lists of moves, runs of the
//! core, each waiting for what it says. A list of moves takes the time that the memory needs to find its
//! first word and then that of its bytes; two lists of a tile are under way at once. Tiles share memory and
//! port; what all of them want is brought once, to all.

use super::writer::{name, At, Writer};
use crate::lower::commands::{Item, Moved, What};
use crate::lower::part::Part;
use crate::lower::queues::LISTS_IN_FLIGHT;
use ringwright_towers::residency::Content;
use ringwright_towers::{OriginId, TowerId};
use std::collections::BTreeSet;

/// A tile that does a whole part.
pub struct Lane<'a> {
    /// Where it works.
    pub at: At<'a>,
    /// The step behind which commands are there.
    brought: usize,
    /// The last steps of the lists of moves and of the runs so far.
    moved: Vec<usize>,
    ran: Vec<usize>,
}

impl<'a> Lane<'a> {
    /// Which has nothing done yet.
    pub fn new(at: At<'a>) -> Self {
        Lane {
            at,
            brought: 0,
            moved: Vec::new(),
            ran: Vec::new(),
        }
    }

    /// The step behind which so many runs have ended.
    fn behind_runs(&self, count: usize) -> usize {
        count
            .checked_sub(1)
            .map_or(self.brought, |last| self.ran[last])
    }

    fn behind_moves(&self, count: usize) -> usize {
        count
            .checked_sub(1)
            .map_or(self.brought, |last| self.moved[last])
    }
}

/// What is the same for all callers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shared {
    /// Whether constants are, and so programs with their arguments.
    pub constants: bool,
    /// Towers that all of them give.
    pub towers: BTreeSet<TowerId>,
}

impl Shared {
    /// Whether a move brings the same to all tiles.
    fn has(&self, part: &Part, item: Item) -> bool {
        match item.what {
            Moved::Program { .. } => self.constants,
            Moved::Load(_) => part.spans(item).all(|span| match span.content {
                Content::Tower(tower) => self.towers.contains(&tower),
                Content::Table { .. } => true,
            }),
            Moved::Spill(_) | Moved::Store(_) => false,
        }
    }
}

/// Writes what these do, each on a tile of its own.
pub fn side_by_side(writer: &mut Writer<'_>, lanes: &mut [Lane<'_>], shared: &Shared) {
    let begun = writer.steps.len().checked_sub(1);
    for lane in &mut *lanes {
        lane.brought = writer.commands(lane.at, begun);
    }
    let Some(part) = lanes.first().map(|lane| lane.at.part) else {
        return;
    };
    for command in &part.commands.list {
        match &command.what {
            What::Moves(items) => moves(writer, lanes, items, command.after, shared),
            What::Run(run) => {
                for lane in &mut *lanes {
                    let after = vec![lane.behind_moves(command.after)];
                    let step = writer.run(lane.at, run, after);
                    lane.ran.push(step);
                }
            }
        }
    }
}

/// The controlling core takes an interrupt behind all that they did.
pub fn end(writer: &mut Writer<'_>, lanes: &[Lane<'_>]) {
    let Some(last) = lanes.last() else { return };
    let ends = lanes
        .iter()
        .flat_map(|lane| [lane.moved.last(), lane.ran.last()]);
    let ends = ends.flatten().copied().collect();
    let runs = last.at.part.commands.list.iter().rev();
    let run = runs.into_iter().find_map(|command| match &command.what {
        What::Run(run) => Some(run.piece),
        What::Moves(_) => None,
    });
    let pieces = &last.at.part.pieces;
    let origin = run.map_or(OriginId(0), |piece| pieces[piece].origins().1);
    writer.end(ends, last.at.origin(origin));
}

/// A list of moves, those of one name together.
fn moves(
    writer: &mut Writer<'_>,
    lanes: &mut [Lane<'_>],
    items: &[Item],
    after: usize,
    shared: &Shared,
) {
    let (part, piece) = (lanes[0].at.part, items[0].piece as usize);
    let for_all = |item: &Item| lanes.len() > 1 && shared.has(part, *item);
    let what = |item: &Item| (name(part, *item), for_all(item));
    let mut last: Vec<Option<usize>> = vec![None; lanes.len()];
    for same in items.chunk_by(|a, b| what(a) == what(b)) {
        let (name, for_all) = what(&same[0]);
        let bytes = same
            .iter()
            .map(|&item| part.bytes(writer.config, item))
            .sum();
        if for_all {
            let begun = last.iter().flatten().copied();
            let after = begun.chain(lanes.iter().flat_map(|lane| may_begin(lane, after)));
            let of = lanes[0].at.piece(piece);
            let found = writer.find(after.collect(), of);
            last.fill(Some(writer.transfer(name, bytes, found, of)));
            continue;
        }
        for (lane, last) in lanes.iter().zip(&mut last) {
            let of = lane.at.piece(piece);
            let before = match *last {
                Some(last) => last,
                None => writer.find(may_begin(lane, after).collect(), of),
            };
            *last = Some(writer.transfer(name, bytes, before, of));
        }
    }
    for (lane, last) in lanes.iter_mut().zip(last) {
        lane.moved.extend(last);
    }
}

/// The steps behind which the memory may look for a list: what it waits for, and the list before the last.
fn may_begin(lane: &Lane<'_>, after: usize) -> impl Iterator<Item = usize> {
    let before = lane.moved.len().checked_sub(LISTS_IN_FLIGHT);
    let before = before.map(|list| lane.moved[list]);
    [lane.behind_runs(after)].into_iter().chain(before)
}
