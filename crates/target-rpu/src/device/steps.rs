//! The time of a lowered program: what the core, its DMA port and the controlling core do.
//!
//! The controlling core writes a list of moves; the DMA port works through it and raises an
//! interrupt. It brings the program of a start, its arguments, tables and towers. Then the
//! controlling core writes where the program lies and starts it; the core raises an interrupt when
//! all kernels of the start are done. Moves are commanded behind that, since the memories are the
//! core's while a program runs; the port does them in order. The steps are those of
//! [`ringwright_target::Step`], so that a host profile can place them again in its own time.
//!
//! The core is in RTL, and so are the registers of a start and its interrupt (`spec/rpu/regs.toml`).
//! The DMA port, its width, the registers of a move and the interrupt of a list are described only,
//! so those steps are modelled; beside each transfer stands what it would take through the port that
//! the RTL has, a word a cycle.

use crate::isa::Program;
use crate::isa::INSTRUCTION_BITS;
use crate::kernels::{word_by_word, Measured, Operation};
use crate::lower::part::{Part, Piece};
use crate::lower::program::Program as Lowered;
use crate::lower::start::Start;
use crate::lower::sweep::Sweep;
use crate::registers::REGISTERS;
use crate::rtl::{built, CORE, RTL, START_CYCLES};
use crate::Config;
use ringwright_target::{
    self as timing, Called, Counters, Hardware, HostOperation, StepKind, Steps, Task, Timing,
    TimingError, Work, HOST,
};
use ringwright_towers::residency::{Content, Move};
use ringwright_towers::{Graph, OriginId, TowerId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The DMA port.
pub const DMA: &str = "dma";

/// Registers of a move: where from, where to, how many words.
const MOVE_WRITES: u64 = 3;

/// The times of every part of a program, each made once.
pub fn time(config: &Config, program: &Lowered) -> Result<Timing, TimingError> {
    let parts = program.parts.iter().zip(&program.towers.kernels);
    let parts = parts.map(|(part, kernel)| {
        let steps = of_part(config, part, &kernel.graph);
        let counters = counters(part, &steps);
        Arc::new(timing::Part::new(steps, counters))
    });
    let called = program.towers.calls.iter().map(|call| Called {
        part: call.kernel,
        name: call.name.clone(),
        call: call.call,
        loc: call.loc.clone(),
    });
    let (parts, called) = (parts.collect(), called.collect());
    Timing::new(config.clock.clone(), &[DMA, CORE], parts, called)
}

/// What happens in the units: of every kernel, as often as it is called, and the bytes of moves.
fn counters(part: &Part, steps: &Steps) -> Counters {
    let mut called: BTreeMap<Operation, (&Measured, u64)> = BTreeMap::new();
    for call in part.starts().flat_map(|start| &start.calls) {
        let operation = call.kernel.kernel.operation;
        called.entry(operation).or_insert((&call.kernel, 0)).1 += 1;
    }
    let mut counters = Counters::new();
    for (kernel, times) in called.into_values() {
        counters += &kernel.counters.times(times);
    }
    for piece in &part.pieces {
        if let Piece::Sweep(sweep) = piece {
            counters += &sweep.blocks.counters.times(sweep.count as u64);
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
fn of_part(config: &Config, part: &Part, graph: &Graph) -> Steps {
    let mut queue = Queue {
        config,
        part,
        graph,
        steps: Steps::new(),
    };
    for piece in &part.pieces {
        match piece {
            Piece::Start(start) => queue.start(start),
            Piece::Sweep(sweep) => queue.sweep(sweep),
        }
    }
    queue.steps
}

struct Queue<'a> {
    config: &'a Config,
    part: &'a Part,
    graph: &'a Graph,
    steps: Steps,
}

impl Queue<'_> {
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
        let line = self.graph.lines[origin.0 as usize].as_ref();
        self.steps.push(kind, &after, line)
    }

    fn take_interrupt(&mut self, of: usize, origin: OriginId) -> usize {
        let hardware = Hardware::built(RTL.has(self.steps.get(of).kind.units[0]));
        let kind = Kind::control(HostOperation::Interrupt, 1, hardware);
        self.push("take interrupt", kind, vec![of], origin)
    }

    fn start(&mut self, start: &Start) {
        let brought = self.bring(start);
        let ran = self.run(start, brought);
        let last = start.calls[start.calls.len() - 1].origin;
        self.take_interrupt(ran, last);
        self.move_slots("store towers", start.stored.iter(), last);
    }

    /// Program and arguments come once, for all blocks.
    fn sweep(&mut self, sweep: &Sweep) {
        let (blocks, origin) = (&sweep.blocks, sweep.origin);
        let words = blocks.formula.argument_words() as u64;
        self.bring_program(&blocks.program, words, origin);
        let moves = |towers: &[TowerId]| {
            let (count, words) = (towers.len() as u64, (towers.len() * blocks.words) as u64);
            let bytes = words * self.config.bytes_per_word();
            Moves {
                count,
                bytes,
                words,
            }
        };
        let (loaded, stored) = (moves(&sweep.loaded), moves(&sweep.stored));
        for _ in 0..sweep.count {
            let brought = self.transfer("load towers", loaded, origin);
            let brought = self.take_interrupt(brought, origin);
            let begun = self.begin(brought, origin);
            let cycles = self.config.start_cycles + blocks.cycles;
            let ran = self.kernel(word_by_word::NAME, cycles, begun, origin);
            self.take_interrupt(ran, origin);
            self.transfer("store towers", stored, origin);
        }
    }

    /// The step behind which a program and so many words of arguments are there.
    fn bring_program(&mut self, program: &Program, words: u64, origin: OriginId) -> usize {
        let instructions = program.instructions.len() as u64;
        let of_instruction = u64::from(INSTRUCTION_BITS / 8);
        let moves = Moves {
            count: 2,
            bytes: of_instruction * instructions + self.config.bytes_per_word() * words,
            words: instructions + words,
        };
        self.transfer("load program", moves, origin)
    }

    /// Brings program, arguments, tables and towers of a start; the step behind which all is there.
    fn bring(&mut self, start: &Start) -> usize {
        let origin = start.calls[0].origin;
        self.move_slots("spill towers", start.spilled.iter(), origin);
        let words = start.chain.words as u64;
        let program = self.bring_program(&start.chain.program, words, origin);
        let is_tower = |each: &&Move| matches!(each.content, Content::Tower(_));
        let tables = start.loaded.iter().filter(|each| !is_tower(each));
        let tables = self.move_slots("load tables", tables, origin);
        let towers = self.move_slots("load towers", start.loaded.iter().filter(is_tower), origin);
        self.take_interrupt(towers.or(tables).unwrap_or(program), origin)
    }

    /// The step of a list of moves; `None` where there is nothing to move.
    fn move_slots<'m>(
        &mut self,
        name: &'static str,
        moves: impl Iterator<Item = &'m Move> + Clone,
        origin: OriginId,
    ) -> Option<usize> {
        let words = moves.clone().map(|each| self.words(each) as u64).sum();
        let moves = Moves {
            count: moves.count() as u64,
            bytes: words * self.config.bytes_per_word(),
            words,
        };
        (moves.count > 0).then(|| self.transfer(name, moves, origin))
    }

    /// A slot, or what is left of a table that ends in it.
    fn words(&self, each: &Move) -> usize {
        let slot = self.part.shape.slot();
        match each.content {
            Content::Tower(_) => slot,
            Content::Table { table, part } => {
                let table = &self.part.tables[table];
                slot.min(table.len() - part * slot)
            }
        }
    }

    fn transfer(&mut self, name: &'static str, moves: Moves, origin: OriginId) -> usize {
        let (latency, width) = (self.config.dma_latency, self.config.dma_bytes_per_cycle);
        let through_rtl = Some(latency + moves.words);
        let hardware = match RTL.has(DMA) {
            true => Hardware::Rtl,
            false => Hardware::Described { through_rtl },
        };
        let writes = MOVE_WRITES * moves.count + 1;
        let commanded = Kind::control(
            HostOperation::RegisterWrite,
            writes,
            Hardware::built(RTL.has(DMA)),
        );
        let commanded = self.push("write registers", commanded, vec![], origin);
        let kind = Kind {
            task: Task::Move,
            work: Work::Transfer {
                cycles: latency + moves.bytes.div_ceil(width),
                bytes: moves.bytes,
            },
            hardware,
            units: &[DMA],
        };
        self.push(name, kind, vec![commanded], origin)
    }

    /// Start and kernels; the step of the last.
    fn run(&mut self, start: &Start, brought: usize) -> usize {
        let mut last = self.begin(brought, start.calls[0].origin);
        let mut before = self.config.start_cycles;
        for (call, link) in start.calls.iter().zip(&start.chain.links) {
            let name = call.kernel.kernel.operation.name();
            last = self.kernel(name, before + link.cycles, last, call.origin);
            before = 0;
        }
        last
    }

    /// The registers of a start.
    fn begin(&mut self, brought: usize, origin: OriginId) -> usize {
        let begin = Hardware::built(RTL.has(CORE));
        let begin = Kind::control(
            HostOperation::RegisterWrite,
            REGISTERS.writes_per_run(),
            begin,
        );
        self.push("write registers", begin, vec![brought], origin)
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

/// A list of moves.
#[derive(Clone, Copy)]
struct Moves {
    count: u64,
    bytes: u64,
    /// Of the memories: what the RTL's port takes one by one.
    words: u64,
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
