//! Microprograms as words: a stream for each unit, and the tables that their numbers stand for.

use crate::config::Config;
use crate::microcode::{
    Address, Function, Instruction, Microprogram, Placed, Slot, Stages, ISA, MOST_LANES, UNITS,
};
use crate::shape::{hops, inverse, link, Shape};
use ringwright_ir::ring::Domain;
use ringwright_spec::WordError;

/// Both words of a microinstruction: what to do, what to wait for.
pub type Words = [u64; 2];

/// What an entry of an RPAU's table of constants is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// A constant of the call.
    Constant(u32),
    /// The prime of that RPAU, modulo this one's, and half of it.
    Centre(u8),
    /// A power of X.
    Power(u64),
}

/// Units of lanes come behind these in commands.
pub const FIRST_LANE: usize = 16;
/// Arguments that the slots of an RPAU can name.
pub const MOST_ARGUMENTS: usize = 256;
/// Streams of an RPAU.
pub const STREAMS: usize = 4;

/// The streams of an RPAU with its tables.
#[derive(Clone, Debug, Default)]
pub struct RpauCode {
    /// NTT core, dyadic core, link, what the ring brings.
    pub streams: [Vec<Words>; STREAMS],
    /// The number of the operand or result that each entry says the slot of.
    pub arguments: Vec<u32>,
    /// Constants.
    pub constants: Vec<Entry>,
}

/// A kernel's.
#[derive(Clone, Debug)]
pub struct Code {
    /// By RPAU.
    pub rpaus: Vec<RpauCode>,
    /// By lane.
    pub lanes: Vec<Vec<Words>>,
}

impl Code {
    /// The streams by unit, as commands name it, and number.
    pub fn streams(&self) -> impl Iterator<Item = ((usize, u64), &Vec<Words>)> {
        let rpaus = self.rpaus.iter().enumerate();
        let of_rpaus = rpaus.flat_map(|(rpau, own)| {
            let numbered = (0..).zip(&own.streams);
            numbered.map(move |(stream, words)| ((rpau, stream), words))
        });
        let lanes = self.lanes.iter().enumerate();
        of_rpaus.chain(lanes.map(|(lane, words)| ((FIRST_LANE + lane, 0), words)))
    }
}

/// How long the tables of a kernel are.
pub struct Lengths {
    /// Microinstructions of each stream.
    pub streams: Vec<usize>,
    /// Arguments and constants, by RPAU.
    pub entries: Vec<usize>,
}

impl Lengths {
    /// Of a kernel.
    pub fn of(code: &Code) -> Self {
        let entries = |rpau: &RpauCode| [rpau.arguments.len(), rpau.constants.len()];
        Self {
            streams: code.streams().map(|(_, words)| words.len()).collect(),
            entries: code.rpaus.iter().flat_map(entries).collect(),
        }
    }
}

/// Writes a kernel; refuses what a field or a table does not hold, by the microinstruction that needs it.
pub fn encode(config: &Config, shape: &Shape, program: &Microprogram) -> Result<Code, String> {
    let mut writer = Writer {
        config,
        shape,
        code: Code {
            rpaus: vec![RpauCode::default(); config.rpaus],
            lanes: vec![Vec::new(); config.dma_lanes],
        },
    };
    // How many of its unit there were, each itself included.
    let mut counts = [0u64; UNITS];
    let mut ordinals = Vec::with_capacity(program.all.len());
    for placed in &program.all {
        let of = |&before: &u32| {
            let before = before as usize;
            let waited = &program.all[before];
            (
                u64::from(waited.instruction.unit(waited.rpau)),
                ordinals[before],
            )
        };
        let waits: Vec<(u64, u64)> = placed.after.iter().map(of).collect();
        let count = &mut counts[usize::from(placed.instruction.unit(placed.rpau))];
        *count += 1;
        let count = *count;
        let written = writer.place(placed, &waits);
        written.map_err(|error| format!("`{}`: {error}", placed.instruction))?;
        ordinals.push(count);
    }
    let stop = || ISA.encode("stop", &[]).map(|word| [word, 0]);
    let stop = stop().map_err(|error| error.to_string())?;
    let Code { rpaus, lanes } = &mut writer.code;
    let streams = rpaus.iter_mut().flat_map(|rpau| &mut rpau.streams);
    streams.chain(lanes).for_each(|stream| stream.push(stop));
    Ok(writer.code)
}

struct Writer<'a> {
    config: &'a Config,
    shape: &'a Shape,
    code: Code,
}

