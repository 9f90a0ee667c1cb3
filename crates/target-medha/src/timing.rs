//! When each microinstruction runs.
//!
//! Every unit takes its stream in order. A microinstruction begins when what it waits for has ended,
//! and takes its unit until its last word is written. Before a kernel its tables are filled from the list.
//! The host begins a program once, and takes one interrupt.

use crate::check::check;
use crate::config::{Config, BYTES_PER_WORD, MOST_RPAUS};
use crate::encode::{encode, Lengths};
use crate::image::{beats_once, moves, Beats, BEAT, REGISTERS};
use crate::lower::Lowered;
use crate::microcode::{Function, Instruction, Microprogram, Placed, Stages, MOST_LANES};
use crate::rtl::{CORE, RTL};
use crate::shape::Shape;
use ringwright_ir::ring::Source;
use ringwright_ir::RunError;
use ringwright_target as target;
use ringwright_target::{
    Called, Counters, Hardware, HostOperation, HostOperations, Interval, StepKind, Steps, Task,
    Timing, Work, HOST,
};
use ringwright_towers::{in_parallel, Graph, Place, Program, Val};
use std::collections::{BTreeSet, HashMap};
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

/// What a list of commands runs.
struct Kernel<'a> {
    program: &'a Microprogram,
    /// What it computes; nothing if it only moves.
    graph: Option<&'a Graph>,
    lengths: &'a Lengths,
}

/// A run of a kernel, by its position.
struct Run {
    kernel: usize,
    /// Operands and results.
    operands: usize,
    sources: Arc<[Source]>,
}

/// A kernel that brings towers, or takes them.
struct Moves {
    program: Microprogram,
    lengths: Lengths,
    towers: usize,
}

/// What is done for no call of the program.
fn own(name: &str) -> Arc<[Source]> {
    let source = Source {
        name: name.into(),
        call: None,
        loc: None,
    };
    Arc::new([source])
}

/// Times a program: operands are brought into their RPAUs, each kernel runs behind its tables, results are
/// taken. Its set-up brings the degree, primes, factors, and evaluation keys that stay in RPAUs.
pub fn time(config: &Config, program: &Lowered) -> Result<Timing, RunError> {
    let Program {
        inputs, outputs, ..
    } = &program.program;
    let is_key = |value: &&Val<Place>| matches!(value, Val::Array(_));
    let keys = moved(config, program, inputs.iter().filter(is_key), false)?;
    let operands = inputs.iter().filter(|value| !is_key(value));
    let operands = moved(config, program, operands, false)?;
    let results = moved(config, program, outputs.iter(), true)?;

    let parts = program.parts.iter().map(|part| Kernel {
        program: &part.microprogram,
        graph: Some(&part.graph),
        lengths: &part.lengths,
    });
    let mut kernels: Vec<Kernel> = parts.collect();
    let mut runs = with_moves(&mut kernels, &operands, "operands");
    runs.extend(program.program.calls.iter().map(|call| Run {
        kernel: call.kernel,
        operands: call.args.iter().flat_map(Val::towers).count() + call.results.len(),
        sources: call.sources.clone(),
    }));
    runs.extend(with_moves(&mut kernels, &results, "results"));
    let mut for_keys = Vec::new();
    let key_runs = with_moves(&mut for_keys, &keys, "keys");

    let once = beats_once(program);
    let set_up = time_list(config, &program.shape, once, &for_keys, key_runs)?;
    let timing = time_list(config, &program.shape, 0, &kernels, runs)?;
    Ok(timing.behind(set_up))
}

/// Kernels that bring the towers of values which lie in RPAUs, or take them.
fn moved<'a>(
    config: &Config,
    program: &Lowered,
    values: impl Iterator<Item = &'a Val<Place>>,
    stores: bool,
) -> Result<Vec<Moves>, RunError> {
    let places: BTreeSet<Place> = values.flat_map(Val::towers).collect();
    let kernels = moves(config, program, &places, stores).into_iter();
    let kernels = kernels.map(|(towers, kernel)| {
        let code = encode(config, &program.shape, &kernel);
        let code = code.map_err(|error| config.unsupported(error))?;
        Ok(Moves {
            program: kernel,
            lengths: Lengths::of(&code),
            towers: towers.len(),
        })
    });
    kernels.collect()
}

