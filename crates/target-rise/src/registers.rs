//! The control and status registers, from `spec/rise/regs.toml`.
//!
//! Header files and RTL packages are generated from the same file. Here only their number matters:
//! the host writes some of them for every call.

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

/// One register.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Register {
    /// Unique name.
    pub name: String,
    /// Byte offset, a multiple of 4.
    pub offset: u32,
    /// Who uses it.
    pub access: Access,
    /// Whether every call writes it.
    pub per_call: bool,
    /// What it holds.
    pub summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    register: Vec<Register>,
}

/// Every register, by offset.
pub fn registers() -> &'static [Register] {
    &REGISTERS
}

/// Registers that the host writes for one call.
pub fn writes_per_call() -> u64 {
    REGISTERS
        .iter()
        .filter(|register| register.per_call)
        .count() as u64
}

// Part of the program, not input: the test below reads it.
static REGISTERS: LazyLock<Vec<Register>> = LazyLock::new(|| {
    let text = include_str!("../../../spec/rise/regs.toml");
    let file: File = toml::from_str(text).unwrap_or_else(|e| panic!("spec/rise/regs.toml: {e}"));
    file.register
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
            assert!(pair[0].offset < pair[1].offset, "{}", pair[1].name);
        }
        for register in registers() {
            assert_eq!(register.offset % 4, 0, "{}", register.name);
            assert!(!register.per_call || register.access == Access::Write);
        }
        assert!((1..registers().len() as u64).contains(&writes_per_call()));
    }
}
