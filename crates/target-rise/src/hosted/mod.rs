//! A lowered program with the hardware's host beside it: the image that the host works from, and what
//! the simulated machine does beside a host that takes so long.

mod image;
mod places;
mod records;

pub use image::image;

use crate::config::Config;
use crate::host::HostFunction;
use crate::host_functions;
use crate::lowered::{Action, Call, Frame, Instruction, Lowered};
use crate::request::Request;
use crate::schedule::{self, Scheduled, What};
use crate::twiddles::Constants;
use places::{Bytes, Places};
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::{HostOperations, ImageError, Interval, Steps, Timing, Work, HOST};
use ringwright_towers::Memory;

/// Instructions of a call that an error shows.
const SHOWN: usize = 9;

/// One program on one machine.
pub struct Hosted {
    config: Config,
    signature: Signature,
    program: Lowered,
    scheduled: Scheduled,
    /// Those of the whole run, as one list.
    steps: Steps,
    /// What each of them is, calls and host functions numbered over the run.
    what: Vec<What>,
    /// Of the run, in order.
    calls: Vec<HostedCall>,
    /// Segment and action of each host function of the run.
    functions: Vec<(usize, usize)>,
    places: Places,
}

/// A call of the accelerator.
struct HostedCall {
    segment: usize,
    /// Position in the segment's part.
    action: usize,
    request: Request,
}

impl Hosted {
    /// Lowers a module; refuses calls and messages that the hardware has no place for.
    pub fn new(machine: &Machine, module: &Module) -> Result<Self, ImageError> {
        let config = Config::new(machine)?;
        let (program, scheduled) = schedule::lowered(&config, module)?;
        let mut hosted = Hosted {
            signature: Signature::of(module),
            steps: scheduled.timing.unfolded(),
            what: Vec::new(),
            calls: Vec::new(),
            functions: Vec::new(),
            places: Places::new(&config, &program)?,
            config,
            program,
            scheduled,
        };
        for segment in 0..hosted.program.program.calls.len() {
            hosted.number(segment)?;
        }
        Ok(hosted)
    }

    /// Numbers the calls and host functions of the next segment behind those before.
    fn number(&mut self, segment: usize) -> Result<(), RunError> {
        let (calls, functions) = (self.calls.len() as u32, self.functions.len() as u32);
        let what = &self.scheduled.what[self.scheduled.timing.calls[segment].part];
        self.what.extend(what.iter().map(|what| match *what {
            What::WriteCall(call) => What::WriteCall(calls + call),
            What::Start(call) => What::Start(calls + call),
            What::Constants(call) => What::Constants(calls + call),
            What::Instruction(call, index) => What::Instruction(calls + call, index),
            What::Interrupt(call) => What::Interrupt(calls + call),
            What::Function(function) => What::Function(functions + function),
            What::WriteSeed | What::TakeInterrupt => *what,
        }));
        let part = &self.program.parts[self.program.program.calls[segment].kernel];
        for (action, each) in part.actions.iter().enumerate() {
            match each {
                Action::Host(_) => self.functions.push((segment, action)),
                Action::Call(call) => {
                    let instructions = part.instructions(call);
                    let request = Request::of(instructions);
                    self.calls.push(HostedCall {
                        segment,
                        action,
                        request: request.ok_or_else(|| no_request(&self.config, instructions))?,
                    });
                }
            }
        }
        Ok(())
    }

    fn frame(&self, segment: usize) -> Frame<'_> {
        self.program.frame(&self.program.program.calls[segment])
    }

    /// A call of the run with what it works on.
    fn call(&self, number: u32) -> (Frame<'_>, &Call, &Request) {
        let hosted = &self.calls[number as usize];
        let frame = self.frame(hosted.segment);
        match &frame.part.actions[hosted.action] {
            Action::Call(call) => (frame, call, &hosted.request),
            Action::Host(_) => unreachable!("call {number} is a call"),
        }
    }

    /// A host function of the run with what it works on.
    fn host_function(&self, number: usize) -> Result<(Frame<'_>, &HostFunction), RunError> {
        let missing = || RunError::Invalid(format!("no host function {number}"));
        let &(segment, action) = self.functions.get(number).ok_or_else(missing)?;
        let frame = self.frame(segment);
        match &frame.part.actions[action] {
            Action::Host(function) => Ok((frame, function)),
            Action::Call(_) => Err(missing()),
        }
    }

    /// The machine.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The program's time.
    pub fn timing(&self) -> &Timing {
        &self.scheduled.timing
    }

    /// The steps of its run, in order.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// What each step is.
    pub fn what(&self) -> &[What] {
        &self.what
    }

    /// The steps of the host, each an action of the image's script.
    pub fn host_steps(&self) -> Vec<usize> {
        let steps = self.steps.iter().enumerate();
        steps
            .filter(|(_, step)| step.kind.units == [HOST])
            .map(|(index, _)| index)
            .collect()
    }

    /// Words of a tower.
    pub fn n(&self) -> usize {
        self.program.shape.n()
    }

    /// Constants of each prime that the device works with; their regions are the image's first.
    pub fn constants(&self) -> &[Constants] {
        &self.program.constants
    }

    /// Runs a host function, numbered from 0 in the order of the script, on the bytes of memory.
    pub fn function(
        &self,
        number: usize,
        inputs: &[Value],
        memory: &mut [u8],
    ) -> Result<(), RunError> {
        let (frame, function) = self.host_function(number)?;
        let (host, mut memory) = (&self.program.host, self.memory_view(memory));
        host_functions::call(host, &frame, function, inputs, &mut memory)
    }

    /// The results that lie in memory behind the last step.
    pub fn results(&self, inputs: &[Value], memory: &mut [u8]) -> Result<Vec<Value>, RunError> {
        self.memory_view(memory)
            .values(&self.program.program.outputs, inputs)
    }

    fn memory_view<'a>(&'a self, bytes: &'a mut [u8]) -> Bytes<'a> {
        Bytes {
            bytes,
            places: &self.places,
            n: self.program.shape.n(),
        }
    }

    /// Cycles of every step beside a host whose functions take so long.
    pub fn durations(&self, host: impl Fn(What, &HostOperations) -> u64) -> Vec<u64> {
        let steps = self.steps.iter().zip(self.what());
        steps
            .map(|(step, &what)| match &step.kind.work {
                Work::HostFunction { operations } => host(what, operations),
                work => work.device_cycles(),
            })
            .collect()
    }

    /// When each step begins and ends, given how long each takes.
    pub fn place(&self, durations: &[u64]) -> Vec<Interval> {
        self.steps.place_each(durations)
    }
}

fn no_request(config: &Config, instructions: &[Instruction]) -> RunError {
    config.unsupported(format!(
        "the control register has no request for a call of {} instructions, from {:?} on; it has half-encryption, decryption and the two transforms",
        instructions.len(),
        &instructions[..instructions.len().min(SHOWN)]
    ))
}
