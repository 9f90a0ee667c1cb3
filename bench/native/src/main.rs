//! NTT per tower beside `tfhe-ntt`, on one thread and on all cores; prints a JSON list of rows.
//!
//! At 30 bits both have a plan of 32-bit words: the peer's stands beside both of ours, that of
//! 64-bit words, which the rings here use, and that of 32 (`word_bits`). No peer installs from
//! crates.io for words of 128 bits: those rows have none. What several threads can gain on this
//! machine at best is the row `arithmetic alone`: products in registers, no memory.
//!
//! Towers start at a cache line, ours and the peers', as those of programs at work do.
//!
//! Every transform, ours and the peers', is checked by multiplying a polynomial with itself and
//! evaluating coefficients of the negacyclic square from the definition. A peer that fails is left
//! out.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Modulus;
use ringwright_kernels::{AlignedWords, KernelWord, NttPlan};
use ringwright_rounds::{least, Action};
use serde_json::{json, Map, Value};

const SIZES: std::ops::RangeInclusive<u32> = 12..=16;
const PRIME_BITS: [u32; 4] = [30, 50, 54, 60];
const NARROW_BITS: u32 = 30;
const WIDE_BITS: u32 = 120;
/// Peers need q = 1 mod 2N at every size: one prime serves all.
const LARGEST_LOG_N: u32 = 16;

/// Products in a row of the loop that does nothing else.
const PRODUCTS: usize = 10_000;

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
            rows.extend(measure_narrow(log_n, threads));
            rows.extend(measure_wide(log_n, threads));
        }
        rows.push(arithmetic(threads));
    }
    println!("{}", Value::Array(rows));
}

/// A thread's towers: ours, and the same for each plan of the peer.
struct Towers {
    ours: AlignedWords<u64>,
    theirs: AlignedWords<u64>,
    narrow: AlignedWords<u32>,
}

/// A library's transforms of its tower among a thread's.
struct Entry<'a, S> {
    name: &'static str,
    correct: bool,
    forward: Action<'a, S>,
    inverse: Action<'a, S>,
}

/// Forward and inverse: microseconds per tower, each thread on towers of its own.
fn measure(bits: u32, log_n: u32, threads: usize) -> [Value; 2] {
    let q = ntt_primes(bits, LARGEST_LOG_N, 1).expect("a prime of every size exists")[0] as u64;
    let n = 1 << log_n;
    let plan = NttPlan::<u64>::new(log_n, q).expect("the prime fits the size");
    let peer = tfhe_ntt::prime64::Plan::try_new(n, q).expect("the peer takes the prime");
    let narrow = u32::try_from(q).ok().map(|q| {
        let plan = tfhe_ntt::prime32::Plan::try_new(n, q).expect("the peer takes the prime");
        (plan, Modulus::new(q).expect("a prime is odd"))
    });
    let towers = || {
        let ours: Vec<u64> = (0..n as u64).map(|i| (i * i + 7 * i + 3) % q).collect();
        Towers {
            ours: AlignedWords::from(&ours[..]),
            theirs: AlignedWords::from(&ours[..]),
            narrow: AlignedWords::from(&ours.iter().map(|&x| x as u32).collect::<Vec<_>>()[..]),
        }
    };

    let sample = towers();
    let mut entries = vec![
        entry(
            "ours",
            (plan.modulus(), &sample.ours),
            |towers: &mut Towers| &mut towers.ours,
            |tower| plan.forward(tower),
            |tower| plan.inverse(tower),
        ),
        entry(
            "tfhe-ntt",
            (plan.modulus(), &sample.theirs),
            |towers| &mut towers.theirs,
            |tower| peer.fwd(tower),
            |tower| {
                peer.inv(tower);
                peer.normalize(tower);
            },
        ),
    ];
    if let Some((peer, modulus)) = &narrow {
        entries.push(narrow_peer(peer, (modulus, &sample.narrow), |towers| {
            &mut towers.narrow
        }));
    }
    let mut states: Vec<Towers> = (0..threads).map(|_| towers()).collect();
    rows(&plan, bits, &mut states, &entries)
}

/// The same with words of 32 bits.
fn measure_narrow(log_n: u32, threads: usize) -> [Value; 2] {
    let q = ntt_primes(NARROW_BITS, LARGEST_LOG_N, 1).expect("a prime exists")[0] as u32;
    let plan = NttPlan::<u32>::new(log_n, q).expect("the prime fits the size");
    let peer = tfhe_ntt::prime32::Plan::try_new(1 << log_n, q).expect("the peer takes the prime");
    let start: Vec<u32> = (0..1 << log_n)
        .map(|i: u128| plan.modulus().pow(3, i))
        .collect();
    let entries = [
        entry(
            "ours",
            (plan.modulus(), &start),
            |towers: &mut [AlignedWords<u32>; 2]| &mut towers[0],
            |tower| plan.forward(tower),
            |tower| plan.inverse(tower),
        ),
        narrow_peer(&peer, (plan.modulus(), &start), |towers| &mut towers[1]),
    ];
    let aligned = AlignedWords::from(&start[..]);
    let mut states = vec![[aligned.clone(), aligned]; threads];
    rows(&plan, NARROW_BITS, &mut states, &entries).map(|mut row| {
        row["parameters"]["word_bits"] = json!(u32::BITS);
        row
    })
}

