//! Runs a lowered program: every start is a program on the simulated machine.
//!
//! Off-chip memory holds the towers between parts. Before each part the device's memories are
//! filled with ones, so that nothing can rest on what an earlier part left there. Every program's
//! cycles are compared with those of the timing, so a timing that a run contradicts is no answer.

use crate::kernels::arguments::{poison, write_arguments, Arguments};
use crate::lower::graph::Val;
use crate::lower::part::{Outcome, Part};
use crate::lower::program::{Program, Segment, Tower};
use crate::lower::residency::{Content, Move};
use crate::lower::start::Start;
use crate::{run as execute, Config, Memories};
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_ring::RnsPoly;
use std::collections::BTreeMap;
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
    let mut memory: Vec<Option<Words>> = vec![None; program.towers];
    for (towers, value) in program.inputs.iter().zip(inputs) {
        for (tower, words) in towers.towers().into_iter().zip(words_of(value)) {
            memory[tower] = Some(Arc::new(Zeroizing::new(words.to_vec())));
        }
    }
    let mut device = Memories::new(config);
    let mut segments = program.segments.iter();
    let done =
        segments.try_for_each(|segment| run_segment(config, segment, &mut memory, &mut device));
    device.vdm.zeroize();
    device.sdm.zeroize();
    done?;
    let output = |value: &Val<Tower>| output(value, n, &memory, inputs);
    program.outputs.iter().map(output).collect()
}

fn run_segment(
    config: &Config,
    segment: &Segment,
    memory: &mut [Option<Words>],
    device: &mut Memories,
) -> Result<(), RunError> {
    poison(device, config);
    let part = &segment.part;
    let mut run = PartRun {
        config,
        part,
        device,
        towers: BTreeMap::new(),
    };
    for (node, operand) in part.operands.iter().enumerate() {
        if let Some(operand) = operand {
            run.towers
                .insert(node, read(memory, segment.operands[*operand])?);
        }
    }
    for start in &part.starts {
        interrupt::check()?;
        run.start(start)?;
    }
    for (&result, &tower) in part.results.iter().zip(&segment.results) {
        if let Outcome::Made(node) = result {
            memory[tower] = run.towers.get(&node).cloned();
        }
    }
    Ok(())
}

fn read(memory: &[Option<Words>], tower: Tower) -> Result<Words, RunError> {
    let missing = || RunError::Invalid(format!("tower {tower} is read before it is made"));
    memory[tower].clone().ok_or_else(missing)
}

/// A part while it runs.
struct PartRun<'a> {
    config: &'a Config,
    part: &'a Part,
    device: &'a mut Memories,
    /// Towers in off-chip memory.
    towers: BTreeMap<usize, Words>,
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
                scalar: call.scalar,
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
            Content::Tower(node) => {
                let missing =
                    || RunError::Invalid(format!("tower {node} is moved before it is made"));
                let words = self.towers.get(&node).cloned().ok_or_else(missing)?;
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
        if let Content::Tower(node) = each.content {
            let words = self.slot(each)[..n].iter().map(|&word| word as u64);
            let words = Arc::new(Zeroizing::new(words.collect()));
            self.towers.insert(node, words);
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
    value: &Val<Tower>,
    n: usize,
    memory: &[Option<Words>],
    inputs: &[Value],
) -> Result<Value, RunError> {
    let poly = |towers: &Vec<Tower>| {
        let mut words = Vec::with_capacity(towers.len() * n);
        for &tower in towers {
            words.extend_from_slice(&read(memory, tower)?);
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
