//! When each microinstruction runs.
//!
//! Every unit takes its stream in order. A microinstruction begins when what it waits for has ended,
//! and takes its unit until its last word is written. The host begins a program once, and takes one
//! interrupt.

use crate::check::check;
use crate::config::{Config, BYTES_PER_WORD, MOST_RPAUS};
use crate::image::REGISTERS;
use crate::lower::allocate::{Microprogram, Placed};
use crate::lower::{Lowered, Part};
use crate::microcode::{Function, Instruction, Stages, MOST_LANES};
use crate::rtl::{CORE, RTL};
use crate::shape::Shape;
use ringwright_ir::RunError;
use ringwright_target as target;
use ringwright_target::{
    Called, Counters, Hardware, HostOperation, HostOperations, Interval, StepKind, Steps, Task,
    Timing, Work, HOST,
};
use ringwright_towers::in_parallel;
use std::collections::HashMap;
use std::sync::Arc;

/// The unit that takes the host's commands.
pub const CONTROL: &str = "control";
macro_rules! units {
    ($($number:literal)*) => {
        &[
            CONTROL, "dma 0", "dma 1", "dma 2", "dma 3",
            $(
                concat!("ntt ", $number), concat!("dyadic ", $number), concat!("ring ", $number),
            )*
        ]
    };
}

/// The units of the largest machine.
static UNITS: &[&str; 1 + MOST_LANES + 3 * MOST_RPAUS] =
    units!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

/// A unit of an RPAU, or a lane.
fn unit(placed: &Placed) -> &'static [&'static str] {
    let at = 1 + usize::from(placed.instruction.unit(placed.rpau));
    &UNITS[at..at + 1]
}

/// The units of a machine.
pub fn units(config: &Config) -> &'static [&'static str] {
    &UNITS[..1 + MOST_LANES + 3 * config.rpaus]
}

/// What the host does at a call: it begins a program at the first, and takes the interrupt of the
/// last.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Control {
    begins: bool,
    ends: bool,
}

/// Times each part once for what the host does at it, then the calls.
pub fn time(config: &Config, program: &Lowered) -> Result<Timing, RunError> {
    let calls = &program.program.calls;
    let mut known: HashMap<(usize, Control), usize> = HashMap::new();
    let mut ways = Vec::with_capacity(program.parts.len());
    let mut called = Vec::with_capacity(calls.len());
    for (index, call) in calls.iter().enumerate() {
        let control = Control {
            begins: index == 0,
            ends: index + 1 == calls.len(),
        };
        let way = (call.kernel, control);
        let part = *known.entry(way).or_insert(ways.len());
        if part == ways.len() {
            ways.push(way);
        }
        called.push(Called {
            part,
            sources: call.sources.clone(),
        });
    }
    let parts = in_parallel(ways.len(), |index| {
        let (kernel, control) = ways[index];
        let part = timed(config, &program.shape, &program.parts[kernel], control)?;
        Ok::<_, RunError>(Arc::new(part))
    })?;
    Timing::new(config.clock.clone(), units(config), parts, called)
        .map_err(|error| RunError::Invalid(error.to_string()))
}

