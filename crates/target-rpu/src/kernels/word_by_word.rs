//! Programs of many operations word by word, under several moduli, on blocks of towers or whole
//! ones.
//!
//! A kernel for each operation loads its operands and stores its result, and is bound by that. A
//! [`Formula`] is all that can be done with words while they are in registers: every operand is
//! loaded once, every result stored once. Where its towers lie at places of their own
//! ([`Layout::Places`]), one run does them whole or a part. Where towers are long and few of them
//! fit the vector data memory, one run does a block of them ([`Layout::Blocks`]); blocks are moved
//! and the program is run again, program and arguments staying where they are.
//!
//! | word of the scalar data memory | meaning | register |
//! |---|---|---|
//! | 0 ... | where the blocks of operands begin, and those of results; or each tower's place | a0 ... |
//! | after these | moduli, each with its reciprocal | m0 ... |
//! | after these | scalar operands | s0 ... |
//!
//! The plain program does one vector after the other, in the formula's order; the list scheduler
//! ([`super::scheduled`]) orders the same instructions anew and finds registers in different
//! memories of a slice. The quicker one is taken. Blocks of results lie apart from
//! those of operands; at places a store keeps behind the loads at its offset, and every vector's loads
//! come before its stores.
//!
//! A weighted sum of k words takes 2k instructions of the lanes. Dropped: weights in vector
//! registers, for k butterflies; fewer targets then fit one program, and operands are brought more
//! often.
//!
//! Dropped: such work in the load/store slack of a transform of another tower. Of 16K words on 128
//! lanes, a transform takes 1,031 cycles, in which load/store works 797, and two products added to
//! sums 925. One schedule of both takes 1,820 for 1,956, and no order less than 1,692; behind an
//! inverse transform, whose results are read from registers, 1,629 for 1,992. A key switch there is
//! bound by the port, which this does not relieve.

use super::scheduled::compile;
use super::scheduled::graph::{Graph, Role};
use super::shape::Shape;
use crate::activity::activity;
use crate::isa::{reciprocal, AReg, Form, Instruction, MReg, Mode, Op, Program, SReg, VReg};
use crate::isa::{Class, REGISTERS};
use crate::{time, Config};
use ringwright_ir::RunError;
use ringwright_target::Counters;
use std::collections::BTreeMap;

/// Scalar registers that scheduled programs pass time with.
const FILLERS: usize = 8;
/// Longest program: scheduling takes time in its length, and more saves few starts.
const MOST_INSTRUCTIONS: usize = 6144;
/// Vectors of a block at least, where towers are not shorter: a start costs hundreds of cycles.
const LEAST_VECTORS: usize = 2;

/// A value of a formula: operands first, then what the steps make.
pub type Value = usize;

/// What is done with words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// a + b.
    Add(Value, Value),
    /// a - b.
    Sub(Value, Value),
    /// a * b.
    Mul(Value, Value),
    /// a * b + c; all below the modulus.
    MulAdd(Value, Value, Value),
    /// a times a scalar; a may be any word without the top bit.
    Scale(Value, usize),
    /// a plus a scalar.
    Shift(Value, usize),
    /// A scalar everywhere.
    Fill(usize),
}

/// Operations on words at the same place of several towers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula {
    /// How many towers are read.
    pub operands: usize,
    /// What is done, each under the modulus of this number.
    pub steps: Vec<(Step, usize)>,
    /// What is kept.
    pub results: Vec<Value>,
    /// How many moduli there are.
    pub moduli: usize,
    /// How many scalar operands there are.
    pub scalars: usize,
}

/// Where a formula's towers lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layout {
    /// Blocks of them, one behind the other: operands', then results'.
    Blocks,
    /// So many words of each at a place of its own, which an argument tells; places are aligned to that
    /// length, and a result may lie where an operand does.
    Places(usize),
}

/// A formula on one machine.
#[derive(Debug)]
pub struct WordKernel {
    /// What is computed.
    pub formula: Formula,
    /// Where towers lie.
    pub layout: Layout,
    /// Words of each tower that one run does.
    pub words: usize,
    /// The program that does them.
    pub program: Program,
    /// What it takes.
    pub cycles: u64,
    /// Cycles that load/store, compute and shuffle pipe work at least.
    pub occupied: [u64; 3],
    /// The same vector by vector, unscheduled, and what it takes; `None` where an instruction would
    /// have two registers in one memory of a slice.
    pub plain: Option<(u64, Program)>,
    /// What happens in the machine's units in one run.
    pub counters: Counters,
}

