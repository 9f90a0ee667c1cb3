//! How fast a verilated design is stepped with its records compared: cycles a second, wall clock.
//!
//! `cargo run --release -p ringwright-lockstep --example speed -- FOLDER/lockstep_fifo.so`

use ringwright_lockstep::{Lockstep, Record, Rtl, Side};
use std::path::Path;
use std::time::Instant;

const CYCLES: u64 = 2_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give the library")?;
    let mut run = Lockstep::new(0, "");
    let mut rtl = Rtl::load(Path::new(&path), 0, &mut run)?;
    let (push, pop) = (run.probe("fifo", "push"), run.probe("fifo", "pop"));
    let start = Instant::now();
    for _ in 0..CYCLES {
        // A word in and a word out every cycle.
        let cycle = rtl.cycle();
        let word = cycle.0 as u32;
        rtl.step(&[word, 0b11, 0], &mut run)?;
        let both = [(push, word), (pop, word.wrapping_sub(1))];
        for (probe, value) in both.into_iter().take(if cycle.0 == 0 { 1 } else { 2 }) {
            let record = Record {
                cycle,
                probe,
                destination: u64::from(cycle.0 > 0),
                value: u128::from(value),
            };
            run.record(Side::Model, record)?;
        }
        run.complete(Side::Model, cycle)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let records = run.finish()?;
    println!(
        "{:.2} M cycles/s, {:.2} M records/s (measured)",
        CYCLES as f64 / seconds / 1e6,
        records as f64 / seconds / 1e6
    );
    Ok(())
}
