//! NTT per tower beside `tfhe-ntt`, on one thread and on all cores; prints a JSON list of rows.
//!
//! The answer of each transform is checked by multiplying two polynomials with it and evaluating
//! the negacyclic product's first coefficients from the definition.

mod rounds;

use ringwright_arith::primes::ntt_primes;
use ringwright_kernels::{Isa, NttPlan};
use serde_json::{json, Value};

const SIZES: std::ops::RangeInclusive<u32> = 12..=16;
const PRIME_BITS: [u32; 4] = [30, 50, 54, 60];
/// Peers need q = 1 mod 2N at every size: one prime serves all.
const LARGEST_LOG_N: u32 = 16;

/// Transforms that a thread does in a row, long against starting it.
const IN_A_ROW: usize = 64;

fn main() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if cores > 1 { vec![1, cores] } else { vec![1] };
    let mut rows = Vec::new();
    for &threads in &threads {
        for bits in PRIME_BITS {
            for log_n in SIZES {
                rows.extend(measure(bits, log_n, threads));
            }
        }
    }
    println!("{}", Value::Array(rows));
}

/// Forward and inverse: microseconds per tower, each thread on towers of its own.
fn measure(bits: u32, log_n: u32, threads: usize) -> [Value; 2] {
    let q = ntt_primes(bits, LARGEST_LOG_N, 1).expect("a prime of every size exists")[0] as u64;
    let n = 1 << log_n;
    let plan = NttPlan::<u64>::new(log_n, q).expect("the prime fits the size");
    let peer = tfhe_ntt::prime64::Plan::try_new(n, q).expect("the peer takes the prime");
    let start: Vec<u64> = (0..n as u64).map(|i| (i * i + 7 * i + 3) % q).collect();
    let correct = is_correct(&plan, q, &start);

    let mut ours = vec![start.clone(); threads];
    let mut theirs = vec![start; threads];
    let forward = rounds::paired(
        &mut || in_parallel(&mut ours, |tower| plan.forward(tower)),
        &mut || in_parallel(&mut theirs, |tower| peer.fwd(tower)),
    );
    let inverse = rounds::paired(
        &mut || in_parallel(&mut ours, |tower| plan.inverse(tower)),
        &mut || {
            in_parallel(&mut theirs, |tower| {
                peer.inv(tower);
                peer.normalize(tower);
            });
        },
    );
    let per_tower = |us: f64| us / (IN_A_ROW * threads) as f64;
    [("forward", forward), ("inverse", inverse)].map(|(direction, (ours, peer))| {
        json!({
            "name": format!("ntt {direction}"),
            "parameters": {
                "log_n": log_n,
                "bits": bits,
                "isa": Isa::detect().to_string(),
                "threads": threads,
            },
            "ours_us": per_tower(ours),
            "peers": {"tfhe-ntt": per_tower(peer)},
            "ratio_to_best": peer / ours,
            "correct": correct,
        })
    })
}

/// Every tower on a thread of its own; one tower stays on this one.
fn in_parallel(towers: &mut [Vec<u64>], transform: impl Fn(&mut [u64]) + Sync) {
    let repeat = |tower: &mut Vec<u64>| (0..IN_A_ROW).for_each(|_| transform(tower));
    if let [tower] = towers {
        return repeat(tower);
    }
    std::thread::scope(|scope| {
        for tower in towers {
            scope.spawn(|| repeat(tower));
        }
    });
}

/// Whether transform, pointwise product and inverse give the negacyclic square.
fn is_correct(plan: &NttPlan<u64>, q: u64, a: &[u64]) -> bool {
    let mul = |x: u64, y: u64| (u128::from(x) * u128::from(y) % u128::from(q)) as u64;
    let mut square = a.to_vec();
    plan.forward(&mut square);
    square.iter_mut().for_each(|x| *x = mul(*x, *x));
    plan.inverse(&mut square);
    let n = a.len();
    [0, 1, n / 2, n - 1].iter().all(|&k| {
        let expected = (0..n).fold(0, |sum, i| {
            let j = (k + n - i) % n;
            let term = mul(a[i], a[j]);
            let signed = if i + j >= n { (q - term) % q } else { term };
            (sum + signed) % q
        });
        square[k] == expected
    })
}
