//! What is refused before anything runs, and what the units need to know of each instruction.
//!
//! Nothing here depends on values but for the address registers: they are loaded from the scalar
//! data memory, which no instruction writes, so every address of a program is known beforehand.

use crate::config::Config;
use crate::isa::{tables, Class, Field, Instruction, Mode, Program, Segment, Space};
use crate::program_error::{Problem, ProgramError};
use crate::units::busyboard::{bits, Uses};
use crate::units::vdm::{Costs, Groups, Pattern};
use crate::units::vrf::{Footprint, Rhythm};
use crate::units::{hple, sbar};

/// Numbers of the scalar register files in [`Uses`].
pub(crate) const SRF: usize = 0;
pub(crate) const MRF: usize = 1;
pub(crate) const ARF: usize = 2;

/// One instruction as the units see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) class: Class,
    pub(crate) uses: Uses,
    pub(crate) footprint: Footprint,
    /// Vector loads and stores.
    pub(crate) access: Option<Access>,
    /// Whether it is a store.
    pub(crate) store: bool,
}

/// A vector load or store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) pattern: Pattern,
    pub(crate) groups: Groups,
}

/// A program that this machine can run.
#[derive(Debug)]
pub struct Checked {
    pub(crate) ops: Vec<Op>,
    pub(crate) costs: Costs,
}

/// Checks a program against a machine; `sdm` is the scalar data memory at the start, without the
/// program's own data.
pub fn check(program: &Program, config: &Config, sdm: &[u128]) -> Result<Checked, ProgramError> {
    check_data(program, config, sdm.len())?;
    let mut sdm = sdm.to_vec();
    load(program, Space::Sdm, &mut sdm);
    let mut checker = Checker {
        config,
        sdm: &sdm,
        max_address: tables().field("address").map_or(0, Field::max),
        arf: [0; 64],
        costs: Costs::new(config),
        compute: hple::rhythm(config),
        shuffle: sbar::rhythm(config),
    };
    let mut ops = Vec::with_capacity(program.instructions.len());
    for (index, instruction) in program.instructions.iter().enumerate() {
        let op = checker
            .op(instruction)
            .map_err(|what| at(program, index, what))?;
        ops.push(op);
    }
    Ok(Checked {
        ops,
        costs: checker.costs,
    })
}

/// An error of one instruction.
pub(crate) fn at(program: &Program, instruction: usize, what: Problem) -> ProgramError {
    ProgramError {
        program: program.name.clone(),
        line: program.line(instruction),
        instruction: Some(instruction),
        what: Box::new(what),
    }
}

/// Writes the program's own data into a memory that has been checked.
pub(crate) fn load(program: &Program, space: Space, memory: &mut [u128]) {
    for segment in program.data.iter().filter(|segment| segment.space == space) {
        let first = segment.address as usize;
        if let Some(words) = memory.get_mut(first..first + segment.words.len()) {
            words.copy_from_slice(&segment.words);
        }
    }
}

fn check_data(program: &Program, config: &Config, sdm: usize) -> Result<(), ProgramError> {
    let refuse = |what| ProgramError {
        program: program.name.clone(),
        line: 0,
        instruction: None,
        what: Box::new(what),
    };
    if program.instructions.len() > config.im_words {
        return Err(refuse(Problem::TooLong {
            given: program.instructions.len(),
            im_words: config.im_words,
        }));
    }
    if sdm != config.sdm_words {
        return Err(refuse(Problem::MemorySize {
            space: Space::Sdm,
            given: sdm,
            words: config.sdm_words,
        }));
    }
    let found = program.data.iter().find_map(|s| check_segment(s, config));
    found.map_or(Ok(()), |what| Err(refuse(what)))
}

fn check_segment(segment: &Segment, config: &Config) -> Option<Problem> {
    let words = match segment.space {
        Space::Vdm => config.vdm_words,
        Space::Sdm => config.sdm_words,
    };
    let first = u64::from(segment.address);
    if first + segment.words.len() as u64 > words as u64 {
        return Some(Problem::DataOutside {
            space: segment.space,
            address: first.max(words as u64),
            words,
        });
    }
    too_wide(&segment.words, config).map(|(index, value)| Problem::WordTooWide {
        space: segment.space,
        address: first + index as u64,
        value,
        word_bits: config.word_bits,
    })
}

/// The first word that has more bits than the machine's.
pub(crate) fn too_wide(words: &[u128], config: &Config) -> Option<(usize, u128)> {
    // Words of 128 bits are never too wide.
    let limit = 1_u128.checked_shl(config.word_bits)?;
    let index = words.iter().position(|&word| word >= limit)?;
    Some((index, words[index]))
}

struct Checker<'a> {
    config: &'a Config,
    sdm: &'a [u128],
    /// The largest address or offset of an instruction.
    max_address: u64,
    /// Address registers as of the instruction.
    arf: [u32; 64],
    costs: Costs,
    compute: Rhythm,
    shuffle: Rhythm,
}

