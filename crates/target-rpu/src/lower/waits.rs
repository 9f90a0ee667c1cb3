//! What each move and each run of a part waits for.
//!
//! A load waits for the runs that used its place before, and for what was stored out of it; a run for
//! its loads, and for the stores out of the places that it writes; a store for the run that made it.
//! Programs and their arguments lie in the instruction memory and the scalar data memory as in rings:
//! each behind the last, while what is overwritten has run.

use super::commands::{Item, Moved, ProgramPlace, Run};
use super::part::{Part, Piece};
use super::start::{granules, Span, Start};
use super::sweep::Sweep;
use crate::Config;
use ringwright_towers::residency::Content;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;

/// Moves that keep their order among each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Programs and streamed blocks.
    Streams,
    /// What is brought into slots.
    Slots,
    /// All that leaves.
    Stores,
}

impl Row {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Streams, Self::Slots, Self::Stores];
}

/// A move with what it waits for.
pub struct Waiting {
    /// The move.
    pub item: Item,
    /// What the port takes for it.
    pub cycles: u64,
    /// Runs that must have ended.
    pub runs: u32,
    /// Stores that must be before it in the queue.
    pub stores: u32,
    /// The run that it is for, from 0.
    pub job: u32,
}

/// A run with what it waits for.
pub struct Job {
    /// The run.
    pub run: Run,
    /// What the core takes for it.
    pub cycles: u64,
    /// Moves of each row that must have ended.
    pub moves: [usize; 3],
}

/// What is known of a granule of the memory while commands are written.
#[derive(Clone, Copy, Default)]
struct Held {
    /// Runs up to the last that used it.
    runs: usize,
    /// Stores up to the last out of it.
    stores: usize,
}

/// Places in a ring of words, and who used them last.
struct Ring {
    words: usize,
    next: usize,
    /// Words in use, the longest in use first, with the run that must have ended before they are
    /// overwritten; runs are later from one to the next.
    used: VecDeque<(Range<usize>, usize)>,
    /// Runs that the last place waited for: moves are in order.
    before: usize,
}

impl Ring {
    fn new(words: usize) -> Self {
        Ring {
            words,
            next: 0,
            used: VecDeque::new(),
            before: 0,
        }
    }

    /// A place for so many words that runs before `until` read; the place and the runs that must
    /// have ended.
    fn take(&mut self, words: usize, until: usize) -> (usize, usize) {
        let turns = self.next + words > self.words;
        let behind = self.next;
        if turns {
            self.next = 0;
        }
        let place = self.next..self.next + words;
        while let Some((each, until)) = self.used.front() {
            let meets = each.start < place.end && place.start < each.end;
            // What lies behind a turn was in use before what is overwritten.
            let skipped = turns && each.start >= behind;
            if !(meets || skipped) {
                break;
            }
            self.before = *until;
            self.used.pop_front();
        }
        self.next = place.end;
        self.used.push_back((place.clone(), until));
        (place.start, self.before)
    }
}

/// The moves and runs of a part.
#[derive(Default)]
pub struct Waits {
    /// By row.
    pub moves: [Vec<Waiting>; 3],
    /// In order.
    pub jobs: Vec<Job>,
}

impl Waits {
    /// Of all pieces.
    pub fn new(config: &Config, part: &Part) -> Self {
        let mut writer = Writer::new(config, part);
        for (index, piece) in part.pieces.iter().enumerate() {
            match piece {
                Piece::Start(start) => writer.start(index, start),
                Piece::Sweep(sweep) => writer.sweep(index, sweep),
            }
        }
        writer.waits
    }

    fn row(&self, row: Row) -> &Vec<Waiting> {
        &self.moves[row as usize]
    }
}

struct Writer<'a> {
    config: &'a Config,
    part: &'a Part,
    /// By granule.
    held: FxHashMap<usize, Held>,
    /// Stores up to that of each tower.
    saved: FxHashMap<Content, usize>,
    programs: Ring,
    arguments: Ring,
    waits: Waits,
    /// What all that follows waits for.
    barrier: Held,
}

impl<'a> Writer<'a> {
    fn new(config: &'a Config, part: &'a Part) -> Self {
        Writer {
            config,
            part,
            held: FxHashMap::default(),
            saved: FxHashMap::default(),
            programs: Ring::new(config.im_words),
            arguments: Ring::new(config.sdm_words),
            waits: Waits::default(),
            barrier: Held::default(),
        }
    }

    fn held(&self, words: Range<usize>) -> Held {
        let granules = granules(self.part.granule, words);
        let held = granules.filter_map(|granule| self.held.get(&granule));
        held.fold(self.barrier, |all, each| Held {
            runs: all.runs.max(each.runs),
            stores: all.stores.max(each.stores),
        })
    }

    fn hold(&mut self, words: Range<usize>, hold: impl Fn(&mut Held)) {
        for granule in granules(self.part.granule, words) {
            hold(self.held.entry(granule).or_default());
        }
    }

