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
//! ```
//! use ringwright_ir::interpret::Interpreter;
//! use ringwright_schemes::ckks::{
//!     required_keys, Decryptor, Embedding, Encryptor, Evaluator, KeyGenerator, Parameters,
//!     ProgramBuilder,
//! };
//! use ringwright_target::Device;
//! use std::sync::Arc;
//!
//! let parameters = Parameters::preset("4096-2x30")?;
//! let mut builder = ProgramBuilder::new(&parameters, "square");
//! let x = builder.input("x", parameters.fresh(1.0, 0.5))?;
//! let square = builder.mul_rescale(x, x)?;
//! let program = builder.finish(&[square])?;
//!
//! let device: Arc<dyn Device> = Arc::new(Interpreter);
//! let generator = KeyGenerator::new(&parameters, device.clone());
//! let secret = Arc::new(generator.secret_key()?);
//! let public = generator.public_key(&secret)?;
//! let keys = generator.evaluation_keys(&secret, &required_keys(&program, &parameters))?;
//!
//! let embedding = Embedding::new(&parameters)?;
//! let message = embedding.encode_real(&[0.5, -0.25], parameters.scale(), parameters.levels())?;
//! let encrypted = Encryptor::new(&parameters, public, device.clone())?.encrypt(&message)?;
//! let prepared = Evaluator::new(&parameters, device.clone()).prepare(&program)?;
//! let result = prepared.run(&[encrypted], &keys)?.remove(0);
//!
//! let decrypted = Decryptor::new(&parameters, secret, device)?.decrypt(&result)?;
//! let values = embedding.decode_real(&decrypted)?;
//! assert!((values[0] - 0.25).abs() < 1e-2 && (values[1] - 0.0625).abs() < 1e-2);
//! # Ok::<(), ringwright_schemes::ckks::Error>(())
//! ```
//!
//! Reading order: [`Parameters`], [`Embedding`], [`programs`] (keys, encryption, decryption as
//! ring programs), [`ProgramBuilder`] (ciphertext programs with levels, scales and noise),
//! [`expand`] (ciphertext programs as ring programs), [`Evaluator`].

mod analysed;
mod analysis;
mod analyst;
mod ciphertext;
mod decryptor;
mod embedding;
mod encryptor;
mod error;
mod estimate;
mod evaluator;
mod expand;
mod explain;
mod flooding;
mod for_depth;
mod identity;
mod key_generator;
mod keys;
mod lineage;
mod literal;
mod lowered;
mod needed_keys;
mod noise;
mod on_device;
mod operations;
mod origins;
mod parameters;
mod plain_arguments;
mod plaintext;
mod presets;
mod program_builder;
pub mod programs;
mod residues;
mod rotation_steps;
mod seeds;
mod shared_results;
mod sharing;

pub use analysed::{Analysed, ErrorFlow, ResultErrors};
pub use analysis::{analyse, Known};
pub use ciphertext::{Ciphertext, Length};
pub use decryptor::Decryptor;
pub use embedding::Embedding;
pub use encryptor::Encryptor;
pub use error::Error;
pub use estimate::{same_scale, Estimate};
pub use evaluator::{Evaluator, OperationTime, Prepared, Traffic};
pub use expand::{expand, CallSite, Expanded, Input};
pub use explain::{explain, Explanation, Row};
pub use flooding::{Flooding, Sharing};
pub use for_depth::{DepthRequest, Fineness};
pub use identity::Identity;
pub use key_generator::KeyGenerator;
pub use keys::{Birth, EvaluationKeys, ExtendedPublicKey, PublicKey, SecretKey, SwitchingKey};
pub use lineage::Lineage;
pub use literal::{GivenPrimes, ParametersLiteral};
pub use needed_keys::required_keys;
pub use noise::NoiseModel;
pub use parameters::{Fit, ParameterError, Parameters, LOG_N};
pub use plaintext::{Plaintext, DEFAULT_BOUND};
pub use program_builder::{Plain, ProgramBuilder};
pub use rotation_steps::RotationSteps;
pub use shared_results::SharedResult;
pub use sharing::{Expected, ExpectedParts, Shared};
