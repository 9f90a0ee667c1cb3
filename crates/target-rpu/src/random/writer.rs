//! Writes a program, instruction by instruction.

use super::memory::{Scalars, Vdm};
use super::registers::{Registers, Trouble};
use crate::config::{Config, LoadStorePipes};
use crate::isa::{
    AReg, Class, Form, Instruction, MReg, Mode, Op, Program, SReg, Segment, ShuffleOp, VReg,
    REGISTERS,
};
use ringwright_arith::Choices;

/// Vector registers that are loaded at the start.
const LOADED: usize = 10;

/// How often an instruction is tried with other registers before another one is chosen.
const TRIES: usize = 16;

/// A program under way.
pub(super) struct Writer<'a> {
    config: &'a Config,
    choices: Choices,
    scalars: Scalars,
    vdm: Vdm,
    registers: Registers,
    data: Vec<Segment>,
    /// What the scalar register files hold.
    srf: [Option<u128>; REGISTERS],
    mrf: [Option<u128>; REGISTERS],
    arf: [Option<u128>; REGISTERS],
    /// A run of one class that is to fill its queue.
    run: Option<(Class, usize)>,
    stored: bool,
    instructions: Vec<Instruction>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(seed: u64, config: &'a Config) -> Option<Self> {
        if config.sdm_words < 16 {
            return None;
        }
        let mut choices = Choices::new(seed);
        let mut vdm = Vdm::new(config)?;
        let scalars = Scalars::new(&mut choices, config, vdm.words());
        let widest = (1 << (config.word_bits - 1)) - 1;
        let words = vdm.fill(&mut choices, scalars.bound(), widest);
        Some(Writer {
            registers: Registers::new(config),
            data: vec![scalars.segment(), words],
            config,
            choices,
            scalars,
            vdm,
            srf: [None; REGISTERS],
            mrf: [None; REGISTERS],
            arf: [None; REGISTERS],
            run: None,
            stored: false,
            instructions: Vec::new(),
        })
    }

    /// Fills some registers of each file.
    pub(super) fn prepare(&mut self) {
        if let Some(&(address, word)) = self.scalars.addresses.first() {
            let rt = AReg::from_field(0);
            self.arf[rt.index()] = Some(word);
            self.instructions.push(Instruction::ALoad { rt, address });
        }
        for _ in 0..4 {
            self.load_modulus();
            self.load_scalar();
            self.load_address();
        }
        for _ in 0..LOADED {
            self.push_one(|writer| writer.vector_load(Trouble::None));
        }
    }

    /// Appends an instruction, or the few that make a fence.
    pub(super) fn step(&mut self) {
        let class = self.next_class();
        let trouble = Trouble::any(&mut self.choices);
        match class {
            Class::LoadStore => self.load_or_store(trouble),
            Class::Compute => self.push_one(|writer| writer.compute(trouble)),
            Class::Shuffle => self.push_one(|writer| writer.shuffle(trouble)),
        }
    }

    /// A load that reads the last word of a store which has not got there yet.
    pub(super) fn overtake_a_store(&mut self) {
        let length = self.config.vector_length;
        self.push_one(|writer| writer.vector_store(Trouble::None, Some(Mode::Linear)));
        let store = self.instructions.iter().rev().find_map(|i| match *i {
            Instruction::VStore { rm, offset, .. } => Some((rm, offset)),
            _ => None,
        });
        let (Some((rm, offset)), Some(vd)) = (store, self.registers.idle(&mut self.choices)) else {
            return;
        };
        let last = (length - 1) as u32;
        self.instructions.push(Instruction::VLoad {
            vd,
            rm,
            offset: offset + last,
            mode: Mode::Repeated(0),
        });
    }

    pub(super) fn finish(self, name: String) -> Program {
        Program {
            data: self.data,
            ..Program::new(name, self.instructions)
        }
    }

    fn next_class(&mut self) -> Class {
        if let Some((class, left)) = self.run {
            self.run = left.checked_sub(1).map(|left| (class, left));
            return class;
        }
        let class = match self.choices.below(20) {
            0..=6 => Class::LoadStore,
            7..=14 => Class::Compute,
            _ => Class::Shuffle,
        };
        // A load/store of the longest pattern leaves the queue at once every few cycles, so a run
        // has to be longer than the queue.
        if self.choices.one_in(40) {
            self.run = Some((class, 2 * self.config.queue_depth + 2));
        }
        class
    }

    fn load_or_store(&mut self, trouble: Trouble) {
        match self.choices.below(16) {
            0 => self.load_modulus(),
            1 => self.load_scalar(),
            2 => self.load_address(),
            3 if self.may_fence() => self.fence(),
            3..=9 => self.push_one(|writer| writer.vector_load(trouble)),
            _ => self.push_one(|writer| writer.vector_store(trouble, None)),
        }
    }

    /// Tries an instruction with new registers until the machine takes it.
    fn push_one(&mut self, make: impl Fn(&mut Self) -> Option<Made>) {
        for _ in 0..TRIES {
            let Some(made) = make(self) else { continue };
            if self.registers.allow(&made.instruction) {
                return self.push(made);
            }
        }
    }

    fn push(&mut self, made: Made) {
        for register in made.instruction.vector_destinations() {
            self.registers.set_limit(register, made.limit);
        }
        if let Some((base, mode)) = made.stored {
            let length = self.config.vector_length;
            self.vdm.store(base, mode, length, made.limit);
            self.stored = true;
        }
        self.registers.note(made.instruction);
        self.instructions.push(made.instruction);
    }

    fn load_modulus(&mut self) {
        let Some((address, q)) = self.choices.pick(&self.scalars.moduli) else {
            return;
        };
        let rt = MReg::from_field(self.choices.word() % 8);
        self.mrf[rt.index()] = Some(q);
        self.instructions.push(Instruction::MLoad { rt, address });
    }

    fn load_scalar(&mut self) {
        let Some((address, word)) = self.choices.pick(&self.scalars.words) else {
            return;
        };
        let rt = SReg::from_field(self.choices.word());
        self.srf[rt.index()] = Some(word);
        self.instructions.push(Instruction::SLoad { rt, address });
    }

    fn load_address(&mut self) {
        let Some((address, word)) = self.choices.pick(&self.scalars.addresses) else {
            return;
        };
        // a0 keeps the address from which an offset reaches every word.
        let rt = AReg::from_field(1 + self.choices.word() % (REGISTERS as u64 - 1));
        self.arf[rt.index()] = Some(word);
        self.instructions.push(Instruction::ALoad { rt, address });
    }

    /// Whether loads behind the last store wait for it: only in one pipe do they.
    fn may_fence(&self) -> bool {
        self.stored && self.config.load_store_pipes == LoadStorePipes::Shared
    }

    /// Waits for the last store: an instruction that reads what a load behind it brings. Then loads
    /// and stores change halves.
    fn fence(&mut self) {
        let before = self.instructions.len();
        self.push_one(|writer| writer.vector_load(Trouble::None));
        let loaded = self.instructions[before..].first();
        let loaded = loaded.and_then(|i| i.vector_destinations().next());
        let Some(vs) = loaded else { return };
        let before = self.instructions.len();
        self.push_one(|writer| {
            let (rm, q) = writer.modulus()?;
            let rt = writer.scalar(q - 1)?;
            let vd = writer
                .registers
                .destination(&mut writer.choices, Trouble::None)?;
            let op = Op::Mul;
            let instruction = Instruction::VectorScalar { op, vd, vs, rt, rm };
            Some(Made::new(instruction, q - 1))
        });
        if self.instructions.len() > before {
            self.vdm.swap();
            self.stored = false;
        }
    }

    fn mode(&mut self) -> Mode {
        let log = self.config.vector_length.ilog2() as usize;
        match self.choices.below(4) {
            0 => Mode::Linear,
            1 => Mode::Strided(self.choices.below(4) as u8),
            2 => Mode::StridedSkip(self.choices.below(log + 2) as u8),
            _ => Mode::Repeated(self.choices.below(log + 2) as u8),
        }
    }

    fn vector_load(&mut self, trouble: Trouble) -> Option<Made> {
        let length = self.config.vector_length;
        let mode = self.mode();
        let base = self.vdm.place(&mut self.choices, mode, length, false)?;
        let limit = self.vdm.limit(base, mode, length)?;
        let (rm, offset) = self.address(base)?;
        let vd = self.registers.destination(&mut self.choices, trouble)?;
        let instruction = Instruction::VLoad {
            vd,
            rm,
            offset,
            mode,
        };
        Some(Made::new(instruction, limit))
    }

    fn vector_store(&mut self, trouble: Trouble, mode: Option<Mode>) -> Option<Made> {
        let length = self.config.vector_length;
        let mode = mode.unwrap_or_else(|| self.mode());
        // A store must not write a word twice.
        if matches!(mode, Mode::Repeated(v) if 1 << v < length) {
            return None;
        }
        let base = self.vdm.place(&mut self.choices, mode, length, true)?;
        let (rm, offset) = self.address(base)?;
        let vs = self
            .registers
            .source(&mut self.choices, trouble, u128::MAX)?;
        let instruction = Instruction::VStore {
            vs,
            rm,
            offset,
            mode,
        };
        let mut made = Made::new(instruction, self.registers.limit(vs)?);
        made.stored = Some((base, mode));
        Some(made)
    }

    /// An address register and the offset from it to `base`.
    fn address(&mut self, base: u64) -> Option<(AReg, u32)> {
        let below = |r: &AReg| self.arf[r.index()].is_some_and(|word| word <= base.into());
        let registers: Vec<AReg> = AReg::all().filter(below).collect();
        let rm = self.choices.pick(&registers)?;
        Some((rm, (u128::from(base) - self.arf[rm.index()]?) as u32))
    }

    fn modulus(&mut self) -> Option<(MReg, u128)> {
        let loaded = |r: &MReg| self.mrf[r.index()].is_some();
        let registers: Vec<MReg> = MReg::all().filter(loaded).collect();
        let rm = self.choices.pick(&registers)?;
        Some((rm, self.mrf[rm.index()]?))
    }

    /// A scalar register with a word of at most `limit`.
    fn scalar(&mut self, limit: u128) -> Option<SReg> {
        let fits = |r: &SReg| self.srf[r.index()].is_some_and(|word| word <= limit);
        let registers: Vec<SReg> = SReg::all().filter(fits).collect();
        self.choices.pick(&registers)
    }

    fn compute(&mut self, trouble: Trouble) -> Option<Made> {
        let (rm, q) = self.modulus()?;
        let kind = self.choices.below(8);
        let op = self.choices.pick(&[Op::Add, Op::Sub, Op::Mul])?;
        let vd = self.registers.destination(&mut self.choices, trouble)?;
        let first = if op == Op::Mul { u128::MAX } else { q - 1 };
        let instruction = match kind {
            0 => {
                let rt = self.scalar(u128::MAX)?;
                let limit = self.srf[rt.index()]?;
                return Some(Made::new(Instruction::Broadcast { vd, rt }, limit));
            }
            1 | 2 => {
                let vs = self.source(trouble, first)?;
                let rt = self.scalar(q - 1)?;
                Instruction::VectorScalar { op, vd, vs, rt, rm }
            }
            3 | 4 => {
                let vs = self.source(trouble, first)?;
                let vt = self.source(trouble, q - 1)?;
                Instruction::Vector { op, vd, vs, vt, rm }
            }
            _ => Instruction::Butterfly {
                form: self
                    .choices
                    .pick(&[Form::CooleyTukey, Form::GentlemanSande])?,
                vd,
                vd1: self.registers.destination(&mut self.choices, trouble)?,
                vs: self.source(trouble, q - 1)?,
                vt: self.source(trouble, q - 1)?,
                vt1: self.source(trouble, q - 1)?,
                rm,
            },
        };
        Some(Made::new(instruction, q - 1))
    }

    fn shuffle(&mut self, trouble: Trouble) -> Option<Made> {
        use ShuffleOp::*;
        let op = self
            .choices
            .pick(&[UnpackLow, UnpackHigh, PackLow, PackHigh])?;
        let vd = self.registers.destination(&mut self.choices, trouble)?;
        let vs = self.source(trouble, u128::MAX)?;
        let vt = self.source(trouble, u128::MAX)?;
        let limit = self.registers.limit(vs)?.max(self.registers.limit(vt)?);
        let instruction = Instruction::Shuffle { op, vd, vs, vt };
        Some(Made::new(instruction, limit))
    }

    fn source(&mut self, trouble: Trouble, limit: u128) -> Option<VReg> {
        self.registers.source(&mut self.choices, trouble, limit)
    }
}

/// An instruction and what it does to what is known.
struct Made {
    instruction: Instruction,
    /// The largest value of its results.
    limit: u128,
    /// Where a store goes.
    stored: Option<(u64, Mode)>,
}

impl Made {
    fn new(instruction: Instruction, limit: u128) -> Self {
        Made {
            instruction,
            limit,
            stored: None,
        }
    }
}
