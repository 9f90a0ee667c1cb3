//! Why a plan cannot be compiled or run.

use super::knobs::Knobs;
use crate::config::Config;
use crate::program_error::ProgramError;
use ringwright_ir::RunError;
use ringwright_nttx::PlanError;

/// Largest degree that is compiled; beyond 2^16 for memories larger than the published one.
const MOST_LOG_N: u32 = 17;

/// Why a plan cannot be compiled or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Whoever asked for it wants it no more.
    #[error("interrupted")]
    Interrupted,
    /// The plan is none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Vectors of another length than the machine's.
    #[error("the plan has vectors of {plan} words, the machine of {machine}")]
    VectorLength {
        /// Words of the plan's vectors.
        plan: usize,
        /// Words of the machine's.
        machine: usize,
    },
    /// The data memory is too small.
    #[error("needs {needed} words of vector data memory, the machine has {words}")]
    Memory {
        /// Words of buffers and constants.
        needed: usize,
        /// Words of the machine.
        words: usize,
    },
    /// No setting of the scheduler finds registers for everything.
    #[error("the registers do not suffice for this plan with {0:?}")]
    Registers(Knobs),
    /// More moduli or factors than scalar registers, or none at all.
    #[error("from at least one to at least one modulus, in {registers} scalar registers; needs {needed}")]
    Scalars {
        /// Registers needed.
        needed: usize,
        /// Registers of the machine.
        registers: usize,
    },
    /// A modulus that the machine's words do not hold.
    #[error("modulus {q} is not an odd number from 5 to 2^{} - 1", word_bits - 1)]
    Modulus {
        /// The modulus.
        q: u128,
        /// Bits of a word.
        word_bits: u32,
    },
    /// Words of another number than the plan's.
    #[error("{given} words where the plan has {wanted}")]
    Words {
        /// Words given.
        given: usize,
        /// Words of the plan.
        wanted: usize,
    },
    /// The simulator refuses the program: a mistake of the compiler.
    #[error("compiled program refused: {0}")]
    Refused(#[from] ProgramError),
}

impl CompileError {
    /// The same as an error of the machine or of the prime.
    pub fn refusal(self, config: &Config) -> RunError {
        match self {
            CompileError::Plan(PlanError::Modulus(_)) | CompileError::Modulus { .. } => {
                RunError::Invalid(self.to_string())
            }
            CompileError::Interrupted => RunError::Interrupted,
            error => config.unsupported(error),
        }
    }
}

/// Refuses degrees that are not compiled.
pub fn check_degree(config: &Config, log_n: u32) -> Result<(), RunError> {
    let vectors = config.vector_length.ilog2() + 1;
    if (vectors..=MOST_LOG_N).contains(&log_n) {
        return Ok(());
    }
    let n = 1u64.checked_shl(log_n).unwrap_or(0);
    let (least, most) = (1 << vectors, 1 << MOST_LOG_N);
    let reason = format!("N = {n}: compiled are transforms of {least} to {most} words");
    Err(config.unsupported(reason))
}
