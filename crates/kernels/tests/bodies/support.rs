//! What every test of a body needs: each instruction set in turn, and reproducible words.

use ringwright_arith::primes::ntt_primes;
use ringwright_arith::Word;
use ringwright_kernels::Isa;

/// Runs a check on every instruction set; those the machine lacks are named.
pub fn on_every_isa(mut check: impl FnMut(Isa)) {
    for isa in Isa::ALL {
        if isa.is_available() {
            check(isa);
        } else {
            println!("{isa}: skipped, this machine does not have it");
        }
    }
}

/// A reproducible stream of 128-bit words (a linear congruential generator whose halves are
/// folded together).
pub fn stream(seed: u64) -> impl FnMut() -> u128 {
    const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;
    let mut state = u128::from(seed);
    move || {
        state = state.wrapping_mul(MULTIPLIER).wrapping_add(MULTIPLIER);
        state ^ (state >> 64)
    }
}

/// n words below q.
pub fn words<W: Word>(q: W, n: usize, seed: u64) -> Vec<W> {
    let mut next = stream(seed);
    (0..n).map(|_| W::from_u128(next() % q.to_u128())).collect()
}

/// The largest prime of that many bits for transforms of 2^log_n words.
pub fn prime<W: Word>(bits: u32, log_n: u32) -> W {
    W::from_u128(ntt_primes(bits, log_n, 1).unwrap()[0])
}

/// The same words, in 32 or 64 bits.
pub fn stored<W: Word>(words: &[u64]) -> Vec<W> {
    let word = |&word: &u64| W::from_u128(word.into());
    words.iter().map(word).collect()
}
