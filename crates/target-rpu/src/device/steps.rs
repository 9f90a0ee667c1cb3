//! The time of a lowered program: what the core, its DMA port and the controlling core do.
//!
//! The controlling core writes a list of moves; the DMA port works through it and raises an
//! interrupt. It brings the program of a start, its arguments, tables and towers. Then the
//! controlling core writes where the program lies and starts it; the core raises an interrupt when
//! all kernels of the start are done. Moves are commanded behind that, since the memories are the
//! core's while a program runs; the port does them in order. The steps are those of
//! [`ringwright_target::Step`], so that a host profile can place them again in its own time.

use crate::lower::part::Part;
use crate::lower::program::{Program, Segment};
use crate::lower::residency::{Content, Move};
use crate::lower::start::Start;
use crate::Config;
use ringwright_ir::ring::Loc;
use ringwright_sim::{Cycle, Provenance, Span, Timeline};
use ringwright_target::{
    schedule, HostOperation, Interval, KernelTiming, Step, Timing, TimingError, Work, HOST,
};
use std::collections::BTreeMap;

/// The DMA port.
pub const DMA: &str = "dma";
/// The core with its pipelines.
pub const CORE: &str = "core";

/// Registers that start a program: its address, its length, start.
const START_WRITES: u64 = 3;
/// Bytes of an instruction.
const INSTRUCTION_BYTES: u64 = 8;
/// Registers of a move: where from, where to, how many words.
const MOVE_WRITES: u64 = 3;

/// The times of every part of a program, one after the other.
pub fn time(config: &Config, program: &Program) -> Result<Timing, TimingError> {
    let mut parts: BTreeMap<*const Part, Vec<Step>> = BTreeMap::new();
    let (mut steps, mut drained, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for Segment { part, loc, .. } in &program.segments {
        let of_part = parts
            .entry(std::sync::Arc::as_ptr(part))
            .or_insert_with(|| of_part(config, part));
        append(&mut steps, of_part, loc, &mut drained);
        ends.push(steps.len());
    }
    let intervals = schedule(&steps, |step| step.work.device_cycles());
    let (mut kernels, mut first, mut before) = (Vec::new(), 0, 0);
    for (segment, end) in program.segments.iter().zip(ends) {
        let of_segment = intervals[first..end].iter();
        let last = of_segment
            .map(|interval| interval.end)
            .max()
            .unwrap_or(before);
        kernels.push(KernelTiming {
            name: segment.part.name.clone(),
            loc: segment.loc.clone(),
            cycles: Cycle(last - before),
        });
        (first, before) = (end, last);
    }
    let timing = Timing {
        clock: config.clock.clone(),
        cycles: Cycle(before),
        kernels,
        timeline: timeline(config, &steps, &intervals)?,
        steps,
        instructions: instructions(program),
        provenance: Provenance::Simulated,
    };
    timing.check()?;
    Ok(timing)
}

/// How often each instruction is executed.
fn instructions(program: &Program) -> BTreeMap<&'static str, u64> {
    let mut total = BTreeMap::new();
    let starts = program
        .segments
        .iter()
        .flat_map(|segment| &segment.part.starts);
    for (mnemonic, count) in starts.flat_map(|start| &start.chain.instructions) {
        *total.entry(*mnemonic).or_insert(0) += count;
    }
    total
}

/// Appends the steps of a part; they wait for `drained`, which becomes what the next ones wait for.
fn append(steps: &mut Vec<Step>, part: &[Step], loc: &Option<Loc>, drained: &mut Vec<usize>) {
    let first = steps.len();
    let mut waited_for = vec![false; part.len()];
    for step in part {
        let mut step = step.clone();
        for before in &mut step.after {
            waited_for[*before] = true;
            *before += first;
        }
        if step.after.is_empty() {
            step.after.clone_from(drained);
        }
        step.loc = step.loc.or_else(|| loc.clone());
        steps.push(step);
    }
    let ends = (0..part.len()).filter(|&index| !waited_for[index]);
    *drained = ends.map(|index| first + index).collect();
}

/// The steps of one part, on its own.
fn of_part(config: &Config, part: &Part) -> Vec<Step> {
    let mut queue = Queue {
        config,
        part,
        steps: Vec::new(),
    };
    for start in &part.starts {
        let brought = queue.bring(start);
        let ran = queue.run(start, brought);
        let loc = &start.calls[start.calls.len() - 1].loc;
        queue.take_interrupt(ran, loc);
        queue.move_slots("store towers", start.stored.iter(), loc);
    }
    queue.steps
}

