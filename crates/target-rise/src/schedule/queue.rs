//! The steps of a part in order, each with what it waits for.

use super::instructions::{Described, Does, Instructions};
use super::What;
use crate::config::Config;
use crate::host::{Argument, Host, HostFunction};
use crate::lowered::{Action, Call, Instruction, Part};
use crate::registers::REGISTERS;
use crate::request::Request;
use crate::slot::Slot;
use crate::twiddles::Constants;
use crate::units::{in_rtl, CONTROL, DMA, INTERRUPT};
use ringwright_target::{Hardware, HostOperation, StepKind, Steps, Task, Work, HOST};
use ringwright_towers::OriginId;

/// What the parts of a program have in common.
pub struct Surroundings<'a> {
    /// The machine.
    pub config: &'a Config,
    /// Who runs host functions.
    pub host: &'a Host,
    /// What instructions are.
    pub instructions: Instructions<'a>,
    /// Whether the device holds the messages of all streams.
    pub messages_fit: bool,
}

/// The list that is being made.
pub struct Queue<'a> {
    common: &'a Surroundings<'a>,
    part: &'a Part,
    steps: Steps,
    /// What each of them is.
    what: Vec<What>,
    /// Of the call whose steps are being put in line.
    hardware: Hardware,
    /// Calls and host functions so far.
    calls: u32,
    functions: u32,
    /// The step that put each slot into memory, as the host sees it and as the device does; none for
    /// operands, which were there before.
    in_memory: Vec<Option<(u32, u32)>>,
    /// The last step that used each bank group.
    group_used: [Option<usize>; 2],
    /// Interrupts that the host has not taken: the device's step, and what the call stored.
    interrupts: Vec<(usize, Option<Slot>)>,
    /// The call that has not stored its result.
    running: Option<Running>,
}

/// The end of a call.
struct Running {
    /// Which.
    call: u32,
    /// Number of its last instruction.
    index: u32,
    /// Its last instruction.
    last: Instruction,
    /// The step that loaded its constants.
    constants: usize,
    hardware: Hardware,
    origin: OriginId,
}

/// What a call loads.
fn loaded(instructions: &[Instruction]) -> impl Iterator<Item = Slot> + '_ {
    instructions
        .iter()
        .filter_map(|instruction| match instruction {
            Instruction::Load(slot, ..) | Instruction::LoadSum(slot, ..) => Some(*slot),
            _ => None,
        })
}

impl<'a> Queue<'a> {
    /// An empty list.
    pub fn new(common: &'a Surroundings<'a>, part: &'a Part) -> Self {
        Queue {
            common,
            part,
            steps: Steps::new(),
            what: Vec::new(),
            hardware: Hardware::Rtl,
            calls: 0,
            functions: 0,
            in_memory: vec![None; part.slots as usize],
            group_used: [None; 2],
            interrupts: Vec::new(),
            running: None,
        }
    }

    /// All steps, and what each is; `seeded`: whether the registers of the seed come first.
    pub fn steps(mut self, seeded: bool) -> (Steps, Vec<What>) {
        if seeded {
            self.hardware = Hardware::built(self.common.messages_fit);
            let does = Does::control(
                "write seed",
                HostOperation::RegisterWrite,
                REGISTERS.writes_per_run(),
            );
            self.push(What::WriteSeed, does, vec![], None);
        }
        for action in &self.part.actions {
            match action {
                Action::Call(call) => self.call(call),
                Action::Host(function) => self.host(function),
            }
        }
        self.complete();
        self.take_interrupts(0);
        (self.steps, self.what)
    }

