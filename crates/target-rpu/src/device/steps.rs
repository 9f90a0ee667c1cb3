//! The time of a lowered program: what the core, its DMA port and the controlling core do.
//!
//! The controlling core writes where a program's list of commands lies ([`crate::lower::commands`])
//! and takes one interrupt when all of it is done. The device brings the list, a part at a time,
//! and works through it: lists of moves at the DMA port, runs at the core, each waiting for what it
//! says. A list of moves takes the time that the memory needs to find its first word ([`MEMORY`])
//! and then that of its bytes; two lists are under way at once. The steps are those of
//! [`ringwright_target::Step`], so that a host profile can place them again in its own time.
//!
//! All of it is in RTL, but only runs take the same cycles there: `docs/rpu_rtl.md` says which cycles
//! of moves agree and what is left out here. So moves are modelled; beside each transfer stands what
//! it would take through the port that the RTL has, a beat a cycle.

use crate::config::VdmPort;
use crate::kernels::body::BodyId;
use crate::kernels::{word_by_word, Body};
use crate::lower::commands::{Item, Moved, Run, What, COMMAND_BYTES};
use crate::lower::part::{Part, Piece};
use crate::lower::program::Program as Lowered;
use crate::lower::queues::LISTS_IN_FLIGHT;
use crate::rtl::{built, port_bytes, CORE, RTL, START_CYCLES};
use crate::Config;
use ringwright_target::{
    self as timing, Called, Counters, Hardware, HostOperation, StepKind, Steps, Task, Timing,
    TimingError, Work, HOST,
};
use ringwright_towers::residency::Content;
use ringwright_towers::{Graph, OriginId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The DMA port.
pub const DMA: &str = "dma";

/// Off-chip memory, while it looks for the first word of a list of moves.
pub const MEMORY: &str = "memory";

/// Registers of a part: where its commands lie and how many there are, which starts them.
const COMMAND_WRITES: u64 = 2;

/// What the controlling core does at a call: it starts the program at the first, and takes the
/// interrupt at the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Control {
    begins: bool,
    ends: bool,
}

/// The times of a program's parts, each made once for what the controlling core does at it.
pub fn time(config: &Config, program: &Lowered) -> Result<Timing, TimingError> {
    let towers = &program.towers;
    let last = towers.calls.len().saturating_sub(1);
    let mut made: BTreeMap<(usize, Control), usize> = BTreeMap::new();
    let mut parts = Vec::new();
    let called = towers.calls.iter().enumerate().map(|(index, call)| {
        let control = Control {
            begins: index == 0,
            ends: index == last,
        };
        let part = *made.entry((call.kernel, control)).or_insert_with(|| {
            let graph = &towers.kernels[call.kernel].graph;
            let part = &program.parts[call.kernel];
            let steps = of_part(config, part, graph, control);
            let counters = counters(part, &steps);
            parts.push(Arc::new(timing::Part::new(steps, counters)));
            parts.len() - 1
        });
        Called {
            part,
            sources: call.sources.clone(),
        }
    });
    let called = called.collect();
    Timing::new(config.clock.clone(), &[MEMORY, DMA, CORE], parts, called)
}

/// What a part takes, host functions taking no time.
pub fn cycles(config: &Config, part: &Part, graph: &Graph) -> u64 {
    let steps = of_part(config, part, graph, Control::default());
    steps.end(|kind| kind.work.device_cycles())
}

/// What happens in the units: of every kernel, as often as it is called, and the bytes of moves.
fn counters(part: &Part, steps: &Steps) -> Counters {
    let mut called: BTreeMap<BodyId, (&Body, u64)> = BTreeMap::new();
    for call in part.starts().flat_map(|start| &start.calls) {
        called.entry(call.body.id()).or_insert((&call.body, 0)).1 += 1;
    }
    let mut counters = Counters::new();
    for (body, times) in called.into_values() {
        counters += &body.counters().times(times);
    }
    for piece in &part.pieces {
        if let Piece::Sweep(sweep) = piece {
            counters += &sweep.kernel.counters.times(sweep.count as u64);
        }
    }
    for (kind, count) in steps.count() {
        if let Work::Transfer { bytes, .. } = kind.work {
            counters.add(DMA, kind.name, bytes * count);
        }
    }
    counters
}

