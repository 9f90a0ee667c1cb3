//! The values of a program, computed in its order.
//!
//! Registers are kept apart by the busyboard and memory by [`crate::memory_order`], so the order of
//! the program gives what the pipelines give, and time needs no values. What the lanes do not
//! define is refused: operands that are not reduced, moduli that are even or too wide, a wrong
//! reciprocal.

use crate::check::{at, load, too_wide, Checked};
use crate::config::Config;
use crate::isa::reciprocal;
use crate::isa::{Class, Form, Instruction, MReg, Mode, Op, Program, SReg, Space, VReg, REGISTERS};
use crate::program_error::{Problem, ProgramError};
use crate::units::law::{Law, Wings};
use crate::units::sbar::shuffle;
use crate::units::scalar::is_modulus;
use crate::units::vdm::Pattern;
use ringwright_arith::Word;

/// The data memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memories {
    /// The vector data memory.
    pub vdm: Vec<u128>,
    /// The scalar data memory.
    pub sdm: Vec<u128>,
}

impl Memories {
    /// Memories of a machine, all zero.
    pub fn new(config: &Config) -> Self {
        Memories {
            vdm: vec![0; config.vdm_words],
            sdm: vec![0; config.sdm_words],
        }
    }

    /// Writes the program's own data; refuses memories that are not the machine's.
    pub(crate) fn prepare(
        &mut self,
        program: &Program,
        config: &Config,
    ) -> Result<(), ProgramError> {
        let spaces = [
            (Space::Vdm, &mut self.vdm, config.vdm_words),
            (Space::Sdm, &mut self.sdm, config.sdm_words),
        ];
        for (space, memory, words) in spaces {
            let given = memory.len();
            let wide = too_wide(memory, config);
            let wrong_size = (given != words).then_some(Problem::MemorySize {
                space,
                given,
                words,
            });
            let wrong_word = wide.map(|(index, value)| Problem::WordTooWide {
                space,
                address: index as u64,
                value,
                word_bits: config.word_bits,
            });
            if let Some(what) = wrong_size.or(wrong_word) {
                return Err(ProgramError {
                    program: program.name.clone(),
                    line: 0,
                    instruction: None,
                    what: Box::new(what),
                });
            }
            load(program, space, memory);
        }
        Ok(())
    }
}

/// Looks at the registers after an instruction.
pub(crate) trait Observer<W> {
    fn done(&mut self, instruction: usize, registers: &Registers<W>);
}

impl<W> Observer<W> for () {
    fn done(&mut self, _: usize, _: &Registers<W>) {}
}

/// Runs a checked program; the memories have been prepared.
pub(crate) fn execute<W: Word>(
    program: &Program,
    config: &Config,
    checked: &Checked,
    memories: &mut Memories,
    observer: &mut impl Observer<W>,
) -> Result<(), ProgramError> {
    let mut registers = Registers::new(config);
    for (index, instruction) in program.instructions.iter().enumerate() {
        let pattern = checked.ops[index].access.map(|access| access.pattern);
        registers
            .execute(instruction, pattern, memories)
            .map_err(|what| at(program, index, what))?;
        observer.done(index, &registers);
    }
    Ok(())
}

/// The register files and what computes on them.
#[derive(Debug)]
pub(crate) struct Registers<W> {
    word_bits: u32,
    pub(crate) vrf: Vec<Vec<W>>,
    /// All words of a vector register are below this.
    bounds: [u128; REGISTERS],
    pub(crate) srf: [W; REGISTERS],
    mrf: Vec<Option<Law<W>>>,
    scratch: [Vec<W>; 2],
}

/// Above every word.
const UNKNOWN: u128 = u128::MAX;

impl<W: Word> Registers<W> {
    fn new(config: &Config) -> Self {
        let zeros = || vec![W::ZERO; config.vector_length];
        Registers {
            word_bits: config.word_bits,
            vrf: (0..REGISTERS).map(|_| zeros()).collect(),
            bounds: [1; REGISTERS],
            srf: [W::ZERO; REGISTERS],
            mrf: vec![None; REGISTERS],
            scratch: [zeros(), zeros()],
        }
    }

