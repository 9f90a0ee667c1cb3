//! The steps of one part of a timing, as they are written.

use super::units::{self, Units, MEMORY};
use crate::activity::DMA;
use crate::config::VdmPort;
use crate::kernels::word_by_word;
use crate::lower::commands::{Item, Moved, Run, COMMAND_BYTES};
use crate::lower::part::{Part, Piece};
use crate::mesh::{self, Link};
use crate::rtl::{built, port_bytes, CORE, RTL, START_CYCLES};
use crate::Config;
use ringwright_target::{Hardware, HostOperation, StepKind, Steps, Task, Work, HOST};
use ringwright_towers::residency::Content;
use ringwright_towers::{Graph, OriginId};
use std::collections::{BTreeSet, HashMap};

/// Registers of a tile: where its commands lie and how many there are, which starts them.
const COMMAND_WRITES: u64 = 2;

/// Writes steps.
pub struct Writer<'a> {
    /// The machine.
    pub config: &'a Config,
    /// So far.
    pub steps: Steps,
    /// The links that towers took.
    pub links: BTreeSet<Link>,
    /// Bytes that tiles sent each other.
    pub sent_bytes: u64,
    /// When each step ends and each unit is free, where there are several tiles.
    ends: Vec<u64>,
    free: HashMap<&'static str, u64>,
}

/// A tile at work on a part.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// The tile's number.
    pub tile: usize,
    /// What it does.
    pub part: &'a Part,
    /// The graph of the kernel that this belongs to.
    pub graph: &'a Graph,
    /// The first of the sources that it works for.
    pub source: u32,
}

impl<'a> At<'a> {
    /// An operation of the graph.
    pub fn origin(self, origin: OriginId) -> Of<'a> {
        Of {
            graph: self.graph,
            source: self.source,
            origin,
        }
    }

    /// What a piece of the part begins with.
    pub fn piece(self, piece: usize) -> Of<'a> {
        let piece = self.part.pieces.get(piece);
        self.origin(piece.map_or(OriginId(0), |piece| piece.origins().0))
    }
}

/// What a step is for.
#[derive(Clone, Copy)]
pub struct Of<'a> {
    graph: &'a Graph,
    source: u32,
    origin: OriginId,
}

impl<'a> Writer<'a> {
    /// Of nothing yet.
    pub fn new(config: &'a Config) -> Self {
        Writer {
            config,
            steps: Steps::new(),
            links: BTreeSet::new(),
            sent_bytes: 0,
            ends: Vec::new(),
            free: HashMap::new(),
        }
    }

    /// When the last of these steps ends, on a chip of several tiles.
    pub fn end_of(&self, steps: &[usize]) -> u64 {
        let ends = steps.iter().map(|&step| self.ends[step]);
        ends.max().unwrap_or(0)
    }

    /// The controlling core has so many tiles begin with their commands.
    pub fn begin(&mut self, tiles: usize, of: Of<'_>) {
        let writes = COMMAND_WRITES * tiles as u64;
        let writes = Kind::control(HostOperation::RegisterWrite, writes);
        self.push("write registers", writes, vec![], of);
    }

    /// It takes one interrupt when all is done.
    pub fn end(&mut self, after: Vec<usize>, of: Of<'_>) {
        let interrupt = Kind::control(HostOperation::Interrupt, 1);
        self.push("take interrupt", interrupt, after, of);
    }

    /// A tile's commands of a part come; behind what the controlling core did.
    pub fn commands(&mut self, at: At<'_>, begun: Option<usize>) -> usize {
        let bytes = COMMAND_BYTES * at.part.commands.list.len() as u64;
        let found = self.find(begun.into_iter().collect(), at.piece(0));
        self.transfer("load commands", bytes, found, at.piece(0))
    }

