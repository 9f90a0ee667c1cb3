//! NTT per tower beside `tfhe-ntt`, one thread; prints a JSON list of rows.
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

fn main() {
    let rows: Vec<Value> = PRIME_BITS
        .iter()
        .flat_map(|&bits| SIZES.map(move |log_n| (bits, log_n)))
        .flat_map(|(bits, log_n)| measure(bits, log_n))
        .collect();
    println!("{}", Value::Array(rows));
}

fn measure(bits: u32, log_n: u32) -> [Value; 2] {
    let q = ntt_primes(bits, LARGEST_LOG_N, 1).expect("a prime of every size exists")[0] as u64;
    let n = 1 << log_n;
    let plan = NttPlan::<u64>::new(log_n, q).expect("the prime fits the size");
    let peer = tfhe_ntt::prime64::Plan::try_new(n, q).expect("the peer takes the prime");
    let start: Vec<u64> = (0..n as u64).map(|i| (i * i + 7 * i + 3) % q).collect();
    let correct = is_correct(&plan, q, &start);

    let (mut a, mut b) = (start.clone(), start);
    let forward = rounds::paired(&mut || plan.forward(&mut a), &mut || peer.fwd(&mut b));
    let inverse = rounds::paired(&mut || plan.inverse(&mut a), &mut || {
        peer.inv(&mut b);
        peer.normalize(&mut b);
    });
    [("forward", forward), ("inverse", inverse)].map(|(direction, (ours, peer))| {
        json!({
            "name": format!("ntt {direction}"),
            "parameters": {"log_n": log_n, "bits": bits, "isa": Isa::detect().to_string(), "threads": 1},
            "ours_us": ours,
            "peers": {"tfhe-ntt": peer},
            "ratio_to_best": peer / ours,
            "correct": correct,
        })
    })
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
