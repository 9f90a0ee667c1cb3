//! Programs in a target's own instructions.

use crate::error::{instruction_set_error, no_instruction_set};
use pyo3::prelude::*;
use ringwright_target::InstructionSet;

/// Line, word and text of an instruction.
type Row = (u32, u64, String);

/// Text to instructions, each with its line from 1, its word and its text as the disassembler
/// writes it; and how many words of data memory the text states beside them.
///
/// Raises `ProgramError` with line, column and what is allowed.
#[pyfunction]
pub fn assemble(target: &str, name: &str, text: &str) -> PyResult<(Vec<Row>, u64)> {
    let set = instruction_set(target)?;
    let program = (set.assemble)(name, text).map_err(instruction_set_error)?;
    let instructions = program.instructions.into_iter();
    let instructions = instructions.map(|i| (i.line, i.word, i.text));
    Ok((instructions.collect(), program.data_words))
}

/// The bytes of an instruction memory to text.
///
/// Raises `ProgramError` with the number of the first instruction that is none.
#[pyfunction]
pub fn disassemble(target: &str, image: &[u8]) -> PyResult<String> {
    let set = instruction_set(target)?;
    (set.disassemble)(image).map_err(instruction_set_error)
}

fn instruction_set(target: &str) -> PyResult<&'static InstructionSet> {
    ringwright_targets::instruction_set(target).ok_or_else(|| no_instruction_set(target))
}