    /// The memory looks for the first word of a list of moves.
    pub fn find(&mut self, after: Vec<usize>, of: Of<'_>) -> usize {
        let cycles = self.config.dma_latency;
        let work = Work::Transfer { cycles, bytes: 0 };
        let kind = Kind::moved(work, cycles, &[MEMORY]);
        self.push("memory latency", kind, after, of)
    }

    /// Bytes pass the port.
    pub fn transfer(&mut self, name: &'static str, bytes: u64, after: usize, of: Of<'_>) -> usize {
        let work = Work::Transfer {
            cycles: self.config.transfer_cycles(bytes),
            bytes,
        };
        let units: Units = match self.config.vdm_port {
            VdmPort::Second => &[DMA],
            VdmPort::Exclusive => &[DMA, CORE],
        };
        let beats = bytes.div_ceil(port_bytes(self.config));
        self.push(name, Kind::moved(work, beats, units), vec![after], of)
    }

    /// Bytes go from a tile to others.
    pub fn send(
        &mut self,
        from: At<'_>,
        to: &[usize],
        bytes: u64,
        after: Vec<usize>,
        of: Of<'_>,
    ) -> usize {
        let way = mesh::way(self.config, from.tile, to);
        let cycles = mesh::cycles(self.config, &way, bytes);
        let kind = Kind {
            task: Task::Move,
            work: Work::Kernel { cycles },
            hardware: Hardware::DESCRIBED,
            units: units::links(&way.links),
        };
        self.links.extend(way.links);
        self.sent_bytes += bytes;
        self.push("send towers", kind, after, of)
    }

    /// Start and kernels of a run.
    pub fn run(&mut self, at: At<'_>, run: &Run, mut after: Vec<usize>) -> usize {
        let mut kernels = Vec::new();
        match &at.part.pieces[run.piece] {
            Piece::Start(start) => {
                let calls = start.calls.iter().zip(&start.chain.links);
                kernels
                    .extend(calls.map(|(call, link)| (call.body.name(), link.cycles, call.origin)));
            }
            Piece::Sweep(sweep) => {
                kernels.push((word_by_word::NAME, sweep.kernel.cycles, sweep.origin));
            }
        }
        let mut start = self.config.start_cycles;
        for (name, cycles, origin) in kernels {
            let kind = Kind {
                task: Task::Compute,
                work: Work::Kernel {
                    cycles: start + cycles,
                },
                hardware: core_hardware(self.config),
                units: units::core(self.config, at.tile),
            };
            after = vec![self.push(name, kind, after, at.origin(origin))];
            start = 0;
        }
        after[0]
    }

    fn push(&mut self, name: &'static str, kind: Kind, after: Vec<usize>, of: Of<'_>) -> usize {
        let kind = StepKind {
            name,
            task: kind.task,
            work: kind.work,
            hardware: kind.hardware,
            units: kind.units,
        };
        if self.config.tiles > 1 {
            let free = kind.units.iter().filter_map(|unit| self.free.get(unit));
            let begins = self.end_of(&after).max(free.max().copied().unwrap_or(0));
            let end = begins + kind.work.device_cycles();
            self.free.extend(kind.units.iter().map(|&unit| (unit, end)));
            self.ends.push(end);
        }
        let origin = of.graph.origin(of.origin);
        let line = origin.line.as_ref();
        self.steps
            .push_for(of.source + origin.source, kind, &after, line)
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
    units: Units,
}

impl Kind {
    /// A part of a move, which takes so many cycles through the port that the RTL has.
    fn moved(work: Work, through_rtl: u64, units: Units) -> Self {
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
    fn control(operation: HostOperation, count: u64) -> Self {
        let operations = [(operation, count)].into();
        Kind {
            task: Task::Control,
            work: Work::HostFunction { operations },
            hardware: Hardware::built(RTL.has(DMA)),
            units: &[HOST],
        }
    }
}

/// Under which a ledger adds moves up.
pub fn name(part: &Part, item: Item) -> &'static str {
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
