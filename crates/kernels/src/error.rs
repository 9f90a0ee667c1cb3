//! Why a plan cannot be made.

use crate::isa::Isa;
use ringwright_arith::modulus::ModulusError;
use ringwright_arith::roots::RootError;

/// log2 of the smallest transform.
pub const MIN_LOG_N: u32 = 4;
/// log2 of the largest transform.
pub const MAX_LOG_N: u32 = 17;

/// Why a plan cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The ring dimension is outside the supported range.
    #[error("ring dimension 2^{0}: expected 2^{MIN_LOG_N} to 2^{MAX_LOG_N}")]
    Size(u32),
    /// The modulus does not fit the word or is even.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// The modulus has no primitive 2N-th root of unity.
    #[error(transparent)]
    Root(#[from] RootError),
    /// The machine lacks the instructions asked for.
    #[error("instruction set {0}: this machine does not have it")]
    Unavailable(Isa),
}

/// log_n, when a transform of that size is supported.
pub(crate) fn check_log_n(log_n: u32) -> Result<u32, PlanError> {
    if (MIN_LOG_N..=MAX_LOG_N).contains(&log_n) {
        Ok(log_n)
    } else {
        Err(PlanError::Size(log_n))
    }
}

/// isa, when this machine has it.
pub(crate) fn check_isa(isa: Isa) -> Result<Isa, PlanError> {
    if isa.is_available() {
        Ok(isa)
    } else {
        Err(PlanError::Unavailable(isa))
    }
}