impl WordKernel {
    /// Programs for towers of this shape; `None` where the formula needs more registers or more
    /// memory than there are.
    pub fn new(
        config: &Config,
        shape: Shape,
        layout: Layout,
        formula: Formula,
    ) -> Result<Option<Self>, RunError> {
        let Some(words) = formula.words(config, shape, layout) else {
            return Ok(None);
        };
        let Some(body) = formula.plain(layout, words, shape.vector()) else {
            return Ok(None);
        };
        let timed = |body: Vec<Instruction>| {
            let program = Program::new(NAME, [formula.prologue(layout), body].concat());
            let mut sdm = formula.stand_in(config, layout, words)?;
            sdm.resize(config.sdm_words, 0);
            let schedule = time(&program, config, &sdm).map_err(|e| config.unsupported(e))?;
            Ok::<_, RunError>((schedule.cycles, program))
        };
        let (programs, occupied) = formula.scheduled(config, layout, words, shape.vector(), &body);
        let plain = timed(body).ok();
        let candidates = programs.into_iter().filter_map(|body| timed(body).ok());
        let candidates = candidates.chain(plain.clone());
        let Some((cycles, program)) = candidates.min_by_key(|(cycles, _)| *cycles) else {
            return Ok(None);
        };
        Ok(Some(WordKernel {
            counters: activity(config, &program),
            formula,
            layout,
            words,
            program,
            cycles,
            occupied,
            plain,
        }))
    }

    /// How many blocks of all its towers the memories hold beside each other, each with a program of
    /// its own: two where they fit, so that one is moved while the other runs.
    pub fn copies(&self, config: &Config) -> usize {
        let words = self.formula.towers() * self.words;
        let instructions = self.program.instructions.len();
        let arguments = self.formula.argument_words(self.layout);
        let fit = (config.vdm_words / words)
            .min(config.im_words / instructions)
            .min(config.sdm_words / arguments);
        fit.clamp(1, 2)
    }

    /// How the program was made and what it takes, beside its bound and the plain one.
    pub fn summary(&self) -> String {
        let pipes = [Class::LoadStore, Class::Compute, Class::Shuffle].map(Class::name);
        let bound = self.occupied.into_iter().zip(pipes).max();
        let (bound, pipe) = bound.unwrap_or_default();
        let plain = self.plain.as_ref();
        let plain = plain.map_or(String::new(), |(cycles, _)| format!(", plain {cycles}"));
        format!(
            "{} words of {} operands and {} results: {} cycles, bound {bound} ({pipe}){plain}",
            self.words,
            self.formula.operands,
            self.formula.results.len(),
            self.cycles,
        )
    }
}

/// Under which a ledger adds the runs up.
pub const NAME: &str = "word_by_word";

/// Of blocks: where operands begin, and results.
const OPERANDS: usize = 0;
const RESULTS: usize = 1;

impl Formula {
    /// Towers that it reads and makes.
    pub fn towers(&self) -> usize {
        self.operands + self.results.len()
    }

    /// Whether registers and memories may hold it; that there are enough vector registers shows when
    /// its program is written.
    pub fn fits(&self, config: &Config, shape: Shape, layout: Layout) -> bool {
        self.words(config, shape, layout).is_some()
    }

    /// Words of each tower that one run does: of a block the most that fit, a power of two.
    fn words(&self, config: &Config, shape: Shape, layout: Layout) -> Option<usize> {
        let addresses = self.addresses(layout);
        let registers = addresses <= REGISTERS
            && self.moduli <= REGISTERS
            && self.scalars <= REGISTERS - FILLERS;
        if !registers || self.argument_words(layout) > config.sdm_words {
            return None;
        }
        let of_vector = self.operands + self.results.len() + self.steps.len();
        let room = config.im_words.min(MOST_INSTRUCTIONS);
        let room = room.checked_sub(self.prologue(layout).len())? / of_vector.max(1);
        match layout {
            Layout::Places(words) => (words / shape.vector() <= room).then_some(words),
            Layout::Blocks => {
                let vectors = shape.n() / shape.vector();
                let held = config.vdm_words / (self.towers().max(1) * shape.vector());
                let least = LEAST_VECTORS.min(vectors);
                // Two blocks beside each other where there is room.
                let held = (held / 2).max(held.min(least));
                let most = vectors.min(held).min(room);
                let fits = vectors >= 2 && most >= least;
                fits.then(|| (1 << most.ilog2()) * shape.vector())
            }
        }
    }

    /// Address registers that it needs.
    fn addresses(&self, layout: Layout) -> usize {
        match layout {
            Layout::Blocks => 2,
            Layout::Places(_) => self.towers(),
        }
    }

