//! `spec/rpu/isa.toml` as data: which bits hold which operand, and what stands for what in text.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The instruction set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// Bits of an instruction.
    pub bits: u32,
    /// The register files.
    pub registers: Vec<RegisterFile>,
    #[serde(rename = "field")]
    /// The columns of Table I.
    pub fields: Vec<Field>,
    /// The rows of Table I.
    #[serde(rename = "format")]
    pub formats: Vec<Format>,
    /// The addressing modes, by code.
    #[serde(rename = "mode")]
    pub modes: Vec<ModeRow>,
    /// The forms of the butterfly, by code.
    #[serde(rename = "form")]
    pub forms: Vec<FormRow>,
    /// The instructions, in the order of the documentation.
    #[serde(rename = "instruction")]
    pub instructions: Vec<InstructionRow>,
}

/// One register file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterFile {
    /// Which operands name its registers.
    pub kind: Kind,
    /// The letter before a register's number.
    pub prefix: char,
    /// How many there are.
    pub count: u64,
    /// What one register holds.
    pub holds: String,
    /// The paper's place, or why it was chosen.
    pub source: String,
}

/// A group of bits with a name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Unique name; two fields may share bits, but not within one format.
    pub name: String,
    /// Highest and lowest bit.
    pub bits: [u32; 2],
    /// The paper's place, or why it was chosen.
    pub source: String,
}

/// The fields of one kind of instruction.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// Unique name.
    pub name: String,
    /// What documentation calls it.
    pub title: String,
    /// Names of its fields.
    pub fields: Vec<String>,
}

/// An addressing mode.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeRow {
    /// The word in text.
    pub name: String,
    /// The number in the field.
    pub code: u64,
    /// Whether a number follows.
    pub value: bool,
    /// The word that element i touches.
    pub semantics: String,
    /// The paper's place, or why it was chosen.
    pub source: String,
}

/// A form of the butterfly.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormRow {
    /// The word in text.
    pub name: String,
    /// The number in the field.
    pub code: u64,
    /// Its name in the literature.
    pub title: String,
    /// The paper's place, or why it was chosen.
    pub source: String,
}

/// One instruction.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstructionRow {
    /// The word in text.
    pub mnemonic: String,
    /// What documentation calls it.
    pub title: String,
    /// Queue and pipe: `load_store`, `compute` or `shuffle`.
    pub class: String,
    /// Name of its format.
    pub format: String,
    /// The opcode; 0 is none.
    pub opcode: u64,
    /// Other fields that select it.
    #[serde(default)]
    pub fixed: BTreeMap<String, u64>,
    /// Two operands that must differ.
    pub distinct: Option<[String; 2]>,
    /// Its operands in the order of the text.
    pub operands: Vec<Operand>,
    /// What it computes.
    pub semantics: String,
    /// The paper's place, or why it was chosen.
    pub source: String,
}

/// One operand of an instruction.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operand {
    /// What the instruction calls it.
    pub name: String,
    /// The field that holds it, if it is not called like the operand.
    field: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// For registers: read or written.
    pub access: Option<Access>,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A vector register.
    Vector,
    /// A scalar register.
    Scalar,
    /// A modulus register.
    Modulus,
    /// An address register.
    Address,
    /// An unsigned number as wide as its field.
    Number,
    /// An addressing mode.
    Mode,
    /// The number that belongs to an addressing mode.
    Value,
    /// A form of the butterfly.
    Form,
}

/// What an instruction does to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It reads it.
    Read,
    /// It writes it.
    Write,
}

/// The tables of B512.
pub fn tables() -> &'static Tables {
    &TABLES
}

// Part of the program, not input: the tests below read it.
static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let text = include_str!("../../../../spec/rpu/isa.toml");
    toml::from_str(text).unwrap_or_else(|e| panic!("spec/rpu/isa.toml: {e}"))
});