impl Writer<'_> {
    fn place(&mut self, placed: &Placed, waits: &[(u64, u64)]) -> Result<(), WordError> {
        let own = placed.rpau;
        let unit = usize::from(placed.instruction.unit(own));
        let (mnemonic, operands) = self.operands(own, &placed.instruction)?;
        let words = [ISA.encode(mnemonic, &operands)?, ISA.encode_waits(waits)?];
        match unit.checked_sub(MOST_LANES) {
            None => self.code.lanes[unit].push(words),
            Some(of_rpaus) => {
                self.code.rpaus[of_rpaus / 3].streams[of_rpaus % 3].push(words);
            }
        }
        match &placed.instruction {
            Instruction::Send { to, .. } => self.receive(own, to),
            _ => Ok(()),
        }
    }

    /// What each RPAU on the way is to do with the tower.
    fn receive(&mut self, own: u8, to: &[(u8, Slot)]) -> Result<(), WordError> {
        for hop in 1..=hops(self.config, own, to) {
            let at = (usize::from(own) + hop) % self.config.rpaus;
            let taken = to.iter().find(|(rpau, _)| usize::from(*rpau) == at);
            let passes = u64::from(hop < hops(self.config, own, to)) << 1;
            let slot = taken.map_or(Ok(0), |&(rpau, slot)| self.slot(rpau, slot))?;
            let flags = u64::from(taken.is_some()) | passes;
            let word = ISA.encode("receive", &[slot, flags])?;
            self.code.rpaus[at].streams[STREAMS - 1].push([word, 0]);
        }
        Ok(())
    }

    fn operands(
        &mut self,
        own: u8,
        instruction: &Instruction,
    ) -> Result<(&'static str, Vec<u64>), WordError> {
        Ok(match instruction {
            Instruction::Transform {
                inverse,
                stages,
                to,
                from,
            } => {
                let names = match stages {
                    Stages::All => ["ntt", "intt"],
                    Stages::First => ["ntt.first", "intt.first"],
                    Stages::Rest => ["ntt.rest", "intt.rest"],
                };
                let mut operands = vec![self.slot(own, *to)?];
                if *stages == Stages::First {
                    operands.push(self.slot(own, *from)?);
                }
                (names[usize::from(*inverse)], operands)
            }
            Instruction::Dyadic { function, to, of } => {
                let mut operands = vec![self.slot(own, *to)?];
                for &slot in of {
                    operands.push(self.slot(own, slot)?);
                }
                if let Some(entry) = entry(self.shape, *function) {
                    operands.push(self.constant(own, entry)?);
                }
                let name = match function {
                    Function::Automorphism(_, Domain::Coeff) => "automorphism.coeff",
                    Function::Automorphism(_, Domain::Eval) => "automorphism.eval",
                    other => other.name(),
                };
                (name, operands)
            }
            Instruction::Send { from, to } => {
                let hops = 0..hops(self.config, own, to);
                let links =
                    hops.map(|hop| link(self.config, (usize::from(own) + hop) % self.config.rpaus));
                ("send", vec![self.slot(own, *from)?, links.sum()])
            }
            Instruction::Load { from, to, .. } => {
                let operands = [self.slot(own, *to)?, own.into(), self.address(from)?];
                ("load", operands.to_vec())
            }
            Instruction::Store { from, to, .. } => {
                let operands = [self.slot(own, *from)?, own.into(), self.address(to)?];
                ("store", operands.to_vec())
            }
            Instruction::Wait(_) => ("wait", Vec::new()),
        })
    }

    /// An argument, a memory, a number.
    fn slot(&mut self, rpau: u8, slot: Slot) -> Result<u64, WordError> {
        let bank = u64::from(slot.bank().0) << 8;
        match slot {
            Slot::At(_, number) => Ok(bank | u64::from(number)),
            Slot::Argument(_, number) => {
                let known = &mut self.code.rpaus[usize::from(rpau)].arguments;
                let place = position(known, number);
                held(
                    "arguments of an RPAU",
                    place,
                    self.config.arguments.min(MOST_ARGUMENTS) as u64 - 1,
                )?;
                Ok(1 << 11 | bank | place)
            }
        }
    }

    /// Whether it is an argument's, and its number.
    fn address(&self, address: &Address) -> Result<u64, WordError> {
        let (flag, number) = match *address {
            Address::Argument(number) => (1 << 11, number),
            Address::Spilled(place) => (0, place),
        };
        held(
            "addresses of a kernel",
            number.into(),
            self.config.arguments as u64 - 1,
        )?;
        Ok(flag | u64::from(number))
    }

    fn constant(&mut self, own: u8, entry: Entry) -> Result<u64, WordError> {
        let place = position(&mut self.code.rpaus[usize::from(own)].constants, entry);
        held(
            "constants of an RPAU",
            place,
            self.config.constants as u64 - 1,
        )?;
        Ok(place)
    }
}

/// The constant that a function needs.
fn entry(shape: &Shape, function: Function) -> Option<Entry> {
    Some(match function {
        Function::MulScalar(c)
        | Function::AddScalar(c)
        | Function::AddMulScalar(c)
        | Function::SubMulScalar(c)
        | Function::SubMulScalarAdd(c) => Entry::Constant(c),
        Function::Centre(rpau) => Entry::Centre(rpau),
        Function::Automorphism(galois, Domain::Coeff) => Entry::Power(galois),
        Function::Automorphism(galois, Domain::Eval) => {
            Entry::Power(inverse(galois, 2 * shape.n() as u64))
        }
        _ => return None,
    })
}

/// Where it stands, or will.
fn position<T: PartialEq>(known: &mut Vec<T>, wanted: T) -> u64 {
    let found = known.iter().position(|other| *other == wanted);
    let place = found.unwrap_or_else(|| {
        known.push(wanted);
        known.len() - 1
    });
    place as u64
}

fn held(name: &str, given: u64, most: u64) -> Result<(), WordError> {
    let name = name.to_owned();
    match given <= most {
        true => Ok(()),
        false => Err(WordError::TooLarge { name, given, most }),
    }
}
