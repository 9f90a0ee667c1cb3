//! A program and the memory contents that its text states.

use super::Instruction;

/// A run of instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// What it is called: a file's name, or the kernel's.
    pub name: String,
    /// The instructions, first to last.
    pub instructions: Vec<Instruction>,
    /// The line of the text in which each instruction stands, from 1; as long as `instructions`.
    pub lines: Vec<u32>,
    /// Words that stand in the memories before the program starts; what is not stated is the
    /// caller's. A later segment overwrites an earlier one.
    pub data: Vec<Segment>,
}

/// Which data memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The vector data memory.
    Vdm,
    /// The scalar data memory.
    Sdm,
}

/// Words at consecutive addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The memory.
    pub space: Space,
    /// Word address of the first.
    pub address: u32,
    /// The words.
    pub words: Vec<u128>,
}

impl Program {
    /// A program without text: its lines are those that the disassembler prints, one each.
    pub fn new(name: impl Into<String>, instructions: Vec<Instruction>) -> Self {
        let lines = (1..).take(instructions.len()).collect();
        Program {
            name: name.into(),
            instructions,
            lines,
            data: Vec::new(),
        }
    }

    /// The same with scalar data memory counted from `base` on.
    pub fn relocated(&self, base: u32) -> Self {
        let instructions = self.instructions.iter();
        let instructions = instructions.map(|each| each.relocated(base));
        Program {
            instructions: instructions.collect(),
            ..self.clone()
        }
    }

    /// The line of an instruction; 0 where there is none.
    pub fn line(&self, instruction: usize) -> u32 {
        self.lines.get(instruction).copied().unwrap_or(0)
    }
}
