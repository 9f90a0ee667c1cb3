//! Runs a lowered program: every start is a program on the simulated machine.
//!
//! Off-chip memory holds the towers between parts. Before each part the device's memories are
//! filled with ones, so that nothing can rest on what an earlier part left there. Every program's
//! cycles are compared with those of the timing, so a timing that a run contradicts is no answer.

use crate::isa::Program;
use crate::kernels::arguments::poison;
use crate::lower::part::{Part, Piece};
use crate::lower::program::Program as Lowered;
use crate::lower::start::Start;
use crate::lower::sweep::Sweep;
use crate::{run as execute, Config, Memories};
use ringwright_arith::Word;
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_towers::residency::{Content, Move};
use ringwright_towers::{Call, Memory, Shelf, TowerId, Val, Words};
use std::collections::HashMap;
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
    let mut device = Memories::new(config);
    let done = towers.calls.iter().try_for_each(|call| {
        let part = &program.parts[call.kernel];
        run_part(config, part, call, &mut memory, &mut device)
    });
    device.vdm.zeroize();
    device.sdm.zeroize();
    done?;
    memory.values(&towers.outputs, inputs)
}

fn run_part<W: Word>(
    config: &Config,
    part: &Part,
    call: &Call,
    memory: &mut Shelf<W>,
    device: &mut Memories,
) -> Result<(), RunError> {
    poison(device, config);
    let mut run = PartRun {
        config,
        part,
        constants: &call.constants,
        device,
        towers: HashMap::new(),
    };
    for (param, place) in (0..).zip(call.args.iter().flat_map(Val::towers)) {
        let words = memory.tower(place)?;
        let words = words.iter().map(|word| word.to_u128()).collect();
        run.towers.insert(TowerId(param), words_of(words));
    }
    for piece in &part.pieces {
        interrupt::check()?;
        match piece {
            Piece::Start(start) => run.start(start)?,
            Piece::Sweep(sweep) => run.sweep(sweep)?,
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
}

impl PartRun<'_> {
    fn start(&mut self, start: &Start) -> Result<(), RunError> {
        start.spilled.iter().for_each(|each| self.move_out(each));
        start
            .loaded
            .iter()
            .try_for_each(|each| self.move_in(each))?;
        start.write_arguments(&mut self.device.sdm, self.config, self.constants)?;
        let chain = &start.chain;
        self.execute(&chain.program, chain.cycles())?;
        start.stored.iter().for_each(|each| self.move_out(each));
        Ok(())
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

    fn sweep(&mut self, sweep: &Sweep) -> Result<(), RunError> {
        let loaded = sweep.loaded.iter().map(|&tower| self.tower(tower));
        let loaded: Vec<Words<u128>> = loaded.collect::<Result<_, _>>()?;
        let arguments = sweep.arguments(self.config, self.constants)?;
        self.device.sdm[..arguments.len()].copy_from_slice(&arguments);
        let (blocks, length) = (&sweep.blocks, sweep.blocks.words);
        let mut stored = vec![Vec::new(); sweep.stored.len()];
        for block in 0..sweep.count {
            interrupt::check()?;
            for (operand, words) in loaded.iter().enumerate() {
                let words = &words[block * length..][..length];
                self.device.vdm[blocks.place(operand)..][..length].copy_from_slice(words);
            }
            self.execute(&blocks.program, blocks.cycles)?;
            for (result, stored) in (loaded.len()..).zip(&mut stored) {
                stored.extend_from_slice(&self.device.vdm[blocks.place(result)..][..length]);
            }
        }
        for (&tower, words) in sweep.stored.iter().zip(stored) {
            self.towers.insert(tower, words_of(words));
        }
        Ok(())
    }

    fn tower(&self, tower: TowerId) -> Result<Words<u128>, RunError> {
        let missing = || RunError::Invalid(format!("tower {} is moved before it is made", tower.0));
        self.towers.get(&tower).cloned().ok_or_else(missing)
    }

    fn slot(&mut self, each: &Move) -> &mut [u128] {
        let length = self.part.shape.slot();
        &mut self.device.vdm[each.slot * length..][..length]
    }

    fn move_in(&mut self, each: &Move) -> Result<(), RunError> {
        let length = self.part.shape.slot();
        match each.content {
            Content::Tower(tower) => {
                let words = self.tower(tower)?;
                for (word, from) in self.slot(each).iter_mut().zip(words.iter().cycle()) {
                    *word = *from;
                }
            }
            Content::Table { table, part } => {
                let words = self.part.tables[table].clone();
                for (word, from) in self.slot(each).iter_mut().zip(&words[part * length..]) {
                    *word = *from;
                }
            }
        }
        Ok(())
    }

    fn move_out(&mut self, each: &Move) {
        let n = self.part.shape.n();
        if let Content::Tower(tower) = each.content {
            let words = self.slot(each)[..n].to_vec();
            self.towers.insert(tower, words_of(words));
        }
    }
}
