//! `cargo fuzz run program_text`: the text form of both program dialects.
//!
//! The smoke test is in crates/ir/tests/text.rs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ringwright_ir::text::check(bytes));
