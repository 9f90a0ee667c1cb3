//! Runs a lowered program: every run of the core is a program on the simulated machine.
//!
//! Off-chip memory holds the towers between parts. Before each part the device's memories are
//! filled with ones, so that nothing can rest on what an earlier part left there. Moves and runs are
//! done in the order of their queues, moves as soon as they may, which their rule allows ([`holds`]).
//! Where tiles share a call, each goes as far as what others send. Every program's cycles are compared
//! with those of the timing, so a timing that a run contradicts is no answer.

use crate::isa::Program;
use crate::kernels::arguments::poison;
use crate::lower::commands::{Command, Item, Moved, ProgramPlace, Run, What};
use crate::lower::holds;
use crate::lower::key_parts::KeyPart;
use crate::lower::part::{Part, Piece};
use crate::lower::program::Program as Lowered;
use crate::lower::start::Span;
use crate::{run as execute, Config, Memories};
use ringwright_arith::Word;
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_towers::residency::Content;
use ringwright_towers::{Call, Memory, Place, Shelf, TowerId, Val, Words};
use std::collections::hash_map::{Entry, HashMap};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Runs the program once; the inputs have been checked.
pub fn run<W: Word>(
    config: &Config,
    program: &Lowered,
    inputs: &[Value<W>],
) -> Result<Vec<Value<W>>, RunError> {
    let towers = &program.towers;
    let mut memory = Shelf::new(towers.towers);
    memory.load(&towers.inputs, inputs);
    run_calls(config, program, 0..towers.calls.len(), &mut memory)?;
    memory.values(&towers.outputs, inputs)
}

/// Runs some of the program's calls, in order. Their operands are in memory; so are their results then.
pub fn run_calls<W: Word>(
    config: &Config,
    program: &Lowered,
    calls: Range<usize>,
    memory: &mut Shelf<W>,
) -> Result<(), RunError> {
    let mut joined = JoinedWords::new();
    let mut tiles = Vec::new();
    let done = calls.into_iter().try_for_each(|number| {
        let call = &program.towers.calls[number];
        let (shares, made, key_parts) = match program.spread(number) {
            Some(spread) => {
                let shares = spread.tiles.iter().map(|tile| &tile.part);
                (shares.collect(), &spread.made, &spread.key_parts)
            }
            None => {
                let part = &*program.parts[call.kernel];
                (vec![part], &part.made, &part.key_parts)
            }
        };
        tiles.resize_with(shares.len().max(tiles.len()), || Memories::new(config));
        let off_chip = off_chip(key_parts, call, memory, &mut joined)?;
        let runs = shares.into_iter().zip(&mut tiles).map(|(part, device)| {
            holds::check(part).map_err(RunError::Invalid)?;
            poison(device, config);
            Ok(PartRun::new(
                config,
                part,
                &call.constants,
                device,
                off_chip.clone(),
            ))
        });
        let made_in = run_tiles(runs.collect::<Result<_, RunError>>()?)?;
        for (made, &place) in made.iter().zip(&call.results) {
            let words = made_in.get(made).ok_or_else(|| missing(*made))?;
            // Results are under single primes, which the caller's words hold.
            let words = words.iter().map(|&word| W::from_u128(word)).collect();
            memory.share(place, words_of(words));
        }
        Ok(())
    });
    for device in &mut tiles {
        device.vdm.zeroize();
        device.sdm.zeroize();
    }
    done
}

/// Towers, by their numbers in a kernel.
type ByTower = HashMap<TowerId, Words<u128>>;

/// Towers of keys joined, by the places of those.
type JoinedWords = HashMap<Vec<Place>, Words<u128>>;

