//! The control and status registers, from `spec/rpu/regs.toml`.

use serde::Deserialize;
use std::sync::LazyLock;

/// One register.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Register {
    /// Unique name.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// Whether every start of a program writes it.
    #[serde(default)]
    pub per_run: bool,
}

#[derive(Deserialize)]
struct File {
    register: Vec<Register>,
}

// The file is part of the program, not input: a test reads it.
static REGISTERS: LazyLock<Vec<Register>> = LazyLock::new(|| {
    let text = include_str!("../../../spec/rpu/regs.toml");
    let file: Result<File, _> = toml::from_str(text);
    file.unwrap_or_else(|error| panic!("spec/rpu/regs.toml: {error}"))
        .register
});

/// All of them, by offset.
pub fn registers() -> &'static [Register] {
    &REGISTERS
}
