//! When each instruction runs: the I/O controller's queue.
//!
//! An instruction starts when its units are free, the bank groups that it uses are no longer used
//! by earlier ones, and the polynomials that it loads are in memory. Every unit takes instructions
//! in order. So loading the key overlaps the transform of u. A call begins with the host's writes to
//! the control registers and ends with an interrupt; the host begins the next one after it. Where
//! the control unit holds registers and constants of two calls, the next one begins before this
//! one's result is stored, and its samples are drawn beside that transfer. (The hardware sends the
//! next call's constants before that result if the call is there by then. The list of steps takes it
//! for granted: a host that writes registers more slowly than a transform runs would see the result
//! leave first.) A run that draws samples begins with the registers of its seed. The steps are those
//! of [`ringwright_target::Step`], so that a host profile can place them again in its own time.
//!
//! The units run calls of any length; the hardware's controller takes those that `request` knows,
//! and its samplers the streams that `message` has room for. The steps of any other call are
//! modelled.

mod instructions;
mod queue;

use crate::config::Config;
use crate::lower::lower;
use crate::program::Program;
use crate::units::bank_group::PortError;
use crate::units::{BFU, CONTROL, DMA, INTERRUPT, SAMPLER};
use queue::Queue;
use ringwright_ir::ring::Module;
use ringwright_ir::{verify, RunError};
use ringwright_target::{check_size, Called, Counters, Interval, Part, Timing, TimingError};
use std::sync::Arc;

const UNITS: &[&str] = &[CONTROL, DMA, SAMPLER, BFU, INTERRUPT];

/// Time of a program, and what each of its steps is.
pub struct Scheduled {
    /// What callers see.
    pub timing: Timing,
    /// Of each step.
    pub what: Vec<What>,
}

/// What a step does; calls, their instructions and host functions are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The host writes the seed.
    WriteSeed,
    /// The host writes a call's registers.
    WriteCall(usize),
    /// The control unit begins a call.
    Start(usize),
    /// A call's constants are loaded.
    Constants(usize),
    /// An instruction of a call.
    Instruction(usize, usize),
    /// A call's interrupt.
    Interrupt(usize),
    /// The host takes the oldest interrupt.
    TakeInterrupt,
    /// A host function.
    Function(usize),
}

impl Scheduled {
    /// The interval of every instruction, by call, when the steps are placed like this.
    pub fn instructions(&self, intervals: &[Interval]) -> Vec<Vec<Interval>> {
        let mut calls: Vec<Vec<Interval>> = Vec::new();
        for (what, &interval) in self.what.iter().zip(intervals) {
            if let What::Instruction(call, index) = *what {
                if call == calls.len() {
                    calls.push(Vec::new());
                }
                debug_assert_eq!(calls[call].len(), index, "instructions are in order");
                calls[call].push(interval);
            }
        }
        calls
    }
}

/// Why a program has no time.
#[derive(Debug, thiserror::Error)]
enum ScheduleError {
    /// The machine's banks cannot do it.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The steps contradict each other or leave the range of time.
    #[error(transparent)]
    Timing(#[from] TimingError),
}

/// Lowers a module and times it.
pub fn lowered(config: &Config, module: &Module) -> Result<(Program, Scheduled), RunError> {
    verify(module)?;
    check_size(&config.machine, module)?;
    let program = lower(config, module)?;
    let scheduled = time(config, &program).map_err(|error| match error {
        ScheduleError::Port(port) => RunError::Unsupported {
            machine: config.machine.clone(),
            reason: port.to_string(),
        },
        ScheduleError::Timing(error) => RunError::Invalid(error.to_string()),
    })?;
    Ok((program, scheduled))
}

fn time(config: &Config, program: &Program) -> Result<Scheduled, ScheduleError> {
    let mut queue = Queue::new(config, program)?;
    queue.seed(&program.segments);
    let (mut parts, mut called) = (Vec::new(), Vec::new());
    for segment in &program.segments {
        let steps = queue.segment(segment);
        if !steps.is_empty() {
            called.push(Called {
                part: parts.len(),
                name: segment.name.as_str().into(),
                call: segment.call,
                loc: segment.loc.clone(),
            });
            parts.push(Arc::new(Part::new(steps, Counters::new())));
        }
    }
    Ok(Scheduled {
        timing: Timing::new(config.clock.clone(), UNITS, parts, called)?,
        what: queue.what,
    })
}
