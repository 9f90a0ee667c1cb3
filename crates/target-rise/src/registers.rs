//! The control and status registers, from `spec/rise/regs.toml`.
//!
//! Register block, C header and the book's table are generated from the same file. The simulator
//! needs how many of them the host writes, and for a run beside the RTL also their offsets and
//! fields.

use serde::Deserialize;
use std::sync::LazyLock;

/// Who uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// The host reads it.
    Read,
    /// The host writes it.
    Write,
}

/// One register, or several in a row.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Register {
    /// Unique name.
    pub name: String,
    /// Byte offset of the first, a multiple of 4.
    pub offset: u32,
    /// How many of them follow each other.
    #[serde(default = "one")]
    pub count: u32,
    /// Who uses it.
    pub access: Access,
    /// Whether every call writes it.
    #[serde(default)]
    pub per_call: bool,
    /// Whether every run of a program writes it.
    #[serde(default)]
    pub per_run: bool,
    /// Whether the hardware is told of each access.
    #[serde(default)]
    pub notify: bool,
    /// What it holds.
    pub summary: String,
    /// Its parts.
    pub field: Vec<Field>,
}

/// Bits of a register.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Unique in its register.
    pub name: String,
    /// Highest and lowest bit.
    pub bits: [u32; 2],
    /// What they hold.
    pub summary: String,
    /// Named values.
    #[serde(default)]
    pub values: Vec<NamedValue>,
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedValue {
    /// Unique in its field.
    pub name: String,
    /// The bits.
    pub value: u32,
    /// What it means.
    pub summary: String,
}

/// Words that the hardware stores itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Unique name.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// 32-bit words.
    pub words: u32,
    /// Who uses it.
    pub access: Access,
    /// What it holds.
    pub summary: String,
}

/// What else is in the file names the block for those who generate it.
#[derive(Deserialize)]
struct File {
    register: Vec<Register>,
    window: Vec<Window>,
}

fn one() -> u32 {
    1
}

/// Every register, by offset.
pub fn registers() -> &'static [Register] {
    &FILE.register
}

/// Every window, by offset.
pub fn windows() -> &'static [Window] {
    &FILE.window
}

/// Registers that the host writes for one call.
pub fn writes_per_call() -> u64 {
    let per_call = registers().iter().filter(|register| register.per_call);
    per_call.map(|register| u64::from(register.count)).sum()
}

/// Registers that the host writes for one run of a program that draws samples.
pub fn writes_per_run() -> u64 {
    let per_run = registers().iter().filter(|register| register.per_run);
    per_run.map(|register| u64::from(register.count)).sum()
}

// Part of the program, not input: the test below reads it.
static FILE: LazyLock<File> = LazyLock::new(|| {
    let text = include_str!("../../../spec/rise/regs.toml");
    toml::from_str(text).unwrap_or_else(|e| panic!("spec/rise/regs.toml: {e}"))
});

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn registers_are_apart_and_what_a_call_needs_is_written() {
        let names: BTreeSet<&str> = registers().iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names.len(), registers().len());
        for pair in registers().windows(2) {
            let end = pair[0].offset + 4 * pair[0].count;
            assert!(end <= pair[1].offset, "{}", pair[1].name);
        }
        for register in registers() {
            assert_eq!(register.offset % 4, 0, "{}", register.name);
            let often = register.per_call || register.per_run;
            assert!(!often || register.access == Access::Write);
        }
        assert!((1..registers().len() as u64).contains(&writes_per_call()));
        assert!(writes_per_run() > 0 && !windows().is_empty());
    }
}