    /// Words of scalar data memory that it reads.
    pub fn argument_words(&self, layout: Layout) -> usize {
        self.addresses(layout) + 2 * self.moduli + self.scalars
    }

    /// The words of scalar data memory where its towers begin at these places: the blocks of operands
    /// and those of results, or each tower.
    pub fn arguments(
        &self,
        config: &Config,
        places: impl IntoIterator<Item = usize>,
        moduli: &[u128],
        scalars: &[u128],
    ) -> Result<Vec<u128>, RunError> {
        let mut arguments: Vec<u128> = places.into_iter().map(|place| place as u128).collect();
        for &q in moduli {
            let wide = || config.unsupported(format!("modulus {q} is even or too wide"));
            arguments.extend([q, reciprocal(q, config.word_bits).ok_or_else(wide)?]);
        }
        arguments.extend(scalars);
        Ok(arguments)
    }

    /// Arguments to time it with: where its towers lie does not matter, for they are aligned to their
    /// length, so that another base adds the same to the bank of every word.
    pub fn stand_in(
        &self,
        config: &Config,
        layout: Layout,
        words: usize,
    ) -> Result<Vec<u128>, RunError> {
        let places: Vec<usize> = match layout {
            Layout::Blocks => vec![0, self.operands * words],
            Layout::Places(_) => {
                let room = (config.vdm_words / words).max(1);
                (0..self.towers())
                    .map(|tower| tower % room * words)
                    .collect()
            }
        };
        self.arguments(
            config,
            places,
            &vec![5; self.moduli],
            &vec![0; self.scalars],
        )
    }

    fn prologue(&self, layout: Layout) -> Vec<Instruction> {
        let first = self.addresses(layout);
        let address = |number: usize| Instruction::ALoad {
            rt: AReg::from_field(number as u64),
            address: number as u32,
        };
        let modulus = |number: usize| Instruction::MLoad {
            rt: MReg::from_field(number as u64),
            address: (first + 2 * number) as u32,
        };
        let scalar = |number: usize| Instruction::SLoad {
            rt: SReg::from_field(number as u64),
            address: (first + 2 * self.moduli + number) as u32,
        };
        let addresses = (0..first).map(address);
        let moduli = (0..self.moduli).map(modulus);
        let scalars = (0..self.scalars).map(scalar);
        addresses.chain(moduli).chain(scalars).collect()
    }

    /// Vector by vector; `None` where one needs more registers than there are.
    fn plain(&self, layout: Layout, words: usize, vector: usize) -> Option<Vec<Instruction>> {
        let last = self.last_reads();
        let mut body = Vec::new();
        let mut registers = Registers::new();
        for offset in (0..words).step_by(vector) {
            let mut writer = Writer {
                formula: self,
                last: &last,
                layout,
                words,
                offset,
                held: BTreeMap::new(),
                registers: &mut registers,
                body: &mut body,
            };
            for index in 0..self.steps.len() {
                writer.step(index)?;
            }
            writer.results()?;
        }
        Some(body)
    }

    /// By value, the last step that reads it; one behind the last for results.
    fn last_reads(&self) -> Vec<usize> {
        let mut last = vec![0; self.operands + self.steps.len()];
        for (index, (step, _)) in self.steps.iter().enumerate() {
            step.sources().for_each(|value| last[value] = index);
        }
        let results = self.results.iter();
        results.for_each(|&value| last[value] = self.steps.len());
        last
    }

    fn scheduled(
        &self,
        config: &Config,
        layout: Layout,
        words: usize,
        vector: usize,
        body: &[Instruction],
    ) -> (Vec<Vec<Instruction>>, [u64; 3]) {
        let (most, roles) = match layout {
            Layout::Blocks => {
                let most = self.operands.max(self.results.len()) * words;
                (most, vec![Role::Operand, Role::Apart])
            }
            Layout::Places(_) => {
                let operands = vec![Role::Operand; self.operands];
                (
                    words,
                    [operands, vec![Role::Result; self.results.len()]].concat(),
                )
            }
        };
        let region = Shape {
            log_n: most.next_power_of_two().ilog2(),
            log_vector: vector.ilog2(),
        };
        let mut graph = Graph::new(region, roles);
        graph.append(body, |register, offset| (register.index(), offset));
        compile(&graph, config)
    }
}

impl Step {
    fn sources(self) -> impl Iterator<Item = Value> {
        let (sources, count) = match self {
            Step::Add(a, b) | Step::Sub(a, b) | Step::Mul(a, b) => ([a, b, 0], 2),
            Step::MulAdd(a, b, c) => ([a, b, c], 3),
            Step::Scale(a, _) | Step::Shift(a, _) => ([a, 0, 0], 1),
            Step::Fill(_) => ([0; 3], 0),
        };
        sources.into_iter().take(count)
    }
}

