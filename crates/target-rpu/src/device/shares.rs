//! Tiles that do one kernel together, each its share.
//!
//! A tile works through its commands in three rows, each in order: lists of moves to and from off-chip
//! memory, towers that it sends, and runs. What it sends sets out once its run has ended and whatever lay
//! where it lands has been read; whoever reads it waits for the last word. Of what could follow, what can
//! begin first comes first.

use super::writer::{name, At, Writer};
use crate::lower::commands::{Item, Moved, Run, What};
use crate::lower::part::Piece;
use crate::lower::queues::LISTS_IN_FLIGHT;
use crate::lower::spread::{OnTile, Spread};
use crate::lower::start::{Call, Span};
use ringwright_towers::residency::Content;
use ringwright_towers::{Graph, TowerId};
use std::collections::HashMap;

/// Which row a command stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Port,
    Mesh,
    Core,
}

const ROWS: [Row; 3] = [Row::Port, Row::Mesh, Row::Core];

/// Writes what tiles do together; the steps behind which all is done. An error where they wait for each
/// other.
pub fn write(
    writer: &mut Writer<'_>,
    spread: &Spread,
    graph: &Graph,
) -> Result<Vec<usize>, String> {
    let tiles = spread.tiles.iter();
    let mut shares: Vec<Share> = tiles.map(|tile| Share::new(tile, graph)).collect();
    let begun = writer.steps.len().checked_sub(1);
    for share in &mut shares {
        share.brought = writer.commands(share.at, begun);
    }
    let mut sent = HashMap::new();
    loop {
        let next = shares.iter().enumerate().flat_map(|(index, share)| {
            let next = ROWS.into_iter().zip(&share.rows).zip(share.done);
            next.filter_map(move |((row, all), done)| Some((index, row, *all.get(done)?)))
        });
        let ready = next.filter_map(|(index, row, at)| {
            let after = waits(&shares, index, row, at, &sent)?;
            Some((writer.end_of(&after), index, row, at, after))
        });
        let Some((_, index, row, at, after)) = ready.min() else {
            break;
        };
        let share = &mut shares[index];
        match (&share.on_tile.part.commands.list[at].what, row) {
            (What::Run(run), _) => {
                let step = writer.run(share.at, run, after);
                share.ran.push(step);
            }
            (What::Moves(items), Row::Mesh) => share.send(writer, items, &after, &mut sent),
            (What::Moves(items), _) => share.moves(writer, items, after),
        }
        share.done[row as usize] += 1;
    }
    let left = shares.iter().map(|share| {
        let rows = share.rows.iter().zip(share.done);
        rows.map(|(all, done)| all.len() - done).sum::<usize>()
    });
    match left.sum() {
        0 => Ok(shares.iter().flat_map(Share::ends).collect()),
        left => Err(format!("{left} commands of tiles wait for each other")),
    }
}

/// Where the first of the tiles works.
pub fn first<'a>(spread: &'a Spread, graph: &'a Graph) -> At<'a> {
    at(&spread.tiles[0], graph)
}

fn at<'a>(on_tile: &'a OnTile, graph: &'a Graph) -> At<'a> {
    At {
        tile: on_tile.tile,
        part: &on_tile.part,
        graph,
        source: 0,
    }
}

/// A tower on its way.
#[derive(Default)]
struct Sent {
    words: usize,
    last: usize,
}

/// What a tile does.
struct Share<'a> {
    at: At<'a>,
    on_tile: &'a OnTile,
    /// The positions of commands, by row, and how many are done.
    rows: [Vec<usize>; 3],
    done: [usize; 3],
    /// By number of a list of moves, how many stand up to it in the first two rows.
    lists: Vec<[usize; 2]>,
    /// Behind which run each tower may land.
    lands: HashMap<TowerId, usize>,
    brought: usize,
    /// The last steps of the first two rows' commands so far, and of runs.
    moved: [Vec<usize>; 2],
    ran: Vec<usize>,
}

impl<'a> Share<'a> {
    fn new(on_tile: &'a OnTile, graph: &'a Graph) -> Self {
        let part = &on_tile.part;
        let mut share = Share {
            at: at(on_tile, graph),
            on_tile,
            rows: Default::default(),
            done: [0; 3],
            lists: Vec::new(),
            lands: HashMap::new(),
            brought: 0,
            moved: Default::default(),
            ran: Vec::new(),
        };
        let mut read: HashMap<TowerId, usize> = HashMap::new();
        for (at, command) in part.commands.list.iter().enumerate() {
            let row = match &command.what {
                What::Run(run) => {
                    let number = share.rows[Row::Core as usize].len();
                    let arrivals = share.calls(run).iter().flat_map(|call| &call.arrivals);
                    read.extend(arrivals.map(|&tower| (tower, number + 1)));
                    Row::Core
                }
                What::Moves(items) if items.iter().any(|&item| share.is_sent(item)) => Row::Mesh,
                What::Moves(_) => Row::Port,
            };
            share.rows[row as usize].push(at);
            if row != Row::Core {
                share
                    .lists
                    .push([Row::Port, Row::Mesh].map(|row| share.rows[row as usize].len()));
            }
        }
        let mut last: HashMap<usize, TowerId> = HashMap::new();
        for &(tower, place) in &part.landed {
            let before = last.insert(place, tower);
            let behind = before.and_then(|before| read.get(&before).copied());
            share.lands.insert(tower, behind.unwrap_or(0));
        }
        share
    }

