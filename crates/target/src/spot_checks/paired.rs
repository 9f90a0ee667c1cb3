//! A program of the simulated machine, with what the quick device has lowered of it.

use crate::{Device, Executable};
use ringwright_ir::ring::Module;
use ringwright_ir::RunError;
use ringwright_towers::{Place, Program};
use std::sync::Arc;

/// What every run of a program needs.
pub struct Paired {
    /// Of the simulated machine, and of the one that values are taken from.
    pub names: [String; 2],
    /// What the kernels come from, on the quick device: one for each of the program's pieces.
    pub pieces: Vec<Arc<dyn Executable>>,
    /// After each call, the towers that nothing reads any more.
    pub done: Vec<Vec<Place>>,
}

impl Paired {
    /// Lowers what the kernels of a module's program come from.
    pub fn new(
        module: &Module,
        program: &Program,
        machine: &str,
        values: &dyn Device,
    ) -> Result<Self, RunError> {
        let pieces = program.pieces.iter();
        let pieces = pieces.map(|piece| values.lower(&piece.meaning.module(module)));
        Ok(Paired {
            names: [machine, values.machine()].map(str::to_owned),
            pieces: pieces.collect::<Result<_, _>>()?,
            done: last_touches(program),
        })
    }
}

/// After each call, the towers that nothing reads any more.
fn last_touches(program: &Program) -> Vec<Vec<Place>> {
    let mut last: Vec<Option<usize>> = vec![None; program.towers];
    for (index, call) in program.calls.iter().enumerate() {
        let operands = call.args.iter().flat_map(|arg| arg.towers());
        let made = call.pieces().flat_map(|(each, _)| each.results.iter());
        for place in operands.chain(made.copied()) {
            last[place as usize] = Some(index);
        }
    }
    let returned = program.outputs.iter().flat_map(|value| value.towers());
    returned.for_each(|place| last[place as usize] = None);
    let mut done = vec![Vec::new(); program.calls.len()];
    for (place, last) in last.into_iter().enumerate() {
        if let Some(call) = last {
            done[call].push(place as Place);
        }
    }
    done
}