    fn execute(
        &mut self,
        instruction: &Instruction,
        pattern: Option<Pattern>,
        memories: &mut Memories,
    ) -> Result<(), Problem> {
        match instruction.class() {
            Class::LoadStore => self.load_store(instruction, pattern, memories),
            Class::Compute => self.compute(instruction),
            Class::Shuffle => {
                self.shuffle(instruction);
                Ok(())
            }
        }
    }

    fn load_store(
        &mut self,
        instruction: &Instruction,
        pattern: Option<Pattern>,
        memories: &mut Memories,
    ) -> Result<(), Problem> {
        match (*instruction, pattern) {
            (Instruction::VLoad { vd, .. }, Some(pattern)) => {
                read(&memories.vdm, pattern, &mut self.vrf[vd.index()]);
                self.bounds[vd.index()] = UNKNOWN;
            }
            (Instruction::VStore { vs, .. }, Some(pattern)) => {
                write(&mut memories.vdm, pattern, &self.vrf[vs.index()]);
            }
            (Instruction::SLoad { rt, address }, _) => {
                self.srf[rt.index()] = W::from_u128(memories.sdm[address as usize]);
            }
            (Instruction::MLoad { rt, address }, _) => {
                let at = address as usize;
                let law = self.law(memories.sdm[at], memories.sdm[at + 1])?;
                self.mrf[rt.index()] = Some(law);
            }
            // Address registers are known from the check, which gives every vector its pattern.
            _ => {}
        }
        Ok(())
    }

