//! Bodies of Keccak-f\[1600\], and the choice among them.

#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512keccak::Avx512Quad};
use crate::isa::Isa;
use crate::rounds::{States, STATE_WORDS};
use zeroize::Zeroizing;

/// A body and the proof that it may run.
#[derive(Clone, Copy, Debug)]
pub enum KeccakBody {
    /// One state after the other, by the crate `keccak`.
    Scalar,
    /// Four states.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2<u64>),
    /// Four states.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512Quad),
}

impl KeccakBody {
    /// The fastest body of `isa` or below.
    #[cfg(target_arch = "x86_64")]
    pub fn choose(isa: Isa) -> Self {
        if let Some(token) = Avx512Quad::new().filter(|_| isa >= Isa::Avx512) {
            return KeccakBody::Avx512(token);
        }
        if let Some(token) = Avx2::new().filter(|_| isa >= Isa::Avx2) {
            return KeccakBody::Avx2(token);
        }
        KeccakBody::Scalar
    }

    /// The fastest body of `isa` or below.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn choose(_: Isa) -> Self {
        KeccakBody::Scalar
    }

    /// Its instruction set.
    pub fn isa(self) -> Isa {
        match self {
            KeccakBody::Scalar => Isa::Scalar,
            #[cfg(target_arch = "x86_64")]
            KeccakBody::Avx2(_) => Isa::Avx2,
            #[cfg(target_arch = "x86_64")]
            KeccakBody::Avx512(_) => Isa::Avx512,
        }
    }

    /// Permutes the first `used` states.
    pub fn permute(self, states: &mut States, used: usize) {
        match self {
            #[cfg(target_arch = "x86_64")]
            KeccakBody::Avx512(token) if used > 0 => token.keccak(states),
            // One state alone takes less than a pass.
            #[cfg(target_arch = "x86_64")]
            KeccakBody::Avx2(token) if used > 1 => token.keccak(states),
            _ => (0..used).for_each(|state| permute_one(states, state)),
        }
    }
}

fn permute_one(states: &mut States, state: usize) {
    let mut words = Zeroizing::new([0; STATE_WORDS]);
    for (word, words_of_all) in words.iter_mut().zip(states.iter()) {
        *word = words_of_all[state];
    }
    keccak::f1600(&mut words);
    for (&word, words_of_all) in words.iter().zip(states.iter_mut()) {
        words_of_all[state] = word;
    }
}
