//! NTT plans, pointwise kernels, embedding FFT; the only home of SIMD intrinsics.
//!
//! Reading order: [`Isa`], then `vector` (the closed traits over which every algorithm is
//! written once), `ntt` (tables, forward and inverse passes), [`Pointwise`], [`InnerProduct`] with
//! `sums` (its traits and its arithmetic), [`WeightedSum`], [`EmbeddingPlan`], [`Keccak`] with `rounds`, and last `arch`, which holds per
//! instruction set nothing but the traits' implementations and one entry point. All `unsafe` of
//! the crate is in `arch`: a token of an instruction set can only be made where the machine has
//! it, so the traits are safe to call.
//!
//! Nothing here branches or indexes memory by a coefficient's value.

mod aligned;
mod arch;
mod embedding;
mod error;
mod inner_product;
mod isa;
mod keccak;
mod ntt;
mod permutation;
mod pointwise;
mod rounds;
// Only x86-64 has lanes that halve words.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod sums;
mod vector;
mod weighted_sum;

pub use aligned::AlignedWords;
pub use arch::KernelWord;
pub use embedding::EmbeddingPlan;
pub use error::{PlanError, MAX_LOG_N, MIN_LOG_N};
pub use inner_product::{Factors, InnerProduct, Start};
pub use isa::{Isa, UnknownIsa};
pub use keccak::Keccak;
pub use ntt::NttPlan;
pub use permutation::{Permutation, PermutationError};
pub use pointwise::Pointwise;
pub use rounds::{States, STATES, STATE_WORDS};
pub use sums::SumWord;
pub use weighted_sum::WeightedSum;
