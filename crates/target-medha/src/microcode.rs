//! What the units of an RPAU are told: one microinstruction for a tower.
//!
//! Every unit has a stream of its own and takes it in order. A microinstruction names slots, and
//! waits for others of its RPAU, counted by unit; what arrives from another RPAU is awaited by a
//! `receive` in the stream of the ring.

use ringwright_ir::ring::Domain;
use ringwright_spec::Microcode;
use ringwright_towers::OriginId;
use std::fmt;
use std::sync::LazyLock;

/// How it is written: `spec/medha/isa.toml`.
pub static ISA: LazyLock<Microcode> =
    LazyLock::new(|| Microcode::of(include_str!("../../../spec/medha/isa.toml")));

/// A memory of an RPAU; each has a port to read and a port to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bank(pub u8);

impl Bank {
    /// Where transforms leave their results, in turn.
    pub const TRANSFORMS: [Bank; 2] = [Bank(0), Bank(1)];
    /// Where everything else is.
    pub const OPERANDS: [Bank; 2] = [Bank(2), Bank(3)];
    /// The virtual memory, on what three others leave over.
    pub const VIRTUAL: Bank = Bank(4);
    /// Where what the ring brings is until it is reduced.
    pub const LANDING: Bank = Bank(5);
    /// How many there are.
    pub const COUNT: usize = 6;

    /// The memories whose ports an access takes.
    pub fn ports(self) -> &'static [u8] {
        match self.0 {
            0 => &[0],
            1 => &[1],
            2 => &[2],
            3 => &[3],
            4 => &[1, 2, 3],
            _ => &[5],
        }
    }
}

impl fmt::Display for Bank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Bank::VIRTUAL => f.write_str("v"),
            Bank::LANDING => f.write_str("l"),
            Bank(number) => write!(f, "m{number}"),
        }
    }
}

/// Where a tower is in an RPAU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// A slot of a memory.
    At(Bank, u8),
    /// The slot that the call's table names for an operand or result, in this memory.
    Argument(Bank, u32),
}

impl Slot {
    /// The memory.
    pub fn bank(self) -> Bank {
        match self {
            Slot::At(bank, _) | Slot::Argument(bank, _) => bank,
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::At(bank, slot) => write!(f, "{bank}[{slot}]"),
            Slot::Argument(bank, number) => write!(f, "{bank}[arg {number}]"),
        }
    }
}

/// Where a tower is in the memory behind the DMA lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// Where the call's table says that an operand or result is.
    Argument(u32),
    /// A place of the kernel's own.
    Spilled(u32),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Argument(number) => write!(f, "[arg {number}]"),
            Address::Spilled(place) => write!(f, "[own {place}]"),
        }
    }
}

/// A constant of a call, by its number.
pub type Constant = u32;

/// What the dyadic core computes of each word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// 0.
    Zero,
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// -a.
    Neg,
    /// a b.
    Mul,
    /// a b + c.
    MulAdd,
    /// a times a constant.
    MulScalar(Constant),
    /// a plus a constant.
    AddScalar(Constant),
    /// a + b times a constant.
    AddMulScalar(Constant),
    /// (a - b) times a constant.
    SubMulScalar(Constant),
    /// (a - b) times a constant, + c.
    SubMulScalarAdd(Constant),
    /// a modulo the RPAU's prime.
    Reduce,
    /// a, an integer around 0 modulo the prime of that RPAU, modulo this one's.
    Centre(u8),
    /// The automorphism of X to X to this power.
    Automorphism(u64, Domain),
}

impl Function {
    /// As a listing names it.
    pub fn name(&self) -> &'static str {
        match self {
            Function::Zero => "zero",
            Function::Add => "add",
            Function::Sub => "sub",
            Function::Neg => "neg",
            Function::Mul => "mul",
            Function::MulAdd => "muladd",
            Function::MulScalar(_) => "muls",
            Function::AddScalar(_) => "adds",
            Function::AddMulScalar(_) => "addmuls",
            Function::SubMulScalar(_) => "submuls",
            Function::SubMulScalarAdd(_) => "submulsadd",
            Function::Reduce => "reduce",
            Function::Centre(_) => "centre",
            Function::Automorphism(..) => "automorphism",
        }
    }

    /// Modular products of a word.
    pub fn products(&self) -> u64 {
        match self {
            Function::Mul
            | Function::MulAdd
            | Function::MulScalar(_)
            | Function::AddMulScalar(_)
            | Function::SubMulScalar(_)
            | Function::SubMulScalarAdd(_) => 1,
            _ => 0,
        }
    }
}

/// Which stages of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stages {
    /// All, in place.
    All,
    /// The first, from one memory into another.
    First,
    /// All others, in place.
    Rest,
}

/// DMA lanes of the largest machine.
pub const MOST_LANES: usize = 4;
/// Units of the largest machine, and more.
pub const UNITS: usize = 64;

/// A unit that takes microinstructions: lane l is l; NTT core, dyadic core and link of RPAU r are
/// `MOST_LANES` + 3 r and on.
pub type Unit = u8;

