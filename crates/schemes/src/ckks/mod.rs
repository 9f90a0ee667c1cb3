//! CKKS: approximate arithmetic on encrypted vectors of real numbers.
//!
//! Cheon, Kim, Kim, Song, "Homomorphic Encryption for Arithmetic of Approximate Numbers"
//! (ASIACRYPT 2017) in its residue-number form (Cheon, Han, Kim, Kim, Song, SAC 2018): N/2 slots
//! are embedded into one integer polynomial of Z\[X\]/(X^N+1), times a scale, and encrypted under a
//! product of primes Q = q_0 … q_L. Rescaling drops the last prime and divides by it.
//!
//! Keys, encryption and decryption of encoded polynomials are those of every ring-LWE scheme
//! ([`crate::rlwe`]): public-key encryption under Q alone (SEAL-Embedded's and RACE's form: no
//! extended modulus), hybrid key switching. Here are encoding, scales, bounds of messages and noise.
//!
//! **Conventions.** Slot j is the value of the polynomial at ζ^(5^j), ζ = exp(iπ/N).
//!
//! ```
//! use ringwright_ir::interpret::Interpreter;
//! use ringwright_schemes::ckks::{
//!     Decryptor, Embedding, Encryptor, Evaluator, Parameters, ProgramBuilder,
//! };
//! use ringwright_schemes::rlwe::{required_keys, KeyGenerator};
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
//! let needed = required_keys(program.program(), &parameters);
//! let keys = generator.evaluation_keys(&secret, &needed)?;
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
//! Reading order: [`Parameters`], [`Embedding`], [`Estimate`] and [`analyse`] (what is known of a
//! ciphertext program's values), [`ProgramBuilder`] (programs, analysed as they grow), [`expand`]
//! (ciphertext programs as ring programs), [`Evaluator`].

mod analysed;
mod analysis;
mod analyst;
mod ciphertext;
mod client_only;
mod constants;
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
mod lineage;
mod literal;
mod message_fit;
mod noise;
mod operations;
mod origins;
mod parameters;
mod place;
mod plain_arguments;
mod plaintext;
mod presets;
mod program_builder;
mod rotation_steps;
mod sharing;
mod switcher;
mod symmetric_encryptor;

pub use analysed::{Analysed, ErrorFlow, Estimates, ResultErrors};
pub use analysis::{analyse, Known};
pub use ciphertext::{Ciphertext, Length};
pub use decryptor::Decryptor;
pub use embedding::Embedding;
pub use encryptor::Encryptor;
pub use error::Error;
pub use estimate::{same_scale, Estimate};
pub use evaluator::{Evaluator, OperationTime, Prepared, Profiled, Traffic};
pub use expand::{expand, expand_for, CallSite, Expanded, Input};
pub use explain::{explain, Explanation, Row};
pub use flooding::{Flooding, Sharing};
pub use for_depth::{DepthRequest, Fineness};
pub use lineage::Lineage;
pub use literal::{GivenPrimes, ParametersLiteral};
pub use noise::NoiseModel;
pub use operations::Hoisting;
pub use parameters::{Fit, ParameterError, Parameters};
pub use place::Place;
pub use plaintext::{Plaintext, DEFAULT_BOUND};
pub use program_builder::{Plain, ProgramBuilder};
pub use rotation_steps::RotationSteps;
pub use sharing::{Expected, ExpectedParts, Shared};
pub use switcher::Switcher;
pub use symmetric_encryptor::SymmetricEncryptor;
