//! A target's own instructions, for whoever writes programs for it by hand.

/// How programs of one instruction set are read and written.
#[derive(Clone, Copy, Debug)]
pub struct InstructionSet {
    /// What its paper calls it.
    pub name: &'static str,
    /// The target whose machines run it.
    pub target: &'static str,
    /// How files with its text end.
    pub extension: &'static str,
    /// Bytes of one instruction; images are little-endian.
    pub instruction_bytes: usize,
    /// Text to words.
    pub assemble: fn(name: &str, text: &str) -> Result<Assembled, InstructionSetError>,
    /// The bytes of an instruction memory to text.
    pub disassemble: fn(image: &[u8]) -> Result<String, InstructionSetError>,
}

/// A program that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// The instructions, first to last.
    pub instructions: Vec<AssembledInstruction>,
    /// Words of data memory that the text states beside them; an image does not hold them.
    pub data_words: u64,
}

/// One instruction of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledInstruction {
    /// Its line in the text, from 1.
    pub line: u32,
    /// Its word.
    pub word: u64,
    /// As the disassembler writes it.
    pub text: String,
}

/// Text or words that are no program; says where, what was found and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InstructionSetError(pub String);