/// The steps of one part, on its own.
fn of_part(config: &Config, part: &Part, graph: &Graph, control: Control) -> Steps {
    let mut queue = Queue {
        config,
        part,
        graph,
        steps: Steps::new(),
        moved: Vec::new(),
        ran: Vec::new(),
    };
    queue.commands(control);
    queue.steps
}

struct Queue<'a> {
    config: &'a Config,
    part: &'a Part,
    graph: &'a Graph,
    steps: Steps,
    /// The last steps of the lists of moves and of the runs so far.
    moved: Vec<usize>,
    ran: Vec<usize>,
}

impl Queue<'_> {
    /// All of the part: the list is brought and worked through.
    fn commands(&mut self, control: Control) {
        let part = self.part;
        let Some(first) = part.pieces.first() else {
            return;
        };
        let origin = first.origins().0;
        let hardware = Hardware::built(RTL.has(DMA));
        let begun = control.begins.then(|| {
            let writes = Kind::control(HostOperation::RegisterWrite, COMMAND_WRITES, hardware);
            self.push("write registers", writes, vec![], origin)
        });
        let bytes = COMMAND_BYTES * part.commands.list.len() as u64;
        let found = self.find(begun.into_iter().collect(), origin);
        let brought = self.transfer("load commands", bytes, found, origin);
        let mut last = origin;
        for command in &part.commands.list {
            let waits = command.after.checked_sub(1);
            match &command.what {
                What::Moves(items) => {
                    let after = waits.map_or(brought, |run| self.ran[run]);
                    self.moves(items, after);
                }
                What::Run(run) => {
                    let after = waits.map_or(brought, |list| self.moved[list]);
                    self.run(run, after);
                    last = part.pieces[run.piece].origins().1;
                }
            }
        }
        if control.ends {
            let ends = [self.moved.last(), self.ran.last()];
            let ends = ends.into_iter().flatten().copied().collect();
            let interrupt = Kind::control(HostOperation::Interrupt, 1, hardware);
            self.push("take interrupt", interrupt, ends, last);
        }
    }

    /// The memory looks for the first word of a list, while at most one other passes the port.
    fn find(&mut self, mut after: Vec<usize>, origin: OriginId) -> usize {
        let before = self.moved.len().checked_sub(LISTS_IN_FLIGHT);
        after.extend(before.map(|list| self.moved[list]));
        let cycles = self.config.dma_latency;
        let work = Work::Transfer { cycles, bytes: 0 };
        let kind = Kind::moved(work, cycles, &[MEMORY]);
        self.push("memory latency", kind, after, origin)
    }

    /// A list of moves, those of one name together.
    fn moves(&mut self, items: &[Item], after: usize) {
        let part = self.part;
        let origin = part.pieces[items[0].piece as usize].origins().0;
        let mut last = self.find(vec![after], origin);
        let mut rest = items;
        while let Some(&first) = rest.first() {
            let name = name(part, first);
            let count = rest
                .iter()
                .take_while(|item| self::name(part, **item) == name)
                .count();
            let (same, others) = rest.split_at(count);
            let bytes: u64 = same.iter().map(|&item| part.bytes(self.config, item)).sum();
            last = self.transfer(name, bytes, last, origin);
            rest = others;
        }
        self.moved.push(last);
    }

    /// Start and kernels.
    fn run(&mut self, run: &Run, after: usize) {
        let mut last = after;
        match &self.part.pieces[run.piece] {
            Piece::Start(start) => {
                let mut before = self.config.start_cycles;
                for (call, link) in start.calls.iter().zip(&start.chain.links) {
                    let cycles = before + link.cycles;
                    last = self.kernel(call.body.name(), cycles, last, call.origin);
                    before = 0;
                }
            }
            Piece::Sweep(sweep) => {
                let cycles = self.config.start_cycles + sweep.kernel.cycles;
                last = self.kernel(word_by_word::NAME, cycles, last, sweep.origin);
            }
        }
        self.ran.push(last);
    }

    fn push(
        &mut self,
        name: &'static str,
        kind: Kind,
        after: Vec<usize>,
        origin: OriginId,
    ) -> usize {
        let kind = StepKind {
            name,
            task: kind.task,
            work: kind.work,
            hardware: kind.hardware,
            units: kind.units,
        };
        let origin = self.graph.origin(origin);
        let line = origin.line.as_ref();
        self.steps.push_for(origin.source, kind, &after, line)
    }

    fn transfer(
        &mut self,
        name: &'static str,
        bytes: u64,
        after: usize,
        origin: OriginId,
    ) -> usize {
        let work = Work::Transfer {
            cycles: self.config.transfer_cycles(bytes),
            bytes,
        };
        let units: &[&str] = match self.config.vdm_port {
            VdmPort::Second => &[DMA],
            VdmPort::Exclusive => &[DMA, CORE],
        };
        let beats = bytes.div_ceil(port_bytes(self.config));
        self.push(name, Kind::moved(work, beats, units), vec![after], origin)
    }

    fn kernel(&mut self, name: &'static str, cycles: u64, after: usize, origin: OriginId) -> usize {
        let kind = Kind {
            task: Task::Compute,
            work: Work::Kernel { cycles },
            hardware: core_hardware(self.config),
            units: &[CORE],
        };
        self.push(name, kind, vec![after], origin)
    }
}

