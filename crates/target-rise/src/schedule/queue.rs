//! The steps of a program in order, each with what it waits for.

use super::instructions::{Described, Does, Instructions};
use super::What;
use crate::config::Config;
use crate::message;
use crate::program::{Action, Argument, Call, HostFunction, Instruction, Program, Segment, Slot};
use crate::registers::{writes_per_call, writes_per_run};
use crate::request::Request;
use crate::twiddles::Constants;
use crate::units::bank_group::PortError;
use crate::units::{in_rtl, CONTROL, DMA, INTERRUPT};
use ringwright_ir::ring::Loc;
use ringwright_target::{Hardware, HostOperation, StepKind, Steps, Task, Work, HOST};
use std::collections::HashMap;

/// The list that is being made.
pub struct Queue<'a> {
    config: &'a Config,
    instructions: Instructions<'a>,
    /// Of the segment at hand; none waits for one of a segment before.
    steps: Steps,
    /// What every step so far is.
    pub what: Vec<What>,
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

impl<'a> Queue<'a> {
    /// An empty list for a program.
    pub fn new(config: &'a Config, program: &Program) -> Result<Self, PortError> {
        Ok(Queue {
            config,
            instructions: Instructions::new(config, program)?,
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
        })
    }

    /// The steps of a segment, behind which the device has drained.
    pub fn segment(&mut self, segment: &Segment) -> Steps {
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

    fn push(&mut self, what: What, does: Does, after: Vec<usize>, loc: &Option<Loc>) -> usize {
        let mut after = after;
        after.sort_unstable();
        after.dedup();
        let units = does.units;
        let built = units.iter().all(|unit| *unit == HOST || in_rtl(unit));
        let kind = StepKind {
            name: does.name,
            task: does.task,
            work: does.work,
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
    pub fn seed(&mut self, segments: &[Segment]) {
        let mut actions = segments.iter().flat_map(|segment| &segment.actions);
        if actions.any(|action| matches!(action, Action::Call(call) if draws(call))) {
            self.hardware = hardware(self.messages_fit);
            let does = Does::control("write seed", HostOperation::RegisterWrite, writes_per_run());
            self.push(What::WriteSeed, does, vec![], &None);
        }
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
        let does = Does::host(function.name, function.operations.clone());
        self.hardware = Hardware::Rtl;
        let (what, loc) = (What::Function(self.functions), &function.loc);
        self.functions += 1;
        let step = self.push(what, does, after, loc);
        for slot in &function.results {
            self.in_memory.insert(*slot, (step, step));
        }
    }

    /// The host takes interrupts until only the last `left` wait.
    fn take_interrupts(&mut self, left: usize) {
        let taken = self.interrupts.len().saturating_sub(left);
        for (interrupt, stored) in self.interrupts.drain(..taken).collect::<Vec<_>>() {
            let does = Does::control("take interrupt", HostOperation::Interrupt, 1);
            self.hardware = self.steps.get(interrupt).kind.hardware;
            let (what, after) = (What::TakeInterrupt, vec![interrupt]);
            let step = self.push(what, does, after, &None);
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
        let writes = writes_per_call();
        let does = Does::control("write registers", HostOperation::RegisterWrite, writes);
        let written = self.push(What::WriteCall(number), does, sources, loc);
        let does = Does {
            name: "start",
            task: Task::Control,
            work: Work::Kernel {
                cycles: self.config.start_cycles,
            },
            units: &[CONTROL],
        };
        let started = self.push(What::Start(number), does, vec![written], loc);
        let words = Constants::words(self.instructions.shape.log_n);
        let does = Does {
            name: "load constants",
            task: Task::Move,
            work: Work::Transfer {
                cycles: self.config.dma().stream(words),
                bytes: words as u64 * self.config.bytes_per_word(),
            },
            units: &[DMA],
        };
        self.push(What::Constants(number), does, vec![started], loc)
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
        let does = Does {
            name: "interrupt",
            task: Task::Control,
            work: Work::Kernel {
                cycles: self.config.interrupt_cycles,
            },
            units: &[INTERRUPT],
        };
        let interrupt = self.push(What::Interrupt(call), does, vec![step], &loc);
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
        let Described { does, groups } = self.instructions.describe(instruction);
        let mut after = vec![ready];
        let used = groups.iter().map(|&group| self.group_used[group as usize]);
        after.extend(used.flatten());
        if let Instruction::Load(slot, ..) | Instruction::LoadSum(slot, ..) = instruction {
            after.extend(self.in_memory.get(slot).map(|(_, device)| *device));
        }
        let step = self.push(what, does, after, loc);
        for &group in groups {
            self.group_used[group as usize] = Some(step);
        }
        if let Instruction::Store(slot, ..) = instruction {
            self.in_memory.insert(*slot, (step, step));
        }
        step
    }
}
