//! Runs a lowered program: every instruction on the simulated units, every host function on the
//! reference interpreter.

use crate::config::Config;
use crate::core::Core;
use crate::host_functions;
use crate::lowered::{Action, Drawn, Frame, Instruction, Lowered};
use crate::twiddles::Constants;
use crate::units::bank_group::PortError;
use crate::units::sampler::Request;
use ringwright_ir::{interrupt, RunError, Value};
use ringwright_sim::{NoTrace, Trace, TraceRecord};
use ringwright_target::Interval;
use ringwright_towers::{Memory, Shelf};
use zeroize::Zeroizing;

/// Runs the program once, each instruction of each segment in its interval; the inputs have been
/// checked.
pub fn run(
    config: &Config,
    program: &Lowered,
    intervals: impl Iterator<Item = Interval>,
    inputs: &[Value],
) -> Result<Vec<Value>, RunError> {
    Ok(traced::<NoTrace>(config, program, intervals, inputs)?.0)
}

/// As [`run`], with what the units say.
pub fn traced<T: Trace>(
    config: &Config,
    program: &Lowered,
    intervals: impl Iterator<Item = Interval>,
    inputs: &[Value],
) -> Result<(Vec<Value>, Vec<TraceRecord>), RunError> {
    let mut memory = Shelf::new(program.places());
    memory.load(&program.program.inputs, inputs);
    let mut run = Run {
        program,
        inputs,
        core: Core::<T>::traced(config, program.shape),
        memory: &mut memory,
        intervals,
    };
    run.core.poison();
    for frame in program.frames() {
        run.segment(&frame)?;
    }
    let outputs = run.memory.values(&program.program.outputs, inputs);
    run.core.wipe();
    Ok((outputs?, run.core.take_records()))
}

/// Runs one segment that draws nothing, alone. Its operands are in memory; so are its results then.
pub fn run_segment(
    config: &Config,
    program: &Lowered,
    segment: usize,
    intervals: impl Iterator<Item = Interval>,
    memory: &mut Shelf,
) -> Result<(), RunError> {
    let mut run = Run {
        program,
        inputs: &[],
        core: Core::<NoTrace>::traced(config, program.shape),
        memory,
        intervals,
    };
    run.core.poison();
    let done = run.segment(&program.frame(&program.program.calls[segment]));
    run.core.wipe();
    done
}

struct Run<'a, T, I> {
    program: &'a Lowered,
    inputs: &'a [Value],
    core: Core<T>,
    memory: &'a mut Shelf,
    /// Of every instruction that has not run.
    intervals: I,
}

impl<T: Trace, I: Iterator<Item = Interval>> Run<'_, T, I> {
    fn segment(&mut self, frame: &Frame<'_>) -> Result<(), RunError> {
        for action in &frame.part.actions {
            interrupt::check()?;
            match action {
                Action::Host(function) => {
                    let host = &self.program.host;
                    host_functions::call(host, frame, function, self.inputs, self.memory)?;
                }
                Action::Call(call) => {
                    let constants = &self.program.constants[call.prime as usize];
                    for instruction in frame.part.instructions(call) {
                        self.timed(frame, constants, instruction)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// An instruction in its interval.
    fn timed(
        &mut self,
        frame: &Frame<'_>,
        constants: &Constants,
        instruction: &Instruction,
    ) -> Result<(), RunError> {
        let untimed = || RunError::Invalid(format!("{instruction:?} has no time"));
        let interval = self.intervals.next().ok_or_else(untimed)?;
        let end = self.instruction(frame, constants, instruction, interval.start)?;
        if end == interval.end {
            return Ok(());
        }
        let said = interval.end;
        Err(RunError::Invalid(format!(
            "{instruction:?} ends at cycle {end}, its schedule says {said}"
        )))
    }

    fn instruction(
        &mut self,
        frame: &Frame<'_>,
        constants: &Constants,
        instruction: &Instruction,
        start: u64,
    ) -> Result<u64, RunError> {
        let q = constants.q.value();
        let port = |error: PortError| RunError::Invalid(error.to_string());
        match instruction {
            Instruction::Load(slot, group, layout) => {
                let words = self.memory.tower(frame.place(*slot))?;
                self.core.load(start, *group, *layout, &words).map_err(port)
            }
            Instruction::Store(slot, group, layout) => {
                let mut words = Zeroizing::new(vec![0; self.program.shape.n()]);
                let end = self
                    .core
                    .store(start, *group, *layout, &mut words)
                    .map_err(port)?;
                self.memory.set(frame.place(*slot), &words);
                Ok(end)
            }
            Instruction::Sample(drawn, group, layout) => {
                let request = request(self.inputs, frame, drawn, q, None)?;
                self.core
                    .sample(start, *group, *layout, &request)
                    .map_err(port)
            }
            Instruction::LoadSum(slot, drawn, group, layout) => {
                let words = self.memory.tower(frame.place(*slot))?;
                let addend = Some((&words[..], self.core.dma_latency()));
                let request = request(self.inputs, frame, drawn, q, addend)?;
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

/// What the sampler is asked for.
fn request<'a>(
    inputs: &'a [Value],
    frame: &Frame<'_>,
    drawn: &'a Drawn,
    q: u64,
    addend: Option<(&'a [u64], u64)>,
) -> Result<Request<'a>, RunError> {
    match &inputs[frame.seed(drawn.seed)] {
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
