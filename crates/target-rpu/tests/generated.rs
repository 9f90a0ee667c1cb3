//! What is generated from `spec/rpu/isa.toml` and committed is what would be generated now.

use ringwright_target_rpu::isa::generated;
use std::path::Path;

#[test]
fn committed_files_are_what_the_table_gives() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in generated() {
        let committed = std::fs::read_to_string(root.join(file.path)).unwrap_or_default();
        assert!(
            committed == file.text,
            "{} is not what spec/rpu/isa.toml gives: \
             cargo run -p ringwright-target-rpu --example generate_isa",
            file.path
        );
    }
}
