//! `cargo fuzz run rpu_machine`: programs of the RPU, right and spoilt, on machines of every kind.
//!
//! The smoke test is in crates/target-rpu/tests/random_programs.rs.

#![no_main]

use ringwright_spec::Machine;
use ringwright_target_rpu::{random, Config};
use std::sync::LazyLock;

static SMALL: LazyLock<Config> = LazyLock::new(|| {
    let machine = Machine::load("rpu-8x8").expect("it ships");
    Config::new(&machine).expect("sound")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| random::check(&SMALL, bytes));
