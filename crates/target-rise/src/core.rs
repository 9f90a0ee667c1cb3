//! The accelerator: its units together, run cycle by cycle.
//!
//! Instructions are what the I/O controller hands to the units (RACE section IV-C4): one for every
//! arrow of the schedules in RACE figure 4. Each runs from the cycle that it is given until its
//! last word is in its bank. Two instructions that run at once share no bank group and no unit;
//! [`crate::schedule`] sees to that, and the banks' ports would report it.
//!
//! A stage of a transform drains before the next one reads: its last half-row leaves D + 4 cycles
//! after its last operands were read (one cycle in the banks, D in the butterfly units, three more
//! half-rows behind the group's first).
//!
//! Records beside those of the units: `control` `begin`, `stage` and `end` (operation or stage),
//! `bfu` `result` (lane, sum and 2^64 difference, in a pass its one result) and `reordering_unit`
//! `word` (address, word).

use crate::config::Config;
use crate::shape::{Layout, Shape};
use crate::twiddles::{Constants, Direction};
use crate::units::bank_group::{interleaved, BankGroup, BankMap, PortError};
use crate::units::bfu::{butterfly, Bfu};
use crate::units::control::{Control, Slot};
use crate::units::dma::Dma;
use crate::units::reordering_unit::ReorderingUnit;
use crate::units::sampler::{Request, Sampler};
use crate::units::twiddle_unit::TwiddleUnit;
use ringwright_sim::{in_order, Cycle, NoTrace, Trace, TraceRecord};

/// One of the two bank groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Operands and transforms.
    Bg0,
    /// The same, and the results of products and sums.
    Bg1,
}

/// What the butterfly units do with one word of each bank group; the result goes to BG1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pointwise {
    /// BG0 times BG1.
    Mul,
    /// BG0 plus BG1.
    Add,
    /// BG0 minus BG1.
    SubFrom0,
    /// BG1 minus BG0.
    SubFrom1,
}

impl Pointwise {
    /// Its number in `rise_pkg`, behind those of the transforms.
    fn number(self) -> u64 {
        2 + self as u64
    }
}

/// How busy the units were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Cycles in which operands entered the butterfly units.
    pub operands: u64,
    /// Cycles in which products of the twiddle unit entered them.
    pub factors: u64,
    /// Cycles in which the reordering unit sent half a row.
    pub half_rows: u64,
    /// Reads and writes of banks, in half-rows: one is one access of 2P banks.
    pub bank_accesses: u64,
}

/// The units of one machine, set up for one degree.
pub struct Core<T = NoTrace> {
    shape: Shape,
    groups: [BankGroup<T>; 2],
    bfu: Bfu<()>,
    twiddles: TwiddleUnit<T>,
    reordering: ReorderingUnit,
    dma: Dma,
    sampler: Option<Sampler>,
    activity: Activity,
    trace: Events<T>,
}

impl Core {
    /// The machine of `config`, its polynomials of the degree of `shape`.
    pub fn new(config: &Config, shape: Shape) -> Self {
        Self::with_bank_map(config, shape, interleaved)
    }

    /// As [`Core::new`] with another map from addresses to banks, right or wrong.
    pub fn with_bank_map(config: &Config, shape: Shape, map: BankMap) -> Self {
        Self::build(config, shape, map)
    }
}

impl<T: Trace> Core<T> {
    /// As [`Core::new`], with records.
    pub fn traced(config: &Config, shape: Shape) -> Self {
        Self::build(config, shape, interleaved)
    }

    fn build(config: &Config, shape: Shape, map: BankMap) -> Self {
        let (banks, depth) = (shape.banks(), shape.bank_words());
        let group = |name| BankGroup::traced(name, banks, depth, config.write_buffer, map);
        Core {
            shape,
            groups: [group("BG0"), group("BG1")],
            bfu: Bfu::new(config.bfu_latency, 2 * shape.bfus()),
            twiddles: TwiddleUnit::traced(shape, config.log_batches, config.bfu_latency),
            reordering: ReorderingUnit::new(shape.log_p, config.reorder_latency),
            dma: config.dma(),
            sampler: config.sampler(),
            activity: Activity::default(),
            trace: Events::default(),
        }
    }

    /// Moves a polynomial from memory into a bank group; returns the first cycle after.
    pub fn load(
        &mut self,
        start: u64,
        group: Group,
        layout: Layout,
        words: &[u64],
    ) -> Result<u64, PortError> {
        let group = &mut self.groups[group as usize];
        self.dma.load(start, self.shape, layout, words, group)
    }

    /// Moves a polynomial from a bank group into memory.
    pub fn store(
        &mut self,
        start: u64,
        group: Group,
        layout: Layout,
        words: &mut [u64],
    ) -> Result<u64, PortError> {
        let group = &mut self.groups[group as usize];
        self.dma.store(start, self.shape, layout, group, words)
    }

