//! Time of a Keccak pass on every instruction set.
//!
//! `cargo run --release -p ringwright-kernels --example keccak_time`: nanoseconds of a permutation of
//! one state and of four, smallest of many runs.

use ringwright_kernels::{Isa, Keccak, STATES, STATE_WORDS};
use std::hint::black_box;
use std::time::Instant;

const PASSES: u32 = 1000;
const RUNS: usize = 200;

fn main() {
    for isa in Isa::available() {
        let keccak = Keccak::with_isa(isa).expect("the machine has it");
        let mut states = [[1; STATES]; STATE_WORDS];
        let mut least = |used| {
            let run = |_| {
                let start = Instant::now();
                (0..PASSES).for_each(|_| keccak.permute(black_box(&mut states), used));
                start.elapsed() / PASSES
            };
            (0..RUNS).map(run).min().unwrap_or_default().as_nanos()
        };
        println!(
            "{isa:10} one {:5} ns  {STATES} {:5} ns",
            least(1),
            least(STATES)
        );
    }
}
