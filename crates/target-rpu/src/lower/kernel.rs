//! One operation on one tower as one program of B512.
//!
//! A program depends on the operation, the degree and the machine, but neither on the prime nor on
//! where its towers lie: it reads modulus, scalar and slot addresses from the first words of the
//! scalar data memory, or of its block there where kernels are chained ([`super::chain`]).
//!
//! | word of the scalar data memory | meaning | register |
//! |---|---|---|
//! | 0, 1 | modulus and its reciprocal | m0 |
//! | 2 | scalar operand | s0 |
//! | 3 ... | slots: operands, result, scratch, table | a0 ... |
//!
//! [`TowerKernel::new`] writes the plain program. What [`crate::compile::kernels`] makes of it looks
//! the same from outside.

use super::assembler::{Assembler, StoreOrder, MODULUS, SCALAR};
use super::shape::Shape;
use super::table::{Place, Symbol, Table};
use super::{automorphism, pointwise, transform};
use crate::isa::{AReg, Instruction, Mode, Program, VReg};
use ringwright_ir::ring::Domain;

/// Address of the modulus in the scalar data memory; its reciprocal follows.
pub const MODULUS_WORD: u32 = 0;
/// Address of the scalar operand.
pub const SCALAR_WORD: u32 = 2;
/// Address of the first slot address.
pub const FIRST_SLOT_WORD: u32 = 3;

/// What a program computes on one tower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// All words zero.
    Zero,
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// -a.
    Neg,
    /// a * b, word by word.
    Mul,
    /// a + b * c, word by word.
    MulAdd,
    /// Every word times the scalar.
    MulScalar,
    /// The scalar added to every word.
    AddScalar,
    /// Every word, which may exceed the modulus, reduced.
    Reduce,
    /// Coefficients to evaluations.
    Ntt,
    /// Evaluations to coefficients.
    Intt,
    /// a * b as polynomials: a and the result in coefficients, b in evaluations.
    Convolve,
    /// X to X^galois.
    Automorphism {
        /// Odd, from 3 to 2N - 1.
        galois: u64,
        /// The form of the words.
        domain: Domain,
    },
}

/// What stands in the scalar operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Nothing: the program does not load it.
    None,
    /// This number.
    Fixed(u64),
    /// 1/N modulo the prime.
    InverseOfN,
    /// The operation's own constant.
    Given,
}

impl Operation {
    /// Short name, under which a ledger adds its runs up.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Zero => "zero",
            Operation::Add => "add",
            Operation::Sub => "sub",
            Operation::Neg => "neg",
            Operation::Mul => "mul",
            Operation::MulAdd => "mul_add",
            Operation::MulScalar => "mul_scalar",
            Operation::AddScalar => "add_scalar",
            Operation::Reduce => "switch_modulus",
            Operation::Ntt => "ntt",
            Operation::Intt => "intt",
            Operation::Convolve => "convolve",
            Operation::Automorphism { .. } => "automorphism",
        }
    }

    /// Towers that it reads.
    pub fn operands(self) -> usize {
        match self {
            Operation::Zero => 0,
            Operation::Add | Operation::Sub | Operation::Mul | Operation::Convolve => 2,
            Operation::MulAdd => 3,
            _ => 1,
        }
    }

    /// What its scalar operand is.
    pub fn scalar(self) -> Scalar {
        match self {
            Operation::Zero | Operation::Neg => Scalar::Fixed(0),
            Operation::Reduce => Scalar::Fixed(1),
            Operation::Intt | Operation::Convolve => Scalar::InverseOfN,
            Operation::MulScalar | Operation::AddScalar => Scalar::Given,
            _ => Scalar::None,
        }
    }
}

/// One operation on one tower, lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TowerKernel {
    /// What it computes.
    pub operation: Operation,
    /// For towers and vectors of these lengths.
    pub shape: Shape,
    /// The program.
    pub program: Program,
    /// The constants that it loads, whole vectors; it lies in slots of its own.
    pub table: Vec<Symbol>,
    /// Slots that it writes and reads again, beside the result's.
    pub scratch_slots: usize,
    /// Who wrote the program.
    pub making: Making,
}

/// How a program was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Making {
    /// In plain order: [`TowerKernel::new`].
    Plain,
    /// By the compiler: [`crate::compile::kernels`].
    Scheduled,
}

