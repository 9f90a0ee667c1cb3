//! Writes what is generated from `spec/rpu/isa.toml`.

use ringwright_target_rpu::isa::generated;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in generated() {
        std::fs::write(root.join(file.path), file.text)?;
        println!("{}", file.path);
    }
    Ok(())
}
