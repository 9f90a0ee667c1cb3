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
//! **Rotations with shared digits** are bound by what they read. Eight of them at 24 primes and 5
//! special ones of 60 bits, digits of 5, N = 2^16, read 1.2 GB of keys and 0.6 GB of digits: 90 ms at the
//! 20 GB/s that one thread of a Zen 4 gets. 609 transforms take 115 ms on warm towers, what divides by the
//! special primes 80 ms, and the sums hide behind the reading. On a shared Zen 4 (1 MiB of
//! second-level cache), other work beside it, AVX-512 with IFMA, one thread, least processor time in
//! milliseconds; the last line is the time of the sums of products alone, each at its least:
//!
//! | | 7 × 54 + 60 | 13 × 30 + 30 | 24 × 60 + 5 × 60 |
//! |---|---|---|---|
//! | 8 rotations, digits shared, each half alone | 58 | 117 | 680 |
//! | both halves in one pass, and the rest | 27 | 57 | 372 |
//! | sums of products | 29 to 12 | 67 to 30 | 278 to 91 |
//!
//! In order of what they gave there: what is fetched ahead goes into the second-level cache; halves share
//! a strand, so digits are read once (before, all first halves ran first, and the digits came from memory
//! twice); results are written where dropped ones were; strands of one prime follow each other, so
//! transforms find their tables (163 to 110 ms); permutations by registers.
//!
//! **Words of 32 bits** where all primes are below 2^30 (`width`): keys, digits and results are half as
//! long to read, transforms half as long to make on AVX2. 13 × 30 + 30 on a shared Intel processor of
//! family 6, model 167, one thread, smallest of 40 runs, in microseconds, by words of 64 and of 32 bits:
//!
//! | | avx512ifma, 64 | 32 | avx2, 64 | 32 |
//! |---|---|---|---|---|
//! | mul+relin | 8350 | 5660 | 13560 | 8390 |
//! | rotate | 8370 | 5470 | 13140 | 8020 |
//! | 8 rotations, digits shared | 45600 | 25100 | 53700 | 33200 |
//! | rescale | 800 | 590 | 1350 | 830 |
//! | encrypt | 1850 | 1680 | 2630 | 2220 |
//! | decrypt | 610 | 460 | 860 | 670 |
//!
//! On AVX2 the transforms of the 64-bit columns were of narrowed words already. Sums of products stay in
//! 64-bit lanes, fifteen products to a reduction; their words are widened as they are read.
//!
//! What is left: each rotation's division reads its tables anew, and digits come from memory once per
//! rotation; with all rotations of one prime in one strand they would come once.
//!
//! **Encryption** on two threads. A stream is serial, so what is drawn is one strand: at N = 2^14 in
//! 656 passes of Keccak (u needs 122 blocks, e0 and e1 656 each), 254 ns each with AVX-512, and as
//! long again for samples of blocks. Beside it another thread makes the message, which the
//! program is given late. Then u is transformed, a strand per prime, and each half has a strand per
//! prime. Before, three streams in three strands were two rounds of 656 blocks and one of 122, and
//! seven strands of three transforms on two threads twelve against nine, with encoding before all.

mod arguments;
mod device;
mod lower;
mod plan;
mod resources;
mod run;
mod scratch;
mod tables;
mod target;
mod threads;
mod width;

pub use device::{Cpu, Options, ThreadsError};
pub use target::CPU;
