//! Polynomials of N coefficients under several primes, and what is done with them outside the
//! transform: sampling, automorphisms and exact basis extension.
//!
//! | module | what |
//! |---|---|
//! | [`rns_poly`] | the container: tower-major words |
//! | [`mapped`] | words that lie in a file, for what is too large for memory |
//! | [`seed`] | 32 secret bytes, fresh from the operating system |
//! | [`shake`] | SHAKE-256 by whole blocks of 1088 bits |
//! | [`sampler`] | uniform, ternary, centred binomial and flooding noise, bit by bit defined |
//! | [`automorphism`] | X -> X^g in coefficient and evaluation form |
//! | [`basis_extension`] | the centred integer under other primes, exact for every input |
//!
//! A **tower** is the residue polynomial under one prime. N is 2^4 to 2^17.

pub mod automorphism;
pub mod basis_extension;
pub mod mapped;
mod recycled;
pub mod rns_poly;
pub mod sampler;
pub mod seed;
pub mod shake;
mod wiped;

pub use basis_extension::BasisExtension;
pub use mapped::Mapped;
pub use rns_poly::{RnsPoly, ShapeError};
pub use seed::{Seed, SeedError};
pub use wiped::Wiped;
