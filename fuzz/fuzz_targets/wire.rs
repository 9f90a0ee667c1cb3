//! `cargo fuzz run wire`: every reader of the wire format.
//!
//! The smoke test is crates/interop/tests/wire/damage.rs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ringwright_interop::wire::check(bytes));
