//! Instructions as 64 bits (RPU, Table I).
//!
//! Bits that an instruction does not use are zero, so each instruction has one encoding and each
//! word is one instruction or none.

use super::tables::{tables, InstructionRow, Kind, Operand};
use super::{Instruction, Mode, Program};

/// An operand that its field cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{mnemonic}: {operand} = {given} is not possible; {allowed}")]
pub struct EncodeError {
    /// The instruction.
    pub mnemonic: &'static str,
    /// The operand.
    pub operand: String,
    /// What it is.
    pub given: u64,
    /// What it may be.
    pub allowed: String,
}

/// A word that is no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:#018x} is no instruction: {reason}")]
pub struct DecodeError {
    /// The word.
    pub word: u64,
    /// What is wrong, and what is allowed.
    pub reason: String,
}

/// Bits of an instruction.
pub const INSTRUCTION_BITS: u32 = u64::BITS;

/// The words of a program, as they lie in the instruction memory.
pub fn encode_all(program: &Program) -> Result<Vec<u64>, EncodeError> {
    program.instructions.iter().map(encode).collect()
}

/// The word of an instruction.
pub fn encode(instruction: &Instruction) -> Result<u64, EncodeError> {
    let mnemonic = instruction.mnemonic();
    let row = row_of(mnemonic);
    let mut word = selection(row);
    for operand in &row.operands {
        let given = instruction.operand(&operand.name).unwrap_or(0);
        if let Some(allowed) = refusal(operand, given) {
            return Err(EncodeError {
                mnemonic,
                operand: operand.name.clone(),
                given,
                allowed,
            });
        }
        word |= put(operand.field(), given);
    }
    let operand = |name: &str| instruction.operand(name).unwrap_or(0);
    match equal_operands(row, operand) {
        None => Ok(word),
        Some([first, second]) => Err(EncodeError {
            mnemonic,
            operand: second.clone(),
            given: operand(second),
            allowed: format!("allowed is any register but that of {first}"),
        }),
    }
}

/// The instruction of a word.
pub fn decode(word: u64) -> Result<Instruction, DecodeError> {
    let error = |reason: String| DecodeError { word, reason };
    let row = select(word).map_err(error)?;
    let mut rest = word ^ selection(row);
    for operand in &row.operands {
        let given = get(operand.field(), word);
        if let Some(allowed) = refusal(operand, given) {
            return Err(error(format!(
                "{} = {given} in {}; {allowed}",
                operand.name, row.mnemonic
            )));
        }
        rest ^= put(operand.field(), given);
    }
    if rest != 0 {
        let bits: Vec<String> = (0..u64::BITS)
            .filter(|bit| rest >> bit & 1 == 1)
            .map(|bit| bit.to_string())
            .collect();
        let bits = bits.join(", ");
        return Err(error(format!("{} leaves bits {bits} zero", row.mnemonic)));
    }
    let field = |name: &str| {
        let operand = row.operand(name);
        operand.map_or(0, |operand| get(operand.field(), word))
    };
    if let Some([first, second]) = equal_operands(row, field) {
        return Err(error(format!(
            "{first} and {second} of {} must differ",
            row.mnemonic
        )));
    }
    Instruction::from_operands(&row.mnemonic, field)
        .ok_or_else(|| error(format!("{} takes VALUE 0 only", Mode::Linear.name())))
}

impl Mode {
    /// The word in text.
    pub fn name(self) -> &'static str {
        tables()
            .mode(self.code())
            .map_or("", |mode| mode.name.as_str())
    }
}

/// Why an operand cannot be this number: what is allowed instead.
pub(super) fn refusal(operand: &Operand, given: u64) -> Option<String> {
    let max = match operand.kind {
        Kind::Mode => tables().modes.len() as u64 - 1,
        Kind::Form => tables().forms.len() as u64 - 1,
        Kind::Value => Mode::MAX_VALUE.into(),
        _ => tables()
            .field(operand.field())
            .map_or(0, |field| field.max()),
    };
    (given > max).then(|| format!("allowed are 0 to {max}"))
}

/// Two operands that must differ and do not.
pub(super) fn equal_operands(
    row: &InstructionRow,
    operand: impl Fn(&str) -> u64,
) -> Option<&[String; 2]> {
    let pair = row.distinct.as_ref();
    pair.filter(|[first, second]| operand(first) == operand(second))
}

/// The instruction that opcode and fixed fields select.
fn select(word: u64) -> Result<&'static InstructionRow, String> {
    let opcode = get("opcode", word);
    let rows = tables().instructions.iter();
    let mut rows = rows.filter(|row| row.opcode == opcode).peekable();
    let Some(first) = rows.peek() else {
        let last = tables().instructions.iter().map(|row| row.opcode).max();
        let last = last.unwrap_or(0);
        return Err(format!("opcode {opcode}; allowed are 1 to {last}"));
    };
    let fixed: Vec<&str> = first.fixed.keys().map(String::as_str).collect();
    let is_it = |row: &&InstructionRow| {
        let mut fields = row.fixed.iter();
        fields.all(|(field, &number)| get(field, word) == number)
    };
    rows.find(is_it).ok_or_else(|| {
        let given = fixed.iter().map(|f| format!("{f} = {}", get(f, word)));
        let given: Vec<String> = given.collect();
        format!("opcode {opcode} with {}", given.join(", "))
    })
}

/// Opcode and fixed fields of an instruction.
fn selection(row: &InstructionRow) -> u64 {
    let fixed = row.fixed.iter().map(|(field, &number)| put(field, number));
    fixed.fold(put("opcode", row.opcode), |word, bits| word | bits)
}

// A test of the tables holds that every field and mnemonic that is asked for exists.
fn row_of(mnemonic: &str) -> &'static InstructionRow {
    let row = tables().instruction(mnemonic);
    row.unwrap_or_else(|| unreachable!("{mnemonic} stands in spec/rpu/isa.toml"))
}

fn get(field: &str, word: u64) -> u64 {
    tables().field(field).map_or(0, |field| field.get(word))
}

fn put(field: &str, number: u64) -> u64 {
    tables().field(field).map_or(0, |field| field.put(number))
}