fn narrow_peer<'a, S: 'a>(
    plan: &'a tfhe_ntt::prime32::Plan,
    sample: (&Modulus<u32>, &[u32]),
    tower: fn(&mut S) -> &mut AlignedWords<u32>,
) -> Entry<'a, S> {
    entry(
        "tfhe-ntt 32-bit words",
        sample,
        tower,
        |tower| plan.fwd(tower),
        |tower| {
            plan.inv(tower);
            plan.normalize(tower);
        },
    )
}

/// The same with words of 128 bits, alone.
fn measure_wide(log_n: u32, threads: usize) -> [Value; 2] {
    let q = ntt_primes(WIDE_BITS, LARGEST_LOG_N, 1).expect("a prime of every size exists")[0];
    let plan = NttPlan::<u128>::new(log_n, q).expect("the prime fits the size");
    let start: Vec<u128> = (0..1 << log_n)
        .map(|i: u128| plan.modulus().pow(3, i))
        .collect();
    let ours = entry(
        "ours",
        (plan.modulus(), &start),
        |tower: &mut AlignedWords<u128>| tower,
        |tower| plan.forward(tower),
        |tower| plan.inverse(tower),
    );
    let mut states = vec![AlignedWords::from(&start[..]); threads];
    let entries = [ours];
    rows(&plan, WIDE_BITS, &mut states, &entries)
}

/// Checks a library's transforms on a sample.
fn entry<'a, S: 'a, W: KernelWord>(
    name: &'static str,
    (modulus, sample): (&Modulus<W>, &[W]),
    tower: fn(&mut S) -> &mut AlignedWords<W>,
    forward: impl Fn(&mut [W]) + Sync + 'a,
    inverse: impl Fn(&mut [W]) + Sync + 'a,
) -> Entry<'a, S> {
    Entry {
        name,
        correct: squares(modulus, sample, &forward, &inverse),
        forward: Box::new(move |state| forward(tower(state))),
        inverse: Box::new(move |state| inverse(tower(state))),
    }
}

/// Whether transform, pointwise product and inverse give the negacyclic square.
fn squares<W: KernelWord>(
    q: &Modulus<W>,
    a: &[W],
    forward: impl Fn(&mut [W]),
    inverse: impl Fn(&mut [W]),
) -> bool {
    let mut square = a.to_vec();
    forward(&mut square);
    square.iter_mut().for_each(|x| *x = q.mul(*x, *x));
    inverse(&mut square);
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

/// Both directions, timed; ours is the first entry.
fn rows<S: Send, W: KernelWord>(
    plan: &NttPlan<W>,
    bits: u32,
    states: &mut [S],
    entries: &[Entry<S>],
) -> [Value; 2] {
    let threads = states.len();
    let forward: Vec<_> = entries.iter().map(|entry| &entry.forward).collect();
    let inverse: Vec<_> = entries.iter().map(|entry| &entry.inverse).collect();
    [("forward", forward), ("inverse", inverse)].map(|(direction, actions)| {
        let per_tower = least(states, &actions)
            .into_iter()
            .map(|us| us / threads as f64);
        let times: Vec<(&Entry<S>, f64)> = entries.iter().zip(per_tower).collect();
        let peers = || times[1..].iter().filter(|(peer, _)| peer.correct);
        let named: Map<String, Value> = peers()
            .map(|(peer, us)| (peer.name.into(), json!(us)))
            .collect();
        let (ours, us) = &times[0];
        let fastest = peers().map(|(_, us)| *us).reduce(f64::min);
        json!({
            "name": format!("ntt {direction}"),
            "parameters": {
                "log_n": plan.log_n(),
                "bits": bits,
                "isa": plan.isa().to_string(),
                "threads": threads,
            },
            "ours_us": us,
            "peers": named,
            "ratio_to_best": fastest.map(|peer| peer / us),
            "correct": ours.correct,
        })
    })
}

/// Microseconds per thousand products on each thread.
fn arithmetic(threads: usize) -> Value {
    let multiply: Action<u64> = Box::new(|word| {
        *word = (0..PRODUCTS).fold(*word | 1, |product, _| {
            product.wrapping_mul(product) ^ 0x9e37_79b9_7f4a_7c15
        });
    });
    let mut words = vec![3; threads];
    let us = least(&mut words, &[&multiply])[0];
    json!({
        "name": "arithmetic alone",
        "parameters": {"threads": threads},
        "ours_us": us * 1e3 / (PRODUCTS * threads) as f64,
        "peers": {},
        "ratio_to_best": null,
        "correct": true,
    })
}
