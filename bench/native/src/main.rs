//! NTT per tower beside `tfhe-ntt`, on one thread and on all cores; prints a JSON list of rows.
//!
//! No peer installs from crates.io for words of 128 bits: those rows have none. What several threads
//! can gain on this machine at best is the row `arithmetic alone`: products in registers, no memory.
//!
//! The answer of each transform is checked by multiplying two polynomials with it and evaluating
//! the negacyclic product's first coefficients from the definition.

mod rounds;

use ringwright_arith::primes::ntt_primes;
use ringwright_kernels::{KernelWord, NttPlan};
use serde_json::{json, Value};

const SIZES: std::ops::RangeInclusive<u32> = 12..=16;
const PRIME_BITS: [u32; 4] = [30, 50, 54, 60];
const WIDE_BITS: u32 = 120;
/// Peers need q = 1 mod 2N at every size: one prime serves all.
const LARGEST_LOG_N: u32 = 16;

/// Transforms that each of several threads does in a row, long against starting it.
const IN_A_ROW: usize = 32;
/// Products in a row of a thread that does nothing else.
const PRODUCTS: usize = 100_000;

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
        for log_n in SIZES {
            rows.extend(measure_wide(log_n, threads));
        }
        rows.push(arithmetic(threads));
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
    let correct = is_correct(&plan, &start);

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
    [("forward", forward), ("inverse", inverse)].map(|(direction, (ours, peer))| {
        let mut row = row(direction, &plan, bits, threads, ours, correct);
        row["peers"] = json!({"tfhe-ntt": per_tower(peer, threads)});
        row["ratio_to_best"] = json!(peer / ours);
        row
    })
}

/// The same with words of 128 bits, alone.
fn measure_wide(log_n: u32, threads: usize) -> [Value; 2] {
    let q = ntt_primes(WIDE_BITS, LARGEST_LOG_N, 1).expect("a prime of every size exists")[0];
    let plan = NttPlan::<u128>::new(log_n, q).expect("the prime fits the size");
    let start: Vec<u128> = (0..1 << log_n)
        .map(|i: u128| plan.modulus().pow(3, i))
        .collect();
    let correct = is_correct(&plan, &start);
    let mut towers = vec![start; threads];
    let (forward, _) = rounds::paired(
        &mut || in_parallel(&mut towers, |tower| plan.forward(tower)),
        &mut || (),
    );
    let (inverse, _) = rounds::paired(
        &mut || in_parallel(&mut towers, |tower| plan.inverse(tower)),
        &mut || (),
    );
    [("forward", forward), ("inverse", inverse)]
        .map(|(direction, ours)| row(direction, &plan, WIDE_BITS, threads, ours, correct))
}

/// Microseconds per thousand products on each thread.
fn arithmetic(threads: usize) -> Value {
    let multiply = |word: &mut u64| {
        *word = (0..PRODUCTS).fold(*word | 1, |product, _| {
            product.wrapping_mul(product) ^ 0x9e37_79b9_7f4a_7c15
        });
    };
    let mut words = vec![3; threads];
    let mut run = || match words.as_mut_slice() {
        [word] => multiply(word),
        words => std::thread::scope(|scope| {
            for word in words {
                scope.spawn(move || multiply(word));
            }
        }),
    };
    let (ours, _) = rounds::paired(&mut run, &mut || ());
    json!({
        "name": "arithmetic alone",
        "parameters": {"threads": threads},
        "ours_us": ours * 1e3 / (PRODUCTS * threads) as f64,
        "peers": {},
        "ratio_to_best": null,
        "correct": true,
    })
}

fn row<W: KernelWord>(
    direction: &str,
    plan: &NttPlan<W>,
    bits: u32,
    threads: usize,
    ours: f64,
    correct: bool,
) -> Value {
    json!({
        "name": format!("ntt {direction}"),
        "parameters": {
            "log_n": plan.log_n(),
            "bits": bits,
            "isa": plan.isa().to_string(),
            "threads": threads,
        },
        "ours_us": per_tower(ours, threads),
        "peers": {},
        "ratio_to_best": null,
        "correct": correct,
    })
}

/// Of one call of `in_parallel`, per tower.
fn per_tower(us: f64, threads: usize) -> f64 {
    if threads == 1 {
        us
    } else {
        us / (IN_A_ROW * threads) as f64
    }
}

/// Every tower on a thread of its own; one tower stays on this one, and is transformed once.
fn in_parallel<W: KernelWord>(towers: &mut [Vec<W>], transform: impl Fn(&mut [W]) + Sync) {
    if let [tower] = towers {
        return transform(tower);
    }
    let repeat = |tower: &mut Vec<W>| (0..IN_A_ROW).for_each(|_| transform(tower));
    std::thread::scope(|scope| {
        for tower in towers {
            scope.spawn(|| repeat(tower));
        }
    });
}

/// Whether transform, pointwise product and inverse give the negacyclic square.
fn is_correct<W: KernelWord>(plan: &NttPlan<W>, a: &[W]) -> bool {
    let q = plan.modulus();
    let mut square = a.to_vec();
    plan.forward(&mut square);
    square.iter_mut().for_each(|x| *x = q.mul(*x, *x));
    plan.inverse(&mut square);
    let n = a.len();
    [0, 1, n / 2, n - 1].iter().all(|&k| {
        let expected = (0..n).fold(W::ZERO, |sum, i| {
            let j = (k + n - i) % n;
            let term = q.mul(a[i], a[j]);
            if i + j >= n {
                q.sub(sum, term)
            } else {
                q.add(sum, term)
            }
        });
        square[k] == expected
    })
}
