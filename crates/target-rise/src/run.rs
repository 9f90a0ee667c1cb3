//! Runs a lowered program: every instruction on the simulated units, every host function on the
//! reference interpreter.

use crate::config::Config;
use crate::core::Core;
use crate::program::{Action, Call, Drawn, Instruction, Program, Slot};
use crate::towers::{self, Towers};
use crate::units::bank_group::PortError;
use crate::units::sampler::Request;
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_sim::{NoTrace, Trace, TraceRecord};
use ringwright_target::Interval;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Runs the program once, each instruction of each call in its interval; the inputs have been
/// checked.
pub fn run(
    config: &Config,
    program: &Program,
    instructions: &[Vec<Interval>],
    inputs: &[Value],
) -> Result<Vec<Value>, RunError> {
    Ok(traced::<NoTrace>(config, program, instructions, inputs)?.0)
}

/// As [`run`], with what the units say.
pub fn traced<T: Trace>(
    config: &Config,
    program: &Program,
    instructions: &[Vec<Interval>],
    inputs: &[Value],
) -> Result<(Vec<Value>, Vec<TraceRecord>), RunError> {
    let mut run = Run {
        program,
        inputs,
        core: Core::<T>::traced(config, program.shape),
        memory: Memory(vec![None; program.slots]),
    };
    run.core.poison();
    towers::load_inputs(program, inputs, &mut run.memory);
    let mut intervals = instructions.iter();
    for action in program.segments.iter().flat_map(|segment| &segment.actions) {
        interrupt::check()?;
        match action {
            Action::Host(function) => {
                towers::call(&program.host, function, inputs, &mut run.memory)?
            }
            Action::Call(call) => {
                let intervals = intervals.next().map_or(&[][..], |all| all);
                run.call(call, intervals)?;
            }
        }
    }
    let outputs = towers::outputs(program, inputs, &run.memory);
    run.core.wipe();
    Ok((outputs?, run.core.take_records()))
}

struct Run<'a, T> {
    program: &'a Program,
    inputs: &'a [Value],
    core: Core<T>,
    memory: Memory,
}

impl<T: Trace> Run<'_, T> {
    fn call(&mut self, call: &Call, intervals: &[Interval]) -> Result<(), RunError> {
        for (instruction, interval) in call.instructions.iter().zip(intervals) {
            let end = self.instruction(call, instruction, interval.start)?;
            if end != interval.end {
                return Err(RunError::Invalid(format!(
                    "{instruction:?} ends at cycle {end}, its schedule says {}",
                    interval.end
                )));
            }
        }
        Ok(())
    }

    fn instruction(
        &mut self,
        call: &Call,
        instruction: &Instruction,
        start: u64,
    ) -> Result<u64, RunError> {
        let constants = &self.program.constants[call.prime];
        let port = |error: PortError| RunError::Invalid(error.to_string());
        match instruction {
            Instruction::Load(slot, group, layout) => {
                let words = self.memory.tower(*slot)?;
                self.core.load(start, *group, *layout, &words).map_err(port)
            }
            Instruction::Store(slot, group, layout) => {
                let mut words = Zeroizing::new(vec![0; self.program.shape.n()]);
                let end = self
                    .core
                    .store(start, *group, *layout, &mut words)
                    .map_err(port)?;
                self.memory.set_tower(*slot, &words);
                Ok(end)
            }
            Instruction::Sample(drawn, group, layout) => {
                let request = request(self.inputs, drawn, constants.q.value(), None)?;
                self.core
                    .sample(start, *group, *layout, &request)
                    .map_err(port)
            }
            Instruction::LoadSum(slot, drawn, group, layout) => {
                let words = self.memory.tower(*slot)?;
                let addend = Some((&words[..], self.core.dma_latency()));
                let request = request(self.inputs, drawn, constants.q.value(), addend)?;
                self.core
                    .sample(start, *group, *layout, &request)
                    .map_err(port)
            }
            Instruction::Transform(group, direction) => self
                .core
                .transform(start, *group, *direction, constants)
                .map_err(port),
            Instruction::Pointwise(operation) => self
                .core
                .pointwise(start, *operation, constants)
                .map_err(port),
        }
    }
}

/// One tower per slot; wiped when the run ends, for it may hold secrets.
struct Memory(Vec<Option<Arc<Zeroizing<Vec<u64>>>>>);

impl Towers for Memory {
    fn tower(&self, slot: Slot) -> Result<Arc<Zeroizing<Vec<u64>>>, RunError> {
        let missing = || RunError::Invalid(format!("tower {} is read before it is made", slot.0));
        self.0[slot.0].clone().ok_or_else(missing)
    }

    fn set_tower(&mut self, slot: Slot, words: &[u64]) {
        self.0[slot.0] = Some(Arc::new(Zeroizing::new(words.to_vec())));
    }
}

/// What the sampler is asked for.
fn request<'a>(
    inputs: &'a [Value],
    drawn: &'a Drawn,
    q: u64,
    addend: Option<(&'a [u64], u64)>,
) -> Result<Request<'a>, RunError> {
    match &inputs[drawn.seed] {
        Value::Seed(seed) => Ok(Request {
            draw: drawn.draw,
            seed: seed.expose(),
            stream: &drawn.stream,
            q,
            addend,
        }),
        _ => Err(RunError::Invalid("a sample without seed".to_owned())),
    }
}