impl Checker<'_> {
    fn op(&mut self, instruction: &Instruction) -> Result<Op, Problem> {
        let uses = uses(instruction);
        let srams =
            |registers| bits(registers).fold(0, |mask, register| mask | self.sram(register));
        let footprint = Footprint {
            reads: srams(uses.reads),
            writes: srams(uses.writes),
        };
        let access = match instruction.class() {
            Class::LoadStore => self.load_store(instruction)?,
            Class::Compute => self.compute(instruction).map(|()| None)?,
            Class::Shuffle => self.shuffle_in_place(&uses).map(|()| None)?,
        };
        if self.config.single_port() {
            self.stacked(instruction.class(), &uses)?;
        }
        Ok(Op {
            class: instruction.class(),
            uses,
            footprint,
            access,
            store: matches!(instruction, Instruction::VStore { .. }),
        })
    }

    /// The words of a vector load or store; scalar loads have none.
    fn load_store(&mut self, instruction: &Instruction) -> Result<Option<Access>, Problem> {
        match *instruction {
            Instruction::VLoad {
                rm, offset, mode, ..
            }
            | Instruction::VStore {
                rm, offset, mode, ..
            } => {
                self.field("offset", offset.into(), self.max_address)?;
                if let Mode::Strided(v) | Mode::StridedSkip(v) | Mode::Repeated(v) = mode {
                    self.field("VALUE", v.into(), Mode::MAX_VALUE.into())?;
                }
                let base = u64::from(self.arf[rm.index()]) + u64::from(offset);
                return self.access(instruction, Pattern { base, mode }).map(Some);
            }
            Instruction::SLoad { address, .. } => self.scalar(address)?,
            Instruction::MLoad { address, .. } => self.scalar(address.saturating_add(1))?,
            Instruction::ALoad { rt, address } => {
                self.scalar(address)?;
                self.arf[rt.index()] = self.sdm[address as usize] as u32;
            }
            _ => {}
        }
        Ok(None)
    }

    fn compute(&self, instruction: &Instruction) -> Result<(), Problem> {
        match *instruction {
            Instruction::Butterfly { vd, vd1, .. } if vd == vd1 => Err(Problem::SameDestination {
                register: vd.index(),
            }),
            _ => Ok(()),
        }
    }

    fn field(&self, operand: &'static str, given: u64, max: u64) -> Result<(), Problem> {
        match given <= max {
            true => Ok(()),
            false => Err(Problem::Field {
                operand,
                given,
                max,
            }),
        }
    }

    fn sram(&self, register: usize) -> u16 {
        1 << self.config.vrf_map.sram(register)
    }

    fn access(&mut self, instruction: &Instruction, pattern: Pattern) -> Result<Access, Problem> {
        let length = self.config.vector_length;
        let last = pattern.last(length);
        if last >= self.config.vdm_words as u64 {
            return Err(Problem::OutsideVdm {
                first: pattern.base,
                last,
                words: self.config.vdm_words,
            });
        }
        let least = length.trailing_zeros();
        match (instruction, pattern.mode) {
            (Instruction::VStore { .. }, Mode::Repeated(value)) if u32::from(value) < least => {
                return Err(Problem::RepeatedStore { value, least })
            }
            _ => {}
        }
        Ok(Access {
            pattern,
            groups: self.costs.of(pattern),
        })
    }

    fn scalar(&self, address: u32) -> Result<(), Problem> {
        self.field("address", address.into(), self.max_address)?;
        match (address as usize) < self.sdm.len() {
            true => Ok(()),
            false => Err(Problem::OutsideSdm {
                address: u64::from(address),
                words: self.sdm.len(),
            }),
        }
    }

    /// Rows are permuted, so a source can only be overwritten once it has been read as a whole.
    fn shuffle_in_place(&self, uses: &Uses) -> Result<(), Problem> {
        let both = bits(uses.reads & uses.writes).next();
        match both {
            Some(register) if self.shuffle.beats > self.shuffle.latency => {
                Err(Problem::ShuffleInPlace {
                    register,
                    beats: self.shuffle.beats as usize,
                    latency: self.shuffle.latency,
                })
            }
            _ => Ok(()),
        }
    }

    /// Two registers of one memory, needed in one cycle by one instruction: among the sources,
    /// among the results, or, where the beats overlap, between them.
    fn stacked(&self, class: Class, uses: &Uses) -> Result<(), Problem> {
        let overlap = match class {
            Class::Compute => self.compute.overlaps_itself(),
            Class::Shuffle => self.shuffle.overlaps_itself(),
            Class::LoadStore => false,
        };
        let pairs = |a: u64, b: u64| bits(a).flat_map(move |x| bits(b).map(move |y| (x, y)));
        let sources = pairs(uses.reads, uses.reads).filter(|(x, y)| x < y);
        let results = pairs(uses.writes, uses.writes).filter(|(x, y)| x < y);
        let between = pairs(uses.reads, uses.writes).filter(|_| overlap);
        let clash = |&(x, y): &(usize, usize)| self.sram(x) == self.sram(y);
        match sources.chain(results).chain(between).find(clash) {
            None => Ok(()),
            Some((first, second)) => Err(Problem::StackedRegisters {
                first,
                second,
                sram: self.config.vrf_map.sram(first),
            }),
        }
    }
}

/// What an instruction does to the register files.
fn uses(instruction: &Instruction) -> Uses {
    let mask = |registers: &mut dyn Iterator<Item = crate::isa::VReg>| {
        registers.fold(0_u64, |mask, register| mask | 1 << register.index())
    };
    let mut scalar_reads = [None; 3];
    scalar_reads[SRF] = instruction.scalar().map(|r| r.number());
    scalar_reads[MRF] = instruction.modulus().map(|r| r.number());
    scalar_reads[ARF] = instruction.address_register().map(|r| r.number());
    let scalar_write = match *instruction {
        Instruction::SLoad { rt, .. } => Some((SRF as u8, rt.number())),
        Instruction::MLoad { rt, .. } => Some((MRF as u8, rt.number())),
        Instruction::ALoad { rt, .. } => Some((ARF as u8, rt.number())),
        _ => None,
    };
    Uses {
        reads: mask(&mut instruction.vector_sources()),
        writes: mask(&mut instruction.vector_destinations()),
        scalar_reads,
        scalar_write,
    }
}
