//! What is made from `spec/rpu/isa.toml` and committed: the RTL decoder and the tables of the book.
//!
//! `cargo run -p ringwright-target-rpu --example generate_isa` writes the files again; a test holds
//! that they are what this module makes.

mod documentation;
mod verilog;

/// A generated file: its path from the root of the repository, and its text.
pub struct Generated {
    /// The path.
    pub path: &'static str,
    /// The text.
    pub text: String,
}

/// Every generated file.
pub fn generated() -> Vec<Generated> {
    let file = |path, text| Generated { path, text };
    vec![
        file("hw/rpu/rtl/rpu_isa_pkg.sv", verilog::package()),
        file("hw/rpu/rtl/rpu_decoder.sv", verilog::decoder()),
        file(
            "docs/b512_instructions.md",
            documentation::tables_of_the_book(),
        ),
    ]
}
