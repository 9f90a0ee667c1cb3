//! Writes what is generated from `spec/rpu/isa.toml` and `spec/rpu/commands.toml`.

use ringwright_target_rpu::{command, isa};
use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in isa::generated().into_iter().chain(command::generated()) {
        std::fs::write(root.join(file.path), file.text)?;
        println!("{}", file.path);
    }
    Ok(())
}
