//! What every scheme over ring-LWE has: a ring with its primes, keys, and polynomials encrypted
//! under them.
//!
//! A message is here a polynomial that somebody encoded; what it stands for, how large it is and how
//! much noise it carries is the business of the scheme above. A ring knows of its scheme one word,
//! with which fingerprints, streams and names of programs begin, so that nothing made for one scheme
//! goes with another.
//!
//! **Conventions.** Secrets are uniform ternary; errors are centred binomial with k = 21
//! (σ = √(21/2)). A public key is (b, a) = (−a·s + e, a) under Q alone, an encryption with it
//! (b·u + e0 + m, a·u + e1), one with the secret key (−a·s + e + m, a). Every a is drawn from a seed
//! that may be published ([`PublicSeed`]). Switching keys are hybrid (Han, Ki, "Better Bootstrapping", CT-RSA
//! 2020): digits of some towers, special primes at least as large as the largest digit.
//!
//! **Shapes.** A switching key covers the first of the ciphertext primes, all or fewer
//! ([`KeyShape`]): one that serves low levels only is smaller.
//!
//! Reading order: [`Ring`], [`programs`] (keys, encryption, decryption, switching as ring programs),
//! [`SecretKey`] and the keys made from it, [`KeyGenerator`], [`Encryptor`], [`Decryptor`],
//! [`Switcher`].

mod decryptor;
mod encryptor;
mod error;
mod evaluation_keys;
mod free_memory;
mod identity;
mod key_generator;
mod key_shape;
mod key_store;
mod lowered;
mod needed_keys;
mod on_device;
pub mod programs;
mod public_key;
mod public_seed;
mod residues;
mod ring;
mod secret_key;
mod seeds;
mod shared_results;
mod switcher;
mod symmetric_encryptor;
pub(crate) mod towers;

pub use decryptor::Decryptor;
pub use encryptor::Encryptor;
pub use error::Error;
pub use evaluation_keys::{EvaluationKeys, SwitchingKey};
pub use identity::Identity;
pub use key_generator::KeyGenerator;
pub use key_shape::KeyShape;
pub use key_store::KeyStore;
pub use needed_keys::{required_keys, required_shapes};
pub use public_key::{ExtendedPublicKey, PublicKey};
pub use public_seed::PublicSeed;
pub use ring::{Moduli, Ring, RingError, RingKind, RingLiteral, LOG_N, PRIME_BITS};
pub use secret_key::{Birth, SecretKey};
pub use shared_results::SharedResult;
pub use switcher::Switcher;
pub use symmetric_encryptor::SymmetricEncryptor;

pub(crate) use lowered::{polys, run_for, Lowered};
pub(crate) use needed_keys::{galois_of, keys_by_function, keys_of, rotation_key};
pub(crate) use on_device::OnDevice;
pub(crate) use residues::{check_level, check_poly, check_ring};
pub(crate) use seeds::system as system_seed;
pub(crate) use shared_results::advantage;