    fn push(&mut self, row: Row, piece: usize, what: Moved, held: Held) {
        let item = Item {
            piece: piece as u32,
            what,
        };
        let bytes = self.part.bytes(self.config, item);
        let waiting = Waiting {
            item,
            cycles: self.config.transfer_cycles(bytes),
            runs: held.runs as u32,
            stores: held.stores as u32,
            job: self.waits.jobs.len() as u32,
        };
        self.waits.moves[row as usize].push(waiting);
    }

    fn stored(&self) -> usize {
        self.waits.row(Row::Stores).len()
    }

    /// A run behind all moves so far, but for stores, of which it waits for so many.
    fn job(&mut self, run: Run, cycles: u64, stores: usize) {
        let mut moves = Row::ALL.map(|row| self.waits.row(row).len());
        moves[Row::Stores as usize] = stores;
        let cycles = self.config.start_cycles + cycles;
        self.waits.jobs.push(Job { run, cycles, moves });
    }

    /// Brings a program and arguments that runs before `until` read; where they lie.
    fn program(&mut self, piece: usize, copy: usize, until: usize) -> ProgramPlace {
        let (instructions, words) = self.part.program(piece);
        let (instructions, before) = self.programs.take(instructions, until);
        let (arguments, used) = self.arguments.take(words, until);
        let at = ProgramPlace {
            instructions: instructions as u32,
            arguments: arguments as u32,
        };
        let runs = before.max(used).max(self.barrier.runs);
        let stores = self.barrier.stores;
        let held = Held { runs, stores };
        self.push(
            Row::Streams,
            piece,
            Moved::Program {
                copy: copy as u32,
                at,
            },
            held,
        );
        at
    }

    fn start(&mut self, piece: usize, start: &Start) {
        let number = self.waits.jobs.len();
        for (span, each) in (0..).zip(&start.spilled) {
            let runs = self.held(each.range()).runs;
            self.leave(piece, Moved::Spill(span), each, runs);
        }
        let at = self.program(piece, 0, number + 1);
        for (span, each) in (0..).zip(&start.loaded) {
            let mut held = self.held(each.range());
            let saved = self.saved.get(&each.content).copied().unwrap_or(0);
            held.stores = held.stores.max(saved);
            let row = match each.place < self.part.streams {
                true => Row::Slots,
                false => Row::Streams,
            };
            self.push(row, piece, Moved::Load(span), held);
        }
        let used = || start.calls.iter().flat_map(|call| call.ranges());
        let stores = used().map(|range| self.held(range).stores).max();
        let run = Run {
            piece,
            block: 0,
            at,
        };
        self.job(run, start.chain.cycles(), stores.unwrap_or(0));
        for range in used() {
            self.hold(range, |held| held.runs = number + 1);
        }
        for (span, each) in (0..).zip(&start.stored) {
            self.leave(piece, Moved::Store(span), each, number + 1);
        }
    }

    /// Moves out what so many runs have made.
    fn leave(&mut self, piece: usize, what: Moved, span: &Span, runs: usize) {
        self.push(Row::Stores, piece, what, Held { runs, stores: 0 });
        let stores = self.stored();
        self.hold(span.range(), |held| held.stores = stores);
        self.saved.insert(span.content, stores);
    }

    /// Blocks take all of the memory, so what was before has ended, and what follows waits.
    fn sweep(&mut self, piece: usize, sweep: &Sweep) {
        let first = self.waits.jobs.len();
        self.barrier = Held {
            runs: first,
            stores: self.stored(),
        };
        let places: Vec<ProgramPlace> = (0..sweep.copies)
            .map(|copy| self.program(piece, copy, first + sweep.count))
            .collect();
        let stored = self.stored();
        for block in 0..sweep.count {
            let number = first + block;
            // The block before in the same copy has run, and its results have left.
            let before = (block + 1).checked_sub(sweep.copies);
            let held = Held {
                runs: before.map_or(first, |before| first + before),
                stores: self.barrier.stores,
            };
            self.push(Row::Slots, piece, Moved::Load(block as u32), held);
            let run = Run {
                piece,
                block,
                at: places[block % sweep.copies],
            };
            let left = before.map_or(self.barrier.stores, |before| stored + before);
            self.job(run, sweep.kernel.cycles, left);
            let runs = number + 1;
            self.push(
                Row::Stores,
                piece,
                Moved::Store(block as u32),
                Held { runs, stores: 0 },
            );
        }
        self.barrier = Held {
            runs: self.waits.jobs.len(),
            stores: self.stored(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever is overwritten is waited for, also where a turn leaves words out.
    #[test]
    fn a_ring_waits_for_what_it_overwrites() {
        let lengths = [30, 50, 15, 40, 70, 10, 10, 95, 5, 60, 33];
        let mut ring = Ring::new(100);
        let mut held: Vec<(Range<usize>, usize)> = Vec::new();
        for (run, &words) in lengths.iter().cycle().take(200).enumerate() {
            let (place, before) = ring.take(words, run + 1);
            let place = place..place + words;
            assert!(place.end <= 100);
            for (each, until) in &held {
                let meets = each.start < place.end && place.start < each.end;
                assert!(!meets || *until <= before, "{run}: {place:?} {each:?}");
            }
            assert!(before <= run);
            held.retain(|(each, _)| each.end <= place.start || place.end <= each.start);
            held.push((place, run + 1));
        }
    }
}