/// A microinstruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Stages of a transform.
    Transform {
        /// Evaluations to coefficients.
        inverse: bool,
        /// Which.
        stages: Stages,
        /// Where the words go.
        to: Slot,
        /// Where they are before the first stage.
        from: Slot,
    },
    /// A word of the result for each of the operands'.
    Dyadic {
        /// What.
        function: Function,
        /// The result.
        to: Slot,
        /// Operands, as the function has them.
        of: Vec<Slot>,
    },
    /// A tower onto the ring.
    Send {
        /// The tower.
        from: Slot,
        /// The RPAUs that take it and where they put it, in the order of the ring.
        to: Vec<(u8, Slot)>,
    },
    /// Memory to RPAU.
    Load {
        /// Which lane.
        lane: u8,
        /// Where it is.
        from: Address,
        /// Where it goes.
        to: Slot,
    },
    /// RPAU to memory.
    Store {
        /// Which lane.
        lane: u8,
        /// Where it is.
        from: Slot,
        /// Where it goes.
        to: Address,
    },
    /// Nothing, by a unit that has to wait for more than one microinstruction can.
    Wait(Unit),
}

impl Instruction {
    /// The unit that does it; `own` is the RPAU of its stream.
    pub fn unit(&self, own: u8) -> Unit {
        let of_rpau = |which: u8| MOST_LANES as u8 + 3 * own + which;
        match *self {
            Instruction::Transform { .. } => of_rpau(0),
            Instruction::Dyadic { .. } => of_rpau(1),
            Instruction::Send { .. } => of_rpau(2),
            Instruction::Load { lane, .. } | Instruction::Store { lane, .. } => lane,
            Instruction::Wait(unit) => unit,
        }
    }

    /// The slots that it reads.
    pub fn reads(&self) -> Vec<Slot> {
        match self {
            Instruction::Transform { from, .. } => vec![*from],
            Instruction::Dyadic { of, .. } => of.clone(),
            Instruction::Send { from, .. } | Instruction::Store { from, .. } => vec![*from],
            Instruction::Load { .. } | Instruction::Wait(_) => Vec::new(),
        }
    }

    /// The slots that it writes, each with its RPAU; `own` is whose stream it is in.
    pub fn writes(&self, own: u8) -> Vec<(u8, Slot)> {
        match self {
            Instruction::Transform { to, .. }
            | Instruction::Dyadic { to, .. }
            | Instruction::Load { to, .. } => vec![(own, *to)],
            Instruction::Send { to, .. } => to.clone(),
            Instruction::Store { .. } | Instruction::Wait(_) => Vec::new(),
        }
    }

    /// The ports that it has: RPAU, memory, whether to write. In place it reads what it writes.
    pub fn ports(&self, own: u8) -> Vec<(u8, u8, bool)> {
        let writes = self.writes(own);
        let in_place = matches!(
            self,
            Instruction::Transform {
                stages: Stages::All | Stages::Rest,
                ..
            }
        );
        let read = self.reads().into_iter().map(|slot| (own, slot));
        let read = read.chain(writes.iter().copied().filter(|_| in_place));
        let of = |(rpau, slot): (u8, Slot), writes: bool| {
            let memories = slot.bank().ports().iter();
            memories.map(move |&memory| (rpau, memory, writes))
        };
        let reads: Vec<_> = read.flat_map(|at| of(at, false)).collect();
        let written = writes.into_iter().flat_map(|at| of(at, true));
        reads.into_iter().chain(written).collect()
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instruction::Transform {
                inverse,
                stages,
                to,
                from,
            } => {
                let name = if *inverse { "intt" } else { "ntt" };
                match stages {
                    Stages::All => write!(f, "{name} {to}"),
                    Stages::First => write!(f, "{name}.first {to}, {from}"),
                    Stages::Rest => write!(f, "{name}.rest {to}"),
                }
            }
            Instruction::Dyadic { function, to, of } => {
                write!(f, "{} {to}", function.name())?;
                of.iter().try_for_each(|slot| write!(f, ", {slot}"))?;
                match function {
                    Function::MulScalar(c)
                    | Function::AddScalar(c)
                    | Function::AddMulScalar(c)
                    | Function::SubMulScalar(c)
                    | Function::SubMulScalarAdd(c) => write!(f, ", c{c}"),
                    Function::Centre(rpau) => write!(f, ", q{rpau}"),
                    Function::Automorphism(galois, Domain::Coeff) => write!(f, ", {galois}, coeff"),
                    Function::Automorphism(galois, Domain::Eval) => write!(f, ", {galois}, eval"),
                    _ => Ok(()),
                }
            }
            Instruction::Send { from, to } => {
                write!(f, "send {from} ->")?;
                to.iter()
                    .try_for_each(|(rpau, slot)| write!(f, " {rpau}:{slot}"))
            }
            Instruction::Load { lane, from, to } => write!(f, "load.{lane} {to}, {from}"),
            Instruction::Store { lane, from, to } => write!(f, "store.{lane} {to}, {from}"),
            Instruction::Wait(_) => f.write_str("wait"),
        }
    }
}

/// A microinstruction with what it waits for.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The RPAU whose stream it is in.
    pub rpau: u8,
    /// What.
    pub instruction: Instruction,
    /// Earlier ones that must have ended.
    pub after: Vec<u32>,
    /// Cycles that it takes its unit.
    pub cycles: u64,
    /// What asked for it.
    pub origin: OriginId,
}

/// The microinstructions of a kernel, in order.
#[derive(Clone, Debug, Default)]
pub struct Microprogram {
    /// Of all RPAUs.
    pub all: Vec<Placed>,
    /// Places of its own behind the DMA lanes.
    pub spilled: u32,
}
