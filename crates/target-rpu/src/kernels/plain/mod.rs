//! Programs in plain order: loads, operations and stores as the definition has them.
//!
//! Reading order: [`assembler`] (registers and the order of memory accesses), then `pointwise`,
//! `transform` and `automorphism`.

pub mod assembler;
mod automorphism;
mod pointwise;
mod transform;

pub use assembler::StoreOrder;

use super::operation::{Operation, Scalar};
use super::shape::Shape;
use super::table::{Place, Symbol, Table};
use super::tower_kernel::{address, Making, TowerKernel};
use super::tower_kernel::{FIRST_SLOT_WORD, MODULUS_WORD, SCALAR_WORD};
use crate::isa::{AReg, Instruction, Mode, Program, VReg};
use assembler::{Assembler, MODULUS, SCALAR};

/// The plain program of an operation.
pub fn kernel(operation: Operation, shape: Shape, order: StoreOrder) -> TowerKernel {
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

#[cfg(test)]
mod tests;