/// What the RTL has of the core: all of it where it can be built with these parameters.
fn core_hardware(config: &Config) -> Hardware {
    let starts = RTL.has(CORE) && config.start_cycles == START_CYCLES;
    Hardware::built(starts && built(config).is_ok())
}

/// What a step is, beside its name and what it waits for.
struct Kind {
    task: Task,
    work: Work,
    hardware: Hardware,
    units: &'static [&'static str],
}

impl Kind {
    /// A part of a move, which takes so many cycles through the port that the RTL has.
    fn moved(work: Work, through_rtl: u64, units: &'static [&'static str]) -> Self {
        let through_rtl = Some(through_rtl);
        Kind {
            task: Task::Move,
            work,
            hardware: match RTL.has(DMA) {
                true => Hardware::Rtl,
                false => Hardware::Described { through_rtl },
            },
            units,
        }
    }

    /// The controlling core at the device's registers.
    fn control(operation: HostOperation, count: u64, hardware: Hardware) -> Self {
        let operations = [(operation, count)].into();
        Kind {
            task: Task::Control,
            work: Work::HostFunction { operations },
            hardware,
            units: &[HOST],
        }
    }
}

/// Under which a ledger adds moves up.
fn name(part: &Part, item: Item) -> &'static str {
    match item.what {
        Moved::Program { .. } => "load program",
        Moved::Load(_) => match part.spans(item).next().map(|span| span.content) {
            Some(Content::Table { .. }) => "load tables",
            _ => "load towers",
        },
        Moved::Spill(_) => "spill towers",
        Moved::Store(_) => "store towers",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_spec::Machine;

    #[test]
    fn a_core_that_cannot_be_built_is_described_only() {
        let machine = Machine::load("rpu-8x8").expect("shipped");
        let shipped = Config::new(&machine).expect("sound");
        assert_eq!(core_hardware(&shipped), Hardware::Rtl);
        for (ii, expected) in [(2, Hardware::Rtl), (3, Hardware::DESCRIBED)] {
            let slower = Config {
                ii,
                ..shipped.clone()
            };
            assert_eq!(core_hardware(&slower), expected);
        }
        let late = Config {
            start_cycles: START_CYCLES + 1,
            ..shipped.clone()
        };
        assert_eq!(core_hardware(&late), Hardware::DESCRIBED);
    }
}
