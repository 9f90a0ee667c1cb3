//! Circuits: what programs over ciphertexts are made of, above single operations.
//!
//! A circuit adds operations to a program under construction
//! ([`ringwright_schemes::ckks::ProgramBuilder`]) and computes nothing itself; it chooses which
//! products to form, at which level and scale, so that the depth is the least there can be, key
//! switches are few, and no error is added but the rounding of constants.
//!
//! ```
//! use ringwright_circuits::{chebyshev, LinearTransform};
//! use ringwright_schemes::ckks::{DepthRequest, Fineness, Parameters, ProgramBuilder};
//!
//! let parameters = Parameters::for_depth(DepthRequest {
//!     depth: 4,
//!     security: 128,
//!     fineness: Fineness::LogScale(40),
//!     integer_bits: 8,
//!     slots: 3,
//!     share: None,
//! })?;
//! let mut builder = ProgramBuilder::new(&parameters, "probabilities");
//! let x = builder.input("x", parameters.fresh(1.0, 0.5))?;
//! let weights = LinearTransform::new(2, 3, &[0.5, -0.5, 1.0, 0.0, 1.0, -1.0])?;
//! let scores = weights.apply(&mut builder, x)?;
//! let sigmoid = chebyshev(|t| 1.0 / (1.0 + (-t).exp()), [-2.0, 2.0], 7)?;
//! let probabilities = sigmoid.evaluate(&mut builder, scores)?;
//! assert_eq!(builder.ty(probabilities)?.level, 1); // a level for the matrix, three for degree 7
//! let program = builder.finish(&[probabilities])?;
//! # Ok::<(), ringwright_circuits::Error>(())
//! ```
//!
//! [`ringwright_schemes::ckks`] shows how a program is run.
//!
//! Reading order: [`Polynomial`] (power and Chebyshev basis, with [`chebyshev`] to find one for a
//! function), [`inner_sum`], [`LinearTransform`], [`Sign`], [`Bootstrapping`].

mod bootstrap;
mod chebyshev;
mod error;
mod inner_sum;
mod linear_transform;
mod polynomial;
mod remez;
mod sign;

pub use bootstrap::{BootstrapShape, Bootstrapping};
pub use chebyshev::chebyshev;
pub use error::Error;
pub use inner_sum::inner_sum;
pub use linear_transform::LinearTransform;
pub use polynomial::{Basis, Polynomial};
pub use sign::Sign;
