//! Microseconds per transform for every body, size and width, after checking the answers:
//!
//! ```text
//! cargo run --release -p ringwright-kernels --example ntt_time
//! ```
//!
//! The least of many batches on one thread. A wrong answer prints `incorrect` where the time
//! would be. Nothing here is a test: times are for reading, `bench/` compares with peers.

use ringwright_arith::primes::ntt_primes;
use ringwright_kernels::{EmbeddingPlan, Isa, KernelWord, NttPlan, PlanError, MAX_LOG_N};
use std::time::{Duration, Instant};

const SIZES: [u32; 6] = [10, 12, 13, 14, 15, 16];
/// Time given to each figure.
const PATIENCE: Duration = Duration::from_millis(100);

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    transforms::<u32>("u32", &[30])?;
    transforms::<u64>("u64", &[30, 50, 54, 60])?;
    transforms::<u128>("u128", &[120])?;
    embeddings()?;
    Ok(())
}

fn transforms<W: KernelWord>(word: &str, widths: &[u32]) -> Outcome {
    for &bits in widths {
        let q = W::from_u128(ntt_primes(bits, MAX_LOG_N, 1)?[0]);
        for isa in Isa::available() {
            for log_n in SIZES {
                let plan = NttPlan::with_isa(log_n, q, isa)?;
                if plan.isa() == isa {
                    print!("{word} {bits:>3} bits {isa:<10} 2^{log_n:<2} ");
                    time_transform(&plan)?;
                }
            }
        }
    }
    Ok(())
}

fn time_transform<W: KernelWord>(plan: &NttPlan<W>) -> Result<(), PlanError> {
    let q = plan.modulus();
    let input: Vec<W> = (0..plan.n() as u128)
        .map(|i| q.pow(q.reduce(W::from_u128(3)), i))
        .collect();
    let mut words = input.clone();
    plan.forward(&mut words);
    let mut expected = input.clone();
    NttPlan::with_isa(plan.log_n(), q.value(), Isa::Scalar)?.forward(&mut expected);
    let forward_right = words == expected;
    plan.inverse(&mut words);
    let inverse_right = words == input;
    let forward = least_time(|| plan.forward(&mut words));
    let inverse = least_time(|| plan.inverse(&mut words));
    println!(
        "forward {}  inverse {}",
        figure(forward, forward_right),
        figure(inverse, inverse_right)
    );
    Ok(())
}

fn embeddings() -> Outcome {
    for isa in Isa::available() {
        for log_n in SIZES {
            let plan = EmbeddingPlan::with_isa(log_n, isa)?;
            if plan.isa() != isa {
                continue;
            }
            let input: Vec<f64> = (0..plan.slots()).map(|i| (i as f64).sin()).collect();
            let (mut re, mut im) = (input.clone(), input.clone());
            plan.inverse(&mut re, &mut im);
            plan.forward(&mut re, &mut im);
            let close = |x: &[f64]| x.iter().zip(&input).all(|(x, y)| (x - y).abs() < 1e-12);
            let right = close(&re) && close(&im);
            // Back and forth, so that the numbers neither grow nor vanish.
            let time = least_time(|| {
                plan.inverse(&mut re, &mut im);
                plan.forward(&mut re, &mut im);
            });
            println!(
                "embedding    {isa:<10} 2^{log_n:<2} inverse and forward {}",
                figure(time, right)
            );
        }
    }
    Ok(())
}

/// The least time per call over batches of about 2 microseconds.
fn least_time(mut call: impl FnMut()) -> Duration {
    let start = Instant::now();
    call();
    let once = start.elapsed().as_nanos().max(1);
    let batch = (2_000 / once).clamp(1, 1000) as u32;
    let start = Instant::now();
    let mut least = Duration::MAX;
    while start.elapsed() < PATIENCE {
        let start = Instant::now();
        for _ in 0..batch {
            call();
        }
        least = least.min(start.elapsed() / batch);
    }
    least
}

fn figure(time: Duration, right: bool) -> String {
    if right {
        format!("{:9.2} us", time.as_nanos() as f64 / 1e3)
    } else {
        "   incorrect".to_owned()
    }
}