/// What lies in off-chip memory before a call.
fn off_chip<W: Word>(
    key_parts: &[KeyPart],
    call: &Call,
    memory: &Shelf<W>,
    joined: &mut JoinedWords,
) -> Result<ByTower, RunError> {
    let mut towers = ByTower::new();
    let places: Vec<Place> = call.args.iter().flat_map(Val::towers).collect();
    for part in key_parts {
        let of: Vec<Place> = part.of.iter().map(|of| places[of.index()]).collect();
        let words = match joined.entry(of) {
            Entry::Occupied(entry) => entry.get().clone(),
            Entry::Vacant(entry) => {
                let of = entry.key().iter().map(|&place| memory.tower(place));
                let of: Vec<Words<W>> = of.collect::<Result<_, _>>()?;
                entry.insert(words_of(part.words(&of)?)).clone()
            }
        };
        towers.insert(part.tower, words);
    }
    for (param, &place) in (0..).zip(&places) {
        let words = memory.tower(place)?;
        let words = words.iter().map(|word| word.to_u128()).collect();
        towers.insert(TowerId(param), words_of(words));
    }
    Ok(towers)
}

/// Runs what tiles do of a call, each as far as what others send has arrived; all towers that were made.
fn run_tiles(mut tiles: Vec<PartRun<'_>>) -> Result<ByTower, RunError> {
    let mut sent = ByTower::new();
    loop {
        let mut ran = false;
        for tile in &mut tiles {
            ran |= tile.advance(&sent)?;
            sent.extend(tile.made());
        }
        if tiles.iter().all(PartRun::is_done) {
            return Ok(sent);
        }
        if !ran {
            return Err(RunError::Invalid("tiles wait for each other".to_owned()));
        }
    }
}

fn words_of<W: Word>(words: Vec<W>) -> Words<W> {
    Arc::new(Zeroizing::new(words))
}

fn missing(tower: TowerId) -> RunError {
    RunError::Invalid(format!("tower {} is moved before it is made", tower.0))
}

/// A part while it runs.
struct PartRun<'a> {
    config: &'a Config,
    part: &'a Part,
    /// Those of its call.
    constants: &'a [u128],
    device: &'a mut Memories,
    /// Towers in off-chip memory.
    towers: ByTower,
    /// Those of which the first words have left the device so far.
    leaving: HashMap<TowerId, Zeroizing<Vec<u128>>>,
    /// Those that have landed.
    landed: HashSet<TowerId>,
    /// The positions of moves and of runs, and how many of each are done.
    queues: [Vec<usize>; 2],
    next: [usize; 2],
}

impl<'a> PartRun<'a> {
    fn new(
        config: &'a Config,
        part: &'a Part,
        constants: &'a [u128],
        device: &'a mut Memories,
        towers: ByTower,
    ) -> Self {
        PartRun {
            config,
            part,
            constants,
            device,
            towers,
            leaving: HashMap::new(),
            landed: HashSet::new(),
            queues: part.commands.queues(),
            next: [0; 2],
        }
    }

    fn is_done(&self) -> bool {
        self.next.iter().sum::<usize>() == self.part.commands.list.len()
    }

    /// Does commands until none can follow, for a run reads what has not been sent; whether it did any.
    ///
    /// Both queues are in order, and each command waits for so many of the other.
    fn advance(&mut self, sent: &ByTower) -> Result<bool, RunError> {
        let part = self.part;
        let before = self.next;
        loop {
            interrupt::check()?;
            let [moves, runs] = self.next;
            let command = |at: &usize| &part.commands.list[*at];
            let next_move = self.queues[0].get(moves).map(command);
            let next_run = self.queues[1].get(runs).map(command);
            match (next_move.filter(|next| next.after <= runs), next_run) {
                (
                    Some(Command {
                        what: What::Moves(items),
                        ..
                    }),
                    _,
                ) => {
                    items.iter().try_for_each(|&item| self.item(item))?;
                    self.next[0] += 1;
                }
                (
                    _,
                    Some(Command {
                        what: What::Run(run),
                        after,
                        ..
                    }),
                ) if *after <= moves && self.land(run, sent) => {
                    self.run(run)?;
                    self.next[1] += 1;
                }
                _ => return Ok(self.next != before),
            }
        }
    }

