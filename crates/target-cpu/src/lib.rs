//! The CPU at hand as a target.
//!
//! A program is lowered once and run many times, bit-exact with the reference interpreter. Reading
//! order: `plan` (what a program becomes), `lower` (how), `run` (what happens then), [`Cpu`] (what
//! programs share), [`CPU`] (the record).
//!
//! # Bounds, and the distance to them
//!
//! For a ciphertext of L towers and one special prime, digits of one tower:
//!
//! | kernel | transforms | products of two towers | key words |
//! |---|---|---|---|
//! | mul+relin | L² + 3L + 2 | 2L(L+1) + 4L | 2L(L+1) N |
//! | rotate | L² + 3L + 2 | 2L(L+1) | 2L(L+1) N |
//! | rescale | 2 + 2(L-1) | - | - |
//! | encrypt | 3L | 2L | 2L N |
//! | decrypt | L | L | - |
//!
//! A transform is N/2 · log2 N butterflies of one Shoup product. No transform is spent on a digit
//! under its own prime, so these are the least without hoisting. A key word is read once per run
//! and never again, so 8 bytes of it come from memory: 14.7 MB per key switch at L = 7 and
//! 47.7 MB at L = 13.
//!
//! *Kernels alone* adds up the times of the kernels on warm towers (50 us per 54-bit transform,
//! 23 us per 30-bit one, 10.6 and 5.8 us per product added, 6 us per centred reduction). Measured
//! 2026-11 at N = 2^14 with `examples/ckks_kernels.rs` on a shared 2-core Sapphire Rapids VM,
//! smallest of 40 runs, in microseconds; the peers (one thread) on the same kind of machine, at
//! another time:
//!
//! | 7 × 54 + 60 | kernels alone | 1 thread | 2 threads | SEAL+HEXL | SEAL | OpenFHE |
//! |---|---|---|---|---|---|---|
//! | mul+relin | 5600 | 7200 | 4200 | 11417 | 18845 | 26514 |
//! | rotate | 5300 | 7300 | 3900 | 11042 | 17720 | 25450 |
//! | rescale | 850 | 1010 | 770 | 1843 | 3201 | 3252 |
//! | encrypt (peers: with encoding) | 1300 | 2240 | 1610 | 7929 | 12780 | 12644 |
//! | decrypt (peers: with decoding) | 410 | 620 | 580 | 6918 | 7195 | 20396 |
//!
//! | 13 × 30 + 30 | kernels alone | 1 thread | 2 threads |
//! |---|---|---|---|
//! | mul+relin | 8600 | 17700 | 9000 |
//! | rotate | 8300 | 17600 | 8900 |
//! | rescale | 850 | 1390 | 930 |
//! | encrypt | 1200 | 2650 | 1820 |
//! | decrypt | 390 | 890 | 690 |
//!
//! These were taken before products of a sum were reduced together, so their *kernels alone* are
//! those of products one by one.
//!
//! On a shared AMD Zen 3 (AVX2, 512 KiB of second-level cache, 15 GB/s from memory), one thread,
//! least processor time of several rounds, in microseconds, with products reduced one by one
//! and together. A 54-bit product of 2^14 words then takes 22 and 8.6 us on warm towers (17 of 34
//! instructions a register: 12 of the product, 37 of a reduction by seven); a transform takes most
//! of the rest, 72 of them in a key switch:
//!
//! | 7 × 54 + 60 | one by one | together | and quicker transforms |
//! |---|---|---|---|
//! | mul+relin | 15130 | 12970 | 9090 |
//! | rotate | 15200 | 13550 | 8930 |
//! | 8 rotations, digits shared | 69600 | 53600 | 40600 |
//! | rescale | 2360 | 2360 | 1500 |
//! | encrypt | 4700 | 4660 | |
//! | decrypt | 1240 | 1245 | |
//!
//! The last column is of `ringwright bench peers`, a transform taking 77 us instead of 134; two
//! threads there gain 1.88, 1.92, 2.11 and 2.02.
//!
//! What is left: a key switch is transforms (72 of them, 60 % of its time there). Rotations with
//! shared digits read 118 MB of keys, 7.7 ms from memory at best, and each digit twice, once per
//! half of the key; one pass over both halves would permute and cut it once. At 30 bits words half
//! as wide would halve the wait for keys. Encryption spends an eighth of its time drawing noise,
//! in three strands, and then has one strand per prime: seven primes on two threads are four
//! against three.

mod arguments;
mod device;
mod lower;
mod plan;
mod resources;
mod results;
mod run;
mod scratch;
mod tables;
mod target;
mod threads;
mod transform;

pub use device::{Cpu, Options, ThreadsError};
pub use target::CPU;
