//! An instruction once it has been read: what it does to which registers.

use super::{AReg, MReg, SReg, VReg};

/// The queue and pipeline of an instruction (RPU, section IV-A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Between the data memories and the register files.
    LoadStore,
    /// In the HPLEs.
    Compute,
    /// Through the shuffle crossbar.
    Shuffle,
}

impl Class {
    /// The word in tables and reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::LoadStore => "load_store",
            Class::Compute => "compute",
            Class::Shuffle => "shuffle",
        }
    }
}

/// An elementwise operation, modulo the modulus register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// a + b; both below the modulus.
    Add,
    /// a - b; both below the modulus.
    Sub,
    /// a * b; b is below the modulus, a is any word below 2^(word_bits - 1).
    Mul,
}

/// The two butterflies. Inputs are below the modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// VD = VS + VT * VT1, VD1 = VS - VT * VT1: the published one.
    CooleyTukey,
    /// VD = VS + VT, VD1 = (VS - VT) * VT1: our extension, for inverse transforms in place.
    GentlemanSande,
}

/// Which words of the vector data memory a vector load or store touches; the number is VALUE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Word i.
    Linear,
    /// Word i * 2^v.
    Strided(u8),
    /// Blocks of 2^v words, each followed by 2^v words that are left out.
    StridedSkip(u8),
    /// The first 2^v words over and over; a store would write words twice, so there only the
    /// case in which nothing repeats is legal.
    Repeated(u8),
}

impl Mode {
    /// Largest VALUE: offsets are 32-bit numbers.
    pub const MAX_VALUE: u8 = 31;

    /// Offset from the base address of element `i`, in words.
    pub fn offset(self, i: u64) -> u64 {
        match self {
            Mode::Linear => i,
            Mode::Strided(v) => i << v,
            Mode::StridedSkip(v) => ((i >> v) << (v + 1)) + (i & ((1 << v) - 1)),
            Mode::Repeated(v) => i & ((1 << v) - 1),
        }
    }
}

/// How two registers become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShuffleOp {
    /// VS0 VT0 VS1 VT1 ... of the first halves.
    UnpackLow,
    /// The same of the second halves.
    UnpackHigh,
    /// Even elements of VS, then even elements of VT.
    PackLow,
    /// Odd elements of VS, then odd elements of VT.
    PackHigh,
}

impl ShuffleOp {
    /// Where element `i` of the result comes from in vectors of `length` elements: the element
    /// of VS, or of VT if the flag is set.
    pub fn source(self, i: usize, length: usize) -> (bool, usize) {
        let half = length / 2;
        match self {
            ShuffleOp::UnpackLow => (i % 2 == 1, i / 2),
            ShuffleOp::UnpackHigh => (i % 2 == 1, half + i / 2),
            ShuffleOp::PackLow => (i >= half, 2 * (i % half)),
            ShuffleOp::PackHigh => (i >= half, 2 * (i % half) + 1),
        }
    }
}

/// One instruction of B512.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the fields are the operands of Table I; spec/rpu/isa.toml says what each is
pub enum Instruction {
    /// Vector data memory to vector register.
    VLoad {
        vd: VReg,
        rm: AReg,
        offset: u32,
        mode: Mode,
    },
    /// Vector register to vector data memory.
    VStore {
        vs: VReg,
        rm: AReg,
        offset: u32,
        mode: Mode,
    },
    /// Scalar data memory to scalar register.
    SLoad { rt: SReg, address: u32 },
    /// Two words of scalar data memory, modulus and reciprocal, to modulus register.
    MLoad { rt: MReg, address: u32 },
    /// Scalar data memory to address register.
    ALoad { rt: AReg, address: u32 },
    /// Two vectors, elementwise.
    Vector {
        op: Op,
        vd: VReg,
        vs: VReg,
        vt: VReg,
        rm: MReg,
    },
    /// A vector and a scalar, elementwise.
    VectorScalar {
        op: Op,
        vd: VReg,
        vs: VReg,
        rt: SReg,
        rm: MReg,
    },
    /// Sum and difference with a twiddle factor on one side.
    Butterfly {
        form: Form,
        vd: VReg,
        vd1: VReg,
        vs: VReg,
        vt: VReg,
        vt1: VReg,
        rm: MReg,
    },
    /// A scalar in every element.
    Broadcast { vd: VReg, rt: SReg },
    /// Two vectors merged into one.
    Shuffle {
        op: ShuffleOp,
        vd: VReg,
        vs: VReg,
        vt: VReg,
    },
}

impl Instruction {
    /// The same with scalar data memory counted from `base` on.
    pub fn relocated(self, base: u32) -> Self {
        use Instruction::{ALoad, MLoad, SLoad};
        match self {
            MLoad { rt, address } => MLoad {
                rt,
                address: address + base,
            },
            SLoad { rt, address } => SLoad {
                rt,
                address: address + base,
            },
            ALoad { rt, address } => ALoad {
                rt,
                address: address + base,
            },
            other => other,
        }
    }

    /// The queue that it takes.
    pub fn class(&self) -> Class {
        use Instruction::*;
        match self {
            VLoad { .. } | VStore { .. } | SLoad { .. } | MLoad { .. } | ALoad { .. } => {
                Class::LoadStore
            }
            Vector { .. } | VectorScalar { .. } | Butterfly { .. } | Broadcast { .. } => {
                Class::Compute
            }
            Shuffle { .. } => Class::Shuffle,
        }
    }

    /// Vector registers read, in the order of the operands.
    pub fn vector_sources(&self) -> impl Iterator<Item = VReg> {
        use Instruction::*;
        let sources = match *self {
            VLoad { .. } | SLoad { .. } | MLoad { .. } | ALoad { .. } | Broadcast { .. } => {
                [None; 3]
            }
            VStore { vs, .. } | VectorScalar { vs, .. } => [Some(vs), None, None],
            Vector { vs, vt, .. } | Shuffle { vs, vt, .. } => [Some(vs), Some(vt), None],
            Butterfly { vs, vt, vt1, .. } => [Some(vs), Some(vt), Some(vt1)],
        };
        sources.into_iter().flatten()
    }

    /// Vector registers written, in the order of the operands.
    pub fn vector_destinations(&self) -> impl Iterator<Item = VReg> {
        use Instruction::*;
        let destinations = match *self {
            VStore { .. } | SLoad { .. } | MLoad { .. } | ALoad { .. } => [None; 2],
            VLoad { vd, .. }
            | Vector { vd, .. }
            | VectorScalar { vd, .. }
            | Broadcast { vd, .. }
            | Shuffle { vd, .. } => [Some(vd), None],
            Butterfly { vd, vd1, .. } => [Some(vd), Some(vd1)],
        };
        destinations.into_iter().flatten()
    }

    /// The modulus register read, if any.
    pub fn modulus(&self) -> Option<MReg> {
        use Instruction::*;
        match *self {
            Vector { rm, .. } | VectorScalar { rm, .. } | Butterfly { rm, .. } => Some(rm),
            _ => None,
        }
    }

    /// The scalar register read, if any.
    pub fn scalar(&self) -> Option<SReg> {
        use Instruction::*;
        match *self {
            VectorScalar { rt, .. } | Broadcast { rt, .. } => Some(rt),
            _ => None,
        }
    }

    /// The address register read, if any.
    pub fn address_register(&self) -> Option<AReg> {
        use Instruction::*;
        match *self {
            VLoad { rm, .. } | VStore { rm, .. } => Some(rm),
            _ => None,
        }
    }
}
