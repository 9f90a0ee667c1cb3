//! Runs a lowered program: every instruction on the simulated units, every host function on the
//! reference interpreter.

use crate::config::Config;
use crate::core::Core;
use crate::program::{
    Action, Argument, Call, Drawn, HostFunction, Input, Instruction, Output, Program, Slot,
};
use crate::schedule::Scheduled;
use crate::units::bank_group::PortError;
use crate::units::sampler::Request;
use ringwright_ir::{RunError, Value};
use ringwright_ring::RnsPoly;
use ringwright_target::Interval;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Runs the program once; the inputs have been checked.
pub fn run(
    config: &Config,
    program: &Program,
    scheduled: &Scheduled,
    inputs: &[Value],
) -> Result<Vec<Value>, RunError> {
    let mut run = Run {
        program,
        inputs,
        core: Core::new(config, program.shape),
        memory: vec![None; program.slots],
    };
    run.core.poison();
    run.load_inputs();
    let mut intervals = scheduled.instructions.iter();
    for action in program.segments.iter().flat_map(|segment| &segment.actions) {
        match action {
            Action::Host(function) => run.host(function)?,
            Action::Call(call) => {
                let intervals = intervals.next().map_or(&[][..], |all| all);
                run.call(call, intervals)?;
            }
        }
    }
    let outputs = program
        .outputs
        .iter()
        .map(|output| run.output(output))
        .collect();
    run.core.wipe();
    outputs
}

struct Run<'a> {
    program: &'a Program,
    inputs: &'a [Value],
    core: Core,
    /// One tower per slot; wiped when the run ends, for it may hold secrets.
    memory: Vec<Option<Arc<Zeroizing<Vec<u64>>>>>,
}

impl Run<'_> {
    fn load_inputs(&mut self) {
        for (input, value) in self.program.inputs.iter().zip(self.inputs) {
            let (Input::Polys(items), polys) = (input, polys(value)) else {
                continue;
            };
            for (slots, poly) in items.iter().zip(polys) {
                self.set_poly(slots, poly);
            }
        }
    }

    fn set_poly(&mut self, slots: &[Slot], poly: &RnsPoly) {
        for (slot, tower) in slots.iter().zip(poly.iter()) {
            self.memory[slot.0] = Some(Arc::new(Zeroizing::new(tower.to_vec())));
        }
    }

    fn tower(&self, slot: Slot) -> Result<Arc<Zeroizing<Vec<u64>>>, RunError> {
        let missing = || RunError::Invalid(format!("tower {} is read before it is made", slot.0));
        self.memory[slot.0].clone().ok_or_else(missing)
    }

    fn poly(&self, slots: &[Slot]) -> Result<RnsPoly, RunError> {
        let mut words = Vec::with_capacity(slots.len() * self.program.shape.n());
        for &slot in slots {
            words.extend_from_slice(&self.tower(slot)?);
        }
        RnsPoly::from_words(self.program.shape.n(), words)
            .map_err(|error| RunError::Invalid(error.to_string()))
    }

    fn host(&mut self, function: &HostFunction) -> Result<(), RunError> {
        let args = function.args.iter().map(|arg| {
            Ok(match arg {
                Argument::Poly(slots) => Value::Poly(Arc::new(self.poly(slots)?)),
                Argument::Seed(seed) => self.inputs[*seed].clone(),
            })
        });
        let args: Vec<Value> = args.collect::<Result<_, RunError>>()?;
        let results = function.kernel.run(&args)?;
        if let Some(Value::Poly(poly)) = results.first() {
            self.set_poly(&function.results, poly);
        }
        Ok(())
    }

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
                let words = self.tower(*slot)?;
                self.core.load(start, *group, *layout, &words).map_err(port)
            }
            Instruction::Store(slot, group, layout) => {
                let mut words = Zeroizing::new(vec![0; self.program.shape.n()]);
                let end = self
                    .core
                    .store(start, *group, *layout, &mut words)
                    .map_err(port)?;
                self.memory[slot.0] = Some(Arc::new(words));
                Ok(end)
            }
            Instruction::Sample(drawn, group, layout) => {
                let request = request(self.inputs, drawn, constants.q.value(), None)?;
                self.core
                    .sample(start, *group, *layout, &request)
                    .map_err(port)
            }
            Instruction::LoadSum(slot, drawn, group, layout) => {
                let words = self.tower(*slot)?;
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

    fn output(&self, output: &Output) -> Result<Value, RunError> {
        Ok(match output {
            Output::Poly(slots) => Value::Poly(Arc::new(self.poly(slots)?)),
            Output::Array(items) => {
                let items: Result<Vec<RnsPoly>, RunError> =
                    items.iter().map(|slots| self.poly(slots)).collect();
                Value::Array(Arc::new(items?))
            }
            Output::Seed(seed) => self.inputs[*seed].clone(),
        })
    }
}

fn polys(value: &Value) -> &[RnsPoly] {
    match value {
        Value::Poly(poly) => std::slice::from_ref(&**poly),
        Value::Array(items) => items,
        Value::Seed(_) => &[],
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
