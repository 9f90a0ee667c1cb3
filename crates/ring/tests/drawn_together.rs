//! Streams that are drawn together, against the definition read from another implementation of
//! SHAKE-256, on every instruction set, for numbers of coefficients around the ends of blocks.

use ringwright_arith::Modulus;
use ringwright_kernels::{Isa, Keccak};
use ringwright_ring::sampler::{draw, Draw, Xof};
use ringwright_ring::shake::BLOCK_BYTES;
use ringwright_ring::Seed;
use sha3::digest::{ExtendableOutput, Update, XofReader};

const SEED: [u8; 32] = [0x3c; 32];
/// Samples of 42 bits in a block.
const SAMPLES: usize = 25;

#[derive(Clone, Copy)]
enum Kind {
    Ternary,
    Binomial,
}

fn bytes(name: &str, length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    sha3::Shake256::default()
        .chain(SEED)
        .chain([name.len() as u8])
        .chain(name)
        .chain(0u16.to_le_bytes())
        .finalize_xof()
        .read(&mut output);
    output
}

fn expected(kind: Kind, name: &str, n: usize) -> Vec<i8> {
    match kind {
        Kind::Ternary => {
            let accepted = bytes(name, 2 * n + 64).into_iter().filter(|&b| b != 255);
            accepted.map(|b| (b % 3) as i8 - 1).take(n).collect()
        }
        Kind::Binomial => {
            let bytes = bytes(name, n.div_ceil(SAMPLES) * BLOCK_BYTES);
            let sample = |i: usize| {
                let block = &bytes[i / SAMPLES * BLOCK_BYTES..];
                let bit = |k: usize| (block[k / 8] >> (k % 8) & 1) as i8;
                let weight = |from: usize| (from..from + 21).map(bit).sum::<i8>();
                weight(i % SAMPLES * 42) - weight(i % SAMPLES * 42 + 21)
            };
            (0..n).map(sample).collect()
        }
    }
}

/// Draws streams of these kinds and lengths together and compares each.
fn check(streams: &[(Kind, usize)], isa: Isa) {
    let keccak = Keccak::with_isa(isa).unwrap();
    let name = |index: usize| format!("stream {index}");
    let mut found: Vec<Vec<i8>> = streams.iter().map(|&(_, n)| vec![99; n]).collect();
    let draws = found.iter_mut().zip(streams).enumerate();
    let draws = draws.map(|(index, (out, (kind, _)))| {
        let xof = Xof::new(&Seed::from_bytes(SEED), &name(index), 0).unwrap();
        match kind {
            Kind::Ternary => Draw::ternary(xof, out),
            Kind::Binomial => Draw::binomial21(xof, out),
        }
    });
    draw(&keccak, draws.collect());
    for (index, (&(kind, n), found)) in streams.iter().zip(&found).enumerate() {
        let expected = expected(kind, &name(index), n);
        assert!(*found == expected, "{isa}, stream {index} of {n}");
    }
}

fn on_every_isa(check: impl Fn(Isa)) {
    for isa in Isa::ALL {
        match isa.is_available() {
            true => check(isa),
            false => println!("{isa}: skipped, this machine does not have it"),
        }
    }
}

#[test]
fn streams_of_lengths_around_blocks() {
    on_every_isa(|isa| {
        for n in [
            0, 1, 24, 25, 26, 49, 50, 51, 70, 71, 72, 73, 135, 136, 137, 1000,
        ] {
            for kind in [Kind::Ternary, Kind::Binomial] {
                check(&[(kind, n)], isa);
                check(&[(kind, n), (Kind::Binomial, 26), (kind, n + 1)], isa);
            }
        }
    });
}

#[test]
fn more_streams_than_lie_side_by_side() {
    on_every_isa(|isa| {
        for count in 0..10 {
            let kind = |i| [Kind::Binomial, Kind::Ternary, Kind::Binomial][i % 3];
            let streams: Vec<_> = (0..count).map(|i| (kind(i), 40 * i + 7)).collect();
            check(&streams, isa);
        }
    });
}

/// What an encryption draws.
#[test]
fn a_ternary_and_two_binomial_streams_of_one_length() {
    on_every_isa(|isa| {
        for log_n in [4, 10, 14] {
            let n = 1 << log_n;
            let streams = [Kind::Ternary, Kind::Binomial, Kind::Binomial].map(|kind| (kind, n));
            check(&streams, isa);
        }
    });
}

fn residues(name: &str, q: u64, n: usize) -> Vec<u64> {
    let bits = u64::BITS - q.leading_zeros();
    let width = if bits < 32 { 4 } else { 8 };
    let bytes = bytes(name, (3 * n + 64) * width);
    let word = |bytes: &[u8]| {
        let number = bytes.iter().rev();
        number.fold(0u64, |word, &byte| word << 8 | u64::from(byte)) & (u64::MAX >> (64 - bits))
    };
    let below = bytes.chunks(width).map(word).filter(|&word| word < q);
    below.take(n).collect()
}

/// Streams of residues end each at its own time, beside one of integers.
#[test]
fn residues_beside_integers() {
    let primes = [
        (1 << 30) - 35,
        (1 << 31) - 1,
        (1 << 50) - 27,
        (1u64 << 61) - 1,
        97,
    ];
    on_every_isa(|isa| {
        for n in [1, 16, 17, 34, 35, 500] {
            let mut found = vec![vec![0u64; n]; primes.len()];
            let mut small = vec![0; n];
            let xof = |name: &str| Xof::new(&Seed::from_bytes(SEED), name, 0).unwrap();
            let mut draws = vec![Draw::binomial21(xof("e"), &mut small)];
            for (out, q) in found.iter_mut().zip(primes) {
                let modulus = Modulus::new(q).unwrap();
                draws.push(Draw::uniform(xof(&format!("q {q}")), &modulus, out));
            }
            draw(&Keccak::with_isa(isa).unwrap(), draws);
            assert_eq!(small, expected(Kind::Binomial, "e", n), "{isa}");
            for (found, q) in found.iter().zip(primes) {
                assert_eq!(*found, residues(&format!("q {q}"), q, n), "{isa}, {q}");
            }
        }
    });
}