/// Adds kernels of moves; each runs once.
fn with_moves<'a>(kernels: &mut Vec<Kernel<'a>>, moves: &'a [Moves], name: &str) -> Vec<Run> {
    let sources = own(name);
    let runs = moves.iter().map(|each| {
        kernels.push(Kernel {
            program: &each.program,
            graph: None,
            lengths: &each.lengths,
        });
        Run {
            kernel: kernels.len() - 1,
            operands: each.towers,
            sources: sources.clone(),
        }
    });
    runs.collect()
}

/// Times a list: so many beats that are for no kernel, then each run behind its tables. A kernel is timed
/// once, and once more where the host takes the interrupt behind it.
fn time_list(
    config: &Config,
    shape: &Shape,
    before: u64,
    kernels: &[Kernel<'_>],
    runs: Vec<Run>,
) -> Result<Timing, RunError> {
    let last = runs.len().saturating_sub(1);
    let way = |(index, run): (usize, &Run)| (run.kernel, index == last);
    let ways: Vec<(usize, bool)> = runs.iter().enumerate().map(way).collect();
    let mut distinct = ways.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut parts = in_parallel(distinct.len(), |index| {
        let (kernel, ends) = distinct[index];
        let Kernel { program, graph, .. } = kernels[kernel];
        let part = timed(config, shape, program, graph, ends)?;
        Ok::<_, RunError>(Arc::new(part))
    })?;
    let spilled = kernels.iter().map(|kernel| kernel.program.spilled).max();
    let spilled = spilled.unwrap_or(0) as usize;

    let mut known: HashMap<(u64, [bool; 2]), usize> = HashMap::new();
    let mut tables = |parts: &mut Vec<_>, beats, host| {
        *known.entry((beats, host)).or_insert_with(|| {
            parts.push(Arc::new(filled(beats, host)));
            parts.len() - 1
        })
    };
    let mut called = Vec::with_capacity(1 + 2 * runs.len());
    if before > 0 {
        called.push(Called {
            part: tables(&mut parts, before, [true, runs.is_empty()]),
            sources: own("ring"),
        });
    }
    let (mut list, filling) = (Beats::new(config), own("tables"));
    for (run, way) in runs.into_iter().zip(ways) {
        let lengths = kernels[run.kernel].lengths;
        let beats = list.next(run.kernel, lengths, [run.operands, spilled]);
        called.push(Called {
            part: tables(&mut parts, beats, [called.is_empty(), false]),
            sources: filling.clone(),
        });
        // Sorted.
        let part = distinct.partition_point(|&other| other < way);
        let sources = run.sources;
        called.push(Called { part, sources });
    }
    Timing::new(config.clock.clone(), units(config), parts, called)
        .map_err(|error| RunError::Invalid(error.to_string()))
}

/// Tables of so many beats, of which the hardware takes one a cycle; whether the host begins the list before,
/// and takes its interrupt behind.
fn filled(beats: u64, [begins, ends]: [bool; 2]) -> target::Part {
    let mut steps = Steps::new();
    let mut begun = Vec::new();
    if begins {
        let writes = of_host(HostOperation::RegisterWrite, REGISTERS.writes_per_run());
        begun.push(steps.push(control("write registers", writes, &[HOST]), &[], None));
    }
    let work = Work::Transfer {
        cycles: beats,
        bytes: BEAT * beats,
    };
    let filled = steps.push(control("fill tables", work, &UNITS[..1]), &begun, None);
    if ends {
        let taken = of_host(HostOperation::Interrupt, 1);
        steps.push(control("take interrupt", taken, &[HOST]), &[filled], None);
    }
    target::Part::new(steps, Counters::new())
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

/// `graph`: what a kernel computes, none of moves; behind the last the host takes the interrupt.
fn timed(
    config: &Config,
    shape: &Shape,
    program: &Microprogram,
    graph: Option<&Graph>,
    ends: bool,
) -> Result<target::Part, RunError> {
    let mut steps = Steps::new();
    let cycles = config.start_cycles;
    let start = control("start", Work::Kernel { cycles }, &UNITS[..1]);
    let start = steps.push(start, &[], None);
    for placed in &program.all {
        let (kind, after) = step(config, shape, placed, start);
        match graph.map(|graph| graph.origin(placed.origin)) {
            Some(origin) => steps.push_for(origin.source, kind, &after, origin.line.as_ref()),
            None => steps.push(kind, &after, None),
        };
    }
    let intervals = steps.place(|kind| kind.work.device_cycles());
    if let Some(graph) = graph {
        check(program, &intervals[start + 1..], graph.param_towers as u32)
            .map_err(|error| RunError::Invalid(error.to_string()))?;
    }
    if ends {
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