    /// Writes what a run reads of others into its slots; whether all of it has been sent.
    fn land(&mut self, run: &Run, sent: &ByTower) -> bool {
        let Piece::Start(start) = &self.part.pieces[run.piece] else {
            return true;
        };
        let arrivals = start.calls.iter().flat_map(|call| &call.arrivals);
        for tower in arrivals {
            if self.landed.contains(tower) {
                continue;
            }
            let place = self.part.landed.iter().find(|(landed, _)| landed == tower);
            let (Some(words), Some(&(_, place))) = (sent.get(tower), place) else {
                return false;
            };
            let slot = self.part.shape.slot();
            let into = self.device.vdm[place..place + slot].iter_mut();
            into.zip(words.iter().cycle())
                .for_each(|(word, from)| *word = *from);
            self.landed.insert(*tower);
        }
        true
    }

    /// What leaves it, of what has been made so far.
    fn made(&self) -> impl Iterator<Item = (TowerId, Words<u128>)> + '_ {
        let made = self.part.made.iter();
        made.filter_map(|tower| Some((*tower, self.towers.get(tower)?.clone())))
    }

    fn item(&mut self, item: Item) -> Result<(), RunError> {
        let part = self.part;
        let mut spans = part.spans(item);
        match item.what {
            Moved::Program { copy, at } => self.arguments(item.piece as usize, copy as usize, at),
            Moved::Load(_) => spans.try_for_each(|span| self.move_in(&span)),
            Moved::Spill(_) | Moved::Store(_) => {
                spans.for_each(|span| self.move_out(&span));
                Ok(())
            }
        }
    }

    fn run(&mut self, run: &Run) -> Result<(), RunError> {
        let (program, cycles) = match &self.part.pieces[run.piece] {
            Piece::Start(start) => (&start.chain.program, start.chain.cycles()),
            Piece::Sweep(sweep) => (&sweep.kernel.program, sweep.kernel.cycles),
        };
        self.execute(&program.relocated(run.at.arguments), cycles)
    }

    /// Brings arguments; the program itself is the piece's.
    fn arguments(&mut self, piece: usize, copy: usize, at: ProgramPlace) -> Result<(), RunError> {
        let words = &mut self.device.sdm[at.arguments as usize..];
        match &self.part.pieces[piece] {
            Piece::Start(start) => start.write_arguments(words, self.config, self.constants),
            Piece::Sweep(sweep) => {
                let arguments = sweep.arguments(self.config, self.constants, copy)?;
                words[..arguments.len()].copy_from_slice(&arguments);
                Ok(())
            }
        }
    }

    /// The timing was made without values, with other slots and arguments.
    fn execute(&mut self, program: &Program, said: u64) -> Result<(), RunError> {
        let ran = execute(program, self.config, self.device);
        let ran = ran
            .map_err(|error| RunError::Invalid(error.to_string()))?
            .cycles;
        if ran != said {
            let what = format!("{} took {ran} cycles; the timing says {said}", program.name);
            return Err(RunError::Invalid(what));
        }
        Ok(())
    }

    fn tower(&self, tower: TowerId) -> Result<Words<u128>, RunError> {
        self.towers
            .get(&tower)
            .cloned()
            .ok_or_else(|| missing(tower))
    }

    fn move_in(&mut self, span: &Span) -> Result<(), RunError> {
        let tower;
        let words: &[u128] = match span.content {
            Content::Tower(of) => {
                tower = self.tower(of)?;
                &tower
            }
            Content::Table { table, .. } => &self.part.tables[table],
        };
        let from = words.iter().cycle().skip(span.first);
        for (word, from) in self.device.vdm[span.range()].iter_mut().zip(from) {
            *word = *from;
        }
        Ok(())
    }

    /// Towers leave in order of their words.
    fn move_out(&mut self, span: &Span) {
        let n = self.part.shape.n();
        let Content::Tower(tower) = span.content else {
            return;
        };
        let words = &self.device.vdm[span.range()];
        let words = &words[..words.len().min(n - span.first)];
        let all = self.leaving.entry(tower).or_default();
        // All at once: a vector that grows leaves what it held behind.
        let room = n - all.len();
        all.reserve_exact(room);
        all.extend_from_slice(words);
        if room == words.len() {
            let all = self.leaving.remove(&tower).unwrap_or_default();
            self.towers.insert(tower, Arc::new(all));
        }
    }
}