/// Vector registers in use. The next one taken is always another, five further on, so that the
/// registers of an instruction lie in different memories of a slice.
struct Registers {
    taken: [bool; REGISTERS],
    next: usize,
}

impl Registers {
    fn new() -> Self {
        Registers {
            taken: [false; REGISTERS],
            next: 0,
        }
    }

    fn take(&mut self) -> Option<VReg> {
        let mut order = (0..REGISTERS).map(|step| (self.next + 5 * step) % REGISTERS);
        let free = order.find(|&register| !self.taken[register])?;
        self.taken[free] = true;
        self.next = (free + 5) % REGISTERS;
        Some(VReg::from_field(free as u64))
    }

    fn give_back(&mut self, register: VReg) {
        self.taken[register.index()] = false;
    }
}

/// Writes the program of one vector.
struct Writer<'a> {
    formula: &'a Formula,
    last: &'a [usize],
    layout: Layout,
    words: usize,
    offset: usize,
    held: BTreeMap<Value, VReg>,
    registers: &'a mut Registers,
    body: &'a mut Vec<Instruction>,
}

impl Writer<'_> {
    /// The register of a value; an operand is loaded when it is first read.
    fn value(&mut self, value: Value) -> Option<VReg> {
        if let Some(&register) = self.held.get(&value) {
            return Some(register);
        }
        debug_assert!(value < self.formula.operands);
        let vd = self.registers.take()?;
        let (rm, offset) = match self.layout {
            Layout::Blocks => (OPERANDS, value * self.words + self.offset),
            Layout::Places(_) => (value, self.offset),
        };
        self.body.push(Instruction::VLoad {
            vd,
            rm: AReg::from_field(rm as u64),
            offset: offset as u32,
            mode: Mode::Linear,
        });
        self.held.insert(value, vd);
        Some(vd)
    }

    fn step(&mut self, index: usize) -> Option<()> {
        let (step, modulus) = self.formula.steps[index];
        let sources: Option<Vec<VReg>> = step.sources().map(|value| self.value(value)).collect();
        let sources = sources?;
        let vd = self.registers.take()?;
        let rm = MReg::from_field(modulus as u64);
        let vectors = |op| Instruction::Vector {
            op,
            vd,
            vs: sources[0],
            vt: sources[1],
            rm,
        };
        let scalar = |op, scalar: usize| Instruction::VectorScalar {
            op,
            vd,
            vs: sources[0],
            rt: SReg::from_field(scalar as u64),
            rm,
        };
        let instruction = match step {
            Step::Add(..) => vectors(Op::Add),
            Step::Sub(..) => vectors(Op::Sub),
            Step::Mul(..) => vectors(Op::Mul),
            Step::Scale(_, number) => scalar(Op::Mul, number),
            Step::Shift(_, number) => scalar(Op::Add, number),
            Step::Fill(number) => Instruction::Broadcast {
                vd,
                rt: SReg::from_field(number as u64),
            },
            Step::MulAdd(..) => {
                let difference = self.registers.take()?;
                self.registers.give_back(difference);
                Instruction::Butterfly {
                    form: Form::CooleyTukey,
                    vd,
                    vd1: difference,
                    vs: sources[2],
                    vt: sources[0],
                    vt1: sources[1],
                    rm,
                }
            }
        };
        self.body.push(instruction);
        let made = self.formula.operands + index;
        self.held.insert(made, vd);
        step.sources()
            .for_each(|value| self.drop_if_done(value, index));
        self.drop_if_done(made, index);
        Some(())
    }

    fn drop_if_done(&mut self, value: Value, index: usize) {
        if self.last[value] <= index {
            if let Some(register) = self.held.remove(&value) {
                self.registers.give_back(register);
            }
        }
    }

    fn results(&mut self) -> Option<()> {
        for (number, &value) in self.formula.results.iter().enumerate() {
            let vs = self.value(value)?;
            let (rm, offset) = match self.layout {
                Layout::Blocks => (RESULTS, number * self.words + self.offset),
                Layout::Places(_) => (self.formula.operands + number, self.offset),
            };
            self.body.push(Instruction::VStore {
                vs,
                rm: AReg::from_field(rm as u64),
                offset: offset as u32,
                mode: Mode::Linear,
            });
        }
        let held = std::mem::take(&mut self.held);
        held.into_values()
            .for_each(|register| self.registers.give_back(register));
        Some(())
    }
}