    /// Draws a polynomial into a bank group; without sampler there is nothing to do, and no
    /// program is lowered to this.
    pub fn sample(
        &mut self,
        start: u64,
        group: Group,
        layout: Layout,
        request: &Request<'_>,
    ) -> Result<u64, PortError> {
        let group = &mut self.groups[group as usize];
        match &self.sampler {
            Some(sampler) => sampler.draw(start, self.shape, layout, request, group),
            None => Ok(start),
        }
    }

    /// Cycles until the first word of a transfer.
    pub fn dma_latency(&self) -> u64 {
        self.dma.latency
    }

    /// Transforms a bank group in place.
    pub fn transform(
        &mut self,
        start: u64,
        group: Group,
        direction: Direction,
        constants: &Constants,
    ) -> Result<u64, PortError> {
        let mut control = Control::new();
        let mut cycle = start;
        self.trace.control(start, "begin", direction as u64);
        self.twiddles.start(constants, direction);
        for stage in 0..self.shape.log_n {
            control.next_stage(self.shape, stage, self.shape.issues());
            self.reordering.restart();
            self.trace.control(cycle, "stage", stage.into());
            cycle = self.stage(cycle, group, stage, constants, &mut control)?;
        }
        if direction == Direction::Inverse {
            control.next_stage(self.shape, self.shape.log_n, self.shape.pass_issues());
            self.trace.control(cycle, "stage", self.shape.log_n.into());
            cycle = self.scale(cycle, group, constants, &mut control)?;
        }
        self.trace.control(cycle - 1, "end", direction as u64);
        Ok(cycle)
    }

    /// One stage: operands out of the banks, butterflies, reordered results into the banks.
    fn stage(
        &mut self,
        start: u64,
        group: Group,
        stage: u32,
        constants: &Constants,
        control: &mut Control,
    ) -> Result<u64, PortError> {
        let shape = self.shape;
        let width = 2 * shape.bfus();
        let banks = &mut self.groups[group as usize];
        let mut cycle = start;
        loop {
            if let Some(((), results)) = self.bfu.output() {
                self.trace.pairs(cycle, results);
                self.reordering.accept(cycle, results);
            }
            match control.slot(cycle, &mut self.twiddles) {
                Slot::Operands { issue, batch } => {
                    let results = self.bfu.enter(());
                    let first = shape.stage_address(stage, issue);
                    let shift = shape.log_n - 1 - stage;
                    for lane in 0..shape.bfus() {
                        let a = banks.read(cycle, first + 2 * lane)?;
                        let b = banks.read(cycle, first + 2 * lane + 1)?;
                        let number = issue as usize * shape.bfus() + lane;
                        let index = (number >> shift) & (shape.bfus() - 1);
                        let w = self.twiddles.factor(batch, index);
                        (results[2 * lane], results[2 * lane + 1]) =
                            butterfly(&constants.q, a, b, w);
                    }
                    self.activity.operands += 1;
                    self.activity.bank_accesses += 1;
                }
                Slot::Factors => {
                    self.twiddles.issue(cycle, constants);
                    self.activity.factors += 1;
                }
                Slot::Idle => {}
            }
            if let Some((place, words)) = self.reordering.emit(cycle) {
                let row = shape.row(2 * place.group as usize + place.row, stage);
                let first = row * shape.banks() + place.half * width;
                for (k, word) in words.enumerate() {
                    self.trace.reordered(cycle, first + k, word);
                    banks.write(cycle, first + k, word)?;
                }
                self.activity.half_rows += 1;
                self.activity.bank_accesses += 1;
            }
            banks.settle(cycle)?;
            self.bfu.step();
            cycle += 1;
            let empty = self.bfu.is_empty() && self.reordering.is_empty();
            if control.issued() && empty && banks.settled() {
                return Ok(cycle);
            }
        }
    }

    /// The pass behind an inverse transform: every coefficient times its factor.
    fn scale(
        &mut self,
        start: u64,
        group: Group,
        constants: &Constants,
        control: &mut Control,
    ) -> Result<u64, PortError> {
        let shape = self.shape;
        let banks = &mut self.groups[group as usize];
        let mut pass = Pass::new(start, shape);
        loop {
            pass.begin_cycle(&mut self.bfu, &mut self.trace);
            match control.slot(pass.cycle, &mut self.twiddles) {
                Slot::Operands { issue, batch } => {
                    let first = shape.pass_address(issue);
                    let results = self.bfu.enter(());
                    for (lane, result) in results[..shape.bfus()].iter_mut().enumerate() {
                        let word = banks.read(pass.cycle, first + lane)?;
                        *result = constants.q.mul(word, self.twiddles.factor(batch, lane));
                    }
                    self.activity.operands += 1;
                }
                Slot::Factors => {
                    self.twiddles.issue(pass.cycle, constants);
                    self.activity.factors += 1;
                }
                Slot::Idle => {}
            }
            if pass.end_cycle(&mut self.bfu, banks)? {
                return Ok(pass.cycle);
            }
        }
    }

