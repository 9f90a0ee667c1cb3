//! `cargo fuzz run b512`: the RPU's programs as text and as words.
//!
//! The smoke test is crates/target-rpu/tests/text.rs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ringwright_target_rpu::isa::check(bytes));