impl Tables {
    /// The row of a mnemonic.
    pub fn instruction(&self, mnemonic: &str) -> Option<&InstructionRow> {
        self.instructions.iter().find(|i| i.mnemonic == mnemonic)
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The format of this name.
    pub fn format(&self, name: &str) -> Option<&Format> {
        self.formats.iter().find(|format| format.name == name)
    }

    /// The register file of a kind of operand.
    pub fn file(&self, kind: Kind) -> Option<&RegisterFile> {
        self.registers.iter().find(|file| file.kind == kind)
    }

    /// The addressing mode of a code.
    pub fn mode(&self, code: u64) -> Option<&ModeRow> {
        self.modes.iter().find(|mode| mode.code == code)
    }

    /// The form of a code.
    pub fn form(&self, code: u64) -> Option<&FormRow> {
        self.forms.iter().find(|form| form.code == code)
    }
}

impl Field {
    /// How many bits it has.
    pub fn width(&self) -> u32 {
        self.bits[0] - self.bits[1] + 1
    }

    /// The largest number that it holds.
    pub fn max(&self) -> u64 {
        (1 << self.width()) - 1
    }

    /// Its number in an instruction.
    pub fn get(&self, word: u64) -> u64 {
        (word >> self.bits[1]) & self.max()
    }

    /// A number in its place.
    pub fn put(&self, number: u64) -> u64 {
        (number & self.max()) << self.bits[1]
    }

    /// `[high:low]`, as the paper writes it.
    pub fn range(&self) -> String {
        match self.bits {
            [high, low] if high == low => format!("[{high}]"),
            [high, low] => format!("[{high}:{low}]"),
        }
    }
}

impl InstructionRow {
    /// The operand of this name.
    pub fn operand(&self, name: &str) -> Option<&Operand> {
        self.operands.iter().find(|operand| operand.name == name)
    }
}

impl Operand {
    /// Name of the field that holds it.
    pub fn field(&self) -> &str {
        self.field.as_deref().unwrap_or(&self.name)
    }

    /// Whether text may leave it out: it then is 0.
    pub fn is_optional(&self) -> bool {
        matches!(self.kind, Kind::Mode | Kind::Value | Kind::Form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::REGISTERS;
    use std::collections::BTreeSet;

    #[test]
    fn a_format_names_no_bit_twice_and_all_lie_in_the_word() {
        for format in &tables().formats {
            let mut used = BTreeSet::new();
            for name in &format.fields {
                let [high, low] = tables().field(name).expect(name).bits;
                assert!(low <= high && high < tables().bits, "{name}");
                assert!(
                    (low..=high).all(|bit| used.insert(bit)),
                    "{}: {name}",
                    format.name
                );
            }
        }
    }

    #[test]
    fn every_operand_has_a_field_of_its_format_that_holds_it() {
        for row in &tables().instructions {
            let format = tables().format(&row.format).expect(&row.format);
            let named = row.operands.iter().map(Operand::field);
            for field in named.chain(row.fixed.keys().map(String::as_str)) {
                assert!(
                    format.fields.iter().any(|f| f == field),
                    "{}: {field}",
                    row.mnemonic
                );
            }
            for operand in &row.operands {
                let Some(file) = tables().file(operand.kind) else {
                    assert!(operand.access.is_none(), "{}", row.mnemonic);
                    continue;
                };
                assert!(operand.access.is_some(), "{}", row.mnemonic);
                let field = tables().field(operand.field()).map(Field::max);
                assert_eq!(Some(file.count - 1), field, "{}", row.mnemonic);
                assert_eq!(file.count, REGISTERS as u64);
            }
        }
    }

    #[test]
    fn what_selects_an_instruction_selects_no_other() {
        let rows = &tables().instructions;
        let words: BTreeSet<_> = rows.iter().map(|row| (row.opcode, &row.fixed)).collect();
        let names: BTreeSet<_> = rows.iter().map(|row| &row.mnemonic).collect();
        assert_eq!((words.len(), names.len()), (rows.len(), rows.len()));
        for row in rows {
            assert_ne!(row.opcode, 0, "an empty memory must be illegal");
            let same = rows.iter().filter(|other| other.opcode == row.opcode);
            assert!(same
                .clone()
                .all(|other| other.fixed.keys().eq(row.fixed.keys())));
        }
    }

    #[test]
    fn codes_count_from_zero() {
        let counts = |codes: Vec<u64>| codes.iter().copied().eq(0..codes.len() as u64);
        assert!(counts(
            tables().modes.iter().map(|mode| mode.code).collect()
        ));
        assert!(counts(
            tables().forms.iter().map(|form| form.code).collect()
        ));
    }
}
