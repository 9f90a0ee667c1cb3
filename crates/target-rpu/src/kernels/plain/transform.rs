//! The negacyclic transforms: one pass over memory per level, one butterfly per vector of pairs.
//!
//! Forward (Cooley-Tukey), the distance t halves from N/2 to 1; block j of 2t words takes the
//! factor psi^brv(m + j), m = N/2t. Inverse (Gentleman-Sande), t doubles, with the inverse factors;
//! its last level multiplies both halves by 1/N as well, one of them through the factor (Longa and
//! Naehrig, 2016, algorithms 1 and 2).
//!
//! Keeping several levels in registers, and the Korn-Lambiotte form with its shuffles, are left to
//! scheduled kernels: this is the plain one.

use super::assembler::{register, SETS};
use super::Writer;
use crate::isa::{Form, Mode, Op, VReg};
use crate::kernels::table::Symbol;

/// Registers of a set.
const LOW: usize = 0;
const HIGH: usize = 1;
const FACTOR: usize = 2;
const LOW_RESULT: usize = 3;
const HIGH_RESULT: usize = 4;
const SCALED: usize = 5;

/// Coefficients to evaluations.
pub fn forward(writer: &mut Writer) {
    for (pass, log_distance) in (0..writer.shape.log_n).rev().enumerate() {
        let factor = |index| Symbol::Power(index);
        level(writer, log_distance, pass > 0, Form::CooleyTukey, factor);
    }
}

/// Forward, times operand 1 word by word, and back: three programs in a row.
pub fn convolve(writer: &mut Writer) {
    forward(writer);
    let length = writer.shape.vector() as u32;
    let vectors: Vec<u32> = (0..writer.shape.vectors() as u32).collect();
    for group in vectors.chunks(SETS) {
        let operand = writer.operand(1);
        for (set, vector) in group.iter().enumerate() {
            let offset = vector * length;
            writer.load_current(register(set, LOW), true, offset, Mode::Linear);
            let factor = register(set, HIGH);
            writer
                .code
                .load_operand(factor, operand, offset, Mode::Linear);
        }
        for set in 0..group.len() {
            let [result, a, b] = [LOW_RESULT, LOW, HIGH].map(|index| register(set, index));
            writer.code.vector(Op::Mul, result, a, b);
        }
        for (set, vector) in group.iter().enumerate() {
            writer.store(register(set, LOW_RESULT), vector * length, Mode::Linear);
        }
    }
    inverse(writer, true);
}

/// Evaluations to coefficients, of the result if that has been written.
pub fn inverse(writer: &mut Writer, written: bool) {
    let last = writer.shape.log_n - 1;
    for log_distance in 0..=last {
        let factor = |index| match log_distance == last {
            true => Symbol::ScaledInversePower(index),
            false => Symbol::InversePower(index),
        };
        level(
            writer,
            log_distance,
            written || log_distance > 0,
            Form::GentlemanSande,
            factor,
        );
    }
}

/// One pass. The factor of block j of m is `factor(m + j)`; if 1/N is in it, the other half is
/// multiplied by 1/N too.
fn level(
    writer: &mut Writer,
    log_distance: u32,
    written: bool,
    form: Form,
    factor: impl Fn(u32) -> Symbol,
) {
    let shape = writer.shape;
    let (n, log_block) = (shape.n(), log_distance + 1);
    let blocks = n >> log_block;
    let of_position = |position: usize| factor((blocks + ((position % n) >> log_block)) as u32);
    let scaled = matches!(factor(1), Symbol::ScaledInversePower(_));
    for group in shape.pairs(log_distance).chunks(SETS) {
        for (set, pairs) in group.iter().enumerate() {
            writer.load_current(register(set, LOW), written, pairs.low, pairs.mode);
            writer.load_current(register(set, HIGH), written, pairs.high, pairs.mode);
            let factors = (0..shape.vector()).map(|i| of_position(pairs.position(i)));
            let place = writer.place(factors.collect());
            writer.load_constants(register(set, FACTOR), place);
        }
        for set in 0..group.len() {
            let sources = [LOW, HIGH, FACTOR].map(|index| register(set, index));
            let results = [LOW_RESULT, HIGH_RESULT].map(|index| register(set, index));
            writer.code.butterfly(form, results, sources);
            if scaled {
                writer
                    .code
                    .scalar(Op::Mul, register(set, SCALED), results[0]);
            }
        }
        for (set, pairs) in group.iter().enumerate() {
            writer.store(low_result(set, scaled), pairs.low, pairs.mode);
            writer.store(register(set, HIGH_RESULT), pairs.high, pairs.mode);
        }
    }
}

fn low_result(set: usize, scaled: bool) -> VReg {
    register(set, if scaled { SCALED } else { LOW_RESULT })
}
