//! The control and status registers, `spec/rise/regs.toml`.

use ringwright_spec::Registers;
use std::sync::LazyLock;

/// All of them.
pub static REGISTERS: LazyLock<Registers> =
    LazyLock::new(|| Registers::built_in("rise", include_str!("../../../spec/rise/regs.toml")));
