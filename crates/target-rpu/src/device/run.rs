//! Runs a lowered program: every start is a program on the simulated machine.
//!
//! Off-chip memory holds the towers between parts. Before each part the device's memories are
//! filled with ones, so that nothing can rest on what an earlier part left there. Every program's
//! cycles are compared with those of the timing, so a timing that a run contradicts is no answer.

use crate::kernels::arguments::poison;
use crate::lower::part::Part;
use crate::lower::program::Program;
use crate::lower::start::Start;
use crate::{run as execute, Config, Memories};
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_towers::residency::{Content, Move};
use ringwright_towers::{Call, Memory, Shelf, TowerId, Val, Words};
use std::collections::HashMap;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Runs the program once; the inputs have been checked.
pub fn run(config: &Config, program: &Program, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
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

fn run_part(
    config: &Config,
    part: &Part,
    call: &Call,
    memory: &mut Shelf,
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
        run.towers.insert(TowerId(param), memory.tower(place)?);
    }
    for start in &part.starts {
        interrupt::check()?;
        run.start(start)?;
    }
    for (made, &place) in part.made.iter().zip(&call.results) {
        memory.share(place, run.tower(*made)?);
    }
    Ok(())
}

/// A part while it runs.
struct PartRun<'a> {
    config: &'a Config,
    part: &'a Part,
    /// Those of its call.
    constants: &'a [u128],
    device: &'a mut Memories,
    /// Towers in off-chip memory.
    towers: HashMap<TowerId, Words>,
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
        let ran = execute(&chain.program, self.config, self.device)
            .map_err(|error| RunError::Invalid(error.to_string()))?;
        // The timing was made without values, with other slots and arguments.
        if ran.cycles != chain.cycles() {
            let (name, ran, said) = (&chain.program.name, ran.cycles, chain.cycles());
            let what = format!("{name} took {ran} cycles; the timing says {said}");
            return Err(RunError::Invalid(what));
        }
        start.stored.iter().for_each(|each| self.move_out(each));
        Ok(())
    }

    fn tower(&self, tower: TowerId) -> Result<Words, RunError> {
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
                    *word = (*from).into();
                }
            }
            Content::Table { table, part } => {
                let words = self.part.tables[table].clone();
                for (word, from) in self.slot(each).iter_mut().zip(&words[part * length..]) {
                    *word = (*from).into();
                }
            }
        }
        Ok(())
    }

    fn move_out(&mut self, each: &Move) {
        let n = self.part.shape.n();
        if let Content::Tower(tower) = each.content {
            let words = self.slot(each)[..n].iter().map(|&word| word as u64);
            let words = Arc::new(Zeroizing::new(words.collect()));
            self.towers.insert(tower, words);
        }
    }
}
