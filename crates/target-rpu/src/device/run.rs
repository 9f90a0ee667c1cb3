//! Runs a lowered program: every start is a program on the simulated machine.
//!
//! Off-chip memory holds the towers between parts. Before each part the device's memories are
//! filled with ones, so that nothing can rest on what an earlier part left there. Every program's
//! cycles are compared with those of the timing, so a timing that a run contradicts is no answer.

use crate::kernels::arguments::{poison, write_arguments, Arguments};
use crate::lower::part::Part;
use crate::lower::program::Program;
use crate::lower::start::Start;
use crate::{run as execute, Config, Memories};
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_ring::RnsPoly;
use ringwright_towers::residency::{Content, Move};
use ringwright_towers::{Call, Place, TowerId, Towers, Val};
use std::collections::HashMap;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// The words of one tower.
type Words = Arc<Zeroizing<Vec<u64>>>;

/// Runs the program once; the inputs have been checked.
pub fn run(
    config: &Config,
    program: &Program,
    n: usize,
    inputs: &[Value],
) -> Result<Vec<Value>, RunError> {
    let towers = &program.towers;
    let mut memory: Vec<Option<Words>> = vec![None; towers.towers];
    for (places, value) in towers.inputs.iter().zip(inputs) {
        for (place, words) in places.towers().zip(words_of(value)) {
            memory[place as usize] = Some(Arc::new(Zeroizing::new(words.to_vec())));
        }
    }
    let mut device = Memories::new(config);
    let done = towers.calls.iter().try_for_each(|call| {
        let part = &program.parts[call.kernel];
        run_part(config, part, call, &mut memory, &mut device)
    });
    device.vdm.zeroize();
    device.sdm.zeroize();
    done?;
    let output = |value: &Val<Place>| output(value, n, &memory, inputs);
    towers.outputs.iter().map(output).collect()
}

fn run_part(
    config: &Config,
    part: &Part,
    call: &Call,
    memory: &mut [Option<Words>],
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
        run.towers.insert(TowerId(param), read(memory, place)?);
    }
    for start in &part.starts {
        interrupt::check()?;
        run.start(start)?;
    }
    for (made, &place) in part.made.iter().zip(&call.results) {
        memory[place as usize] = run.towers.get(made).cloned();
    }
    Ok(())
}

fn read(memory: &[Option<Words>], place: Place) -> Result<Words, RunError> {
    let missing = || RunError::Invalid(format!("tower {place} is read before it is made"));
    memory[place as usize].clone().ok_or_else(missing)
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
        let chain = &start.chain;
        for (call, link) in start.calls.iter().zip(&chain.links) {
            let arguments = Arguments {
                q: call.q,
                scalar: call.given.value(self.constants),
                slots: &call.slots,
            };
            let words = &mut self.device.sdm[link.arguments..];
            write_arguments(words, self.config, &call.kernel.kernel, arguments)
                .map_err(RunError::Invalid)?;
        }
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

    fn slot(&mut self, each: &Move) -> &mut [u128] {
        let length = self.part.shape.slot();
        &mut self.device.vdm[each.slot * length..][..length]
    }

    fn move_in(&mut self, each: &Move) -> Result<(), RunError> {
        let length = self.part.shape.slot();
        match each.content {
            Content::Tower(tower) => {
                let missing =
                    || RunError::Invalid(format!("tower {} is moved before it is made", tower.0));
                let words = self.towers.get(&tower).cloned().ok_or_else(missing)?;
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

fn words_of(value: &Value) -> impl Iterator<Item = &[u64]> {
    let polys = match value {
        Value::Poly(poly) => std::slice::from_ref(&**poly),
        Value::Array(items) => items,
        Value::Seed(_) => &[],
    };
    polys.iter().flat_map(RnsPoly::iter)
}

fn output(
    value: &Val<Place>,
    n: usize,
    memory: &[Option<Words>],
    inputs: &[Value],
) -> Result<Value, RunError> {
    let poly = |towers: &Towers<Place>| {
        let mut words = Vec::with_capacity(towers.len() * n);
        for &place in towers.iter() {
            words.extend_from_slice(&read(memory, place)?);
        }
        RnsPoly::from_words(n, words).map_err(|error| RunError::Invalid(error.to_string()))
    };
    Ok(match value {
        Val::Poly(towers) => Value::Poly(Arc::new(poly(towers)?)),
        Val::Array(items) => {
            let items = items.iter().map(poly).collect::<Result<_, RunError>>()?;
            Value::Array(Arc::new(items))
        }
        Val::Seed(seed) => inputs[*seed].clone(),
    })
}
