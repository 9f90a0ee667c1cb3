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

use crate::config::Config;
use crate::core::{Core, Group, Pointwise};
use crate::message;
use crate::program::{
    Action, Argument, Call, Drawn, HostFunction, Instruction, Program, Segment, Slot,
};
use crate::registers::{writes_per_call, writes_per_run};
use crate::request::Request;
use crate::rtl::RTL;
use crate::shape::Shape;
use crate::twiddles::{Constants, Direction};
use crate::units::bank_group::PortError;
use ringwright_ir::ring::Loc;
use ringwright_target::{
    Called, Counters, Hardware, HostOperation, Interval, Part, StepKind, Steps, Task, Timing,
    TimingError, Work, HOST,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The DMA port.
pub const DMA: &str = "dma";
/// The butterfly units with twiddle and reordering unit.
pub const BFU: &str = "bfu";
/// The error sampling unit.
pub const SAMPLER: &str = "sampler";
/// The control unit, starting a call.
pub const CONTROL: &str = "control";
/// The interrupt line.
pub const INTERRUPT: &str = "interrupt";

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

/// Cycles of the butterfly units' instructions, from a run of them on zeros.
struct Durations {
    transforms: BTreeMap<Direction, u64>,
    pointwise: u64,
}

impl Durations {
    fn measure(config: &Config, shape: Shape, constants: &Constants) -> Result<Self, PortError> {
        let mut core = Core::new(config, shape);
        let mut transforms = BTreeMap::new();
        let mut now = 0;
        for direction in [Direction::Forward, Direction::Inverse] {
            let end = core.transform(now, Group::Bg0, direction, constants)?;
            transforms.insert(direction, end - now);
            now = end;
        }
        let pointwise = core.pointwise(now, Pointwise::Mul, constants)? - now;
        Ok(Durations {
            transforms,
            pointwise,
        })
    }
}

/// Why a program has no time.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// The machine's banks cannot do it.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The steps contradict each other or leave the range of time.
    #[error(transparent)]
    Timing(#[from] TimingError),
}

/// Times a program.
pub fn time(config: &Config, program: &Program) -> Result<Scheduled, ScheduleError> {
    let durations = match program.constants.first() {
        Some(constants) => Some(Durations::measure(config, program.shape, constants)?),
        None => None,
    };
    let mut queue = Queue {
        config,
        shape: program.shape,
        durations,
        steps: Steps::new(),
        what: Vec::new(),
        messages_fit: message::places(config, program).is_ok(),
        hardware: Hardware::Rtl,
        calls: 0,
        functions: 0,
        in_memory: HashMap::new(),
        group_used: [None; 2],
        interrupts: Vec::new(),
        running: None,
    };
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

struct Queue<'a> {
    config: &'a Config,
    shape: Shape,
    durations: Option<Durations>,
    /// Of the segment at hand; none waits for one of a segment before.
    steps: Steps,
    /// Of every step so far.
    what: Vec<What>,
    /// Whether the device holds the messages of all streams.
    messages_fit: bool,
    /// Of the call whose steps are being put in line.
    hardware: Hardware,
    /// Calls and host functions so far.
    calls: usize,
    functions: usize,
    /// The step of this segment that put a slot into memory, as the host sees it and as the device
    /// does.
    in_memory: HashMap<Slot, (usize, usize)>,
    /// The last step that used each bank group.
    group_used: [Option<usize>; 2],
    /// Interrupts that the host has not taken: the device's step, and what the call stored.
    interrupts: Vec<(usize, Vec<Slot>)>,
    /// The call that has not stored its result.
    running: Option<Running>,
}

/// The end of a call.
struct Running {
    /// Which.
    call: usize,
    /// Number of its last instruction.
    index: usize,
    /// Its last instruction.
    last: Instruction,
    /// The step that loaded its constants.
    constants: usize,
    hardware: Hardware,
    loc: Option<Loc>,
}

/// Whether a call draws samples.
fn draws(call: &Call) -> bool {
    use Instruction::{LoadSum, Sample};
    let mut instructions = call.instructions.iter();
    instructions.any(|instruction| matches!(instruction, Sample(..) | LoadSum(..)))
}

/// What a call loads.
fn loaded(call: &Call) -> impl Iterator<Item = Slot> + '_ {
    call.instructions
        .iter()
        .filter_map(|instruction| match instruction {
            Instruction::Load(slot, ..) | Instruction::LoadSum(slot, ..) => Some(*slot),
            _ => None,
        })
}

/// A step that the simulated units do and no RTL.
const DESCRIBED: Hardware = Hardware::Described { through_rtl: None };

fn hardware(takes: bool) -> Hardware {
    match takes {
        true => Hardware::Rtl,
        false => DESCRIBED,
    }
}

