//! What OpenFHE's `Serialize(…, BINARY)` writes: ciphertexts, public keys, evaluation keys.
//!
//! OpenFHE writes with cereal: an object carries its whole crypto context, every shared object stands
//! where it occurs first and is a number later, and class names are spelt out. Nothing in it says how
//! long it is, and there is no checksum. What has a fixed form is the tower ([`towers`]):
//!
//! ```text
//! tower            00 00 00 40 01 · 4 zero, before the first one only · 8 N · 8 bytes a word · 8 prime
//! ciphertext       towers of c0, c1, … · at the end 4 slots · 4 level · 4 hops · 4 noise degree
//!                  · 8 scale (f64) · 8 integer scale · 4 encoding, 4 is CKKS · 4 metadata's number · 8 zero
//! public key       towers of b and a
//! evaluation key   all digits' a, then all digits' b, under Q and then P
//! rotation keys    evaluation keys, the automorphism's index in four bytes before each
//! ```
//! (OpenFHE 1.6, all numbers little-endian; found by comparing what `Serialize` writes for objects that
//! differ in one property, and checked against the library in tests/python/interop/test_openfhe_live.py.)
//!
//! So readers hold the beginning against how objects begin ([`opening`]), look for towers, hold their
//! number, order and primes against the parameters, and the end against what follows the last. Writers
//! take a **template**, an object of the same shape that OpenFHE wrote, and replace its words (a
//! ciphertext's scale too): what the words mean to OpenFHE, the context and the key's tag, is the
//! template's. A template needs no secret of anybody's: a throw-away key pair makes it.
//!
//! For parameters chosen here there is nothing to fill: [`whole`] writes objects with a context of our
//! own ([`context`]), as cereal writes them ([`archive`]).
//!
//! **What agrees.** Words: evaluation form, bit-reversed over the smallest primitive 2N-th root. Slots:
//! the value at ζ^(5^j). Hybrid key switching with digits of ⌈levels/dnum⌉ towers and any number of
//! special primes: `digit` and `p` of [`Parameters`]. Scales as doubles.
//!
//! **What does not.** OpenFHE switches keys first and permutes then, so its key for automorphism k is one
//! for σ_{1/k}(s), permuted. Readers apply σ_k to it, writers σ_{1/k}: (σ_k(b), σ_k(a)) is what we hold.
//!
//! **Absent.** BV key switching, composite scaling, extended encryption (public keys under P), 128-bit
//! words, BFV and BGV, OpenFHE's `PORTABLEBINARY` and JSON. Secret keys are neither read nor written.
//!
//! [`Parameters`]: ringwright_schemes::ckks::Parameters

mod archive;
mod check;
mod ciphertext;
mod context;
mod keys;
mod opening;
mod parameters;
mod towers;
pub mod whole;

use crate::foreign::Library;

pub use check::{check, check_parameters};
pub use ciphertext::{read_ciphertext, write_ciphertext};
pub use keys::{
    read_public_key, read_relinearisation_key, read_rotation_keys, write_public_key,
    write_relinearisation_key, write_rotation_keys,
};
pub use parameters::read_parameters;

const LIBRARY: Library = Library::OpenFhe;
