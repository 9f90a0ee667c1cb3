//! A lowered program with the hardware's host beside it: the image that the host works from, and what
//! the simulated machine does beside a host that takes so long.

mod image;
mod places;
mod records;

pub use image::image;

use crate::config::Config;
use crate::program::{Action, Call, HostFunction, Program};
use crate::request::Request;
use crate::schedule::{self, Scheduled, What};
use crate::towers;
use crate::twiddles::Constants;
use places::{Memory, Places};
use records::{units, Unit};
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::{HostOperations, ImageError, Interval, Steps, Timing, Work, HOST};

/// Instructions of a call that an error shows.
const SHOWN: usize = 9;

/// One program on one machine.
pub struct Hosted {
    config: Config,
    module: Module,
    program: Program,
    scheduled: Scheduled,
    /// Those of the whole run, as one list.
    steps: Steps,
    /// Of each call.
    requests: Vec<Request>,
    /// Of each call, the units of each instruction.
    units: Vec<Vec<&'static [Unit]>>,
    places: Places,
}

impl Hosted {
    /// Lowers a module; refuses calls and messages that the hardware has no place for.
    pub fn new(machine: &Machine, module: &Module) -> Result<Self, ImageError> {
        let config = Config::new(machine)?;
        let (program, scheduled) = schedule::lowered(&config, module)?;
        let requests = calls(&program)
            .map(|call| Request::of(call).ok_or_else(|| no_request(&config, call)))
            .collect::<Result<_, _>>()?;
        Ok(Hosted {
            places: Places::new(&config, &program)?,
            units: calls(&program)
                .map(|call| call.instructions.iter().map(units).collect())
                .collect(),
            module: module.clone(),
            steps: scheduled.timing.unfolded(),
            config,
            program,
            scheduled,
            requests,
        })
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
        &self.scheduled.what
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
        let Some(function) = functions(&self.program).nth(number) else {
            return Err(RunError::Invalid(format!("no host function {number}")));
        };
        let host = &self.program.host;
        towers::call(host, function, inputs, &mut self.memory_view(memory))
    }

    /// The results that lie in memory behind the last step.
    pub fn results(&self, inputs: &[Value], memory: &mut [u8]) -> Result<Vec<Value>, RunError> {
        towers::outputs(&self.program, inputs, &self.memory_view(memory))
    }

    fn memory_view<'a>(&'a self, bytes: &'a mut [u8]) -> Memory<'a> {
        Memory {
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

fn calls(program: &Program) -> impl Iterator<Item = &Call> {
    actions(program).filter_map(|action| match action {
        Action::Call(call) => Some(call),
        Action::Host(_) => None,
    })
}

fn functions(program: &Program) -> impl Iterator<Item = &HostFunction> {
    actions(program).filter_map(|action| match action {
        Action::Call(_) => None,
        Action::Host(function) => Some(function),
    })
}

fn actions(program: &Program) -> impl Iterator<Item = &Action> {
    program.segments.iter().flat_map(|segment| &segment.actions)
}

fn no_request(config: &Config, call: &Call) -> RunError {
    RunError::Unsupported {
        machine: config.machine.clone(),
        reason: format!(
            "the control register has no request for a call of {} instructions, from {:?} on; it has half-encryption, decryption and the two transforms",
            call.instructions.len(),
            &call.instructions[..call.instructions.len().min(SHOWN)]
        ),
    }
}