    fn compute(&mut self, instruction: &Instruction) -> Result<(), Problem> {
        match *instruction {
            Instruction::Vector { op, vd, vs, vt, rm } => self.vectors(op, vd, [vs, vt], rm),
            Instruction::VectorScalar { op, vd, vs, rt, rm } => self.scaled(op, vd, vs, rt, rm),
            Instruction::Butterfly {
                form,
                vd,
                vd1,
                vs,
                vt,
                vt1,
                rm,
            } => self.butterfly(form, [vd, vd1], [vs, vt, vt1], rm),
            Instruction::Broadcast { vd, rt } => {
                self.vrf[vd.index()].fill(self.srf[rt.index()]);
                self.bounds[vd.index()] = self.srf[rt.index()].to_u128().saturating_add(1);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn vectors(&mut self, op: Op, vd: VReg, [vs, vt]: [VReg; 2], rm: MReg) -> Result<(), Problem> {
        let law = self.modulus(rm.index())?;
        self.factor(op, vs.index(), &law)?;
        self.reduced(vt.index(), &law)?;
        let (s, t) = (&self.vrf[vs.index()], &self.vrf[vt.index()]);
        law.vectors(op, &mut self.scratch[0], s, t);
        self.result(0, vd.index(), law.modulus());
        Ok(())
    }

    fn scaled(&mut self, op: Op, vd: VReg, vs: VReg, rt: SReg, rm: MReg) -> Result<(), Problem> {
        let law = self.modulus(rm.index())?;
        self.factor(op, vs.index(), &law)?;
        let scalar = self.reduced_scalar(rt.index(), &law)?;
        law.scalar(op, &mut self.scratch[0], &self.vrf[vs.index()], scalar);
        self.result(0, vd.index(), law.modulus());
        Ok(())
    }

    fn butterfly(
        &mut self,
        form: Form,
        results: [VReg; 2],
        sources: [VReg; 3],
        rm: MReg,
    ) -> Result<(), Problem> {
        let law = self.modulus(rm.index())?;
        for source in sources {
            self.reduced(source.index(), &law)?;
        }
        let [s, t, w] = sources.map(|source| &self.vrf[source.index()][..]);
        let [sum, difference] = &mut self.scratch;
        law.butterfly(form, sum, difference, Wings { s, t, w });
        for (scratch, vd) in results.into_iter().enumerate() {
            self.result(scratch, vd.index(), law.modulus());
        }
        Ok(())
    }

    fn shuffle(&mut self, instruction: &Instruction) {
        if let Instruction::Shuffle { op, vd, vs, vt } = *instruction {
            let (s, t) = (&self.vrf[vs.index()], &self.vrf[vt.index()]);
            shuffle(op, &mut self.scratch[0], s, t);
            let bound = self.bounds[vs.index()].max(self.bounds[vt.index()]);
            self.result(0, vd.index(), bound);
        }
    }

    /// Moves what has been computed into its register.
    fn result(&mut self, scratch: usize, register: usize, bound: u128) {
        std::mem::swap(&mut self.scratch[scratch], &mut self.vrf[register]);
        self.bounds[register] = bound;
    }

    fn law(&self, modulus: u128, given: u128) -> Result<Law<W>, Problem> {
        let word_bits = self.word_bits;
        let refused = Problem::Modulus { modulus, word_bits };
        let expected = reciprocal(modulus, word_bits);
        let expected = expected.filter(|_| is_modulus(modulus, word_bits));
        match expected {
            Some(expected) if expected != given => Err(Problem::Reciprocal {
                modulus,
                given,
                expected,
            }),
            Some(_) => Law::new(modulus).ok_or(refused),
            None => Err(refused),
        }
    }

    fn modulus(&self, register: usize) -> Result<Law<W>, Problem> {
        self.mrf[register].ok_or(Problem::NoModulus { register })
    }

    /// The first operand: a factor may be any word without the top bit.
    fn factor(&mut self, op: Op, register: usize, law: &Law<W>) -> Result<(), Problem> {
        if op != Op::Mul {
            return self.reduced(register, law);
        }
        match self.above(register, 1 << (self.word_bits - 1)) {
            None => Ok(()),
            Some((element, value)) => Err(Problem::WideFactor {
                register,
                element,
                value,
                word_bits: self.word_bits,
            }),
        }
    }

    fn reduced(&mut self, register: usize, law: &Law<W>) -> Result<(), Problem> {
        let modulus = law.modulus();
        match self.above(register, modulus) {
            None => Ok(()),
            Some((element, value)) => Err(Problem::Unreduced {
                register,
                element,
                value,
                modulus,
            }),
        }
    }

    fn reduced_scalar(&self, register: usize, law: &Law<W>) -> Result<W, Problem> {
        let scalar = self.srf[register];
        match scalar.to_u128() < law.modulus() {
            true => Ok(scalar),
            false => Err(Problem::UnreducedScalar {
                register,
                value: scalar.to_u128(),
                modulus: law.modulus(),
            }),
        }
    }

    /// The first word of a register that is not below `limit`.
    fn above(&mut self, register: usize, limit: u128) -> Option<(usize, u128)> {
        if self.bounds[register] <= limit {
            return None;
        }
        let words = self.vrf[register].iter().map(|word| word.to_u128());
        let found = words.enumerate().find(|(_, word)| *word >= limit);
        if found.is_none() {
            self.bounds[register] = limit;
        }
        found
    }
}

fn read<W: Word>(vdm: &[u128], pattern: Pattern, out: &mut [W]) {
    let base = pattern.base as usize;
    match pattern.mode {
        Mode::Linear => {
            let words = &vdm[base..base + out.len()];
            out.iter_mut()
                .zip(words)
                .for_each(|(out, &word)| *out = W::from_u128(word));
        }
        Mode::Strided(v) => {
            let words = vdm[base..].iter().step_by(1 << v);
            out.iter_mut()
                .zip(words)
                .for_each(|(out, &word)| *out = W::from_u128(word));
        }
        _ => {
            for (element, out) in out.iter_mut().enumerate() {
                *out = W::from_u128(vdm[pattern.address(element) as usize]);
            }
        }
    }
}

fn write<W: Word>(vdm: &mut [u128], pattern: Pattern, words: &[W]) {
    let base = pattern.base as usize;
    match pattern.mode {
        Mode::Linear => {
            let out = &mut vdm[base..base + words.len()];
            out.iter_mut()
                .zip(words)
                .for_each(|(out, word)| *out = word.to_u128());
        }
        Mode::Strided(v) => {
            let out = vdm[base..].iter_mut().step_by(1 << v);
            out.zip(words).for_each(|(out, word)| *out = word.to_u128());
        }
        _ => {
            for (element, word) in words.iter().enumerate() {
                vdm[pattern.address(element) as usize] = word.to_u128();
            }
        }
    }
}
