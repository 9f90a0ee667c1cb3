//! The time of a lowered program: what the core, its DMA port and the controlling core do.
//!
//! The controlling core writes the arguments of a tower kernel and starts it; the core raises an
//! interrupt when it is done. The DMA port works through a list of moves that the controlling core
//! has written, and raises an interrupt too. While a kernel runs, the port brings what the next one
//! reads, unless that waits for the kernel's result or lands in one of its slots. The steps are
//! those of [`ringwright_target::Step`], so that a host profile can place them again in its own
//! time.

use crate::lower::part::{Part, Start};
use crate::lower::program::{Program, Segment};
use crate::lower::residency::{Content, Move};
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
/// Registers of a move: where from, where to, how many words.
const MOVE_WRITES: u64 = 3;
/// A write of the controlling core moves so many bits.
const WRITE_BITS: u32 = 64;

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
    for (mnemonic, count) in starts.flat_map(|start| &start.kernel.instructions) {
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
        used: BTreeMap::new(),
        saved: BTreeMap::new(),
        ready: Vec::new(),
    };
    queue.bring(0);
    for (index, start) in part.starts.iter().enumerate() {
        let running = queue.run(start);
        let overlaps = queue.overlaps(index);
        if overlaps {
            queue.bring(index + 1);
        }
        queue.take_interrupt(running, &start.loc);
        queue.move_out("store towers", &start.placement.stored, &start.loc);
        if !overlaps {
            queue.bring(index + 1);
        }
    }
    queue.steps
}

struct Queue<'a> {
    config: &'a Config,
    part: &'a Part,
    steps: Vec<Step>,
    /// The last kernel and the last move on each slot.
    used: BTreeMap<(usize, &'static str), usize>,
    /// The step that moved each content out.
    saved: BTreeMap<Content, usize>,
    /// What the next kernel waits for.
    ready: Vec<usize>,
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
        let mut after = after;
        after.sort_unstable();
        after.dedup();
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

    /// Whether the next kernel's data may be brought while this one runs.
    fn overlaps(&self, index: usize) -> bool {
        let Some(next) = self.part.starts.get(index + 1) else {
            return false;
        };
        let placement = &self.part.starts[index].placement;
        let apart = |each: &Move| !placement.slots.contains(&each.slot);
        placement.stored.is_empty()
            && next.placement.spilled.is_empty()
            && next.placement.loaded.iter().all(apart)
    }

    /// Brings program, tables and towers for a kernel.
    fn bring(&mut self, index: usize) {
        let part = self.part;
        let Some(start) = part.starts.get(index) else {
            return;
        };
        let (placement, loc) = (&start.placement, &start.loc);
        self.move_out("spill towers", &placement.spilled, loc);
        let mut last = Vec::new();
        if start.loads_program {
            let bytes = 8 * start.kernel.kernel.program.instructions.len() as u64;
            last.push(self.transfer("load program", 1, bytes, vec![], loc));
        }
        let is_tower = |each: &&Move| matches!(each.content, Content::Tower(_));
        let (towers, tables): (Vec<&Move>, Vec<&Move>) =
            placement.loaded.iter().partition(is_tower);
        for (name, moves) in [("load tables", tables), ("load towers", towers)] {
            if !moves.is_empty() {
                last.push(self.move_slots(name, &moves, loc));
            }
        }
        self.ready = match last.last() {
            Some(&last) => vec![self.take_interrupt(last, loc)],
            None => vec![],
        };
    }

    fn move_out(&mut self, name: &str, moves: &[Move], loc: &Option<Loc>) {
        if moves.is_empty() {
            return;
        }
        let step = self.move_slots(name, &moves.iter().collect::<Vec<_>>(), loc);
        for each in moves {
            self.saved.insert(each.content, step);
        }
    }

    fn move_slots(&mut self, name: &str, moves: &[&Move], loc: &Option<Loc>) -> usize {
        let waits = moves.iter().flat_map(|each| {
            let of_slot = [CORE, DMA].map(|unit| self.used.get(&(each.slot, unit)).copied());
            let saved = self.saved.get(&each.content).copied();
            of_slot.into_iter().flatten().chain(saved)
        });
        let waits = waits.collect();
        let words: usize = moves.iter().map(|each| self.words(each)).sum();
        let bytes = words as u64 * self.config.bytes_per_word();
        let step = self.transfer(name, moves.len() as u64, bytes, waits, loc);
        for each in moves {
            self.used.insert((each.slot, DMA), step);
        }
        step
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

    fn transfer(
        &mut self,
        name: &str,
        moves: u64,
        bytes: u64,
        after: Vec<usize>,
        loc: &Option<Loc>,
    ) -> usize {
        let writes = MOVE_WRITES * moves + 1;
        let commanded = self.host(
            "write registers",
            HostOperation::RegisterWrite,
            writes,
            vec![],
            loc,
        );
        let cycles = self.config.dma_latency + bytes.div_ceil(self.config.dma_bytes_per_cycle);
        let after = [after, vec![commanded]].concat();
        self.push(name, Work::Transfer { cycles, bytes }, DMA, after, loc)
    }

    /// Arguments, start, kernel.
    fn run(&mut self, start: &Start) -> usize {
        let per_word = u64::from(self.config.word_bits.div_ceil(WRITE_BITS));
        let writes = START_WRITES + per_word * start.kernel.kernel.arguments() as u64;
        let ready = std::mem::take(&mut self.ready);
        let loc = &start.loc;
        let written = self.host(
            "write registers",
            HostOperation::RegisterWrite,
            writes,
            ready,
            loc,
        );
        let cycles = self.config.start_cycles + start.kernel.cycles;
        let slots = start.placement.slots.iter();
        let moved = slots.filter_map(|&slot| self.used.get(&(slot, DMA)).copied());
        let after = moved.chain([written]).collect();
        let name = start.kernel.kernel.operation.name();
        let step = self.push(name, Work::Kernel { cycles }, CORE, after, loc);
        for &slot in &start.placement.slots {
            self.used.insert((slot, CORE), step);
        }
        step
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