    /// One operation on every word of both bank groups, its results into BG1.
    pub fn pointwise(
        &mut self,
        start: u64,
        operation: Pointwise,
        constants: &Constants,
    ) -> Result<u64, PortError> {
        let (shape, q) = (self.shape, &constants.q);
        let [group0, group1] = &mut self.groups;
        let mut pass = Pass::new(start, shape);
        self.trace.control(start, "begin", operation.number());
        for issue in 0.. {
            pass.begin_cycle(&mut self.bfu, &mut self.trace);
            if issue < shape.pass_issues() {
                let first = shape.pass_address(issue);
                let results = self.bfu.enter(());
                for (lane, result) in results[..shape.bfus()].iter_mut().enumerate() {
                    let a = group0.read(pass.cycle, first + lane)?;
                    let b = group1.read(pass.cycle, first + lane)?;
                    *result = match operation {
                        Pointwise::Mul => q.mul(a, b),
                        Pointwise::Add => q.add(a, b),
                        Pointwise::SubFrom0 => q.sub(a, b),
                        Pointwise::SubFrom1 => q.sub(b, a),
                    };
                }
                self.activity.operands += 1;
            }
            if pass.end_cycle(&mut self.bfu, group1)? {
                break;
            }
        }
        self.trace
            .control(pass.cycle - 1, "end", operation.number());
        Ok(pass.cycle)
    }

    /// What the units did since the core was made.
    pub fn activity(&self) -> Activity {
        self.activity
    }

    /// The most words that ever waited in one write buffer.
    pub fn deepest_write_buffer(&self) -> usize {
        self.groups
            .iter()
            .map(|group| group.deepest())
            .max()
            .unwrap_or(0)
    }

    /// Everything that happened since the last time, in the order of cycles.
    pub fn take_records(&mut self) -> Vec<TraceRecord> {
        let [group0, group1] = &mut self.groups;
        in_order([
            self.trace.0.take(),
            self.twiddles.take_records(),
            group0.take_records(),
            group1.take_records(),
        ])
    }

    /// Fills the bank groups with what no result may be made of: memory after power-up.
    pub fn poison(&mut self) {
        self.groups.iter_mut().for_each(BankGroup::poison);
    }

    /// Overwrites both polynomials.
    pub fn wipe(&mut self) {
        self.groups.iter_mut().for_each(BankGroup::wipe);
    }
}

/// Records of the units that keep none themselves.
#[derive(Default)]
struct Events<T>(T);

impl<T: Trace> Events<T> {
    #[inline(always)]
    fn event(&mut self, cycle: u64, unit: &'static str, event: &'static str, to: u64, value: u128) {
        self.0.record(TraceRecord {
            cycle: Cycle(cycle),
            unit,
            event,
            destination: to,
            value,
        });
    }

    #[inline(always)]
    fn control(&mut self, cycle: u64, event: &'static str, number: u64) {
        self.event(cycle, "control", event, number, 0);
    }

    /// Sum and difference of each lane.
    #[inline(always)]
    fn pairs(&mut self, cycle: u64, results: &[u64]) {
        for (lane, pair) in results.chunks_exact(2).enumerate() {
            let value = u128::from(pair[0]) | u128::from(pair[1]) << 64;
            self.event(cycle, "bfu", "result", lane as u64, value);
        }
    }

    /// The one result of each lane.
    #[inline(always)]
    fn results(&mut self, cycle: u64, results: &[u64]) {
        for (lane, &word) in results.iter().enumerate() {
            self.event(cycle, "bfu", "result", lane as u64, word.into());
        }
    }

    #[inline(always)]
    fn reordered(&mut self, cycle: u64, address: usize, word: u64) {
        let to = address as u64;
        self.event(cycle, "reordering_unit", "word", to, word.into());
    }
}

/// A pass over all words: results leave the butterfly units in the order of their operands and
/// go back to where those came from, a quarter of a row at a time.
struct Pass {
    shape: Shape,
    cycle: u64,
    /// Results that have been written.
    written: u64,
    /// Results that leave in this cycle, if any do.
    leaving: Option<()>,
    results: Vec<u64>,
}

impl Pass {
    fn new(start: u64, shape: Shape) -> Self {
        Pass {
            shape,
            cycle: start,
            written: 0,
            leaving: None,
            results: vec![0; shape.bfus()],
        }
    }

    /// Takes what leaves the butterfly units; after it, operands may enter.
    fn begin_cycle<T: Trace>(&mut self, bfu: &mut Bfu<()>, trace: &mut Events<T>) {
        self.leaving = bfu.output().map(|((), results)| {
            self.results.copy_from_slice(&results[..self.shape.bfus()]);
            trace.results(self.cycle, &self.results);
        });
    }

    /// Writes it, behind the reads of the cycle; whether that was the last of the pass.
    fn end_cycle<T: Trace>(
        &mut self,
        bfu: &mut Bfu<()>,
        banks: &mut BankGroup<T>,
    ) -> Result<bool, PortError> {
        if self.leaving.take().is_some() {
            let first = self.shape.pass_address(self.written);
            for (lane, &word) in self.results.iter().enumerate() {
                banks.write(self.cycle, first + lane, word)?;
            }
            self.written += 1;
        }
        banks.settle(self.cycle)?;
        bfu.step();
        self.cycle += 1;
        Ok(self.written == self.shape.pass_issues() && banks.settled())
    }
}
