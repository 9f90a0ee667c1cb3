//! Circuits: what programs over ciphertexts are made of, above single operations.
//!
//! A circuit adds operations to a program under construction
//! ([`ringwright_schemes::ckks::ProgramBuilder`]) and computes nothing itself; it chooses which
//! products to form, at which level and scale, so that the depth is the least there can be, key
//! switches are few, and no error is added but the rounding of constants.
//!
//! Reading order: [`Polynomial`] (power and Chebyshev basis, with [`chebyshev`] to find one for a
//! function), [`inner_sum`], [`LinearTransform`], [`Sign`].

mod chebyshev;
mod error;
mod inner_sum;
mod linear_transform;
mod polynomial;
mod remez;
mod sign;

pub use chebyshev::chebyshev;
pub use error::Error;
pub use inner_sum::inner_sum;
pub use linear_transform::LinearTransform;
pub use polynomial::{Basis, Polynomial};
pub use sign::Sign;
