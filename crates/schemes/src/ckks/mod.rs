//! CKKS: approximate arithmetic on encrypted vectors of real numbers.
//!
//! Cheon, Kim, Kim, Song, "Homomorphic Encryption for Arithmetic of Approximate Numbers"
//! (ASIACRYPT 2017) in its residue-number form (Cheon, Han, Kim, Kim, Song, SAC 2018): N/2 slots
//! are embedded into one integer polynomial of Z\[X\]/(X^N+1), times a scale, and encrypted under a
//! product of primes Q = q_0 … q_L. Rescaling drops the last prime and divides by it.
//!
//! **What a key switch looks like.** Hybrid (Han, Ki, "Better Bootstrapping", CT-RSA 2020): digits
//! of `digit` towers, special primes P at least as large as the largest digit. Keys are held under
//! Q·P and serve every level.
//!
//! **Conventions.** Secrets are uniform ternary; errors are centred binomial with k = 21
//! (σ = √(21/2)); a fresh ciphertext is (b·u + e0 + m, a·u + e1) with the public key
//! (b, a) = (−a·s + e, a), all under Q alone (SEAL-Embedded's and RACE's form: no extended
//! modulus). Slot j is the value of the polynomial at ζ^(5^j), ζ = exp(iπ/N).
//!
//! Reading order: [`Parameters`], [`Embedding`], [`programs`] (keys, encryption, decryption as
//! ring programs), [`ProgramBuilder`] (ciphertext programs with levels, scales and noise),
//! [`expand`] (ciphertext programs as ring programs), [`Evaluator`].

mod ciphertext;
mod decryptor;
mod embedding;
mod encryptor;
mod error;
mod evaluator;
mod expand;
mod explain;
mod flood;
mod key_generator;
mod keys;
mod lowered;
mod noise;
mod operations;
mod parameters;
mod plaintext;
mod presets;
mod program_builder;
pub mod programs;
mod residues;
mod seeds;

pub use ciphertext::Ciphertext;
pub use decryptor::Decryptor;
pub use embedding::Embedding;
pub use encryptor::Encryptor;
pub use error::Error;
pub use evaluator::{Evaluator, Prepared};
pub use expand::{expand, required_keys, CallSite, Expanded, Input};
pub use explain::{explain, Explanation, Row};
pub use flood::{Flooding, Share};
pub use key_generator::KeyGenerator;
pub use keys::{EvaluationKeys, PublicKey, SecretKey, SwitchingKey};
pub use noise::NoiseModel;
pub use parameters::{Fit, ParameterError, Parameters, ParametersLiteral};
pub use plaintext::Plaintext;
pub use program_builder::ProgramBuilder;
