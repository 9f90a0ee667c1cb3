//! B512 as text: assembler and disassembler.
//!
//! One instruction a line, its operands in the order of `spec/rpu/isa.toml`, separated by commas;
//! an addressing mode other than `linear` and a form other than `ct` stand last. `#` begins a
//! comment that runs to the end of the line. There are no labels because there are no branches.
//! Numbers are decimal or `0x`; `_` may separate digits.
//!
//! `.sdm ADDRESS: WORD, WORD, ...` and `.vdm` state what stands in a data memory before the program
//! starts, so that one file can be a whole case.
//!
//! ```text
#![doc = include_str!("../../tests/programs/one_product.b512")]
//! ```

mod assembler;
mod cursor;

use super::tables::{tables, Kind};
use super::{decode, encode, Instruction, Program, Segment, Space};
use std::fmt;

pub use assembler::assemble;

/// Text that is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct AssembleError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What was found and what should stand there.
    pub message: String,
}

/// Words of a data directive in one line of printed text.
const WORDS_PER_LINE: usize = 4;

impl Space {
    /// Both.
    pub const ALL: [Space; 2] = [Space::Vdm, Space::Sdm];

    /// The directive that fills it.
    pub fn directive(self) -> &'static str {
        match self {
            Space::Vdm => ".vdm",
            Space::Sdm => ".sdm",
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mnemonic = self.mnemonic();
        f.write_str(mnemonic)?;
        let operands = tables().instruction(mnemonic).map(|row| &row.operands);
        let mut separator = " ";
        for operand in operands.into_iter().flatten() {
            let number = self.operand(&operand.name).unwrap_or(0);
            match operand.kind {
                Kind::Mode | Kind::Form if number == 0 => continue,
                Kind::Mode => {
                    let name = tables().mode(number).map_or("", |mode| &mode.name);
                    write!(f, "{separator}{name}")?;
                }
                Kind::Form => {
                    let name = tables().form(number).map_or("", |form| &form.name);
                    write!(f, "{separator}{name}")?;
                }
                Kind::Value if self.operand("mode") == Some(0) => continue,
                Kind::Value => write!(f, " {number}")?,
                Kind::Number => write!(f, "{separator}{number}")?,
                file => {
                    let prefix = tables().file(file).map_or(' ', |file| file.prefix);
                    write!(f, "{separator}{prefix}{number}")?;
                }
            }
            separator = ", ";
        }
        Ok(())
    }
}

/// The instructions one a line, then the contents of memories.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for instruction in &self.instructions {
            writeln!(f, "{instruction}")?;
        }
        for segment in &self.data {
            let directive = segment.space.directive();
            let lines = segment.words.chunks(WORDS_PER_LINE);
            for (i, words) in lines.enumerate() {
                let address = u64::from(segment.address) + (i * WORDS_PER_LINE) as u64;
                let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
                writeln!(f, "{directive} {address}: {}", words.join(", "))?;
            }
        }
        Ok(())
    }
}

impl Segment {
    /// Address after the last word.
    pub fn end(&self) -> u64 {
        u64::from(self.address) + self.words.len() as u64
    }
}

/// Reads `bytes` as the text of a program and as words of an instruction memory; the body shared by
/// the fuzz target and the smoke test.
///
/// Panics when a reader does, when what was read prints or encodes as something that reads back
/// different, or when an error is not one readable line.
pub fn check(bytes: &[u8]) {
    for word in bytes.chunks_exact(8) {
        let word = word
            .iter()
            .fold(0, |word, &byte| word << 8 | u64::from(byte));
        match decode(word) {
            Ok(instruction) => {
                assert_eq!(encode(&instruction), Ok(word));
                let program = Program::new("fuzz", vec![instruction]);
                assert_eq!(assemble("fuzz", &program.to_string()), Ok(program));
            }
            Err(error) => assert_readable(&error.to_string()),
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match assemble("fuzz", text) {
        Ok(program) => {
            for instruction in &program.instructions {
                let word = encode(instruction).expect("what is assembled has an encoding");
                assert_eq!(decode(word).as_ref(), Ok(instruction));
            }
            let again = assemble("fuzz", &program.to_string()).expect("what is printed reads back");
            assert_eq!(again.instructions, program.instructions);
            assert_eq!(again.data, program.data);
        }
        Err(error) => assert_readable(&error.to_string()),
    }
}

fn assert_readable(message: &str) {
    assert!(
        !message.is_empty() && !message.contains(char::is_control),
        "{message:?}"
    );
}
