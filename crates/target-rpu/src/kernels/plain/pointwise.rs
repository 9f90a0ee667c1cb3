//! Operations word by word: vectors are loaded, combined and stored, four at a time.

use super::assembler::{register, Assembler, SCALAR, SETS};
use super::{Operation, Writer};
use crate::isa::{Form, Instruction, Mode, Op};

/// Register of a set for the result; operands are in the first ones.
const RESULT: usize = 3;
/// Register of a set for what an operation makes besides.
const BESIDES: usize = 4;

/// Writes a pointwise operation.
pub fn write(writer: &mut Writer, operation: Operation) {
    let vectors: Vec<u32> = (0..writer.shape.vectors() as u32).collect();
    let length = writer.shape.vector() as u32;
    for group in vectors.chunks(SETS) {
        for (set, vector) in group.iter().enumerate() {
            for operand in 0..operation.operands() {
                let base = writer.operand(operand);
                let target = register(set, operand);
                writer
                    .code
                    .load_operand(target, base, vector * length, Mode::Linear);
            }
        }
        for set in 0..group.len() {
            compute(&mut writer.code, operation, set);
        }
        for (set, vector) in group.iter().enumerate() {
            writer.store(register(set, RESULT), vector * length, Mode::Linear);
        }
    }
}

fn compute(code: &mut Assembler, operation: Operation, set: usize) {
    let [a, b, c, result, besides] = [0, 1, 2, RESULT, BESIDES].map(|index| register(set, index));
    let broadcast = |vd| Instruction::Broadcast { vd, rt: SCALAR };
    match operation {
        Operation::Add => code.vector(Op::Add, result, a, b),
        Operation::Sub => code.vector(Op::Sub, result, a, b),
        Operation::Mul => code.vector(Op::Mul, result, a, b),
        Operation::MulAdd => code.butterfly(Form::CooleyTukey, [result, besides], [a, b, c]),
        // A butterfly would take no words beyond the modulus.
        Operation::AddMulScalar => {
            code.scalar(Op::Mul, besides, b);
            code.vector(Op::Add, result, a, besides);
        }
        Operation::MulScalar | Operation::Reduce => code.scalar(Op::Mul, result, a),
        Operation::AddScalar => code.scalar(Op::Add, result, a),
        Operation::Neg => {
            code.push(broadcast(b));
            code.vector(Op::Sub, result, b, a);
        }
        _ => code.push(broadcast(result)),
    }
}
