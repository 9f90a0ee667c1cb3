//! From text to a program.

use super::cursor::{shown, Cursor, Place};
use super::AssembleError;
use crate::isa::encoding::{equal_operands, refusal};
use crate::isa::tables::{tables, InstructionRow, Kind, Operand};
use crate::isa::{Instruction, Program, Segment, Space};
use std::collections::BTreeMap;

/// Reads the text of a program; `name` is what it will be called.
pub fn assemble(name: &str, text: &str) -> Result<Program, AssembleError> {
    let mut program = Program {
        name: name.to_owned(),
        ..Program::default()
    };
    for (line, text) in (1..).zip(text.lines()) {
        let mut cursor = Cursor::new(line, text);
        if cursor.is_at_end() {
            continue;
        }
        let place = cursor.place();
        let word = cursor.word();
        if let Some(space) = Space::ALL.into_iter().find(|s| s.directive() == word) {
            add(&mut program.data, segment(&mut cursor, space)?);
        } else if let Some(row) = tables().instruction(word) {
            program.instructions.push(instruction(&mut cursor, row)?);
            program.lines.push(line);
        } else {
            return Err(place.error(unknown(word, &cursor)));
        }
        if !cursor.is_at_end() {
            let message = format!("expected the end of the line, found {}", cursor.found());
            return Err(cursor.place().error(message));
        }
    }
    Ok(program)
}

fn unknown(word: &str, cursor: &Cursor) -> String {
    let found = match word {
        "" => cursor.found(),
        word => shown(word),
    };
    let instructions = tables()
        .instructions
        .iter()
        .map(|row| row.mnemonic.as_str());
    let directives = Space::ALL.into_iter().map(Space::directive);
    let all: Vec<&str> = instructions.chain(directives).collect();
    format!("{found} is no instruction; there are {}", all.join(", "))
}

fn instruction(cursor: &mut Cursor, row: &InstructionRow) -> Result<Instruction, AssembleError> {
    let start = cursor.place();
    let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
    let mut places: BTreeMap<&str, Place> = BTreeMap::new();
    for (i, operand) in row.operands.iter().enumerate() {
        // VALUE belongs to the mode before it.
        if operand.kind == Kind::Value {
            let mode = tables().mode(numbers.get("mode").copied().unwrap_or(0));
            if !mode.is_some_and(|mode| mode.value) {
                continue;
            }
        } else if operand.is_optional() && cursor.is_at_end() {
            continue;
        } else if i > 0 && !cursor.takes(',') {
            let message = format!(
                "expected `,` and {}, found {}",
                expected(operand),
                cursor.found()
            );
            return Err(cursor.place().error(message));
        }
        places.insert(&operand.name, cursor.place());
        numbers.insert(&operand.name, number_of(cursor, operand)?);
    }
    let number = |name: &str| numbers.get(name).copied().unwrap_or(0);
    if let Some([first, second]) = equal_operands(row, number) {
        let place = places.get(second.as_str()).copied().unwrap_or(start);
        return Err(place.error(format!("{second} must differ from {first}")));
    }
    let made = Instruction::from_operands(&row.mnemonic, number);
    made.ok_or_else(|| start.error(format!("these are no operands of {}", row.mnemonic)))
}

/// What an operand is, for errors.
fn expected(operand: &Operand) -> String {
    let name = &operand.name;
    match operand.kind {
        Kind::Number | Kind::Value => format!("the number {name}"),
        Kind::Mode => list(tables().modes.iter().map(|mode| &mode.name)),
        Kind::Form => list(tables().forms.iter().map(|form| &form.name)),
        kind => tables().file(kind).map_or(String::new(), |file| {
            let (prefix, last) = (file.prefix, file.count - 1);
            format!("{name}, {prefix}0 to {prefix}{last}")
        }),
    }
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    names.join(" or ")
}

fn number_of(cursor: &mut Cursor, operand: &Operand) -> Result<u64, AssembleError> {
    let (place, found) = (cursor.place(), cursor.found());
    let word = cursor.word();
    let number = match operand.kind {
        Kind::Number | Kind::Value => number(word).and_then(|n| u64::try_from(n).ok()),
        Kind::Mode => tables()
            .modes
            .iter()
            .find(|m| m.name == word)
            .map(|m| m.code),
        Kind::Form => tables()
            .forms
            .iter()
            .find(|f| f.name == word)
            .map(|f| f.code),
        kind => tables()
            .file(kind)
            .and_then(|file| register(word, file.prefix)),
    };
    let expected = || place.error(format!("expected {}, found {found}", expected(operand)));
    let number = number.ok_or_else(expected)?;
    match refusal(operand, number) {
        None => Ok(number),
        Some(allowed) => Err(place.error(format!("{} = {found}: {allowed}", operand.name))),
    }
}

/// `v12` as 12; a number with zeros in front is no register.
fn register(word: &str, prefix: char) -> Option<u64> {
    let digits = word.strip_prefix(prefix)?;
    let plain = digits == "0" || !digits.starts_with('0');
    let digits = plain.then_some(digits)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// Decimal or `0x`, with `_` between digits.
fn number(word: &str) -> Option<u128> {
    let digits = word.replace('_', "");
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => u128::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    }
}

fn segment(cursor: &mut Cursor, space: Space) -> Result<Segment, AssembleError> {
    let place = cursor.place();
    let found = cursor.found();
    let address = number(cursor.word()).and_then(|n| u32::try_from(n).ok());
    let address = address
        .ok_or_else(|| place.error(format!("expected an address below 2^32, found {found}")))?;
    if !cursor.takes(':') {
        let message = format!("expected `:` and words, found {}", cursor.found());
        return Err(cursor.place().error(message));
    }
    let mut words = Vec::new();
    loop {
        let (place, found) = (cursor.place(), cursor.found());
        let word = number(cursor.word());
        words.push(
            word.ok_or_else(|| place.error(format!("expected a word below 2^128, found {found}")))?,
        );
        if !cursor.takes(',') {
            break;
        }
    }
    let segment = Segment {
        space,
        address,
        words,
    };
    match segment.end() > 1 << u32::BITS {
        true => Err(place.error("these words go beyond address 2^32".into())),
        false => Ok(segment),
    }
}

/// A directive that goes on where the one before it ended is part of it.
fn add(data: &mut Vec<Segment>, segment: Segment) {
    match data.last_mut() {
        Some(last) if last.space == segment.space && last.end() == segment.address.into() => {
            last.words.extend(segment.words);
        }
        _ => data.push(segment),
    }
}
