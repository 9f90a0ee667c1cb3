//! B512, the instruction set (RPU, section III): 17 instructions of 64 bits.
//!
//! The truth is `spec/rpu/isa.toml`. What is written in Rust here is only what an instruction *is*
//! once it has been read; which bits it has and how it looks as text comes from that file.
//!
//! Every instruction belongs to one [`Class`], which is the queue and the pipeline that it takes.
//! There is no branch and no halt: a program is a run of instructions whose start and length the
//! controlling core hands to the front end.

mod encoding;
mod generate;
mod instruction;
mod operands;
mod program;
mod reciprocal;
mod register;
mod tables;
mod text;

pub use encoding::{decode, encode, encode_all, DecodeError, EncodeError, INSTRUCTION_BITS};
pub use generate::{generated, Generated};
pub use instruction::{Class, Form, Instruction, Mode, Op, ShuffleOp};
pub use program::{Program, Segment, Space};
pub use reciprocal::reciprocal;
pub use register::{AReg, MReg, SReg, VReg, REGISTERS};
pub use tables::{
    tables, Access, Field, FormRow, Format, InstructionRow, Kind, ModeRow, Operand, RegisterFile,
    Tables,
};
pub use text::{assemble, check, AssembleError};
