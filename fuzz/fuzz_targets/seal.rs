//! `cargo fuzz run seal`: every reader of SEAL's objects.
//!
//! The smoke test is crates/interop/tests/seal/damage.rs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ringwright_interop::seal::check(bytes));