impl Queue<'_> {
    /// The steps of a segment, behind which the device has drained.
    fn segment(&mut self, segment: &Segment) -> Steps {
        for action in &segment.actions {
            match action {
                Action::Call(call) => self.call(call),
                Action::Host(function) => self.host(function),
            }
        }
        self.complete();
        self.take_interrupts(0);
        self.in_memory.clear();
        self.group_used = [None; 2];
        std::mem::take(&mut self.steps)
    }

    fn push(
        &mut self,
        what: What,
        name: &'static str,
        (task, work): (Task, Work),
        units: &'static [&'static str],
        after: Vec<usize>,
        loc: &Option<Loc>,
    ) -> usize {
        let mut after = after;
        after.sort_unstable();
        after.dedup();
        let built = units.iter().all(|unit| *unit == HOST || RTL.has(unit));
        let kind = StepKind {
            name,
            task,
            work,
            hardware: match built {
                true => self.hardware,
                false => DESCRIBED,
            },
            units,
        };
        self.what.push(what);
        self.steps.push(kind, &after, loc.as_ref())
    }

    /// A run that draws samples begins with the seed of its streams.
    fn seed(&mut self, segments: &[Segment]) {
        let mut actions = segments.iter().flat_map(|segment| &segment.actions);
        if actions.any(|action| matches!(action, Action::Call(call) if draws(call))) {
            self.hardware = hardware(self.messages_fit);
            let work = Self::host_work(HostOperation::RegisterWrite, writes_per_run());
            self.push(What::WriteSeed, "write seed", work, &[HOST], vec![], &None);
        }
    }

    fn host_work(operation: HostOperation, count: u64) -> (Task, Work) {
        let operations = [(operation, count)].into();
        (Task::Control, Work::HostFunction { operations })
    }

    fn host(&mut self, function: &HostFunction) {
        self.complete();
        let reads = function.args.iter().flat_map(|arg| match arg {
            Argument::Poly(slots) => slots.clone(),
            Argument::Seed(_) => vec![],
        });
        let reads: Vec<Slot> = reads.collect();
        let waiting = |(_, stored): &(usize, Vec<Slot>)| stored.iter().any(|s| reads.contains(s));
        if let Some(last) = self.interrupts.iter().rposition(waiting) {
            self.take_interrupts(self.interrupts.len() - last - 1);
        }
        let after = reads
            .iter()
            .filter_map(|slot| Some(self.in_memory.get(slot)?.0))
            .collect();
        let operations = function.operations.clone();
        let work = (
            Task::of_host(&operations),
            Work::HostFunction { operations },
        );
        self.hardware = Hardware::Rtl;
        let (what, loc) = (What::Function(self.functions), &function.loc);
        self.functions += 1;
        let step = self.push(what, function.name, work, &[HOST], after, loc);
        for slot in &function.results {
            self.in_memory.insert(*slot, (step, step));
        }
    }

    /// The host takes interrupts until only the last `left` wait.
    fn take_interrupts(&mut self, left: usize) {
        let taken = self.interrupts.len().saturating_sub(left);
        for (interrupt, stored) in self.interrupts.drain(..taken).collect::<Vec<_>>() {
            let work = Self::host_work(HostOperation::Interrupt, 1);
            self.hardware = self.steps.get(interrupt).kind.hardware;
            let (what, after) = (What::TakeInterrupt, vec![interrupt]);
            let step = self.push(what, "take interrupt", work, &[HOST], after, &None);
            for slot in stored {
                if let Some((host, _)) = self.in_memory.get_mut(&slot) {
                    *host = step;
                }
            }
        }
    }

    /// A call, up to the store that ends it: with two sets of registers the next call's registers
    /// and constants go before that store, so that its samples can be drawn beside it.
    fn call(&mut self, call: &Call) {
        if self.config.queued_calls == 1 || self.waits_for_running(call) {
            self.complete();
        }
        let running = usize::from(self.running.is_some());
        self.take_interrupts(self.config.queued_calls - 1 - running);
        let number = self.calls;
        self.calls += 1;
        let takes = Request::of(call).is_some() && (self.messages_fit || !draws(call));
        let hardware = hardware(takes);
        self.hardware = hardware;
        let constants = self.begin(number, call);
        self.complete();
        self.hardware = hardware;
        let Some((last, instructions)) = call.instructions.split_last() else {
            return;
        };
        for (index, instruction) in instructions.iter().enumerate() {
            let what = What::Instruction(number, index);
            self.instruction(what, instruction, constants, &call.loc);
        }
        self.running = Some(Running {
            call: number,
            index: instructions.len(),
            last: last.clone(),
            constants,
            hardware,
            loc: call.loc.clone(),
        });
    }

    /// Registers, start and constants of a call; the step after which its instructions may run.
    fn begin(&mut self, number: usize, call: &Call) -> usize {
        let loc = &call.loc;
        let sources = loaded(call).filter_map(|slot| Some(self.in_memory.get(&slot)?.1));
        let sources = sources.collect();
        let work = Self::host_work(HostOperation::RegisterWrite, writes_per_call());
        let what = What::WriteCall(number);
        let written = self.push(what, "write registers", work, &[HOST], sources, loc);
        let cycles = self.config.start_cycles;
        let start = (Task::Control, Work::Kernel { cycles });
        let what = What::Start(number);
        let started = self.push(what, "start", start, &[CONTROL], vec![written], loc);
        let words = Constants::words(self.shape.log_n);
        let transfer = Work::Transfer {
            cycles: self.config.dma().stream(words),
            bytes: words as u64 * self.config.bytes_per_word(),
        };
        let (what, after) = (What::Constants(number), vec![started]);
        let transfer = (Task::Move, transfer);
        self.push(what, "load constants", transfer, &[DMA], after, loc)
    }

    /// Whether a call loads what the one before it has yet to store.
    fn waits_for_running(&self, call: &Call) -> bool {
        match self.running.as_ref().map(|running| &running.last) {
            Some(Instruction::Store(slot, ..)) => loaded(call).any(|loaded| loaded == *slot),
            _ => false,
        }
    }

    /// The store and the interrupt of the call that runs.
    fn complete(&mut self) {
        let Some(Running {
            call,
            index,
            last,
            constants,
            hardware,
            loc,
        }) = self.running.take()
        else {
            return;
        };
        self.hardware = hardware;
        let what = What::Instruction(call, index);
        let step = self.instruction(what, &last, constants, &loc);
        let cycles = self.config.interrupt_cycles;
        let line = (Task::Control, Work::Kernel { cycles });
        let (what, after) = (What::Interrupt(call), vec![step]);
        let interrupt = self.push(what, "interrupt", line, &[INTERRUPT], after, &loc);
        let stored = match last {
            Instruction::Store(slot, ..) => vec![slot],
            _ => vec![],
        };
        self.interrupts.push((interrupt, stored));
    }

    fn instruction(
        &mut self,
        what: What,
        instruction: &Instruction,
        ready: usize,
        loc: &Option<Loc>,
    ) -> usize {
        let (name, work, units, groups) = self.describe(instruction);
        let mut after = vec![ready];
        after.extend(
            groups
                .iter()
                .filter_map(|&group| self.group_used[group as usize]),
        );
        if let Instruction::Load(slot, ..) | Instruction::LoadSum(slot, ..) = instruction {
            after.extend(self.in_memory.get(slot).map(|(_, device)| device));
        }
        let step = self.push(what, name, work, units, after, loc);
        for &group in groups {
            self.group_used[group as usize] = Some(step);
        }
        if let Instruction::Store(slot, ..) = instruction {
            self.in_memory.insert(*slot, (step, step));
        }
        step
    }

    /// Name, time, units and bank groups of an instruction.
    fn describe(
        &self,
        instruction: &Instruction,
    ) -> (
        &'static str,
        (Task, Work),
        &'static [&'static str],
        &'static [Group],
    ) {
        let (dma, n) = (self.config.dma(), self.shape.n());
        let bytes = n as u64 * self.config.bytes_per_word();
        let transfer = |cycles| Work::Transfer { cycles, bytes };
        let moved = |cycles| (Task::Move, transfer(cycles));
        let computed = |cycles| (Task::Compute, Work::Kernel { cycles });
        let one = |group: &Group| match group {
            Group::Bg0 => &[Group::Bg0][..],
            Group::Bg1 => &[Group::Bg1][..],
        };
        let sampling = |drawn: &Drawn, first_word| {
            let sampler = self.config.sampler();
            sampler.map_or(0, |unit| {
                unit.cycles(n, drawn.draw, &drawn.stream, first_word)
            })
        };
        match instruction {
            Instruction::Load(_, group, layout) => (
                "load",
                moved(dma.cycles(self.shape, *layout)),
                &[DMA],
                one(group),
            ),
            Instruction::Store(_, group, layout) => (
                "store",
                moved(dma.cycles(self.shape, *layout)),
                &[DMA],
                one(group),
            ),
            Instruction::Sample(drawn, group, _) => {
                let cycles = sampling(drawn, 0);
                let drawn = (Task::Sample, Work::Kernel { cycles });
                ("sample", drawn, &[SAMPLER], one(group))
            }
            Instruction::LoadSum(_, drawn, group, _) => {
                let cycles = sampling(drawn, dma.latency);
                (
                    "load and add samples",
                    (Task::Sample, transfer(cycles)),
                    &[DMA, SAMPLER],
                    one(group),
                )
            }
            Instruction::Transform(group, direction) => {
                let cycles = self.durations.as_ref().map(|d| d.transforms[direction]);
                let name = match direction {
                    Direction::Forward => "ntt",
                    Direction::Inverse => "intt",
                };
                (name, computed(cycles.unwrap_or(0)), &[BFU], one(group))
            }
            Instruction::Pointwise(operation) => {
                let name = match operation {
                    Pointwise::Mul => "mul",
                    Pointwise::Add => "add",
                    Pointwise::SubFrom0 | Pointwise::SubFrom1 => "sub",
                };
                let cycles = self.durations.as_ref().map_or(0, |d| d.pointwise);
                (name, computed(cycles), &[BFU], &[Group::Bg0, Group::Bg1])
            }
        }
    }
}