/// A step of the host, or of the unit that takes its commands.
fn control(name: &'static str, work: Work, units: &'static [&'static str]) -> StepKind {
    StepKind {
        name,
        task: Task::Control,
        work,
        hardware: Hardware::DESCRIBED,
        units,
    }
}

fn of_host(operation: HostOperation, count: u64) -> Work {
    Work::HostFunction {
        operations: HostOperations::from([(operation, count)]),
    }
}

fn timed(
    config: &Config,
    shape: &Shape,
    part: &Part,
    at: Control,
) -> Result<target::Part, RunError> {
    let mut steps = Steps::new();
    let mut begun = Vec::new();
    if at.begins {
        let writes = of_host(HostOperation::RegisterWrite, REGISTERS.writes_per_run());
        begun.push(steps.push(control("write registers", writes, &[HOST]), &[], None));
    }
    let cycles = config.start_cycles;
    let start = control("start", Work::Kernel { cycles }, &UNITS[..1]);
    let start = steps.push(start, &begun, None);
    let program = &part.microprogram;
    for placed in &program.all {
        let (kind, after) = step(config, shape, placed, start);
        let origin = part.graph.origin(placed.origin);
        steps.push_for(origin.source, kind, &after, origin.line.as_ref());
    }
    let intervals = steps.place(|kind| kind.work.device_cycles());
    let operands = part.graph.param_towers as u32;
    check(program, &intervals[start + 1..], operands)
        .map_err(|error| RunError::Invalid(error.to_string()))?;
    if at.ends {
        let last = (0..intervals.len()).max_by_key(|&step| (intervals[step].end, step));
        let taken = of_host(HostOperation::Interrupt, 1);
        let after: Vec<usize> = last.into_iter().collect();
        let source = last.map_or(0, |step| steps.get(step).source);
        steps.push_for(
            source,
            control("take interrupt", taken, &[HOST]),
            &after,
            None,
        );
    }
    Ok(target::Part::new(steps, counters(shape, program)))
}

/// When each microinstruction of a kernel runs, from the kernel's start on.
pub fn intervals(config: &Config, shape: &Shape, program: &Microprogram) -> Vec<Interval> {
    let mut steps = Steps::new();
    let cycles = config.start_cycles;
    let start = control("start", Work::Kernel { cycles }, &UNITS[..1]);
    let start = steps.push(start, &[], None);
    for placed in &program.all {
        let (kind, after) = step(config, shape, placed, start);
        steps.push(kind, &after, None);
    }
    let intervals = steps.place(|kind| kind.work.device_cycles());
    intervals[start + 1..].to_vec()
}

/// A microinstruction as a step, and what it comes behind; `start` is the step of the kernel's start.
fn step(config: &Config, shape: &Shape, placed: &Placed, start: usize) -> (StepKind, Vec<usize>) {
    let cycles = placed.cycles;
    let (name, task) = name(&placed.instruction);
    let work = match placed.instruction {
        Instruction::Load { .. } | Instruction::Store { .. } => Work::Transfer {
            cycles,
            bytes: shape.bytes(),
        },
        _ => Work::Kernel { cycles },
    };
    // How long a move takes is the memory's matter.
    let is_move = matches!(work, Work::Transfer { .. });
    let kind = StepKind {
        name,
        task,
        work,
        hardware: Hardware::built(RTL.has(CORE) && config.in_rtl() && !is_move),
        units: unit(placed),
    };
    let after = placed.after.iter().map(|&n| start + 1 + n as usize);
    let after: Vec<usize> = after.collect();
    match after.is_empty() {
        true => (kind, vec![start]),
        false => (kind, after),
    }
}

/// What a step is called.
fn name(instruction: &Instruction) -> (&'static str, Task) {
    match instruction {
        Instruction::Transform { inverse: false, .. } => ("ntt", Task::Compute),
        Instruction::Transform { inverse: true, .. } => ("intt", Task::Compute),
        Instruction::Dyadic { function, .. } => (function.name(), Task::Compute),
        Instruction::Send { .. } => ("broadcast", Task::Move),
        Instruction::Load { .. } => ("load", Task::Move),
        Instruction::Store { .. } => ("store", Task::Move),
        Instruction::Wait(_) => ("wait", Task::Control),
    }
}

/// What happens in the units.
fn counters(shape: &Shape, program: &Microprogram) -> Counters {
    let n = shape.n() as u64;
    let mut counters = Counters::new();
    for placed in &program.all {
        match &placed.instruction {
            Instruction::Transform { stages, .. } => {
                let log_n = u64::from(shape.log_n);
                let stages = match stages {
                    Stages::All => log_n,
                    Stages::First => 1,
                    Stages::Rest => log_n - 1,
                };
                count_stages(&mut counters, shape, stages);
            }
            Instruction::Dyadic { function, of, .. } => {
                counters.add("dyadic", "products", function.products() * n);
                counters.add("dyadic", "words", n);
                counters.add("memory", "reads", of.len() as u64 * n);
                counters.add("memory", "writes", n);
                if let Function::Reduce | Function::Centre(_) = function {
                    counters.add("dyadic", "reductions", n);
                }
            }
            Instruction::Send { to, .. } => {
                counters.add("ring", "words", to.len() as u64 * n);
                counters.add("memory", "reads", n);
                counters.add("memory", "writes", to.len() as u64 * n);
            }
            Instruction::Load { .. } => {
                counters.add("memory", "writes", n);
                counters.add("dma", "bytes", n * BYTES_PER_WORD);
            }
            Instruction::Store { .. } => {
                counters.add("memory", "reads", n);
                counters.add("dma", "bytes", n * BYTES_PER_WORD);
            }
            Instruction::Wait(_) => {}
        }
    }
    counters
}

/// What happens in so many stages of a transform.
pub fn count_stages(counters: &mut Counters, shape: &Shape, stages: u64) {
    let n = shape.n() as u64;
    counters.add("ntt", "butterflies", stages * n / 2);
    counters.add("memory", "reads", stages * n);
    counters.add("memory", "writes", stages * n);
}
