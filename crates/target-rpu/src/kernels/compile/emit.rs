//! A schedule as a program.

use super::graph::{Kind, TaskGraph};
use super::memory_map::scalars;
use super::placed::{Placed, FILLER};
use crate::isa::{AReg, Form, Instruction, MReg, Op, Program, SReg, ShuffleOp, VReg, REGISTERS};
use ringwright_nttx::Shuffle;

/// The instructions of an order. Addresses are absolute: they stand in the offsets, on an address
/// register that is zero.
pub fn program(name: &str, graph: &TaskGraph, order: &[Placed]) -> Program {
    let mut fillers = 0;
    let instructions = order.iter().map(|placed| match placed.task {
        FILLER => {
            // Another register each time: one that is being loaded would hold up the next.
            fillers += 1;
            let rt = SReg::from_field(1 + fillers % (REGISTERS as u64 - 1));
            Instruction::SLoad {
                rt,
                address: scalars::N_INVERSE,
            }
        }
        _ => instruction(graph, placed),
    });
    Program::new(name, instructions.collect())
}

fn instruction(graph: &TaskGraph, placed: &Placed) -> Instruction {
    let source = |i: usize| VReg::from_field(placed.sources[i].into());
    let result = |i: usize| VReg::from_field(placed.results[i].into());
    let rm = MReg::from_field(0);
    match graph.tasks[placed.task as usize].kind {
        Kind::LoadModulus => Instruction::MLoad {
            rt: rm,
            address: scalars::MODULUS,
        },
        Kind::LoadScale => Instruction::SLoad {
            rt: SReg::from_field(0),
            address: scalars::N_INVERSE,
        },
        Kind::Load { address, mode } => Instruction::VLoad {
            vd: result(0),
            rm: AReg::from_field(0),
            offset: address,
            mode,
        },
        Kind::Store { address, mode } => Instruction::VStore {
            vs: source(0),
            rm: AReg::from_field(0),
            offset: address,
            mode,
        },
        Kind::Butterfly { gentleman_sande } => Instruction::Butterfly {
            form: match gentleman_sande {
                true => Form::GentlemanSande,
                false => Form::CooleyTukey,
            },
            vd: result(0),
            vd1: result(1),
            vs: source(0),
            vt: source(1),
            vt1: source(2),
            rm,
        },
        Kind::Multiply => Instruction::Vector {
            op: Op::Mul,
            vd: result(0),
            vs: source(0),
            vt: source(1),
            rm,
        },
        Kind::Scale => Instruction::VectorScalar {
            op: Op::Mul,
            vd: result(0),
            vs: source(0),
            rt: SReg::from_field(0),
            rm,
        },
        Kind::Shuffle(kind) => Instruction::Shuffle {
            op: match kind {
                Shuffle::UnpackLow => ShuffleOp::UnpackLow,
                Shuffle::UnpackHigh => ShuffleOp::UnpackHigh,
                Shuffle::PackLow => ShuffleOp::PackLow,
                Shuffle::PackHigh => ShuffleOp::PackHigh,
            },
            vd: result(0),
            vs: source(0),
            vt: source(1),
        },
    }
}
