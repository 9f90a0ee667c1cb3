//! Prints `spec/rise/write_buffers.toml`:
//! `cargo run --release -p ringwright-target-rise --example write_buffers > spec/rise/write_buffers.toml`

use ringwright_arith::primes::ntt_primes;
use ringwright_spec::Machine;
use ringwright_target_rise::shape::Shape;
use ringwright_target_rise::twiddles::Constants;
use ringwright_target_rise::{write_buffers, Config};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "# Smallest depth of the write buffers with which both transforms run, measured by the"
    );
    println!("# simulator: cargo run --release -p ringwright-target-rise --example write_buffers");
    let config = Config::new(&Machine::load("race")?)?;
    for log_p in 0..=5u32 {
        for bfu_latency in 2..=14 {
            for log_batches in [0, 4] {
                let config = Config {
                    log_p,
                    bfu_latency,
                    log_batches,
                    ..config.clone()
                };
                let first = (log_p + 3).max(5);
                let depths: Result<Vec<usize>, Box<dyn Error>> =
                    (first..=14).map(|log_n| depth(&config, log_n)).collect();
                println!(
                    "\n[[row]]\nbfus = {}\nbfu_latency = {bfu_latency}",
                    config.bfus()
                );
                println!("twiddle_batches = {}", config.twiddle_batches());
                println!("first_log_n = {first}\ndepths = {:?}", depths?);
            }
        }
    }
    Ok(())
}

fn depth(config: &Config, log_n: u32) -> Result<usize, Box<dyn Error>> {
    let shape = Shape {
        log_n,
        log_p: config.log_p,
    };
    let q = ntt_primes(config.word_bits, log_n, 1)?[0] as u64;
    let constants = Constants::new(log_n, q)?;
    Ok(write_buffers::smallest(config, shape, &constants)?)
}
