//! The control and status registers of a device, as `spec/<target>/regs.toml` lists them.
//!
//! Register block, C header and the book's table are generated from the same file
//! (`scripts/registers.py`). A simulator needs how many registers the host writes, and for a run
//! beside the RTL also their offsets and fields.

use serde::Deserialize;

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

/// All registers of a device, and its windows. What else is in the file names the block for those who
/// generate it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Registers {
    /// By offset.
    pub register: Vec<Register>,
    /// By offset.
    #[serde(default)]
    pub window: Vec<Window>,
}

impl Registers {
    /// Reads the file of a device, which is part of the program and no input.
    pub fn built_in(device: &str, text: &str) -> Self {
        toml::from_str(text).unwrap_or_else(|error| panic!("spec/{device}/regs.toml: {error}"))
    }

    /// The register of a name; panics where there is none, as do all that are asked by name here.
    pub fn register(&self, name: &str) -> &Register {
        let found = self.register.iter().find(|register| register.name == name);
        found.unwrap_or_else(|| unknown(name))
    }

    /// The window of a name.
    pub fn window(&self, name: &str) -> &Window {
        let found = self.window.iter().find(|window| window.name == name);
        found.unwrap_or_else(|| unknown(name))
    }

    /// Registers that the host writes for one call.
    pub fn writes_per_call(&self) -> u64 {
        let per_call = self.register.iter().filter(|register| register.per_call);
        per_call.map(|register| u64::from(register.count)).sum()
    }

    /// Registers that the host writes for one run of a program.
    pub fn writes_per_run(&self) -> u64 {
        let per_run = self.register.iter().filter(|register| register.per_run);
        per_run.map(|register| u64::from(register.count)).sum()
    }
}

impl Register {
    /// The field of a name.
    pub fn field(&self, name: &str) -> &Field {
        let found = self.field.iter().find(|field| field.name == name);
        found.unwrap_or_else(|| unknown(name))
    }
}

impl Field {
    /// A value where the field has it in its register.
    pub fn placed(&self, value: u32) -> u32 {
        value << self.bits[1]
    }

    /// The value of a name.
    pub fn named(&self, name: &str) -> u32 {
        let found = self.values.iter().find(|value| value.name == name);
        found.map_or_else(|| unknown(name), |value| value.value)
    }
}

/// Who asks is part of the program, and so is the file: the two are held together by tests.
fn unknown<T>(name: &str) -> T {
    unreachable!("no register, window, field or value is called {name}")
}

fn one() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn registers_are_apart_and_what_is_written_often_is_written() {
        for (device, text) in [
            ("medha", include_str!("../../../spec/medha/regs.toml")),
            ("rise", include_str!("../../../spec/rise/regs.toml")),
            ("rpu", include_str!("../../../spec/rpu/regs.toml")),
        ] {
            let registers = Registers::built_in(device, text);
            let all = &registers.register;
            let names: BTreeSet<&str> = all.iter().map(|r| r.name.as_str()).collect();
            assert_eq!(names.len(), all.len());
            for pair in all.windows(2) {
                let end = pair[0].offset + 4 * pair[0].count;
                assert!(end <= pair[1].offset, "{device}: {}", pair[1].name);
            }
            for register in all {
                assert_eq!(register.offset % 4, 0, "{device}: {}", register.name);
                let often = register.per_call || register.per_run;
                assert!(!often || register.access == Access::Write);
            }
            assert!((1..all.len() as u64).contains(&registers.writes_per_run()));
        }
    }
}
