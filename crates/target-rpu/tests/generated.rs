//! What is generated from `spec/rpu/isa.toml` and `spec/rpu/commands.toml` and committed is what would be
//! generated now.

use ringwright_target_rpu::{command, isa};
use std::path::Path;

#[test]
fn committed_files_are_what_the_tables_give() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in isa::generated().into_iter().chain(command::generated()) {
        let committed = std::fs::read_to_string(root.join(file.path)).unwrap_or_default();
        assert!(
            committed == file.text,
            "{} is not what spec/rpu gives: \
             cargo run -p ringwright-target-rpu --example generate_isa",
            file.path
        );
    }
}