impl Making {
    /// The word in listings and results.
    pub fn name(self) -> &'static str {
        match self {
            Making::Plain => "plain",
            Making::Scheduled => "scheduled",
        }
    }
}

impl TowerKernel {
    /// Lowers the operation.
    pub fn new(operation: Operation, shape: Shape, order: StoreOrder) -> Self {
        let mut writer = Writer::new(operation, shape, order);
        match operation {
            Operation::Ntt => transform::forward(&mut writer),
            Operation::Intt => transform::inverse(&mut writer, false),
            Operation::Convolve => transform::convolve(&mut writer),
            Operation::Automorphism { galois, domain } => {
                automorphism::write(&mut writer, galois, domain);
            }
            _ => pointwise::write(&mut writer, operation),
        }
        writer.finish(operation)
    }

    /// Slots that the table takes.
    pub fn table_slots(&self) -> usize {
        self.table.len().div_ceil(self.shape.slot())
    }

    /// Words of the scalar data memory that are its own.
    pub fn arguments(&self) -> usize {
        FIRST_SLOT_WORD as usize + self.slots()
    }

    /// Slots that it reads and writes.
    pub fn slots(&self) -> usize {
        self.operation.operands() + 1 + self.scratch_slots + self.table_slots()
    }
}

/// A program with its table while they are written.
pub struct Writer {
    /// Degree and vector length.
    pub shape: Shape,
    /// The instructions so far.
    pub code: Assembler,
    table: Table,
    operands: usize,
}

impl Writer {
    fn new(operation: Operation, shape: Shape, order: StoreOrder) -> Self {
        let operands = operation.operands();
        Writer {
            shape,
            code: Assembler::new(shape, order, Some(address(operands + 1))),
            table: Table::new(shape.vector()),
            operands,
        }
    }

    /// Base address of an operand.
    pub fn operand(&self, index: usize) -> AReg {
        debug_assert!(index < self.operands);
        address(index)
    }

    /// Base address of the result.
    pub fn result(&self) -> AReg {
        address(self.operands)
    }

    /// Where a vector of constants is.
    pub fn place(&mut self, vector: Vec<Symbol>) -> Place {
        self.table.place(vector)
    }

    /// Loads constants.
    pub fn load_constants(&mut self, vd: VReg, place: Place) {
        let slot = self.shape.slot();
        let base = address(self.operands + 1 + place.word / slot);
        let offset = (place.word % slot) as u32;
        self.code.load_operand(vd, base, offset, place.mode);
    }

    /// Loads a vector of the result if a pass has written it, of operand 0 if none has.
    pub fn load_current(&mut self, vd: VReg, written: bool, offset: u32, mode: Mode) {
        match written {
            true => {
                let base = self.result();
                self.code.load_result(vd, base, offset, mode);
            }
            false => {
                let base = self.operand(0);
                self.code.load_operand(vd, base, offset, mode);
            }
        }
    }

    /// Stores a vector of the result.
    pub fn store(&mut self, vs: VReg, offset: u32, mode: Mode) {
        let base = self.result();
        self.code.store_result(vs, base, offset, mode);
    }

    fn finish(self, operation: Operation) -> TowerKernel {
        let table = self.table.symbols().to_vec();
        let mut instructions = vec![Instruction::MLoad {
            rt: MODULUS,
            address: MODULUS_WORD,
        }];
        if operation.scalar() != Scalar::None {
            instructions.push(Instruction::SLoad {
                rt: SCALAR,
                address: SCALAR_WORD,
            });
        }
        let slots = self.operands + 1 + table.len().div_ceil(self.shape.slot());
        instructions.extend((0..slots).map(|slot| Instruction::ALoad {
            rt: address(slot),
            address: FIRST_SLOT_WORD + slot as u32,
        }));
        instructions.extend(self.code.finish());
        TowerKernel {
            operation,
            shape: self.shape,
            program: Program::new(operation.name(), instructions),
            table,
            scratch_slots: 0,
            making: Making::Plain,
        }
    }
}

/// The register that holds the address of a slot, counted over operands, result, scratch and table.
pub fn address(slot: usize) -> AReg {
    AReg::from_field(slot as u64)
}
