//! `cargo fuzz run machine`: the reader of machine, link and host files.
//!
//! The smoke test is crates/spec/tests/refusals.rs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ringwright_spec::check(bytes));
