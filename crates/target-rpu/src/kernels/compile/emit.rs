//! A schedule as a program.

use super::memory_map::scalars;
use super::placed::{Placed, FILLER};
use super::task_graph::{Kind, TaskGraph};
use crate::isa::{
    AReg, Form, Instruction, MReg, Mode, Op, Program, SReg, ShuffleOp, VReg, REGISTERS,
};
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

/// The modulus of a transform.
const MODULUS: u64 = 0;
/// 1/N, the only scalar.
const SCALE: u64 = 0;

fn instruction(graph: &TaskGraph, placed: &Placed) -> Instruction {
    let registers = Registers {
        sources: placed
            .sources
            .map(|register| VReg::from_field(register.into())),
        results: placed
            .results
            .map(|register| VReg::from_field(register.into())),
        rm: MReg::from_field(MODULUS),
    };
    match graph.tasks[placed.task as usize].kind {
        Kind::LoadModulus => Instruction::MLoad {
            rt: registers.rm,
            address: scalars::MODULUS,
        },
        Kind::LoadScale => Instruction::SLoad {
            rt: SReg::from_field(SCALE),
            address: scalars::N_INVERSE,
        },
        Kind::Load { address, mode } => registers.load(address, mode),
        Kind::Store { address, mode } => registers.store(address, mode),
        Kind::Butterfly { gentleman_sande } => registers.butterfly(gentleman_sande),
        Kind::Multiply => registers.product(),
        Kind::Scale => registers.scaled(),
        Kind::Shuffle(kind) => registers.shuffle(kind),
    }
}

/// Registers of one instruction.
struct Registers {
    sources: [VReg; 3],
    results: [VReg; 2],
    rm: MReg,
}

impl Registers {
    fn load(&self, address: u32, mode: Mode) -> Instruction {
        Instruction::VLoad {
            vd: self.results[0],
            rm: AReg::from_field(0),
            offset: address,
            mode,
        }
    }

    fn store(&self, address: u32, mode: Mode) -> Instruction {
        Instruction::VStore {
            vs: self.sources[0],
            rm: AReg::from_field(0),
            offset: address,
            mode,
        }
    }

    fn butterfly(&self, gentleman_sande: bool) -> Instruction {
        let ([vs, vt, vt1], [vd, vd1]) = (self.sources, self.results);
        Instruction::Butterfly {
            form: match gentleman_sande {
                true => Form::GentlemanSande,
                false => Form::CooleyTukey,
            },
            vd,
            vd1,
            vs,
            vt,
            vt1,
            rm: self.rm,
        }
    }

    fn product(&self) -> Instruction {
        let [vs, vt, _] = self.sources;
        Instruction::Vector {
            op: Op::Mul,
            vd: self.results[0],
            vs,
            vt,
            rm: self.rm,
        }
    }

    fn scaled(&self) -> Instruction {
        Instruction::VectorScalar {
            op: Op::Mul,
            vd: self.results[0],
            vs: self.sources[0],
            rt: SReg::from_field(SCALE),
            rm: self.rm,
        }
    }

    fn shuffle(&self, kind: Shuffle) -> Instruction {
        let [vs, vt, _] = self.sources;
        Instruction::Shuffle {
            op: match kind {
                Shuffle::UnpackLow => ShuffleOp::UnpackLow,
                Shuffle::UnpackHigh => ShuffleOp::UnpackHigh,
                Shuffle::PackLow => ShuffleOp::PackLow,
                Shuffle::PackHigh => ShuffleOp::PackHigh,
            },
            vd: self.results[0],
            vs,
            vt,
        }
    }
}