    fn calls(&self, run: &Run) -> &'a [Call] {
        match &self.on_tile.part.pieces[run.piece] {
            Piece::Start(start) => &start.calls,
            Piece::Sweep(_) => &[],
        }
    }

    /// The tiles to which a move sends a tower.
    fn receivers(&self, item: Item) -> &'a [usize] {
        let span = match item.what {
            Moved::Store(_) => self.at.part.spans(item).next(),
            _ => None,
        };
        span.map_or(&[], |span| self.on_tile.receivers(&span))
    }

    fn is_sent(&self, item: Item) -> bool {
        !self.receivers(item).is_empty()
    }

    /// Whether a move takes a tower to the kernel's caller.
    fn is_returned(&self, item: Item) -> bool {
        let returned = |span: Span| match span.content {
            Content::Tower(tower) => self.on_tile.returned.contains(&tower),
            Content::Table { .. } => false,
        };
        self.at.part.spans(item).any(returned)
    }

    fn ends(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = self.moved.iter().chain([&self.ran]);
        rows.filter_map(|row| row.last().copied())
    }

    /// Moves between the tile and off-chip memory.
    fn moves(&mut self, writer: &mut Writer<'_>, items: &[Item], mut after: Vec<usize>) {
        let port = &self.moved[Row::Port as usize];
        let before = port.len().checked_sub(LISTS_IN_FLIGHT);
        after.extend(before.map(|list| port[list]));
        let (part, of) = (self.at.part, self.at.piece(items[0].piece as usize));
        let mut last = writer.find(after, of);
        for same in items.chunk_by(|a, b| name(part, *a) == name(part, *b)) {
            let bytes = same
                .iter()
                .map(|&item| part.bytes(writer.config, item))
                .sum();
            last = writer.transfer(name(part, same[0]), bytes, last, of);
        }
        self.moved[Row::Port as usize].push(last);
    }

    /// Moves of which some go to other tiles.
    fn send(
        &mut self,
        writer: &mut Writer<'_>,
        items: &[Item],
        after: &[usize],
        sent: &mut HashMap<TowerId, Sent>,
    ) {
        let (part, of) = (self.at.part, self.at.piece(items[0].piece as usize));
        let mut last = after[0];
        for same in items.chunk_by(|a, b| self.receivers(*a) == self.receivers(*b)) {
            let to = self.receivers(same[0]);
            if !to.is_empty() {
                let bytes = same
                    .iter()
                    .map(|&item| part.mesh_bytes(writer.config, item))
                    .sum();
                last = writer.send(self.at, to, bytes, after.to_vec(), of);
                for span in same.iter().flat_map(|&item| part.spans(item)) {
                    let Content::Tower(tower) = span.content else {
                        continue;
                    };
                    let sent = sent.entry(tower).or_default();
                    sent.words += span.words.min(part.shape.n() - span.first);
                    sent.last = last;
                }
            }
            if to.is_empty() || same.iter().any(|&item| self.is_returned(item)) {
                let bytes = same
                    .iter()
                    .map(|&item| part.bytes(writer.config, item))
                    .sum();
                let found = writer.find(after.to_vec(), of);
                last = writer.transfer(name(part, same[0]), bytes, found, of);
            }
        }
        self.moved[Row::Mesh as usize].push(last);
    }
}

/// The steps that a command waits for; `None` while something of that has none yet.
fn waits(
    shares: &[Share<'_>],
    index: usize,
    row: Row,
    at: usize,
    sent: &HashMap<TowerId, Sent>,
) -> Option<Vec<usize>> {
    let share = &shares[index];
    let command = &share.on_tile.part.commands.list[at];
    let mut steps = vec![share.brought];
    match &command.what {
        What::Moves(items) => {
            if let Some(last) = command.after.checked_sub(1) {
                steps.push(*share.ran.get(last)?);
            }
            if let Some(last) = command.stores.checked_sub(1) {
                let sent = &share.moved[Row::Mesh as usize];
                if let Some(last) = share.lists[last][Row::Mesh as usize].checked_sub(1) {
                    steps.push(*sent.get(last)?);
                }
            }
            if row == Row::Mesh {
                for &item in items {
                    for &to in share.receivers(item) {
                        let to = shares.iter().find(|share| share.at.tile == to)?;
                        steps.extend(may_land(share, to, item)?);
                    }
                }
            }
        }
        What::Run(run) => {
            if let Some(last) = command.after.checked_sub(1) {
                for (moved, &count) in share.moved.iter().zip(&share.lists[last]) {
                    if let Some(last) = count.checked_sub(1) {
                        steps.push(*moved.get(last)?);
                    }
                }
            }
            for tower in share.calls(run).iter().flat_map(|call| &call.arrivals) {
                let sent = sent.get(tower)?;
                (sent.words >= share.at.part.shape.n()).then(|| steps.push(sent.last))?;
            }
        }
    }
    Some(steps)
}

/// The steps behind which a tower may land on a tile; `None` while one is missing.
fn may_land(from: &Share<'_>, to: &Share<'_>, item: Item) -> Option<Vec<usize>> {
    let mut steps = Vec::new();
    for span in from.at.part.spans(item) {
        let Content::Tower(tower) = span.content else {
            continue;
        };
        let behind = to.lands.get(&tower).copied().unwrap_or(0);
        if let Some(last) = behind.checked_sub(1) {
            steps.push(*to.ran.get(last)?);
        }
    }
    Some(steps)
}
