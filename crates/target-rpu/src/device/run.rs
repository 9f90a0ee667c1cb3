//! Runs a lowered program: every run of the core is a program on the simulated machine.
//!
//! Off-chip memory holds the towers between parts. Before each part the device's memories are
//! filled with ones, so that nothing can rest on what an earlier part left there. Commands are done
//! in the order of their list, which is one that their rule allows ([`holds`]). Every program's
//! cycles are compared with those of the timing, so a timing that a run contradicts is no answer.

use crate::isa::Program;
use crate::kernels::arguments::poison;
use crate::lower::commands::{Item, Moved, ProgramPlace, Run, What};
use crate::lower::holds;
use crate::lower::part::{Part, Piece};
use crate::lower::program::Program as Lowered;
use crate::lower::start::Span;
use crate::{run as execute, Config, Memories};
use ringwright_arith::Word;
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_towers::residency::Content;
use ringwright_towers::{Call, Memory, Place, Shelf, TowerId, Val, Words};
use std::collections::hash_map::{Entry, HashMap};
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
    run_calls(config, program, &towers.calls, &mut memory)?;
    memory.values(&towers.outputs, inputs)
}

/// Runs some of the program's calls, in this order. Their operands are in memory; so are their results then.
pub fn run_calls<W: Word>(
    config: &Config,
    program: &Lowered,
    calls: &[Call],
    memory: &mut Shelf<W>,
) -> Result<(), RunError> {
    let mut device = Memories::new(config);
    let mut joined = JoinedWords::new();
    let done = calls.iter().try_for_each(|call| {
        let part = &program.parts[call.kernel];
        run_part(config, part, call, memory, &mut joined, &mut device)
    });
    device.vdm.zeroize();
    device.sdm.zeroize();
    done
}

/// Towers of keys joined, by the places of those.
type JoinedWords = HashMap<Vec<Place>, Words<u128>>;

fn run_part<W: Word>(
    config: &Config,
    part: &Part,
    call: &Call,
    memory: &mut Shelf<W>,
    joined: &mut JoinedWords,
    device: &mut Memories,
) -> Result<(), RunError> {
    holds::check(part).map_err(RunError::Invalid)?;
    poison(device, config);
    let mut run = PartRun {
        config,
        part,
        constants: &call.constants,
        device,
        towers: HashMap::new(),
        leaving: HashMap::new(),
    };
    let places: Vec<Place> = call.args.iter().flat_map(Val::towers).collect();
    for part in &part.key_parts {
        let of: Vec<Place> = part.of.iter().map(|of| places[of.index()]).collect();
        let words = match joined.entry(of) {
            Entry::Occupied(entry) => entry.get().clone(),
            Entry::Vacant(entry) => {
                let of = entry.key().iter().map(|&place| memory.tower(place));
                let of: Vec<Words<W>> = of.collect::<Result<_, _>>()?;
                entry.insert(words_of(part.words(&of)?)).clone()
            }
        };
        run.towers.insert(part.tower, words);
    }
    for (param, &place) in (0..).zip(&places) {
        let words = memory.tower(place)?;
        let words = words.iter().map(|word| word.to_u128()).collect();
        run.towers.insert(TowerId(param), words_of(words));
    }
    for command in &part.commands.list {
        interrupt::check()?;
        match &command.what {
            What::Moves(items) => items.iter().try_for_each(|&item| run.item(item))?,
            What::Run(each) => run.run(each)?,
        }
    }
    for (made, &place) in part.made.iter().zip(&call.results) {
        let words = run.tower(*made)?;
        // Results are under single primes, which the caller's words hold.
        let words = words.iter().map(|&word| W::from_u128(word)).collect();
        memory.share(place, words_of(words));
    }
    Ok(())
}

fn words_of<W: Word>(words: Vec<W>) -> Words<W> {
    Arc::new(Zeroizing::new(words))
}

/// A part while it runs.
struct PartRun<'a> {
    config: &'a Config,
    part: &'a Part,
    /// Those of its call.
    constants: &'a [u128],
    device: &'a mut Memories,
    /// Towers in off-chip memory.
    towers: HashMap<TowerId, Words<u128>>,
    /// Those of which the first words have left the device so far.
    leaving: HashMap<TowerId, Zeroizing<Vec<u128>>>,
}

impl PartRun<'_> {
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
        let missing = || RunError::Invalid(format!("tower {} is moved before it is made", tower.0));
        self.towers.get(&tower).cloned().ok_or_else(missing)
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
