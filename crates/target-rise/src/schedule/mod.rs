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

mod counters;
mod instructions;
mod measured;
mod queue;

use crate::config::Config;
use crate::lower::lower;
use crate::lowered::Lowered;
use crate::message;
use crate::units::bank_group::PortError;
use crate::units::{BFU, CONTROL, DMA, INTERRUPT, SAMPLER};
pub use counters::transform_counters;
use instructions::Instructions;
use queue::{Queue, Surroundings};
use ringwright_ir::ring::Module;
use ringwright_ir::{interrupt, verify, RunError};
use ringwright_target as target;
use ringwright_target::{
    check_size, check_standard_ring, Called, Interval, Steps, Timing, TimingError,
};
use std::collections::HashMap;
use std::sync::Arc;

const UNITS: &[&str] = &[CONTROL, DMA, SAMPLER, BFU, INTERRUPT];

/// Time of a program, and what its steps are.
pub struct Scheduled {
    /// What callers see: a call for each segment.
    pub timing: Timing,
    /// Of each of its parts, when each instruction runs, from the part's start on.
    pub instructions: Vec<Vec<Interval>>,
    /// Of each of its parts, what each step is.
    pub what: Vec<Vec<What>>,
}

/// What a step does; calls, their instructions and host functions are numbered from 0, in their part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The host writes the seed.
    WriteSeed,
    /// The host writes a call's registers.
    WriteCall(u32),
    /// The control unit begins a call.
    Start(u32),
    /// A call's constants are loaded.
    Constants(u32),
    /// An instruction of a call.
    Instruction(u32, u32),
    /// A call's interrupt.
    Interrupt(u32),
    /// The host takes the oldest interrupt.
    TakeInterrupt,
    /// A host function.
    Function(u32),
}

/// When every instruction of a run begins and ends, in the order in which they run. `parts`: as
/// [`Scheduled::instructions`].
pub fn run_intervals<'a>(
    timing: &'a Timing,
    parts: &'a [Vec<Interval>],
) -> impl Iterator<Item = Interval> + 'a {
    timing.calls.iter().flat_map(|call| {
        let shifted = |interval: &Interval| Interval {
            start: interval.start + call.start.0,
            end: interval.end + call.start.0,
        };
        parts[call.part].iter().map(shifted)
    })
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
    /// Somebody asked to stop.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Lowers a module and times it.
pub fn lowered(config: &Config, module: &Module) -> Result<(Lowered, Scheduled), RunError> {
    verify(module)?;
    check_standard_ring(&config.machine, module)?;
    check_size(&config.machine, module)?;
    let program = lower(config, module)?;
    let scheduled = time(config, &program).map_err(|error| match error {
        ScheduleError::Port(port) => config.unsupported(port),
        ScheduleError::Timing(error) => RunError::Invalid(error.to_string()),
        ScheduleError::Run(error) => error,
    })?;
    Ok((program, scheduled))
}

/// Times each part once; the first that runs also when it begins with the seed.
fn time(config: &Config, program: &Lowered) -> Result<Scheduled, ScheduleError> {
    let surroundings = Surroundings {
        config,
        host: &program.host,
        instructions: Instructions::new(config, program)?,
        messages_fit: message::places(config, program).is_ok(),
    };
    let draws = program
        .parts
        .iter()
        .any(|part| part.drawn().next().is_some());
    let (mut parts, mut instructions, mut whats) = (Vec::new(), Vec::new(), Vec::new());
    let mut called = Vec::with_capacity(program.program.calls.len());
    let mut known: HashMap<(usize, bool), usize> = HashMap::new();
    for (index, segment) in program.program.calls.iter().enumerate() {
        let seeded = draws && index == 0;
        let part = *known.entry((segment.kernel, seeded)).or_insert(parts.len());
        if part == parts.len() {
            interrupt::check()?;
            let of = &program.parts[segment.kernel];
            let (steps, what) = Queue::new(&surroundings, of).steps(seeded);
            instructions.push(intervals(&steps, &what));
            whats.push(what);
            let counters = counters::counters(&surroundings, of, seeded);
            parts.push(Arc::new(target::Part::new(steps, counters)));
        }
        called.push(Called {
            part,
            sources: segment.sources.clone(),
        });
    }
    Ok(Scheduled {
        timing: Timing::new(config.clock.clone(), UNITS, parts, called)?,
        instructions,
        what: whats,
    })
}

/// When each instruction runs.
fn intervals(steps: &Steps, what: &[What]) -> Vec<Interval> {
    let placed = steps.place(|kind| kind.work.device_cycles());
    let all = what.iter().zip(placed);
    let instructions = all.filter(|(what, _)| matches!(what, What::Instruction(..)));
    instructions.map(|(_, interval)| interval).collect()
}