struct Queue<'a> {
    config: &'a Config,
    part: &'a Part,
    steps: Vec<Step>,
}

impl Queue<'_> {
    fn push(
        &mut self,
        name: &str,
        work: Work,
        unit: &str,
        after: Vec<usize>,
        loc: &Option<Loc>,
    ) -> usize {
        self.steps.push(Step {
            name: name.to_owned(),
            work,
            units: vec![unit.to_owned()],
            after,
            loc: loc.clone(),
        });
        self.steps.len() - 1
    }

    fn host(
        &mut self,
        name: &str,
        operation: HostOperation,
        count: u64,
        after: Vec<usize>,
        loc: &Option<Loc>,
    ) -> usize {
        let operations = [(operation, count)].into();
        self.push(name, Work::HostFunction { operations }, HOST, after, loc)
    }

    fn take_interrupt(&mut self, of: usize, loc: &Option<Loc>) -> usize {
        self.host("take interrupt", HostOperation::Interrupt, 1, vec![of], loc)
    }

    /// Brings program, arguments, tables and towers of a start; the step behind which all is there.
    fn bring(&mut self, start: &Start) -> usize {
        let loc = &start.calls[0].loc;
        self.move_slots("spill towers", start.spilled.iter(), loc);
        let chain = &start.chain;
        let bytes = INSTRUCTION_BYTES * chain.program.instructions.len() as u64
            + self.config.bytes_per_word() * chain.words as u64;
        let program = self.transfer("load program", 2, bytes, loc);
        let is_tower = |each: &&Move| matches!(each.content, Content::Tower(_));
        let tables = start.loaded.iter().filter(|each| !is_tower(each));
        let tables = self.move_slots("load tables", tables, loc);
        let towers = self.move_slots("load towers", start.loaded.iter().filter(is_tower), loc);
        self.take_interrupt(towers.or(tables).unwrap_or(program), loc)
    }

    /// The step of a list of moves; `None` where there is nothing to move.
    fn move_slots<'m>(
        &mut self,
        name: &str,
        moves: impl Iterator<Item = &'m Move> + Clone,
        loc: &Option<Loc>,
    ) -> Option<usize> {
        let words: usize = moves.clone().map(|each| self.words(each)).sum();
        let bytes = words as u64 * self.config.bytes_per_word();
        let count = moves.count() as u64;
        (count > 0).then(|| self.transfer(name, count, bytes, loc))
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

    fn transfer(&mut self, name: &str, moves: u64, bytes: u64, loc: &Option<Loc>) -> usize {
        let writes = MOVE_WRITES * moves + 1;
        let commanded = self.host(
            "write registers",
            HostOperation::RegisterWrite,
            writes,
            vec![],
            loc,
        );
        let cycles = self.config.dma_latency + bytes.div_ceil(self.config.dma_bytes_per_cycle);
        let work = Work::Transfer { cycles, bytes };
        self.push(name, work, DMA, vec![commanded], loc)
    }

    /// Start and kernels; the step of the last.
    fn run(&mut self, start: &Start, brought: usize) -> usize {
        let operation = HostOperation::RegisterWrite;
        let (name, loc) = ("write registers", &start.calls[0].loc);
        let mut last = self.host(name, operation, START_WRITES, vec![brought], loc);
        let mut before = self.config.start_cycles;
        for (call, link) in start.calls.iter().zip(&start.chain.links) {
            let work = Work::Kernel {
                cycles: before + link.cycles,
            };
            before = 0;
            let name = call.kernel.kernel.operation.name();
            last = self.push(name, work, CORE, vec![last], &call.loc);
        }
        last
    }
}

/// One track per unit of the device, in which the controlling core takes no time.
fn timeline(
    config: &Config,
    steps: &[Step],
    intervals: &[Interval],
) -> Result<Timeline, TimingError> {
    let mut timeline = Timeline::new();
    let tracks = [DMA, CORE].map(|unit| (unit, timeline.add_track(unit)));
    for (step, interval) in steps.iter().zip(intervals) {
        for (unit, track) in tracks {
            if step.units[0] == unit {
                timeline.add_span(Span {
                    track,
                    start: config.clock.time_of(Cycle(interval.start))?,
                    end: config.clock.time_of(Cycle(interval.end))?,
                    name: step.name.clone(),
                    args: vec![],
                })?;
            }
        }
    }
    Ok(timeline)
}
