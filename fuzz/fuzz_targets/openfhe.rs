//! `cargo fuzz run openfhe`: every reader of OpenFHE's objects.
//!
//! The smoke test is crates/interop/tests/openfhe/damage.rs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ringwright_interop::openfhe::check(bytes));