    /// Appends a step that waits for those in `after`.
    fn push(
        &mut self,
        what: What,
        does: Does,
        mut after: Vec<usize>,
        origin: Option<OriginId>,
    ) -> usize {
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
                false => Hardware::DESCRIBED,
            },
            units,
        };
        let line = origin.and_then(|origin| self.part.line(origin));
        self.what.push(what);
        self.steps.push(kind, &after, line)
    }

    fn host(&mut self, function: &HostFunction) {
        self.complete();
        let reads = function.args.iter().flat_map(|arg| match arg {
            Argument::Poly(slots) => slots.as_slice(),
            Argument::Seed(_) => &[],
        });
        let reads: Vec<Slot> = reads.copied().collect();
        let waiting =
            |(_, stored): &(usize, Option<Slot>)| stored.is_some_and(|it| reads.contains(&it));
        if let Some(last) = self.interrupts.iter().rposition(waiting) {
            self.take_interrupts(self.interrupts.len() - last - 1);
        }
        let after = reads
            .iter()
            .filter_map(|slot| Some(self.in_memory[slot.index()]?.0 as usize));
        let after = after.collect();
        let does = Does::host(function.name(), function.counts(self.common.host));
        self.hardware = Hardware::Rtl;
        let what = What::Function(self.functions);
        self.functions += 1;
        let step = self.push(what, does, after, Some(function.origin)) as u32;
        for slot in &function.results {
            self.in_memory[slot.index()] = Some((step, step));
        }
    }

    /// The host takes interrupts until only the last `left` wait.
    fn take_interrupts(&mut self, left: usize) {
        let taken = self.interrupts.len().saturating_sub(left);
        for (interrupt, stored) in self.interrupts.drain(..taken).collect::<Vec<_>>() {
            let does = Does::control("take interrupt", HostOperation::Interrupt, 1);
            self.hardware = self.steps.get(interrupt).kind.hardware;
            let step = self.push(What::TakeInterrupt, does, vec![interrupt], None);
            let stored = stored.and_then(|slot| self.in_memory[slot.index()].as_mut());
            if let Some((host, _)) = stored {
                *host = step as u32;
            }
        }
    }

    /// A call, up to the store that ends it: with two sets of registers the next call's registers
    /// and constants go before that store, so that its samples can be drawn beside it.
    fn call(&mut self, call: &Call) {
        let instructions = self.part.instructions(call);
        let queued = self.common.config.queued_calls;
        if queued == 1 || self.waits_for_running(instructions) {
            self.complete();
        }
        let running = usize::from(self.running.is_some());
        self.take_interrupts(queued - 1 - running);
        let number = self.calls;
        self.calls += 1;
        let draws = instructions.iter().any(|each| each.drawn().is_some());
        let takes = Request::of(instructions).is_some() && (self.common.messages_fit || !draws);
        let hardware = Hardware::built(takes);
        self.hardware = hardware;
        let constants = self.begin(number, call);
        self.complete();
        self.hardware = hardware;
        let Some((last, instructions)) = instructions.split_last() else {
            return;
        };
        for (index, instruction) in (0..).zip(instructions) {
            let what = What::Instruction(number, index);
            self.instruction(what, instruction, constants, call.origin);
        }
        self.running = Some(Running {
            call: number,
            index: instructions.len() as u32,
            last: last.clone(),
            constants,
            hardware,
            origin: call.origin,
        });
    }

    /// Registers, start and constants of a call; the step after which its instructions may run.
    fn begin(&mut self, number: u32, call: &Call) -> usize {
        let (config, origin) = (self.common.config, Some(call.origin));
        let sources = loaded(self.part.instructions(call))
            .filter_map(|slot| Some(self.in_memory[slot.index()]?.1 as usize));
        let sources = sources.collect();
        let writes = REGISTERS.writes_per_call();
        let does = Does::control("write registers", HostOperation::RegisterWrite, writes);
        let written = self.push(What::WriteCall(number), does, sources, origin);
        let does = Does {
            name: "start",
            task: Task::Control,
            work: Work::Kernel {
                cycles: config.start_cycles,
            },
            units: &[CONTROL],
        };
        let started = self.push(What::Start(number), does, vec![written], origin);
        let words = Constants::words(self.common.instructions.shape.log_n);
        let does = Does {
            name: "load constants",
            task: Task::Move,
            work: Work::Transfer {
                cycles: config.dma().stream(words),
                bytes: words as u64 * config.bytes_per_word(),
            },
            units: &[DMA],
        };
        self.push(What::Constants(number), does, vec![started], origin)
    }

    /// Whether a call loads what the one before it has yet to store.
    fn waits_for_running(&self, instructions: &[Instruction]) -> bool {
        match self.running.as_ref().map(|running| &running.last) {
            Some(Instruction::Store(slot, ..)) => loaded(instructions).any(|each| each == *slot),
            _ => false,
        }
    }

    /// The store and the interrupt of the call that runs.
    fn complete(&mut self) {
        let Some(running) = self.running.take() else {
            return;
        };
        self.hardware = running.hardware;
        let (call, origin) = (running.call, running.origin);
        let what = What::Instruction(call, running.index);
        let step = self.instruction(what, &running.last, running.constants, origin);
        let does = Does {
            name: "interrupt",
            task: Task::Control,
            work: Work::Kernel {
                cycles: self.common.config.interrupt_cycles,
            },
            units: &[INTERRUPT],
        };
        let interrupt = self.push(What::Interrupt(call), does, vec![step], Some(origin));
        let stored = match running.last {
            Instruction::Store(slot, ..) => Some(slot),
            _ => None,
        };
        self.interrupts.push((interrupt, stored));
    }

    fn instruction(
        &mut self,
        what: What,
        instruction: &Instruction,
        ready: usize,
        origin: OriginId,
    ) -> usize {
        let Described { does, groups } = self.common.instructions.describe(instruction);
        let mut after = vec![ready];
        let used = groups.iter().map(|&group| self.group_used[group as usize]);
        after.extend(used.flatten());
        if let Instruction::Load(slot, ..) | Instruction::LoadSum(slot, ..) = instruction {
            let there = self.in_memory[slot.index()];
            after.extend(there.map(|(_, device)| device as usize));
        }
        let step = self.push(what, does, after, Some(origin));
        for &group in groups {
            self.group_used[group as usize] = Some(step);
        }
        if let Instruction::Store(slot, ..) = instruction {
            self.in_memory[slot.index()] = Some((step as u32, step as u32));
        }
        step
    }
}
