//! The control and status registers, `spec/rpu/regs.toml`.

use ringwright_spec::Registers;
use std::sync::LazyLock;

/// All of them.
pub static REGISTERS: LazyLock<Registers> =
    LazyLock::new(|| Registers::built_in("rpu", include_str!("../../../spec/rpu/regs.toml")));
