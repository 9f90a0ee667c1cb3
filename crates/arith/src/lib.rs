//! Modular arithmetic on words of 30 to 127 bits: the scalar definition that everything above
//! (vector kernels, simulators, RTL test vectors) is compared with.
//!
//! | module | what |
//! |---|---|
//! | [`word`] | the closed set of machine words: `u32`, `u64`, `u128` |
//! | [`modulus`] | an odd modulus: add, sub, Barrett and Shoup multiplication, centring |
//! | [`montgomery`] | the same products in Montgomery form |
//! | [`primes`] | primality, NTT-friendly primes |
//! | [`roots`] | the smallest primitive 2N-th root of unity |
//! | [`ring_kind`] | the rings: their roots, points of evaluation and Galois elements |
//! | [`crt`] | exact reconstruction of centred integers from their residues |
//! | [`bits`] | bit reversal |
//! | [`choices`] | repeatable choices for tests and checkers |
//!
//! **Ranges.** A function without a suffix takes and returns fully reduced words, `[0, q)`; a
//! `_lazy` one documents its half-open range. Debug builds assert the ranges.
//!
//! **Constant time.** `add`, `sub`, `neg`, `double`, `mul`, `reduce`, `reduce_u128`, `shoup`,
//! `mul_shoup`, `mul_shoup_lazy`, `centred`, `from_i128` and all of [`Montgomery`] use no branch, no index and no division that
//! depends on their words: corrections are masks made from a borrow. `pow` is constant time in
//! its base, not in its exponent. Inversion, primes, roots and CRT are for public values, except
//! where their documentation says otherwise.

pub mod bits;
pub mod choices;
pub mod crt;
pub mod modulus;
pub mod montgomery;
pub mod primes;
pub mod ring_kind;
pub mod roots;
pub mod word;

pub use choices::Choices;
pub use crt::Crt;
pub use modulus::{Modulus, ModulusError, Shoup};
pub use montgomery::Montgomery;
pub use ring_kind::RingKind;
pub use word::Word;
