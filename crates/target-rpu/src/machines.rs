//! The machines of this target, until the list of shipped machines has them.

use ringwright_spec::{Machine, SpecError};

/// Reads one of `machines/rpu/`.
pub fn load(name: &str) -> Result<Machine, SpecError> {
    let text = match name {
        "rpu-128x128" => include_str!("../../../machines/rpu/rpu-128x128.toml"),
        "rpu-128x128-freeports" => include_str!("../../../machines/rpu/rpu-128x128-freeports.toml"),
        "rpu-128x128-modulo" => include_str!("../../../machines/rpu/rpu-128x128-modulo.toml"),
        "rpu-8x8" => include_str!("../../../machines/rpu/rpu-8x8.toml"),
        "trebuchet-v1" => include_str!("../../../machines/rpu/trebuchet-v1.toml"),
        "trebuchet-v2" => include_str!("../../../machines/rpu/trebuchet-v2.toml"),
        _ => return Machine::load(name),
    };
    Machine::parse(name, text)
}
