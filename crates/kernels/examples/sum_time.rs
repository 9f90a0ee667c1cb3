//! Microseconds per product of two towers in sums of products, for every body and width, beside
//! chains of products that are reduced one by one:
//!
//! ```text
//! cargo run --release -p ringwright-kernels --example sum_time
//! ```
//!
//! The least of many rounds in turn, on one thread; `warm` operands fit the second-level cache,
//! `cold` second operands come from beyond it. A wrong answer prints `incorrect`.

use ringwright_arith::primes::ntt_primes;
use ringwright_kernels::{Factors, InnerProduct, Isa, Pointwise, Start};
use std::time::Instant;

const LOG_N: u32 = 14;
const N: usize = 1 << LOG_N;
/// Words of a block that stays in the cache.
const WARM: usize = 1 << 11;
/// Products in a sum.
const TERMS: usize = 7;
const ROUNDS: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for bits in [30, 50, 54, 60] {
        let q = ntt_primes(bits, LOG_N, 1)?[0] as u64;
        let towers = |first: u64| -> Vec<Vec<u64>> {
            let tower = |t: u64| (0..N as u64).map(move |i| (first + t) * 77777 * (i * i + 5) % q);
            (0..TERMS as u64).map(|t| tower(t).collect()).collect()
        };
        let (left, right) = (towers(1), towers(8));
        for isa in Isa::available() {
            let (chain, sum) = (
                Pointwise::with_isa(q, isa)?,
                InnerProduct::with_isa(q, isa)?,
            );
            for (name, length) in [("warm", WARM), ("cold", N)] {
                let pairs: Vec<Factors<1>> = left
                    .iter()
                    .zip(&right)
                    .map(|(x, y)| (&x[..length], [&y[..length]]))
                    .collect();
                let (mut chained, mut summed) = (vec![0; length], vec![0; length]);
                let mut least = [f64::INFINITY; 2];
                for _ in 0..ROUNDS {
                    let start = Instant::now();
                    chain.mul_into(&mut chained, pairs[0].0, pairs[0].1[0]);
                    for (x, [y]) in &pairs[1..] {
                        chain.mul_add_in_place(&mut chained, x, y);
                    }
                    let middle = Instant::now();
                    sum.sums([&mut summed], &pairs, Start::Zero);
                    let times = [middle - start, middle.elapsed()];
                    for (least, time) in least.iter_mut().zip(times) {
                        *least = least.min(time.as_secs_f64() * 1e6);
                    }
                }
                let per_tower = |time: f64| time / (TERMS * length) as f64 * N as f64;
                let [chain, sum] = least.map(per_tower);
                let figure = match chained == summed {
                    true => format!("{sum:6.2}"),
                    false => "incorrect".into(),
                };
                println!("{bits} bits {isa:<10} {name}: chain {chain:6.2}, sum {figure}");
            }
        }
    }
    Ok(())
}
